"""Moves between the cells of a grid: repeats dropped, zig-zags made diagonals where legal."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part, part_or
from hbtom.world.modes import cell_of


def _all_pieces(path: Floats, cell: float) -> int:
    across, down = np.diff(path, axis=0).T
    square, piece = across * across + down * down, cell / 4
    long = square[square > piece * piece]
    short = np.count_nonzero(square) - len(long)
    return int(short + np.ceil(np.sqrt(long) / piece).sum())


@part_or(_all_pieces)
def count_pieces(path: Floats, cell: float) -> int:
    """Return the number of pieces to cut a path into so that no cell is skipped."""
    pieces = 0
    for frame in range(1, len(path)):
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
def cells_passed(
    path: Annotated[Floats, "frame 2"],
    first: int,
    cell: float,
    blocked: Annotated[Bools, "row column"],
    diagonals: bool,
) -> Annotated[Ints, "cell 3"]:
    """Return the cells that a path passes through, as rows: frame of entry, column, row.

    The path begins in the frame ``first``. With ``diagonals``, two moves at a right angle become
    one wherever that is legal.
    """
    rows, columns = blocked.shape
    cells = np.empty((1 + count_pieces(path, cell), 3), dtype=np.int64)
    column, row = cell_of(path[0, 0], cell, columns), cell_of(path[0, 1], cell, rows)
    cells[0, 0], cells[0, 1], cells[0, 2] = first, column, row
    count = 1
    for frame in range(1, len(path)):
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
            if (
                diagonals
                and count >= 2
                and _makes_diagonal(cells[count - 2], cells[count - 1], column, row, blocked)
            ):
                count -= 1
            cells[count, 0], cells[count, 1], cells[count, 2] = first + frame, column, row
            count += 1
    return cells[:count]


@part
def _makes_diagonal(a: Ints, b: Ints, column: int, row: int, blocked: Bools) -> bool:
    """Return whether the moves from a to b to (column, row) can be joined into a diagonal.

    They must be at a right angle, and both cells beside the diagonal must be free.
    """
    one = is_straight(a, b) and abs(column - b[1]) + abs(row - b[2]) == 1
    turns = abs(column - a[1]) == 1 and abs(row - a[2]) == 1
    return bool(one and turns and not blocked[a[2], column] and not blocked[row, a[1]])


@part
def is_straight(a: Ints, b: Ints) -> bool:
    """Return whether two cells share a side."""
    return bool(abs(b[1] - a[1]) + abs(b[2] - a[2]) == 1)
