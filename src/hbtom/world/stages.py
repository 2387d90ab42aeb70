"""Worlds that change while the agent acts: walls that come and go, and things that move.

Every state of the world in which the agent decides something is a stage. A stage is a world of its
own, with its own modes; a step is planned in the stage in which it begins, as if everything stayed
as it is. What an agent believes may lag behind: with an outdated belief, it plans in the first
stage all along.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Ints
from hbtom.observe import Trial
from hbtom.world.modes import Exits, PlaceWorld
from hbtom.world.trajectory import Trajectory


def changes(trial: Trial) -> bool:
    """Tell whether walls or objects change during a trial."""
    return trial.walls_there is not None or trial.object_paths is not None


def at_frame(trial: Trial, frame: int) -> Trial:
    """Return a trial in whose world everything is as in one frame, all along."""
    there, paths = trial.walls_there, trial.object_paths
    walls = trial.walls if there is None else trial.walls[there[frame]]
    objects = trial.objects
    if paths is not None:
        places = paths[frame].tolist()
        objects = tuple(
            replace(one, centre=(x, y)) for one, (x, y) in zip(objects, places, strict=True)
        )
    return replace(trial, walls=walls, objects=objects, walls_there=None, object_paths=None)


def staged(
    trial: Trial, steps: Trajectory, make: Callable[[Trial], PlaceWorld]
) -> tuple[tuple[PlaceWorld, ...], Trajectory]:
    """Return a world for each stage of a trial, and the trajectory through their modes.

    ``make`` makes the world of a trial in which nothing changes. The first stage is that of the
    first frame, even if no step begins in it.
    """
    stage, first = _stages(trial, steps)
    worlds = tuple(make(at_frame(trial, int(frame))) for frame in first)
    modes, things, exits = _sizes(worlds[0])
    thing = np.where(steps.thing < 0, -1, steps.thing + things * stage)
    taken = np.where(steps.exit < 0, -1, steps.exit + exits * stage)
    return worlds, steps._replace(mode=steps.mode + modes * stage, thing=thing, exit=taken)


def _stages(
    trial: Trial, steps: Trajectory
) -> tuple[Annotated[Ints, "step"], Annotated[Ints, "stage"]]:
    """Return in which stage each step begins, and the first frame of each stage."""
    begin = [0, *steps.frame[:-1].tolist()]
    states = [_state(trial, frame) for frame in begin]
    first = {state: states.index(state) for state in states}  # in the order of the stages
    stages = {state: number for number, state in enumerate(first)}
    stage = np.array([stages[state] for state in states], dtype=np.int64)
    return stage[: len(steps.act)], np.array([begin[step] for step in first.values()])


def _state(trial: Trial, frame: int) -> bytes:
    """Return all that may change, as it is in a frame."""
    changing = (trial.walls_there, trial.object_paths)
    return b"".join(one[frame].tobytes() for one in changing if one is not None)


def joined(worlds: tuple[PlaceWorld, ...]) -> PlaceWorld:
    """Return one world with the modes, things and exits of all stages, one after the other."""
    modes, things, _ = _sizes(worlds[0])
    return worlds[0]._replace(
        blocked=np.concatenate([one.blocked for one in worlds]),
        lying=np.concatenate([one.lying for one in worlds]),
        reach=np.concatenate([one.reach for one in worlds]),
        exits=Exits(
            source=np.concatenate([w.exits.source + n * modes for n, w in enumerate(worlds)]),
            target=np.concatenate([w.exits.target + n * modes for n, w in enumerate(worlds)]),
            thing=np.concatenate([w.exits.thing + n * things for n, w in enumerate(worlds)]),
            goal=np.concatenate([w.exits.goal for w in worlds]),
            then=np.concatenate([w.exits.then for w in worlds]),
            price=np.concatenate([w.exits.price for w in worlds]),
            reluctance=np.concatenate([w.exits.reluctance for w in worlds]),
        ),
    )


def outdated(steps: Trajectory, stage: PlaceWorld) -> Trajectory:
    """Return the same steps as if the world were still in its first stage, which is given."""
    modes, things, exits = _sizes(stage)
    thing = np.where(steps.thing < 0, -1, steps.thing % things)
    taken = np.where(steps.exit < 0, -1, steps.exit % max(exits, 1))
    return steps._replace(mode=steps.mode % modes, thing=thing, exit=taken)


def _sizes(stage: PlaceWorld) -> tuple[int, int, int]:
    """Return how many modes, things and exits a stage has."""
    return len(stage.blocked), max(len(stage.reach), 1), len(stage.exits.source)
