"""The agent's trajectory as steps between the cells of a grid."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.observe.events import Track
from hbtom.observe.layout import Layout
from hbtom.world.modes import PlaceWorld, cell_of
from hbtom.world.trajectory import (
    ALL_LEGS,
    NO_ACT,
    Trajectory,
    add,
    allocate_steps,
    assemble,
    find_legs,
    write_act,
)


def grid_trajectory(layout: Layout, track: Track, world: PlaceWorld, final: bool) -> Trajectory:
    """Return the steps between cells: repeats dropped, zig-zags made diagonals where legal."""
    return assemble(*grid_steps(layout, track, world, final, ALL_LEGS)[:3])


@kernel
def grid_steps(
    layout: Layout,
    track: Track,
    world: PlaceWorld,
    final: bool,
    legs: Annotated[Ints, "leg 5"],
) -> tuple[Ints, Floats, Floats, int]:
    """Return the steps of the given legs (of all, if none are given), and how many are final.

    A straight move at the end is not final: it may become a diagonal with the next one.
    """
    if len(legs) == 0:
        legs = find_legs(layout, track, final)
    path, blocked, cell = track.path, world.blocked, world.space.cell
    source, thing = world.exits.source, world.exits.thing
    modes, rows, columns = blocked.shape
    most = len(legs)
    for one in range(len(legs)):
        most += _pieces(path, legs[one, 0], legs[one, 1], cell)
    numbers, places = allocate_steps(most)
    step = complete = 0
    for one in range(len(legs)):
        first, end, mode = legs[one, 0], legs[one, 1], min(legs[one, 2], modes - 1)
        cells = _cells(path, first, end, blocked[mode], cell, most)
        for k in range(1, len(cells)):
            add(numbers, places, step, cells[k, 0], mode, cells[k - 1, 1:], cells[k, 1:])
            step += 1
        complete = step
        if len(cells) > 1 and _straight(cells[-2], cells[-1]):
            complete -= 1
        if legs[one, 3] != NO_ACT:
            place = _cell_at(path[end], cell, rows, columns)
            add(numbers, places, step, end, mode, place, place)
            write_act(numbers, step, legs[one], source, thing)
            step += 1
    first = _cell_at(path[0], cell, rows, columns)
    return numbers[:, :step], places[:, :step], first, complete


@part
def _cell_at(place: Floats, cell: float, rows: int, columns: int) -> Annotated[Floats, "2"]:
    """Return the column and row of the cell that holds a place."""
    at = np.empty(2)
    at[0], at[1] = cell_of(place[0], cell, columns), cell_of(place[1], cell, rows)
    return at


@part
def _pieces(path: Floats, first: int, last: int, cell: float) -> int:
    """Return the number of pieces to cut a path into so that no cell is skipped."""
    pieces = 1
    for frame in range(first + 1, last + 1):
        pieces += _frame_pieces(path, frame, cell)
    return pieces


@part
def _frame_pieces(path: Floats, frame: int, cell: float) -> int:
    """Return the number of pieces to cut the motion of one frame into; 0 for a still frame."""
    across, down = path[frame, 0] - path[frame - 1, 0], path[frame, 1] - path[frame - 1, 1]
    square, piece = across * across + down * down, cell / 4
    if square <= piece * piece:  # true of nearly all frames, and saves the square root
        return 1 if square > 0 else 0
    return math.ceil(math.sqrt(square) / piece)


@part
def _cells(path: Floats, first: int, last: int, blocked: Bools, cell: float, most: int) -> Ints:
    """Return the cells that a path passes through, as rows: frame of entry, column, row.

    Two moves at a right angle become one diagonal wherever the diagonal is legal. There are at
    most ``most`` cells.
    """
    rows, columns = blocked.shape
    cells = np.empty((most, 3), dtype=np.int64)
    column, row = cell_of(path[first, 0], cell, columns), cell_of(path[first, 1], cell, rows)
    cells[0, 0], cells[0, 1], cells[0, 2] = first, column, row
    count = 1
    for frame in range(first + 1, last + 1):
        pieces = _frame_pieces(path, frame, cell)
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
    """Return whether the moves from a to b to (column, row) can be joined into a diagonal.

    They must be at a right angle, and both cells beside the diagonal must be free.
    """
    one = _straight(a, b) and abs(column - b[1]) + abs(row - b[2]) == 1
    turns = abs(column - a[1]) == 1 and abs(row - a[2]) == 1
    return bool(one and turns and not blocked[a[2], column] and not blocked[row, a[1]])


@part
def _straight(a: Ints, b: Ints) -> bool:
    """Return whether two cells share a side."""
    return bool(abs(b[1] - a[1]) + abs(b[2] - a[2]) == 1)
