"""What the agent did, as steps: moves, touches, and the opening of a lock.

Frames become steps. Still frames vanish, and so does everything that happens while a barrier
vanishes; a carried key is an event rather than a position. Where touching an item is an act, motion
after contact is part of that act and not a way to anywhere.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.observe.events import Marks, touching
from hbtom.observe.layout import Layout
from hbtom.world.modes import HELD, OPEN, START, PlaceWorld, exit_of


class Act(IntEnum):
    """What a step is."""

    MOVE = 0
    TOUCH = 1  # picking up an item
    OPEN = 2  # opening the lock


# The same as plain numbers, for kernels
MOVE, TOUCH, OPENING, NO_ACT = int(Act.MOVE), int(Act.TOUCH), int(Act.OPEN), -1


class Trajectory(NamedTuple):
    """The steps of one trial; places are pixels, or cells counted from 0, as x, y."""

    frame: Annotated[Ints, "step"]  # at which the step is complete
    act: Annotated[Ints, "step"]
    thing: Annotated[Ints, "step"]  # that is touched, an item or the lock; -1 for moves
    mode: Annotated[Ints, "step"]  # before the step
    start: Annotated[Floats, "step 2"]  # place before and after
    stop: Annotated[Floats, "step 2"]
    first: Annotated[Floats, "2"]  # where the agent is before the first step
    exit: Annotated[Ints, "step"]  # the exit of the world that an act is; -1 for moves

    def __repr__(self) -> str:
        moves = int((self.act == MOVE).sum())
        return f"<Trajectory in {len(self.act)} steps, {moves} of them moves>"


_NONE = np.empty(0, dtype=np.int64)
NO_STEPS = Trajectory(
    _NONE, _NONE, _NONE, _NONE, np.empty((0, 2)), np.empty((0, 2)), np.zeros(2), _NONE
)


# Legs: stretches of free motion between acts


@part
def find_legs(layout: Layout, path: Floats, marks: Marks, final: bool) -> Annotated[Ints, "leg 5"]:
    """Cut a trial at the key and at the lock; with ``final``, also where it touches an item last.

    A leg is its first and last frame, the mode, and the act that ends it with the thing touched.
    Motion after contact is the picking up itself, not a way to anywhere.
    """
    items, radius, objects = layout.items, layout.radius, layout.objects
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
        # No frame is in two legs, even if the barrier went before the key was picked up.
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
    if not touching(path[frame, 0], path[frame, 1], item, radius):
        return frame
    while frame > 0 and touching(path[frame - 1, 0], path[frame - 1, 1], item, radius):
        frame -= 1
    return frame


@part
def _after_jump(path: Floats, gone: int) -> int:
    """Return the frame after the first motion that follows the barrier's going.

    The agent may be put at the lock's place at once; that is not a move that it chose.
    """
    for frame in range(gone + 1, len(path)):
        if path[frame, 0] != path[frame - 1, 0] or path[frame, 1] != path[frame - 1, 1]:
            return frame
    return len(path) - 1


@part
def touched_last(path: Floats, lying: Floats, radius: float) -> int:
    """Return the item in contact at the end, the nearest for its size, or -1."""
    nearest, least = -1, 1.0
    for item in range(len(lying)):
        away = _distance(path[-1, 0], path[-1, 1], lying[item, 0], lying[item, 1])
        nearness = away / (radius + lying[item, 2])
        if nearness < least or (nearest < 0 and nearness <= 1.0):
            nearest, least = item, nearness
    return nearest


@part
def _distance(x: float, y: float, other_x: float, other_y: float) -> float:
    across, down = other_x - x, other_y - y
    return math.sqrt(across * across + down * down)


# Moves in pixels


def continuous_trajectory(
    layout: Layout,
    path: Annotated[Floats, "frame 2"],
    marks: Marks,
    world: PlaceWorld,
    stride: float,
    final: bool,
) -> Trajectory:
    """Return the steps in pixels: a move whenever a stride has been walked, and one for the rest.

    With a stride of 0, every frame is a move. ``final`` tells whether the touch that ends the trial
    is a step.
    """
    return put_together(*_continuous_steps(layout, path, marks, world, stride, final))


@kernel
def _continuous_steps(
    layout: Layout,
    path: Annotated[Floats, "frame 2"],
    marks: Marks,
    world: PlaceWorld,
    stride: float,
    final: bool,
) -> tuple[Ints, Floats, Floats]:
    legs = find_legs(layout, path, marks, final)
    steps, numbers, places = room_for(len(path) + len(legs), path[0])
    step = 0
    for leg in range(len(legs)):
        step, _ = _walk(steps, step, path, legs[leg], world, stride)
    return numbers[:, :step], places[:, :step], steps.first


@kernel
def continuous_leg(
    path: Annotated[Floats, "frame 2"], leg: Annotated[Ints, "5"], world: PlaceWorld, stride: float
) -> tuple[Trajectory, int]:
    """Return the steps of one leg, and how many of its moves are complete whatever follows."""
    steps, _, _ = room_for(len(path) + 1, path[0])
    step, complete = _walk(steps, 0, path, leg, world, stride)
    return cut(steps, step), complete


@part
def _walk(
    steps: Trajectory, step: int, path: Floats, leg: Ints, world: PlaceWorld, stride: float
) -> tuple[int, int]:
    """Add the steps of a leg; return how many there are then, and how many before its last rest."""
    first, end, mode = leg[0], leg[1], min(leg[2], len(world.blocked) - 1)
    here = arrived = first
    walked = 0.0
    for frame in range(first + 1, end + 1):
        length = _distance(path[frame - 1, 0], path[frame - 1, 1], path[frame, 0], path[frame, 1])
        if length > 0:
            walked, arrived = walked + length, frame
            if walked >= stride:
                add(steps, step, frame, MOVE, -1, mode, path[here], path[frame])
                step, here, walked = step + 1, frame, 0.0
    complete = step
    if walked > 0:
        add(steps, step, arrived, MOVE, -1, mode, path[here], path[arrived])
        step += 1
    if leg[3] != NO_ACT:
        add_act(steps, step, leg, world, path[end])
        step += 1
    return step, complete


@part
def add_act(steps: Trajectory, step: int, leg: Ints, world: PlaceWorld, place: Floats) -> None:
    """Add the act that ends a leg."""
    mode = min(leg[2], len(world.blocked) - 1)
    add(steps, step, leg[1], leg[3], leg[4], mode, place, place)
    steps.exit[step] = exit_of(world.exits, mode, leg[4])


@part
def room_for(most: int, first: Floats) -> tuple[Trajectory, Ints, Floats]:
    """Return a trajectory with room for some steps, not filled in yet, and what it is made of."""
    numbers, places = np.empty((5, most), dtype=np.int64), np.empty((2, most, 2))
    frame, act, thing, mode = numbers[0], numbers[1], numbers[2], numbers[3]
    start, stop = places[0], places[1]
    steps = Trajectory(frame, act, thing, mode, start, stop, first.copy(), numbers[4])
    return steps, numbers, places


def put_together(
    numbers: Annotated[Ints, "5 step"],
    places: Annotated[Floats, "2 step 2"],
    first: Annotated[Floats, "2"],
) -> Trajectory:
    """Return a trajectory. A kernel hands over few arrays in less time than a tuple of many."""
    (frame, act, thing, mode, taken), (start, stop) = numbers, places
    return Trajectory(frame, act, thing, mode, start, stop, first, taken)


@part
def add(
    steps: Trajectory,
    step: int,
    frame: int,
    act: int,
    thing: int,
    mode: int,
    start: Annotated[Floats, "2"],
    stop: Annotated[Floats, "2"],
) -> None:
    """Fill in a step."""
    steps.frame[step], steps.act[step] = frame, act
    steps.thing[step], steps.mode[step], steps.exit[step] = thing, mode, -1
    steps.start[step, 0], steps.start[step, 1] = start[0], start[1]
    steps.stop[step, 0], steps.stop[step, 1] = stop[0], stop[1]


@part
def cut(steps: Trajectory, many: int) -> Trajectory:
    """Return as many steps as there are."""
    return Trajectory(
        steps.frame[:many],
        steps.act[:many],
        steps.thing[:many],
        steps.mode[:many],
        steps.start[:many],
        steps.stop[:many],
        steps.first,
        steps.exit[:many],
    )
