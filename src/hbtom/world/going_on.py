"""The steps of a leg that is still going on: which are complete, and what is left over.

A leg of many frames and the short end of it that follows its last complete step give the same next
steps. So a trial can be followed frame by frame, and a frame costs the same however long it lasts.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints, frozen, read_only
from hbtom.assumptions import Continuous, Grid
from hbtom.observe.events import Track
from hbtom.observe.layout import Layout
from hbtom.world.cell_trajectory import grid_steps
from hbtom.world.modes import PlaceWorld
from hbtom.world.trajectory import NO_ACT, Trajectory, continuous_steps, cut, put_together

# Where legs are known, nobody looks at these.
_BOXES, _LOCKS = frozen(np.empty((0, 4))), frozen(np.empty((0, 2)))
_NOTHING = Layout(0.0, 0.0, _BOXES, _BOXES, frozen(np.empty((0, 3))), _LOCKS, 0.0, 0)


class Tail(NamedTuple):
    """The end of a leg: places since its last complete step, and the frames they were reached."""

    path: Annotated[Floats, "place 2"]
    frame: Annotated[Ints, "place"]

    def to(self, place: tuple[float, float], frame: int) -> Tail:
        """Return the same with one more place."""
        return Tail(np.append(self.path, [place], axis=0), np.append(self.frame, frame))


def tail_at(place: tuple[float, float], frame: int) -> Tail:
    """Return the tail of a leg that begins."""
    return Tail(np.array([place], dtype=np.float64), np.array([frame]))


class Ending(NamedTuple):
    """How a leg ends: the mode it is in, and the act, with its thing and frame."""

    mode: int
    act: int = NO_ACT
    thing: int = -1
    frame: int = -1


def steps_to_end(motion: Any, tail: Tail, end: Ending, world: PlaceWorld) -> Trajectory:
    """Return the steps at the end of a leg, as if it ended now."""
    steps, _ = _numbered(motion, tail, end, world)
    if end.act != NO_ACT:
        steps.frame[-1] = end.frame
    return steps


def complete_steps(
    motion: Any, tail: Tail, mode: int, world: PlaceWorld
) -> tuple[Trajectory, Tail]:
    """Return the steps that stay as they are whatever follows, and what is left after them."""
    steps, many = _numbered(motion, tail, Ending(mode), world)
    left = rest(motion, tail, steps, many, world)
    return cut(steps, many), left


def in_a_row(*some: Trajectory) -> Trajectory:
    """Return trajectories one after the other."""
    first = some[0].first
    parts = zip(*(one._replace(first=first[:0]) for one in some), strict=True)
    return Trajectory(*map(np.concatenate, parts))._replace(first=first)


def _numbered(motion: Any, tail: Tail, end: Ending, world: PlaceWorld) -> tuple[Trajectory, int]:
    """Return the steps of a leg with the frames of the trial, and how many are complete."""
    leg = np.array([0, len(tail.path) - 1, end.mode, end.act, end.thing])
    steps, many = leg_steps(motion, tail.path, leg, world)
    return steps._replace(frame=tail.frame[steps.frame]), many


@singledispatch
def leg_steps(
    motion: Any, path: Floats, leg: Annotated[Ints, "5"], world: PlaceWorld
) -> tuple[Trajectory, int]:
    """Return the steps of a leg, and how many are complete. Motions register their functions."""
    raise TypeError(f"no way is known to follow {motion!r} frame by frame")


@singledispatch
def rest(motion: Any, tail: Tail, steps: Trajectory, many: int, world: PlaceWorld) -> Tail:
    """Return what is left of a tail after some complete steps. Motions register functions."""
    raise TypeError(f"no way is known to follow {motion!r} frame by frame")


def can_follow(motion: Any) -> bool:
    """Tell whether a motion can be followed frame by frame."""
    return leg_steps.dispatch(type(motion)) is not leg_steps.dispatch(object)


@leg_steps.register
def _continuous(
    motion: Continuous, path: Floats, leg: Ints, world: PlaceWorld
) -> tuple[Trajectory, int]:
    stride = float(motion.stride)
    packed = continuous_steps(_NOTHING, Track(read_only(path)), world, stride, False, leg[None])
    return put_together(*packed[:3]), packed[3]


@rest.register
def _after_stride(
    motion: Continuous, tail: Tail, steps: Trajectory, many: int, world: PlaceWorld
) -> Tail:
    here = int(np.searchsorted(tail.frame, steps.frame[many - 1])) if many else 0
    return Tail(tail.path[here:], tail.frame[here:])


@leg_steps.register
def _grid(motion: Grid, path: Floats, leg: Ints, world: PlaceWorld) -> tuple[Trajectory, int]:
    packed = grid_steps(_NOTHING, Track(read_only(path)), world, False, leg[None])
    return put_together(*packed[:3]), packed[3]


@rest.register
def _after_cell(motion: Grid, tail: Tail, steps: Trajectory, many: int, world: PlaceWorld) -> Tail:
    """Keep the last place, and the middles of the last two cells if a diagonal may join them."""
    if many == len(steps.act):
        return Tail(tail.path[-1:], tail.frame[-1:])
    cells = (np.stack([steps.start[many], steps.stop[many]]) + 0.5) * world.space.cell
    frames = np.append(tail.frame[:1], [steps.frame[many], tail.frame[-1]])
    return Tail(np.append(cells, tail.path[-1:], axis=0), frames)
