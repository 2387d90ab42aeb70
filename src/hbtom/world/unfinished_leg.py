"""The steps of a leg that is still in progress: those that are complete, and the tail after them.

The next steps depend only on the tail, the short part of the leg after its last complete step. So a
trial can be followed frame by frame, at the same cost per frame however long it lasts.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.assumptions import Continuous, Grid
from hbtom.world.modes import PlaceWorld, worlds_from
from hbtom.world.steps import IN_CELLS, assemble, find_steps
from hbtom.world.trajectory import NO_ACT, Trajectory, cut, trajectory_at
from hbtom.world.trial_arrays import scene_of_path


class Tail(NamedTuple):
    """The end of a leg: the places since its last complete step, each with its frame."""

    path: Annotated[Floats, "place 2"]
    frame: Annotated[Ints, "place"]

    def to(self, place: tuple[float, float], frame: int) -> Tail:
        """Return the tail with one more place."""
        return Tail(np.append(self.path, [place], axis=0), np.append(self.frame, frame))


def tail_at(place: tuple[float, float], frame: int) -> Tail:
    """Return the tail of a leg that begins at a place."""
    return Tail(np.array([place], dtype=np.float64), np.array([frame]))


class Ending(NamedTuple):
    """How a leg ends: its mode, and the act that ends it with its thing and frame."""

    mode: int
    act: int = NO_ACT
    thing: int = -1
    frame: int = -1


def steps_to_end(motion: Any, tail: Tail, end: Ending, world: PlaceWorld) -> Trajectory:
    """Return the steps in the tail of a leg, as if the leg ended now."""
    steps, _ = _numbered(motion, tail, end, world)
    if end.act != NO_ACT:
        steps.frame[-1] = end.frame
    return steps


def complete_steps(
    motion: Any, tail: Tail, mode: int, world: PlaceWorld
) -> tuple[Trajectory, Tail]:
    """Return the steps that no later frame can change, and the tail after them."""
    steps, many = _numbered(motion, tail, Ending(mode), world)
    left = rest(motion, tail, steps, many, world)
    return cut(steps, many), left


def concatenated(*some: Trajectory) -> Trajectory:
    """Return several trajectories joined into one."""
    first = some[0].first
    parts = zip(*(one._replace(first=first[:0]) for one in some), strict=True)
    return Trajectory(*map(np.concatenate, parts))._replace(first=first)


def _numbered(motion: Any, tail: Tail, end: Ending, world: PlaceWorld) -> tuple[Trajectory, int]:
    """Return the steps of a leg, with frames of the trial, and how many of them are complete."""
    leg = np.array([0, len(tail.path) - 1, end.mode, end.act, end.thing])
    steps, many = leg_steps(motion, tail.path, leg, world)
    return steps._replace(frame=tail.frame[steps.frame]), many


@singledispatch
def leg_steps(
    motion: Any, path: Floats, leg: Annotated[Ints, "5"], world: PlaceWorld
) -> tuple[Trajectory, int]:
    """Return the steps of a leg, and how many of them are complete.

    Each type of motion registers its own function.
    """
    raise TypeError(f"cannot follow {motion!r} frame by frame: leg_steps has no function for it")


@singledispatch
def rest(motion: Any, tail: Tail, steps: Trajectory, many: int, world: PlaceWorld) -> Tail:
    """Return the tail after its first ``many`` steps, which are complete.

    Each type of motion registers its own function.
    """
    raise TypeError(f"cannot follow {motion!r} frame by frame: rest has no function for it")


def can_follow(motion: Any) -> bool:
    """Return whether a motion can be followed frame by frame."""
    return leg_steps.dispatch(type(motion)) is not leg_steps.dispatch(object)


def _leg_steps(path: Floats, leg: Ints, world: PlaceWorld, stride: float) -> tuple[Trajectory, int]:
    made = find_steps(scene_of_path(path), worlds_from(world), stride, False, leg[None])
    return trajectory_at(assemble(*made[:4]), 0), made[4]


@leg_steps.register
def _continuous(
    motion: Continuous, path: Floats, leg: Ints, world: PlaceWorld
) -> tuple[Trajectory, int]:
    return _leg_steps(path, leg, world, float(motion.stride))


@rest.register
def _after_stride(
    motion: Continuous, tail: Tail, steps: Trajectory, many: int, world: PlaceWorld
) -> Tail:
    here = int(np.searchsorted(tail.frame, steps.frame[many - 1])) if many else 0
    return Tail(tail.path[here:], tail.frame[here:])


@leg_steps.register
def _grid(motion: Grid, path: Floats, leg: Ints, world: PlaceWorld) -> tuple[Trajectory, int]:
    return _leg_steps(path, leg, world, IN_CELLS)


@rest.register
def _after_cell(motion: Grid, tail: Tail, steps: Trajectory, many: int, world: PlaceWorld) -> Tail:
    """Keep the last place, and the centres of the last two cells if a diagonal may join them."""
    if many == len(steps.act):
        return Tail(tail.path[-1:], tail.frame[-1:])
    cells = (np.stack([steps.start[many], steps.stop[many]]) + 0.5) * world.space.cell
    frames = np.append(tail.frame[:1], [steps.frame[many], tail.frame[-1]])
    return Tail(np.append(cells, tail.path[-1:], axis=0), frames)
