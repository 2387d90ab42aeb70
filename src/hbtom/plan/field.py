"""Cost-to-go on a lattice: the cheapest way from every cell to a set of seeds.

    C(s) = min over moves a of  cost(a) + C(s'),      C(s) <= seed(s)

The same kernel serves both motion models; they differ in their stencil of moves alone. It relaxes
all cells at once, move by move, until nothing changes. Since rounding is monotone, that fixed
point is the same number, bit for bit, that Dijkstra's algorithm finds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints

_MARGIN = 2  # cells; the longest reach of a move


@dataclass(frozen=True)
class Stencil:
    """Moves as (rows, columns), each with its length in cells and the cells it passes through."""

    moves: tuple[tuple[int, int], ...]

    def length(self, move: tuple[int, int]) -> float:
        return math.hypot(*move)

    def passes(self, move: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """Return the cells, seen from the start, that must be free beside the two ends.

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


_EIGHT = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
_KNIGHT = tuple((i, j) for i in (-2, -1, 1, 2) for j in (-2, -1, 1, 2) if abs(i) != abs(j))
GRID = Stencil(_EIGHT)
CONTINUOUS = Stencil(_EIGHT + _KNIGHT)


def legal_moves(blocked: Annotated[Bools, "row column"], stencil: Stencil) -> Bools:
    """Tell which moves are legal in each cell; shape [move, row, column]."""
    free = np.pad(~blocked, _MARGIN)
    here = _shifted(free, (0, 0))
    legal = []
    for move in stencil.moves:
        ways = [_shifted(free, cell) for cell in (move, *stencil.passes(move))]
        legal.append(np.logical_and.reduce([here, *ways]))
    return np.array(legal)


def cost_to_go(
    blocked: Annotated[Bools, "row column"],
    seeds: Annotated[Floats, "... row column"],
    stencil: Stencil,
    cell: float = 1.0,
) -> Annotated[Floats, "... row column"]:
    """Return the cost of the cheapest way from each cell to a seed, plus the seed's own cost.

    ``seeds`` is infinite where there is none; ``cell`` is the cost of walking the side of a cell.
    Several fields over the same floor are solved together along the leading axes.
    """
    free = np.flatnonzero(~blocked)
    neighbour = _neighbours(blocked, free, stencil)
    price = cell * np.array([stencil.length(move) for move in stencil.moves])[:, None, None]
    fields = seeds.reshape(-1, blocked.size)
    cost = np.full((len(free) + 1, len(fields)), np.inf)  # the last row is nowhere
    cost[:-1] = fields[:, free].T
    ways = np.empty((len(price), *cost[:-1].shape))
    while True:
        np.take(cost, neighbour, axis=0, out=ways, mode="clip")
        best = np.minimum(cost[:-1], (ways + price).min(axis=0))
        if np.array_equal(best, cost[:-1]):
            break
        cost[:-1] = best
    solved = np.full(fields.shape, np.inf)
    solved[:, free] = cost[:-1].T
    return solved.reshape(seeds.shape)


def _neighbours(
    blocked: Annotated[Bools, "row column"], free: Annotated[Ints, "free"], stencil: Stencil
) -> Annotated[Ints, "move free"]:
    """Return where each move leads from each free cell, as numbers of free cells.

    A move that is not legal leads to the number after the last: nowhere.
    """
    number = np.zeros(blocked.size, dtype=np.int64)
    number[free] = np.arange(len(free))
    offset = np.array([down * blocked.shape[1] + right for down, right in stencil.moves])
    legal = legal_moves(blocked, stencil).reshape(len(offset), -1)[:, free]
    there = np.where(legal, free + offset[:, None], 0)
    return np.where(legal, number[there], len(free))


def spilled(
    cost: Annotated[Floats, "... row column"],
    blocked: Annotated[Bools, "row column"],
    cell: float = 1.0,
) -> Annotated[Floats, "... row column"]:
    """Return a field that also holds, two cells deep, in blocked cells: the cost of leaving them.

    Agents are seen a few pixels inside the margin that they are supposed to keep from walls. What
    is spilled never flows on into free cells, so nothing becomes reachable by it.
    """
    for _ in range(2):
        pad = [(0, 0)] * (cost.ndim - 2) + [(_MARGIN, _MARGIN)] * 2
        padded = np.pad(cost, pad, constant_values=np.inf)
        ways = [_shifted(padded, move) + cell * GRID.length(move) for move in GRID.moves]
        best = np.minimum.reduce(ways)
        cost = np.where(blocked & np.isinf(cost), best, cost)
    return cost


def _shifted(padded: Floats | Bools, move: tuple[int, int]) -> Floats | Bools:
    """Return the view of a padded array that shows, in each cell, what lies one move away."""
    down, right = move
    rows, columns = padded.shape[-2] - 2 * _MARGIN, padded.shape[-1] - 2 * _MARGIN
    top, left = _MARGIN + down, _MARGIN + right
    return padded[..., top : top + rows, left : left + columns]
