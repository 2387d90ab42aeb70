"""The steps of a leg that is still in progress: those that are complete, and the tail after them.

The next steps depend only on the tail, the short part of the leg after its last complete step. So a
trial can be followed frame by frame, at the same cost per frame however long it lasts.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.world.modes import PlaceWorld, worlds_from
from hbtom.world.steps import Gait, find_steps
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


def steps_to_end(gait: Gait, tail: Tail, end: Ending, world: PlaceWorld) -> Trajectory:
    """Return the steps in the tail of a leg, as if the leg ended now."""
    steps, _ = _numbered(gait, tail, end, world)
    if end.act != NO_ACT:
        steps.frame[-1] = end.frame
    return steps


def complete_steps(gait: Gait, tail: Tail, mode: int, world: PlaceWorld) -> tuple[Trajectory, Tail]:
    """Return the steps that no later frame can change, and the tail after them."""
    steps, many = _numbered(gait, tail, Ending(mode), world)
    return cut(steps, many), _rest(tail, steps, many, world)


def concatenated(*some: Trajectory) -> Trajectory:
    """Return several trajectories joined into one."""
    first = some[0].first
    parts = zip(*(one._replace(first=first[:0]) for one in some), strict=True)
    return Trajectory(*map(np.concatenate, parts))._replace(first=first)


def _numbered(gait: Gait, tail: Tail, end: Ending, world: PlaceWorld) -> tuple[Trajectory, int]:
    """Return the steps of a leg, with frames of the trial, and how many of them are complete."""
    leg = np.array([[0, len(tail.path) - 1, end.mode, end.act, end.thing]])
    every, many = find_steps(scene_of_path(tail.path), worlds_from(world), gait, False, leg)
    steps = trajectory_at(every, 0)
    return steps._replace(frame=tail.frame[steps.frame]), many


def _rest(tail: Tail, steps: Trajectory, many: int, world: PlaceWorld) -> Tail:
    """Return the tail after its first ``many`` steps, which are complete.

    Between cells, keep the last place, and the centres of the last two cells if a diagonal may join
    them.
    """
    if not world.space.in_cells:
        here = int(np.searchsorted(tail.frame, steps.frame[many - 1])) if many else 0
        return Tail(tail.path[here:], tail.frame[here:])
    if many == len(steps.act):
        return Tail(tail.path[-1:], tail.frame[-1:])
    cells = (np.stack([steps.start[many], steps.stop[many]]) + 0.5) * world.space.cell
    frames = np.append(tail.frame[:1], [steps.frame[many], tail.frame[-1]])
    return Tail(np.append(cells, tail.path[-1:], axis=0), frames)
