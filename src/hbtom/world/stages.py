"""Worlds that change while the agent acts: walls that come and go, and things that move.

Every state of the world in which the agent sets off on a step is a stage. A stage is a world of its
own, with its own modes. A step is planned in its stage, as if everything stayed as it is. An
agent's belief may lag behind: with an outdated belief, it always plans in the first stage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe import Trial
from hbtom.world.modes import Exits, PlaceWorld, cell_of, exit_at
from hbtom.world.trajectory import MOVE, Trajectory


def at_frame(trial: Trial, frame: int) -> Trial:
    """Return a trial whose world stays throughout as it is in one frame."""
    if not trial.changes:
        return trial
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
    trial: Trial,
    steps: Trajectory,
    path: Annotated[Floats, "frame 2"],
    make: Callable[[Trial], PlaceWorld],
    diagonal: bool,
) -> tuple[tuple[PlaceWorld, ...], Trajectory]:
    """Return a world for each stage of a trial, and the trajectory through their modes.

    ``make`` makes the world of a trial in which nothing changes. The first stage is that of the
    first frame, even if no step begins in it. With ``diagonal``, two moves at a right angle become
    one diagonal if it is free in the stage in which they begin.
    """
    begin = [0, *step_onsets(steps, path)]
    states = [_state(trial, frame) for frame in begin]
    numbers = {state: number for number, state in enumerate(dict.fromkeys(states))}
    worlds = [make(at_frame(trial, begin[states.index(state)])) for state in numbers]
    stage = np.array([numbers[state] for state in states[1:]], dtype=np.int64)
    if diagonal:
        kept, steps = _with_diagonals(steps, [worlds[one].blocked for one in stage])
        stage = stage[kept]
    used = np.unique(np.append(0, stage))
    worlds, stage = [worlds[one] for one in used], np.searchsorted(used, stage)
    return tuple(worlds), renumbered(steps, worlds[0], stage)


def renumbered(steps: Trajectory, world: PlaceWorld, stage: Annotated[Ints, "step"]) -> Trajectory:
    """Return the steps with the modes, things and exits of their stages in the joined world.

    ``world`` is any stage, ``stage`` the stage of each step.
    """
    modes, things, exits = _sizes(world)
    thing = np.where(steps.thing < 0, -1, steps.thing % things + things * stage)
    taken = np.where(steps.exit < 0, -1, steps.exit % max(exits, 1) + exits * stage)
    return steps._replace(mode=steps.mode % modes + modes * stage, thing=thing, exit=taken)


def step_onsets(steps: Trajectory, path: Annotated[Floats, "frame 2"]) -> list[int]:
    """Return the frame in which the agent sets off on each step, the last before it moves.

    That is the last frame in which the agent is where the step starts. A step between cells is
    complete as soon as the agent has left a cell, so it begins in the frame before. Acts take no
    time.
    """
    begin, before = [], 0
    for step, (frame, act) in enumerate(zip(steps.frame.tolist(), steps.act.tolist(), strict=True)):
        if act == MOVE:
            there = np.flatnonzero((path[before:frame] == steps.start[step]).all(axis=1))
            begin.append(before + int(there[-1]) if len(there) else max(frame - 1, 0))
        else:
            begin.append(frame)
        before = frame
    return begin


def _with_diagonals(
    steps: Trajectory, blocked: Sequence[Annotated[Bools, "mode row column"]]
) -> tuple[list[int], Trajectory]:
    """Join moves between cells into diagonals; return the numbers of the steps left, and the steps.

    ``blocked`` has the map of the stage in which each step begins.
    """
    steps, kept = steps._replace(frame=steps.frame.copy(), stop=steps.stop.copy()), list[int]()
    for step in range(len(steps.act)):
        if kept and _makes_diagonal(steps, kept[-1], step, blocked[kept[-1]]):
            steps.frame[kept[-1]], steps.stop[kept[-1]] = steps.frame[step], steps.stop[step]
        else:
            kept.append(step)
    cut = {name: getattr(steps, name)[kept] for name in steps._fields if name != "first"}
    return kept, steps._replace(**cut)


def _makes_diagonal(steps: Trajectory, one: int, other: int, blocked: Bools) -> bool:
    """Return whether two steps are moves at a right angle that can be joined into a diagonal."""
    both, mode = [one, other], int(steps.mode[one])
    turn = np.abs(steps.stop[both] - steps.start[both]).tolist()
    moves = (steps.act[both] == MOVE).all() and (steps.stop[one] == steps.start[other]).all()
    if not moves or steps.mode[other] != mode or turn not in ([[1, 0], [0, 1]], [[0, 1], [1, 0]]):
        return False
    (column, row), (to_column, to_row) = steps.start[one].astype(int), steps.stop[other].astype(int)
    return not blocked[mode, [row, to_row, to_row], [to_column, column, to_column]].any()


def _state(trial: Trial, frame: int) -> bytes:
    """Return the state of everything that may change, as bytes, in one frame."""
    changing = (trial.walls_there, trial.object_paths)
    return b"".join(one[frame].tobytes() for one in changing if one is not None)


def joined(worlds: tuple[PlaceWorld, ...]) -> PlaceWorld:
    """Return one world with the modes, things, boxes and exits of all stages, in order.

    Planning is done stage by stage.
    """
    modes, things, exits = _sizes(worlds[0])
    sizes = {"source": modes, "target": modes, "thing": things, "then": exits}

    def numbered(name: str) -> np.ndarray:
        size, parts = sizes.get(name, 0), [getattr(one.exits, name) for one in worlds]
        return np.concatenate([np.where(p < 0, p, p + n * size) for n, p in enumerate(parts)])

    return worlds[0]._replace(
        blocked=np.concatenate([one.blocked for one in worlds]),
        lying=np.concatenate([one.lying for one in worlds]),
        reach=np.concatenate([one.reach for one in worlds]),
        boxes=np.concatenate([one.boxes for one in worlds]),
        exits=Exits(*map(numbered, Exits._fields)),
    )


def outdated(steps: Trajectory, stage: PlaceWorld) -> Trajectory:
    """Return the steps as seen by an agent that believes the world to be in its first stage.

    ``stage`` is this first stage. A touch counts as a touch of the thing that the agent believes to
    be there, if any, even if it touches another thing.
    """
    modes, things, exits = _sizes(stage)
    thing = np.where(steps.thing < 0, -1, steps.thing % things)
    taken = np.where(steps.exit < 0, -1, steps.exit % max(exits, 1))
    mode = steps.mode % modes
    for step in np.flatnonzero(thing >= 0).tolist():
        (column, row), (_, rows, columns) = steps.start[step].tolist(), stage.reach.shape
        side = stage.space.side
        near = stage.reach[:, cell_of(row, side, rows), cell_of(column, side, columns)]
        other = int(near.argmin())
        one = exit_at(stage.exits.source, stage.exits.thing, int(mode[step]), other)
        if near[thing[step]] == np.inf and near[other] < np.inf and one >= 0:
            thing[step], taken[step] = other, one
    return steps._replace(mode=mode, thing=thing, exit=taken)


def _sizes(stage: PlaceWorld) -> tuple[int, int, int]:
    """Return the numbers of modes, things and exits of a stage."""
    return len(stage.blocked), max(len(stage.reach), 1), len(stage.exits.source)
