"""What the agent did, as a course of steps: moves, touches, and the opening of a lock.

Frames become steps. Still frames vanish, so does all that happens while a barrier vanishes, and a
carried key is an event rather than a position. Where touching an item is an act, what moves after
contact is part of it and not a way to anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.observe import Trial
from hbtom.observe.events import find_marks, motion_of, touching, without_gaps
from hbtom.world.floor import Occupancy, cell_of
from hbtom.world.phase import Phase


class Act(IntEnum):
    """What a step is."""

    MOVE = 0
    TOUCH = 1  # picking up an item
    OPEN = 2  # opening the lock


# The same as plain numbers, for kernels
MOVE, TOUCH, OPENING, NO_ACT = int(Act.MOVE), int(Act.TOUCH), int(Act.OPEN), -1
START, HELD, OPEN = int(Phase.START), int(Phase.HELD), int(Phase.OPEN)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The steps of one trial; places are pixels, or cells counted from 0, as x, y."""

    frame: Annotated[Ints, "step"]  # at which the step is complete
    act: Annotated[Ints, "step"]
    item: Annotated[Ints, "step"]  # that is touched; -1 for other acts
    phase: Annotated[Ints, "step"]  # before the step
    start: Annotated[Floats, "step 2"]  # place before and after
    stop: Annotated[Floats, "step 2"]

    def __len__(self) -> int:
        return len(self.frame)


def continuous_trajectory(trial: Trial, *, stride: float, final: bool) -> Trajectory:
    """Return the course in pixels, cut into moves of at least ``stride`` (0: one a frame).

    ``final`` tells whether the touch that ends the trial is a step.
    """
    return Trajectory(*continuous_steps(trial.places, *course_of(trial), final, stride))


def grid_trajectory(trial: Trial, floor: Occupancy, *, final: bool) -> Trajectory:
    """Return the course in cells: repeats dropped, zig-zags made diagonals where that is legal."""
    return Trajectory(
        *grid_steps(trial.places, *course_of(trial), final, floor.closed, floor.open, floor.cell)
    )


def course_of(trial: Trial) -> tuple[float, int, Floats, Floats, Floats, Bools]:
    """Return what a course is made of, beside the items: two numbers, and all that moves or goes.

    The numbers are the agent's radius, and how many of the items are objects.
    """
    return trial.agent.radius, len(trial.objects), *motion_of(trial)


# Legs: stretches of free motion between acts


@part
def _legs(
    items: Floats,
    path: Floats,
    radius: float,
    objects: int,
    picked: int,
    reached: int,
    gone: int,
    last: int,
    final: bool,
) -> Ints:
    """Cut a trial at the key and at the lock; with ``final``, also where it touches an item last.

    A leg is its first and last frame, the phase, and the act that ends it with the item touched.
    What moves after contact is the picking up itself, not a way to anywhere.
    """
    legs = np.empty((3, 5), dtype=np.int64)
    count, here, phase, end = 0, 0, START, len(path) - 1
    if picked >= 0:
        touch = _contact_began(path, items[objects], radius, picked)
        _write(legs[count], here, touch, phase, TOUCH, objects)
        count, here, phase = count + 1, picked, HELD
    if reached >= 0:
        act = OPENING if phase == HELD else NO_ACT
        _write(legs[count], here, max(here, reached), phase, act, -1)
        after = end if gone < 0 else _after_jump(path, gone)
        # No frame is in two legs, even if the barrier went before the key was picked up.
        count, here, phase = count + 1, max(here, after), OPEN
    lying = len(items) if phase == START else objects
    item = _touched_last(path, items[:lying], radius) if final and last >= 0 else -1
    if item < 0:
        _write(legs[count], here, end, phase, NO_ACT, -1)
    else:
        touch = max(here, _contact_began(path, items[item], radius, end))
        _write(legs[count], here, touch, phase, TOUCH, item)
    return legs[: count + 1]


@part
def _write(leg: Ints, first: int, last: int, phase: int, act: int, item: int) -> None:
    leg[0], leg[1], leg[2], leg[3], leg[4] = first, last, phase, act, item


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
def _touched_last(path: Floats, lying: Floats, radius: float) -> int:
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


@kernel
def continuous_steps(
    items: Annotated[Floats, "item 3"],
    radius: float,
    objects: int,
    path: Annotated[Floats, "frame 2"],
    key_path: Annotated[Floats, "frame 2"],
    barrier_left: Annotated[Floats, "frame"],
    lock_there: Annotated[Bools, "frame"],
    final: bool,
    stride: float,
) -> tuple[Ints, Ints, Ints, Ints, Floats, Floats]:
    """Cut every leg into moves, one whenever a stride has been walked and one for the rest."""
    path = without_gaps(path)
    _, picked, reached, _, gone, last = find_marks(path, key_path, barrier_left, lock_there)
    legs = _legs(items, path, radius, objects, picked, reached, gone, last, final)
    most = len(path) + len(legs)
    numbers, places = np.empty((4, most), dtype=np.int64), np.empty((2, most, 2))
    step = 0
    for leg in range(len(legs)):
        first, end, phase = legs[leg, 0], legs[leg, 1], legs[leg, 2]
        act, item = legs[leg, 3], legs[leg, 4]
        here = arrived = first
        walked = 0.0
        for frame in range(first + 1, end + 1):
            length = _distance(
                path[frame - 1, 0], path[frame - 1, 1], path[frame, 0], path[frame, 1]
            )
            if length > 0:
                walked, arrived = walked + length, frame
                if walked >= stride:
                    _step(numbers, places, step, frame, MOVE, -1, phase, path[here], path[frame])
                    step, here, walked = step + 1, frame, 0.0
        if walked > 0:
            _step(numbers, places, step, arrived, MOVE, -1, phase, path[here], path[arrived])
            step += 1
        if act != NO_ACT:
            _step(numbers, places, step, end, act, item, phase, path[end], path[end])
            step += 1
    return _cut(numbers, places, step)


