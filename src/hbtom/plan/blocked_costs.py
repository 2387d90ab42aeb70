"""Costs in blocked cells, because agents get closer to walls and things than they intend.

The cost in a blocked cell is that of leaving it, up to two cells deep. It never flows back into
free cells, so it makes no other cell reachable.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.compiled import part
from hbtom.plan.stencil import EIGHT


@part
def spilled(cost: Floats, blocked: Bools, price: float, row: int, column: int) -> float:
    """Return the cost in a cell; if it is blocked, up to two cells deep, the cost of leaving it."""
    if cost[row, column] < np.inf or not blocked[row, column]:
        return cost[row, column]
    near = _beside(cost, price, row, column)
    if near < np.inf:
        return near
    best = np.inf
    for r in range(max(row - 1, 0), min(row + 2, cost.shape[0])):
        for c in range(max(column - 1, 0), min(column + 2, cost.shape[1])):
            if blocked[r, c]:
                leaving = _beside(cost, price, r, c) + _move_cost(price, r - row, c - column)
                best = min(best, leaving)
    return best


@part
def _beside(cost: Floats, price: float, row: int, column: int) -> float:
    """Return the least cost among the eight cells around one, including the move there."""
    best = np.inf
    for r in range(max(row - 1, 0), min(row + 2, cost.shape[0])):
        for c in range(max(column - 1, 0), min(column + 2, cost.shape[1])):
            if r != row or c != column:
                best = min(best, cost[r, c] + _move_cost(price, r - row, c - column))
    return best


@part
def _move_cost(price: float, down: int, right: int) -> float:
    return price * math.sqrt(down * down + right * right)


def all_spilled(
    cost: Annotated[Floats, "row column"],
    blocked: Annotated[Bools, "row column"],
    price: float,
) -> Floats:
    """Return a field with costs two cells deep into blocked cells, as :func:`spilled` does."""
    dark = blocked & np.isinf(cost)
    near = np.where(dark, _all_beside(cost, price), cost)
    deep = _all_beside(np.where(blocked, _all_beside(cost, price), np.inf), price)
    return np.where(np.isinf(near) & dark, deep, near)


def _all_beside(cost: Annotated[Floats, "row column"], price: float) -> Floats:
    """Return the least cost among the eight cells around each, including the move there."""
    rows, columns = cost.shape
    wide = np.full((rows + 2, columns + 2), np.inf)
    wide[1:-1, 1:-1] = cost
    best = np.full((rows, columns), np.inf)
    for i, j in EIGHT:
        move = price * math.sqrt(i * i + j * j)
        np.minimum(best, wide[1 + i : 1 + i + rows, 1 + j : 1 + j + columns] + move, out=best)
    return best
