"""Propagating costs over a flat map: the rows of a lattice in one array, with a margin around."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part
from hbtom.plan.stencil import MARGIN

_BUCKETS = 4  # more than the longest move divided by the shortest one; a power of two
_LAST = _BUCKETS - 1
_ROUNDED_DOWN = 1.0 - 1e-9  # more than the rounding error of a sum of moves


class Seeds(NamedTuple):
    """The cells from which costs propagate: row times the number of columns, plus column."""

    cell: Annotated[Ints, "seed"]
    cost: Annotated[Floats, "seed"]  # finite


class FlatMoves(NamedTuple):
    """Moves as steps in a flat map."""

    to: Annotated[Ints, "move"]
    past: Annotated[Ints, "move 2"]  # the two cells that a move passes; 0 for a straight one
    price: Annotated[Floats, "move"]
    shortest: float  # the lowest price


class Buckets(NamedTuple):
    """The frontier: cells that have yet to pass on their costs, in a ring of buckets by cost."""

    cell: Annotated[Ints, "bucket place"]
    filled: Annotated[Ints, "bucket"]
    waits: Annotated[Bools, "cell"]  # false for a cell that was improved and moved on meanwhile


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
    of this map, the cheapest first.
    """
    room = np.empty((_BUCKETS, 4 * len(cost)), dtype=np.int64)
    filled, waits = np.zeros(_BUCKETS, dtype=np.int64), np.zeros(len(cost), dtype=np.bool_)
    buckets = Buckets(room, filled, waits)
    scale = 1.0 / steps.shortest
    seed = met = now = 0
    while seed < len(seeds.cell) or _any_wait(buckets):
        if not _any_wait(buckets):
            now = max(now, int(seeds.cost[seed] * scale))
        while seed < len(seeds.cell) and int(seeds.cost[seed] * scale) <= now:
            if seeds.cost[seed] < cost[seeds.cell[seed]]:
                cost[seeds.cell[seed]] = seeds.cost[seed]
                _put(buckets, now, seeds.cell[seed])
            seed += 1
        index = 0
        while index < filled[now & _LAST]:
            here = room[now & _LAST, index]
            if waits[here]:
                waits[here] = False
                _pass_on(cost, here, steps, buckets, now)
            index += 1
        filled[now & _LAST] = 0
        # Whatever is yet to come costs a move more than the next bucket, or is a seed in it.
        ahead = 2 if seed == len(seeds.cell) else 1
        final = (now + ahead) * steps.shortest * _ROUNDED_DOWN
        while met < len(wanted) and cost[wanted[met]] < final:
            met += 1
        if len(wanted) > 0 and met == len(wanted):
            return final
        now += 1
    return np.inf


@part
def _pass_on(cost: Floats, here: int, steps: FlatMoves, buckets: Buckets, now: int) -> None:
    """Relax all moves from a cell, and put the cells that improve into their buckets."""
    least, scale = cost[here], 1.0 / steps.shortest
    for move in range(len(steps.price)):
        there, value = here + steps.to[move], least + steps.price[move]
        before, one, other = cost[there], steps.past[move, 0], steps.past[move, 1]
        if value < before and (one == 0 or (cost[here + one] >= 0 and cost[here + other] >= 0)):
            after = max(int(value * scale), now)
            cost[there] = value
            if after == now or not buckets.waits[there] or int(before * scale) != after:
                _put(buckets, after, there)


@part
def _put(buckets: Buckets, number: int, cell: int) -> None:
    """Put a cell into the bucket with a number; only a few successive numbers are in use."""
    bucket = number & _LAST
    buckets.cell[bucket, buckets.filled[bucket]] = cell
    buckets.filled[bucket] += 1
    buckets.waits[cell] = True


@part
def _any_wait(buckets: Buckets) -> bool:
    waiting = 0
    for bucket in range(_BUCKETS):
        waiting += buckets.filled[bucket]
    return waiting > 0


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
def sorted_seeds(seeds: Seeds, columns: int) -> Seeds:
    """Return seeds as cells of a flat map with a margin, the cheapest first."""
    count = len(seeds.cell)
    cell, cost = np.empty(count, dtype=np.int64), np.empty(count)
    for index in range(count):
        row, column = seeds.cell[index] // columns, seeds.cell[index] % columns
        cell[index] = (row + MARGIN) * (columns + 2 * MARGIN) + column + MARGIN
        cost[index] = seeds.cost[index]
    gap = count // 2
    while gap > 0:  # Shellsort: seeds are few
        for index in range(gap, count):
            here, value, at = cell[index], cost[index], index
            while at >= gap and cost[at - gap] > value:
                cell[at], cost[at] = cell[at - gap], cost[at - gap]
                at -= gap
            cell[at], cost[at] = here, value
        gap //= 2
    return Seeds(cell, cost)
