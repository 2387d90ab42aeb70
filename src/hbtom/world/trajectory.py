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

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.observe.events import Marks, touching
from hbtom.observe.layout import Layout
from hbtom.world.modes import HELD, OPEN, START, PlaceWorld, cell_of, exit_of


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
def _legs(layout: Layout, path: Floats, marks: Marks, final: bool) -> Annotated[Ints, "leg 5"]:
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
    item = _touched_last(path, items[:lying], radius) if final and marks.last >= 0 else -1
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
    legs, modes = _legs(layout, path, marks, final), len(world.blocked)
    steps = _room_for(len(path) + len(legs), path[0])
    step = 0
    for leg in range(len(legs)):
        first, end, mode = legs[leg, 0], legs[leg, 1], min(legs[leg, 2], modes - 1)
        here = arrived = first
        walked = 0.0
        for frame in range(first + 1, end + 1):
            length = _distance(
                path[frame - 1, 0], path[frame - 1, 1], path[frame, 0], path[frame, 1]
            )
            if length > 0:
                walked, arrived = walked + length, frame
                if walked >= stride:
                    _add(steps, step, frame, MOVE, -1, mode, path[here], path[frame])
                    step, here, walked = step + 1, frame, 0.0
        if walked > 0:
            _add(steps, step, arrived, MOVE, -1, mode, path[here], path[arrived])
            step += 1
        if legs[leg, 3] != NO_ACT:
            _add(steps, step, end, legs[leg, 3], legs[leg, 4], mode, path[end], path[end])
            steps.exit[step] = exit_of(world.exits, mode, legs[leg, 4])
            step += 1
    return _cut(steps, step)


@part
def _room_for(most: int, first: Floats) -> Trajectory:
    """Return a trajectory with room for some steps, not filled in yet."""
    numbers, places = np.empty((5, most), dtype=np.int64), np.empty((2, most, 2))
    frame, act, thing, mode = numbers[0], numbers[1], numbers[2], numbers[3]
    return Trajectory(frame, act, thing, mode, places[0], places[1], first.copy(), numbers[4])


@part
def _add(
    steps: Trajectory,
    step: int,
    frame: int,
    act: int,
    thing: int,
    mode: int,
    start: Annotated[Floats, "2"],
    stop: Annotated[Floats, "2"],
) -> None:
    steps.frame[step], steps.act[step] = frame, act
    steps.thing[step], steps.mode[step], steps.exit[step] = thing, mode, -1
    steps.start[step, 0], steps.start[step, 1] = start[0], start[1]
    steps.stop[step, 0], steps.stop[step, 1] = stop[0], stop[1]


@part
def _cut(steps: Trajectory, many: int) -> Trajectory:
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


# Moves between cells


@kernel
def grid_trajectory(
    layout: Layout, path: Annotated[Floats, "frame 2"], marks: Marks, world: PlaceWorld, final: bool
) -> Trajectory:
    """Return the steps between cells: repeats dropped, zig-zags made diagonals where legal."""
    cell, legs = world.space.cell, _legs(layout, path, marks, final)
    modes, rows, columns = world.blocked.shape
    most = len(legs)
    for leg in range(len(legs)):
        most += _pieces(path, legs[leg, 0], legs[leg, 1], cell)
    steps = _room_for(most, _cell_at(path[0], cell, rows, columns))
    step = 0
    for leg in range(len(legs)):
        first, end, mode = legs[leg, 0], legs[leg, 1], min(legs[leg, 2], modes - 1)
        cells = _cells(path, first, end, world.blocked[mode], cell, most)
        for k in range(1, len(cells)):
            start, stop = cells[k - 1, 1:], cells[k, 1:]
            _add(steps, step, cells[k, 0], MOVE, -1, mode, start, stop)
            step += 1
        if legs[leg, 3] != NO_ACT:
            here = _cell_at(path[end], cell, rows, columns)
            _add(steps, step, end, legs[leg, 3], legs[leg, 4], mode, here, here)
            steps.exit[step] = exit_of(world.exits, mode, legs[leg, 4])
            step += 1
    return _cut(steps, step)


@part
def _cell_at(place: Floats, cell: float, rows: int, columns: int) -> Annotated[Floats, "2"]:
    """Return the column and row of the cell that holds a place."""
    at = np.empty(2)
    at[0], at[1] = cell_of(place[0], cell, columns), cell_of(place[1], cell, rows)
    return at


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
