"""Propagating costs over a flat map: the rows of a lattice in one array, with a margin around."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part
from hbtom.plan.stencil import MARGIN

_ROUNDED_DOWN = 1.0 - 1e-9  # more than the rounding error of a sum of moves


class Seeds(NamedTuple):
    """The cells from which costs propagate: row times the number of columns, plus column."""

    cell: Annotated[Ints, "seed"]
    cost: Annotated[Floats, "seed"]  # finite


class FlatMoves(NamedTuple):
    """Moves as steps in a flat map."""

    to: Annotated[Ints, "move"]
    past: Annotated[Ints, "move 2"]  # the two cells that a move passes, or twice its start
    price: Annotated[Floats, "move"]
    shortest: float  # the lowest price


@part
def steps_in(moves: Annotated[Ints, "move 2"], wide: int, cell: float) -> FlatMoves:
    """Return moves as steps in a flat map ``wide`` cells wide; a cell's side costs ``cell``."""
    to, past = np.empty(len(moves), dtype=np.int64), np.zeros((len(moves), 2), dtype=np.int64)
    price, shortest = np.empty(len(moves)), np.inf
    for move in range(len(moves)):
        down, right = moves[move, 0], moves[move, 1]
        to[move], price[move] = down * wide + right, cell * math.sqrt(down * down + right * right)
        shortest = min(shortest, price[move])
        if abs(down) == 2:
            past[move, 0], past[move, 1] = down // 2 * wide, down // 2 * wide + right
        elif abs(right) == 2:
            past[move, 0], past[move, 1] = right // 2, down * wide + right // 2
        elif down != 0 and right != 0:
            past[move, 0], past[move, 1] = down * wide, right
    return FlatMoves(to, past, price, shortest)


@part
def flood(
    cost: Annotated[Floats, "cell"],
    seeds: Seeds,
    steps: FlatMoves,
    wanted: Annotated[Ints, "wanted"],
) -> float:
    """Propagate costs from the seeds, in place; return the limit below which they are final.

    At first, ``cost`` is infinite in free cells and minus infinite elsewhere. The seeds are cells
    of this map. A cell that has a cost waits until a limit has risen to it, by a little less than
    the shortest move at a time. Its cost is final by then, and it passes it on.
    """
    waiting, ready = np.empty(len(cost), dtype=np.int64), np.empty(len(cost), dtype=np.int64)
    width = steps.shortest * _ROUNDED_DOWN
    many, now, met, limit = _sow(cost, seeds, waiting), 0, 0, 0.0
    while many > 0:
        if now == 0:  # skip limits below which there are no cells
            limit = _least(cost, waiting[:many])
        limit += width
        now = _pick(cost, limit, waiting[:many], ready)
        many -= now
        for index in range(now):
            many = _pass_on(cost, ready[index], steps, waiting, many)
        final = limit + width  # whatever is yet to come costs a move more than the limit
        while met < len(wanted) and cost[wanted[met]] < final:
            met += 1
        if len(wanted) > 0 and met == len(wanted):
            return final
    return np.inf


@part
def _sow(cost: Floats, seeds: Seeds, waiting: Ints) -> int:
    """Write the costs of the seeds; return how many cells wait."""
    many = 0
    for seed in range(len(seeds.cell)):
        cell = seeds.cell[seed]
        if seeds.cost[seed] < cost[cell]:  # it is free
            cost[cell], waiting[many] = seeds.cost[seed], cell
            many += 1
    return many


@part
def _least(cost: Floats, cells: Ints) -> float:
    least = np.inf
    for index in range(len(cells)):
        least = min(least, cost[cells[index]])
    return least


@part
def _pick(cost: Floats, limit: float, waiting: Ints, ready: Ints) -> int:
    """Move the cells whose costs are up to a limit to those that are ready; return how many."""
    picked = 0
    for index in range(len(waiting)):
        cell = waiting[index]  # it is written to both lists, and counts in one of them
        waiting[_at(index - picked)] = ready[_at(picked)] = cell
        picked += cost[_at(cell)] <= limit
    return picked


@part
def _pass_on(cost: Floats, here: int, steps: FlatMoves, waiting: Ints, many: int) -> int:
    """Relax all moves from a cell; cells that have had no cost must wait. Return how many do."""
    least = cost[here]
    for move in range(len(steps.price)):
        there, value = _at(here + steps.to[move]), least + steps.price[move]
        one, other = _at(here + steps.past[move, 0]), _at(here + steps.past[move, 1])
        before = cost[there]
        if value < before and (cost[one] >= 0) & (cost[other] >= 0):
            cost[there], waiting[_at(many)] = value, there
            many += before == np.inf
    return many


@part
def _at(place: int) -> np.uint64:
    """Return an index as an unsigned number, since compiled code looks for negative ones."""
    return np.uint64(place)


@part
def any_below(row: Annotated[Floats, "column"], limit: float) -> bool:
    """Return whether a row has a value below a limit; compiled, many are compared at a time."""
    below = 0
    for c in range(len(row)):
        below += row[c] < limit
    return below > 0


@part
def any_true(row: Annotated[Bools, "column"]) -> bool:
    """Return whether a row has a true value; compiled, many are looked at at a time."""
    some = 0
    for c in range(len(row)):
        some += row[c]
    return some > 0


@part
def seeds_in_margin(seeds: Seeds, columns: int) -> Seeds:
    """Return seeds as cells of a flat map with a margin."""
    cell = np.empty(len(seeds.cell), dtype=np.int64)
    for index in range(len(cell)):
        row, column = seeds.cell[index] // columns, seeds.cell[index] % columns
        cell[index] = (row + MARGIN) * (columns + 2 * MARGIN) + column + MARGIN
    return Seeds(cell, seeds.cost)