@part
def _step(
    numbers: Ints,
    places: Floats,
    step: int,
    frame: int,
    act: int,
    item: int,
    phase: int,
    start: Floats,
    stop: Floats,
) -> None:
    numbers[0, step], numbers[1, step] = frame, act
    numbers[2, step], numbers[3, step] = item, phase
    places[0, step, 0], places[0, step, 1] = start[0], start[1]
    places[1, step, 0], places[1, step, 1] = stop[0], stop[1]


@part
def _cut(
    numbers: Ints, places: Floats, steps: int
) -> tuple[Ints, Ints, Ints, Ints, Floats, Floats]:
    """Return frame, act, item, phase, start and stop of as many steps as there are."""
    return (
        numbers[0, :steps],
        numbers[1, :steps],
        numbers[2, :steps],
        numbers[3, :steps],
        places[0, :steps],
        places[1, :steps],
    )


# Moves between cells


@kernel
def grid_steps(
    items: Annotated[Floats, "item 3"],
    radius: float,
    objects: int,
    path: Annotated[Floats, "frame 2"],
    key_path: Annotated[Floats, "frame 2"],
    barrier_left: Annotated[Floats, "frame"],
    lock_there: Annotated[Bools, "frame"],
    final: bool,
    closed: Annotated[Bools, "row column"],
    opened: Annotated[Bools, "row column"],
    cell: float,
) -> tuple[Ints, Ints, Ints, Ints, Floats, Floats]:
    """Cut every leg into the cells that it runs through, smoothed."""
    path = without_gaps(path)
    _, picked, reached, _, gone, last = find_marks(path, key_path, barrier_left, lock_there)
    legs = _legs(items, path, radius, objects, picked, reached, gone, last, final)
    most = len(legs)
    for leg in range(len(legs)):
        most += _pieces(path, legs[leg, 0], legs[leg, 1], cell)
    numbers, places = np.empty((4, most), dtype=np.int64), np.empty((2, most, 2))
    step = 0
    for leg in range(len(legs)):
        first, end, phase = legs[leg, 0], legs[leg, 1], legs[leg, 2]
        act, item = legs[leg, 3], legs[leg, 4]
        cells = _cells(path, first, end, opened if phase == OPEN else closed, cell, most)
        for k in range(1, len(cells)):
            start, stop = cells[k - 1, 1:], cells[k, 1:]
            _step(numbers, places, step, cells[k, 0], MOVE, -1, phase, start, stop)
            step += 1
        if act != NO_ACT:
            rows, columns = closed.shape
            numbers[0, step], numbers[1, step], numbers[2, step] = end, act, item
            numbers[3, step] = phase
            places[:, step, 0] = cell_of(path[end, 0], cell, columns)
            places[:, step, 1] = cell_of(path[end, 1], cell, rows)
            step += 1
    return _cut(numbers, places, step)


@part
def _pieces(path: Floats, first: int, last: int, cell: float) -> int:
    """Return into how many pieces a path must be cut so that no cell is jumped over."""
    pieces = 1
    for frame in range(first + 1, last + 1):
        pieces += _between(path, frame, cell)
    return pieces


@part
def _between(path: Floats, frame: int, cell: float) -> int:
    """Return into how many pieces a frame's motion must be cut; none for a still frame."""
    across, down = path[frame, 0] - path[frame - 1, 0], path[frame, 1] - path[frame - 1, 1]
    square, piece = across * across + down * down, cell / 4
    if square <= piece * piece:  # as in nearly all frames: there is no need for a root
        return 1 if square > 0 else 0
    return math.ceil(math.sqrt(square) / piece)


@part
def _cells(path: Floats, first: int, last: int, blocked: Bools, cell: float, most: int) -> Ints:
    """Return the cells that a path runs through, as rows: frame where it is entered, column, row.

    Two moves at a right angle become one diagonal wherever the diagonal is legal. There are no
    more cells than ``most``.
    """
    rows, columns = blocked.shape
    cells = np.empty((most, 3), dtype=np.int64)
    column, row = cell_of(path[first, 0], cell, columns), cell_of(path[first, 1], cell, rows)
    cells[0, 0], cells[0, 1], cells[0, 2] = first, column, row
    count = 1
    for frame in range(first + 1, last + 1):
        pieces = _between(path, frame, cell)
        x, y = path[frame - 1, 0], path[frame - 1, 1]
        across, down = path[frame, 0] - x, path[frame, 1] - y
        for k in range(1, pieces + 1):
            to_x = x + across * k / pieces if k < pieces else path[frame, 0]
            to_y = y + down * k / pieces if k < pieces else path[frame, 1]
            next_column, next_row = cell_of(to_x, cell, columns), cell_of(to_y, cell, rows)
            if next_column == column and next_row == row:
                continue
            column, row = next_column, next_row
            if count >= 2 and _makes_diagonal(
                cells[count - 2], cells[count - 1], column, row, blocked
            ):
                count -= 1
            cells[count, 0], cells[count, 1], cells[count, 2] = frame, column, row
            count += 1
    return cells[:count]


@part
def _makes_diagonal(a: Ints, b: Ints, column: int, row: int, blocked: Bools) -> bool:
    """Tell whether a to b to here is a right angle whose both inner cells are free."""
    one = abs(b[1] - a[1]) + abs(b[2] - a[2]) == 1 and abs(column - b[1]) + abs(row - b[2]) == 1
    turns = abs(column - a[1]) == 1 and abs(row - a[2]) == 1
    return bool(one and turns and not blocked[a[2], column] and not blocked[row, a[1]])
