"""Cost-to-go on a lattice: the cheapest way from every cell to a set of seeds.

    C(s) = min over moves a of  cost(a) + C(s'),      C(s) <= seed(s)

Motion models differ in their stencil of moves alone. The costs are found by
Dijkstra's algorithm with buckets: compiled, cell by cell, in plain Python a bucket at a time. Since
rounding is monotone, both find the same number, bit for bit.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part, part_or
from hbtom.plan.stencil import MARGIN

_BUCKETS = 4  # more than the longest move has shortest ones in it; a power of two
_LAST = _BUCKETS - 1


def relaxed(
    blocked: Annotated[Bools, "row column"],
    seeds: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    cell: float,
    needed: Annotated[Ints, "needed 2"],
) -> Annotated[Floats, "row column"]:
    """Solve a field in plain Python: relax all cells of a bucket at once.

    With ``needed`` cells given, only until these are known.
    """
    wide = blocked.shape[1] + 2 * MARGIN
    steps, price = _offsets(moves, wide, cell)
    neighbour = _neighbours(np.pad(~blocked, MARGIN).ravel(), steps, 2 * wide + 2)
    cost = np.full(neighbour.shape[1] + 1, np.inf)  # the last is nowhere
    floor = cost[:-1].reshape(-1, wide)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    floor[:] = np.where(blocked, np.inf, seeds)
    needed = needed[~blocked[needed[:, 0], needed[:, 1]]]
    wanted = (needed[:, 0] + MARGIN) * wide + needed[:, 1] + MARGIN
    _relax(cost, neighbour, price[:, None], wanted)
    return floor.copy()


def _neighbours(
    free: Annotated[Bools, "cell"], steps: Annotated[Ints, "move 3"], edge: int
) -> Annotated[Ints, "move cell"]:
    """Return where each move leads from each cell of a flat map; if not legal, beyond the last."""
    inner, size = slice(edge, len(free) - edge), len(free)
    neighbour = np.full((len(steps), size), size)
    here = np.arange(size)[inner]
    for move, (there, one, other) in enumerate(steps.tolist()):
        legal = free[inner] & free[edge + there : size - edge + there]
        if one:
            legal &= free[edge + one : size - edge + one]
            legal &= free[edge + other : size - edge + other]
        neighbour[move, inner] = np.where(legal, here + there, size)
    return neighbour


def _relax(
    cost: Annotated[Floats, "cell+1"],
    neighbour: Annotated[Ints, "move cell"],
    price: Annotated[Floats, "move 1"],
    wanted: Annotated[Ints, "wanted"],
) -> None:
    """Let costs flow, in place, a bucket of cells at a time, until those wanted are known.

    Buckets are a little narrower than the shortest move: no cell improves another in its own.
    """
    width, limit = price.min() * (1.0 - 1e-9), 0.0
    left = np.ones(len(cost), dtype=np.bool_)
    left[-1] = False  # from nowhere nothing flows
    while True:
        now = (left & (cost < limit)).nonzero()[0]
        if not len(now):
            least = cost[left].min(initial=np.inf)
            if least == np.inf:
                return
            limit = least
        left[now] = False
        np.minimum.at(cost, neighbour.take(now, axis=1), cost[now] + price)  # moves can be undone
        if len(wanted) and not left[wanted].any():
            cost[left] = np.inf
            return
        limit += width


@part_or(relaxed)
def field(
    blocked: Annotated[Bools, "row column"],
    seeds: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    cell: float,
    needed: Annotated[Ints, "needed 2"],
) -> Annotated[Floats, "row column"]:
    """Solve a field; with ``needed`` cells given, only until these are known.

    Dijkstra's algorithm, with buckets as wide as the shortest move in place of a heap: within a
    bucket no cell can improve another, so that their order does not matter.
    """
    rows, columns = blocked.shape
    wide = columns + 2 * MARGIN
    steps, price = _offsets(moves, wide, cell)
    wanted = np.empty(len(needed), dtype=np.int64)
    for index in range(len(needed)):
        wanted[index] = (needed[index, 0] + MARGIN) * wide + needed[index, 1] + MARGIN
    cost = np.full((rows + 2 * MARGIN, wide), -np.inf)  # a wall is never improved
    for r in range(rows):
        for c in range(columns):
            cost[r + MARGIN, c + MARGIN] = -np.inf if blocked[r, c] else np.inf
    known = _flood(cost.reshape(-1), _sorted_seeds(seeds), steps, price, wanted)
    solved = np.empty((rows, columns))
    for r in range(rows):
        for c in range(columns):
            value = cost[r + MARGIN, c + MARGIN]
            solved[r, c] = value if (value >= 0.0) & (value < known) else np.inf
    return solved


class Seeds(NamedTuple):
    """Where costs flow from: cells of a flat map with a margin, the cheapest first."""

    cell: Annotated[Ints, "seed"]
    cost: Annotated[Floats, "seed"]


@part
def _offsets(moves: Ints, wide: int, cell: float) -> tuple[Ints, Floats]:
    """Return where moves lead and the two cells they pass, as steps in a flat map, and prices."""
    steps, price = np.zeros((len(moves), 3), dtype=np.int64), np.empty(len(moves))
    for move in range(len(moves)):
        down, right = moves[move, 0], moves[move, 1]
        price[move] = cell * math.sqrt(down * down + right * right)
        steps[move, 0] = down * wide + right
        if abs(down) == 2:
            steps[move, 1], steps[move, 2] = down // 2 * wide, down // 2 * wide + right
        elif abs(right) == 2:
            steps[move, 1], steps[move, 2] = right // 2, down * wide + right // 2
        elif down != 0 and right != 0:
            steps[move, 1], steps[move, 2] = down * wide, right
    return steps, price


@part
def _flood(
    cost: Annotated[Floats, "cell"],
    seeds: Seeds,
    steps: Annotated[Ints, "move 3"],
    price: Annotated[Floats, "move"],
    wanted: Annotated[Ints, "wanted"],
) -> float:
    """Let costs flow from the seeds; return up to which cost they are final.

    ``cost`` is infinite in free cells and minus infinite elsewhere, in a flat map with a margin.
    """
    width = price[0]
    for move in range(len(price)):
        width = min(width, price[move])
    scale = 1.0 / width
    passed_on, buckets = np.empty(len(cost)), np.empty((_BUCKETS, 4 * len(cost)), dtype=np.int64)
    for at in range(len(cost)):
        passed_on[at] = np.inf
    count = np.zeros(_BUCKETS, dtype=np.int64)
    seed = waiting = met = now = 0
    while seed < len(seeds.cell) or waiting > 0:
        if waiting == 0:
            now = max(now, int(seeds.cost[seed] * scale))
        bucket, index = now & _LAST, 0
        while seed < len(seeds.cell) and int(seeds.cost[seed] * scale) <= now:
            here, value = seeds.cell[seed], seeds.cost[seed]
            if value < cost[here]:
                cost[here] = value
                buckets[bucket, count[bucket]] = here
                count[bucket] += 1
                waiting += 1
            seed += 1
        while index < count[bucket]:
            here = buckets[bucket, index]
            index += 1
            least = cost[here]
            if least == passed_on[here]:
                continue  # it was improved since, and is done with
            passed_on[here] = least
            for move in range(len(price)):
                there, value = here + steps[move, 0], least + price[move]
                before = cost[there]
                if value < before and (
                    steps[move, 1] == 0
                    or (cost[here + steps[move, 1]] >= 0 and cost[here + steps[move, 2]] >= 0)
                ):
                    after = max(int(value * scale), now)
                    cost[there] = value
                    if after == now or before == np.inf or int(before * scale) != after:
                        buckets[after & _LAST, count[after & _LAST]] = there
                        count[after & _LAST] += 1
                        waiting += 1
        waiting -= count[bucket]
        count[bucket] = 0
        # A bucket later, for rounding may put a cell into the bucket before its own.
        while met < len(wanted) and -np.inf <= cost[wanted[met]] < (now - 1) * width:
            met += 1
        if len(wanted) > 0 and met == len(wanted):
            return now * width
        now += 1
    return np.inf


@part
def any_below(row: Annotated[Floats, "column"], limit: float) -> bool:
    """Tell whether anything in a row is less than a limit: cells are compared many at a time."""
    below = 0
    for c in range(len(row)):
        below += row[c] < limit
    return below > 0


@part
def _sorted_seeds(seeds: Annotated[Floats, "row column"]) -> Seeds:
    """Return the seeds of a map, the cheapest first."""
    rows, columns = seeds.shape
    cell, cost = np.empty(rows * columns, dtype=np.int64), np.empty(rows * columns)
    count = 0
    for r in range(rows):
        for c in range(columns if any_below(seeds[r], np.inf) else 0):
            if seeds[r, c] < np.inf:
                cell[count] = (r + MARGIN) * (columns + 2 * MARGIN) + c + MARGIN
                cost[count] = seeds[r, c]
                count += 1
    gap = count // 2
    while gap > 0:  # Shell's sort: seeds are few
        for index in range(gap, count):
            here, value, at = cell[index], cost[index], index
            while at >= gap and cost[at - gap] > value:
                cell[at], cost[at] = cell[at - gap], cost[at - gap]
                at -= gap
            cell[at], cost[at] = here, value
        gap //= 2
    return Seeds(cell[:count], cost[:count])
