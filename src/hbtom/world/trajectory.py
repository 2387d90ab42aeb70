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
from hbtom.compiled import kernel, part
from hbtom.observe.events import Track, find_marks
from hbtom.observe.layout import Layout
from hbtom.world.modes import HELD, OPEN, START, PlaceWorld, exit_at


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
        return f"<Trajectory in {len(self.act)} steps, {moves} of them moves>"


ALL_LEGS = np.empty((0, 5), dtype=np.int64)  # no legs given: find all of them
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
    legs = np.empty((3, 5), dtype=np.int64)
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


# Moves in pixels


def continuous_trajectory(
    layout: Layout, track: Track, world: PlaceWorld, stride: float, final: bool
) -> Trajectory:
    """Return the steps in pixels: a move for each stride, and one for the remainder of a leg.

    With a stride of 0, every frame is a move. ``final`` says whether the touch that ends the trial
    is a step.
    """
    return assemble(*continuous_steps(layout, track, world, stride, final, ALL_LEGS)[:3])


@kernel
def continuous_steps(
    layout: Layout,
    track: Track,
    world: PlaceWorld,
    stride: float,
    final: bool,
    legs: Annotated[Ints, "leg 5"],
) -> tuple[Ints, Floats, Floats, int]:
    """Return the steps of the given legs (of all, if none are given), and how many are final.

    A last move shorter than a stride is not final: it may become longer.
    """
    if len(legs) == 0:
        legs = find_legs(layout, track, final)
    path, modes = track.path, len(world.blocked)
    source, thing = world.exits.source, world.exits.thing
    numbers, places = allocate_steps(len(path) + len(legs))
    step = complete = 0
    for one in range(len(legs)):
        here, end, mode = legs[one, 0], legs[one, 1], min(legs[one, 2], modes - 1)
        arrived, walked = here, 0.0
        for frame in range(here + 1, end + 1):
            length = distance(path[frame - 1], path[frame])
            if length > 0:
                walked, arrived = walked + length, frame
                if walked >= stride:
                    add(numbers, places, step, frame, mode, path[here], path[frame])
                    step, here, walked = step + 1, frame, 0.0
        complete = step
        if walked > 0:
            add(numbers, places, step, arrived, mode, path[here], path[arrived])
            step += 1
        if legs[one, 3] != NO_ACT:
            add(numbers, places, step, end, mode, path[end], path[end])
            write_act(numbers, step, legs[one], source, thing)
            step += 1
    return numbers[:, :step], places[:, :step], path[0].copy(), complete


@part
def allocate_steps(most: int) -> tuple[Annotated[Ints, "5 step"], Annotated[Floats, "2 step 2"]]:
    """Return arrays for up to ``most`` steps: frame, act, thing, mode and exit; start and stop."""
    return np.empty((5, most), dtype=np.int64), np.empty((2, most, 2))


@part
def add(
    numbers: Annotated[Ints, "5 step"],
    places: Annotated[Floats, "2 step 2"],
    step: int,
    frame: int,
    mode: int,
    start: Annotated[Floats, "2"],
    stop: Annotated[Floats, "2"],
) -> None:
    """Fill in a move."""
    numbers[0, step], numbers[1, step], numbers[2, step] = frame, MOVE, -1
    numbers[3, step], numbers[4, step] = mode, -1
    for axis in range(2):
        places[0, step, axis], places[1, step, axis] = start[axis], stop[axis]


@part
def write_act(numbers: Ints, step: int, leg: Ints, source: Ints, thing: Ints) -> None:
    """Turn a step into the act that ends a leg."""
    numbers[1, step], numbers[2, step] = leg[3], leg[4]
    numbers[4, step] = exit_at(source, thing, numbers[3, step], leg[4])


def assemble(
    numbers: Annotated[Ints, "5 step"],
    places: Annotated[Floats, "2 step 2"],
    first: Annotated[Floats, "2"],
) -> Trajectory:
    """Assemble a trajectory. A kernel returns a few arrays faster than a tuple of many."""
    (frame, act, thing, mode, taken), (start, stop) = numbers, places
    return Trajectory(frame, act, thing, mode, start, stop, first, taken)


def cut(steps: Trajectory, many: int) -> Trajectory:
    """Return the first ``many`` steps."""
    some: Any = (one[:many] for one in steps)
    return Trajectory(*some)._replace(first=steps.first)
