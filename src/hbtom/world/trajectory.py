"""The agent's trajectory as steps: moves, touches, and the opening of a lock.

Frames become steps. Still frames are dropped, and so is everything that happens while a barrier
vanishes. A carried key is an event rather than a position. Where touching an item is an act, motion
after contact is part of that act and not a move.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.compiled import part
from hbtom.errors import count
from hbtom.observe.events import Track, find_marks
from hbtom.world.modes import HELD, OPEN, START
from hbtom.world.trial_arrays import Layout


class Act(IntEnum):
    """The kinds of steps."""

    MOVE = 0
    TOUCH = 1  # picking up an item
    OPEN = 2  # opening the lock


# As plain numbers, for kernels
MOVE, TOUCH, OPENING, NO_ACT = int(Act.MOVE), int(Act.TOUCH), int(Act.OPEN), -1


class Trajectory(NamedTuple):
    """The steps of one trial; places are pixels, or cells counted from 0, as x, y."""

    frame: Annotated[Ints, "step"]  # in which the step is complete
    act: Annotated[Ints, "step"]
    thing: Annotated[Ints, "step"]  # the item or lock that is touched; -1 for moves
    mode: Annotated[Ints, "step"]  # before the step
    start: Annotated[Floats, "step 2"]  # place before the step
    stop: Annotated[Floats, "step 2"]  # place after the step
    first: Annotated[Floats, "2"]  # where the agent is before the first step
    exit: Annotated[Ints, "step"]  # the exit that an act takes; -1 for moves

    def __repr__(self) -> str:
        moves = int((self.act == MOVE).sum())
        return f"<Trajectory in {count(len(self.act), 'step')}, {moves} of them moves>"


class Trajectories(NamedTuple):
    """The trajectories of several trials, one after the other in each array."""

    begin: Annotated[Ints, "1+trial"]  # the first step of each trial
    first: Annotated[Floats, "trial 2"]
    frame: Annotated[Ints, "step"]
    act: Annotated[Ints, "step"]
    thing: Annotated[Ints, "step"]
    mode: Annotated[Ints, "step"]
    start: Annotated[Floats, "step 2"]
    stop: Annotated[Floats, "step 2"]
    exit: Annotated[Ints, "step"]


def trajectories_from(one: Trajectory) -> Trajectories:
    """Return one trajectory as the only one of several."""
    begin = np.array([0, len(one.act)])
    return Trajectories(begin, one.first[None], *one[:6], one.exit)


@part
def trajectory_at(every: Trajectories, trial: int) -> Trajectory:
    """Return one of several trajectories."""
    begin, end = every.begin[trial], every.begin[trial + 1]
    return Trajectory(
        every.frame[begin:end],
        every.act[begin:end],
        every.thing[begin:end],
        every.mode[begin:end],
        every.start[begin:end],
        every.stop[begin:end],
        every.first[trial],
        every.exit[begin:end],
    )


MOST_LEGS = 3  # in a trial
_NONE = np.empty(0, dtype=np.int64)
NO_STEPS = Trajectory(
    _NONE, _NONE, _NONE, _NONE, np.empty((0, 2)), np.empty((0, 2)), np.zeros(2), _NONE
)


# Legs: stretches of free motion between acts


@part
def find_legs(layout: Layout, track: Track, final: bool) -> Annotated[Ints, "leg 5"]:
    """Cut a trial at the key and at the lock; with ``final``, also at the last touch of an item.

    A leg is its first and last frame, its mode, and the act that ends it, with the thing touched.
    Motion after contact is part of picking something up, and not a move.
    """
    items, radius, objects = layout.items, layout.radius, layout.objects
    path, marks = track.path, find_marks(track)
    legs = np.empty((MOST_LEGS, 5), dtype=np.int64)
    count, here, mode, end = 0, 0, START, len(path) - 1
    if marks.picked >= 0:
        touch = _contact_began(path, items[objects], radius, marks.picked)
        _write(legs[count], here, touch, mode, TOUCH, objects)
        count, here, mode = count + 1, marks.picked, HELD
    if marks.reached >= 0:
        act = OPENING if mode == HELD else NO_ACT
        _write(legs[count], here, max(here, marks.reached), mode, act, len(items))
        after = end if marks.gone < 0 else _after_jump(path, marks.gone)
        # No frame is in two legs, even if the barrier vanished before the key was picked up.
        count, here, mode = count + 1, max(here, after), OPEN
    lying = len(items) if mode == START else objects
    item = touched_last(path, items[:lying], radius) if final and marks.last >= 0 else -1
    if item < 0:
        _write(legs[count], here, end, mode, NO_ACT, -1)
    else:
        touch = max(here, _contact_began(path, items[item], radius, end))
        _write(legs[count], here, touch, mode, TOUCH, item)
    return legs[: count + 1]


@part
def _write(leg: Ints, first: int, last: int, mode: int, act: int, thing: int) -> None:
    leg[0], leg[1], leg[2], leg[3], leg[4] = first, last, mode, act, thing


@part
def _contact_began(path: Floats, item: Floats, radius: float, frame: int) -> int:
    """Return the first frame of the run of contact that lasts until ``frame``."""
    reach = radius + item[2]
    if distance(path[frame], item) > reach:
        return frame
    while frame > 0 and distance(path[frame - 1], item) <= reach:
        frame -= 1
    return frame


@part
def _after_jump(path: Floats, gone: int) -> int:
    """Return the frame after the first motion since the barrier vanished.

    The agent may jump to the place of the lock; that is not a move that it chose.
    """
    for frame in range(gone + 1, len(path)):
        if path[frame, 0] != path[frame - 1, 0] or path[frame, 1] != path[frame - 1, 1]:
            return frame
    return len(path) - 1


@part
def touched_last(path: Floats, lying: Floats, radius: float) -> int:
    """Return the item in contact at the end (the nearest relative to its size), or -1."""
    nearest, least = -1, 1.0
    for item in range(len(lying)):
        away = distance(path[-1], lying[item])
        nearness = away / (radius + lying[item, 2])
        if nearness < least or (nearest < 0 and nearness <= 1.0):
            nearest, least = item, nearness
    return nearest


@part
def distance(place: Floats, other: Floats) -> float:
    """Return the distance between two places."""
    across, down = other[0] - place[0], other[1] - place[1]
    return math.sqrt(across * across + down * down)


def cut(steps: Trajectory, many: int) -> Trajectory:
    """Return the first ``many`` steps."""
    some: Any = (one[:many] for one in steps)
    return Trajectory(*some)._replace(first=steps.first)
