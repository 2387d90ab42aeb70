"""MiniGrid environments as scenes and frames; any environment with the same attributes works.

A cell is 20 pixels wide. An agent next to a thing touches it. The key and the locked door become
key, lock and barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from hbtom.errors import BadInput
from hbtom.observe.bodies import Body, Identity
from hbtom.observe.stream import Frame, recorded
from hbtom.observe.trial import Trial

CELL = 20.0
AGENT, THING = 8.0, 12.0  # radii
WANTED = "goal", "ball", "box"
COLOURS = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "purple": (112, 39, 195),
    "yellow": (255, 255, 0),
    "grey": (100, 100, 100),
}


def scene_of(env: Any) -> Trial:
    """Return the scene of an environment that has been reset, for :class:`hbtom.Observer`."""
    things = list(_things(env))
    keys = [_body(at, one) for at, one in things if one.type == "key"]
    doors = [at for at, one in things if one.type == "door" and one.is_locked]
    if len(keys) > 1 or len(doors) > 1:
        hint = "a scene has one key and one lock at most"
        raise BadInput("the environment has several keys or locked doors", hint=hint)
    walls = [_block(at) for at, one in things if one.type in ("wall", "lava")]
    key = keys[0] if keys else None
    lock = next((Body(Identity("lock"), _centre(at), CELL / 2) for at in doors), None)
    place, frame = _centre(env.unwrapped.agent_pos), frame_of(env)
    return Trial(
        size=(CELL * env.unwrapped.width, CELL * env.unwrapped.height),
        walls=np.array(walls, dtype=np.float64).reshape(-1, 4),
        barrier=np.array([_block(at) for at in doors], dtype=np.float64).reshape(-1, 4),
        objects=tuple(_body(at, one) for at, one in things if one.type in WANTED),
        agent=Body(Identity("agent", COLOURS["red"]), place, AGENT),
        path=np.array([place]),
        barrier_left=np.array([frame.barrier_left]),
        key=key,
        key_path=None if key is None else np.array([key.centre]),
        lock=lock,
        lock_there=None if lock is None else np.array([True]),
    )


def frame_of(env: Any) -> Frame:
    """Return the current frame of an environment."""
    things = [one for _, one in _things(env)]
    key_lies = any(one.type == "key" for one in things)
    locked = any(one.type == "door" and one.is_locked for one in things)
    return Frame(_centre(env.unwrapped.agent_pos), key_lies, float(locked), locked)


def trial_of(env: Any, actions: Iterable[Any]) -> Trial:
    """Run actions in an environment that has been reset, up to its end; return the trial."""
    scene, frames = scene_of(env), [frame_of(env)]
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        frames.append(frame_of(env))
        if terminated or truncated:
            break
    return recorded(scene, frames)


def _things(env: Any) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield everything on the grid, with its column and row."""
    world = env.unwrapped
    for row in range(world.height):
        for column in range(world.width):
            one = world.grid.get(column, row)
            if one is not None:
                yield (column, row), one


def _centre(at: Any) -> tuple[float, float]:
    return CELL * (float(at[0]) + 0.5), CELL * (float(at[1]) + 0.5)


def _block(at: tuple[int, int]) -> list[float]:
    return [CELL * at[0], CELL * at[1], CELL, CELL]


def _body(at: tuple[int, int], one: Any) -> Body:
    return Body(Identity(one.type, COLOURS[one.color]), _centre(at), THING)
