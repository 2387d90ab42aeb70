"""Watch an agent in MiniGrid live: what does it want? Needs the library minigrid."""

from __future__ import annotations

import gymnasium
import minigrid  # noqa: F401, which registers its environments

from hbtom import Model, Observer
from hbtom.model import with_settings
from hbtom.observe.minigrid import CELL, frame_of, scene_of

LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE = range(6)

# Agents walk from cell to cell of the grid, and stop where they touch what they want.
MODEL = with_settings(Model.preset("paper"), {"motion.cell": CELL, "acts.final": True})


def watch(env: gymnasium.Env, actions: list[int]) -> Observer:
    """Print what is believed after each action of an agent."""
    observer = Observer(scene_of(env), MODEL)
    observer.observe(frame_of(env))
    for number, action in enumerate(actions, start=1):
        env.step(action)
        now = observer.observe(frame_of(env))
        wants = ", ".join(
            f"{goal} {chance:.2f}" for goal, chance in zip(now.goals, now.goal[-1], strict=True)
        )
        print(f"action {number:2}: {wants}")
    return observer


def main() -> None:
    """Let an agent fetch the key, open the door and walk to the goal."""
    env = gymnasium.make("MiniGrid-DoorKey-6x6-v0")
    env.reset(seed=7)
    fetch, open_door = [FORWARD, PICK_UP], [FORWARD, RIGHT, FORWARD, TOGGLE]
    leave = [FORWARD, FORWARD, RIGHT, FORWARD, FORWARD]
    observer = watch(env, fetch + open_door + leave)
    print(f"plausibility {observer.judgement().plausibility:.2f}")


if __name__ == "__main__":
    main()
