"""The moves on a lattice, and where they are legal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Ints

MARGIN = 2  # cells; the longest reach of a move


@dataclass(frozen=True)
class Stencil:
    """Moves as (rows, columns), each with its length in cells and the cells it passes through."""

    moves: tuple[tuple[int, int], ...]

    @cached_property
    def table(self) -> Annotated[Ints, "move 2"]:
        return np.array(self.moves, dtype=np.int64)

    def length(self, move: tuple[int, int]) -> float:
        return math.sqrt(move[0] * move[0] + move[1] * move[1])

    def passes(self, move: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """Return the cells, relative to the start, that must be free besides the two ends.

        A diagonal needs both orthogonal neighbours, a knight's move the two cells it crosses.
        """
        down, right = move
        if abs(down) == abs(right) == 1:
            return ((down, 0), (0, right))
        if abs(down) == 2:
            return ((down // 2, 0), (down // 2, right))
        if abs(right) == 2:
            return ((0, right // 2), (down, right // 2))
        return ()


EIGHT = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
_KNIGHT = tuple((i, j) for i in (-2, -1, 1, 2) for j in (-2, -1, 1, 2) if abs(i) != abs(j))
GRID = Stencil(EIGHT)
CONTINUOUS = Stencil(EIGHT + _KNIGHT)


def legal_moves(blocked: Annotated[Bools, "row column"], stencil: Stencil) -> Bools:
    """Return which moves are legal in each cell; shape [move, row, column]."""
    free = np.pad(~blocked, MARGIN)
    here = _shifted(free, (0, 0))
    legal = []
    for move in stencil.moves:
        others = [_shifted(free, cell) for cell in (move, *stencil.passes(move))]
        legal.append(np.logical_and.reduce([here, *others]))
    return np.array(legal)


def _shifted(padded: Bools, move: tuple[int, int]) -> Bools:
    """Return a view of a padded array that has, in each cell, the value one move away."""
    down, right = move
    rows, columns = padded.shape[-2] - 2 * MARGIN, padded.shape[-1] - 2 * MARGIN
    top, left = MARGIN + down, MARGIN + right
    return padded[..., top : top + rows, left : left + columns]
