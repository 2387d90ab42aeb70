"""Cost-to-go on a lattice: the cheapest way from every cell to a set of seeds.

    C(s) = min over moves a of  cost(a) + C(s'),      C(s) <= seed(s)

Motion models differ in their stencil of moves alone. The costs are found by
Dijkstra's algorithm with buckets: compiled, cell by cell, in plain Python a bucket at a time. Since
rounding is monotone, both find the same number, bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part, part_or

_MARGIN = 2  # cells; the longest reach of a move
_BUCKETS = 4  # more than the longest move has shortest ones in it; a power of two
_LAST = _BUCKETS - 1


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
    wide = blocked.shape[1] + 2 * _MARGIN
    steps, price = _offsets(moves, wide, cell)
    neighbour = _neighbours(np.pad(~blocked, _MARGIN).ravel(), steps, 2 * wide + 2)
    cost = np.full(neighbour.shape[1] + 1, np.inf)  # the last is nowhere
    floor = cost[:-1].reshape(-1, wide)[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    floor[:] = np.where(blocked, np.inf, seeds)
    needed = needed[~blocked[needed[:, 0], needed[:, 1]]]
    wanted = (needed[:, 0] + _MARGIN) * wide + needed[:, 1] + _MARGIN
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
    wide = columns + 2 * _MARGIN
    steps, price = _offsets(moves, wide, cell)
    wanted = np.empty(len(needed), dtype=np.int64)
    for index in range(len(needed)):
        wanted[index] = (needed[index, 0] + _MARGIN) * wide + needed[index, 1] + _MARGIN
    cost = np.full((rows + 2 * _MARGIN, wide), -np.inf)  # a wall is never improved
    for r in range(rows):
        for c in range(columns):
            cost[r + _MARGIN, c + _MARGIN] = -np.inf if blocked[r, c] else np.inf
    known = _flood(cost.reshape(-1), _sorted_seeds(seeds), steps, price, wanted)
    solved = np.empty((rows, columns))
    for r in range(rows):
        for c in range(columns):
            value = cost[r + _MARGIN, c + _MARGIN]
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
                cell[count] = (r + _MARGIN) * (columns + 2 * _MARGIN) + c + _MARGIN
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


@part
def spilled(cost: Floats, blocked: Bools, price: float, row: int, column: int) -> float:
    """Return the cost in a cell; in one that is blocked, up to two deep, the cost of leaving it.

    What is spilled never flows on into free cells, so nothing becomes reachable by it.
    """
    if cost[row, column] < np.inf or not blocked[row, column]:
        return cost[row, column]
    near = _beside(cost, price, row, column)
    if near < np.inf:
        return near
    best = np.inf
    for r in range(max(row - 1, 0), min(row + 2, cost.shape[0])):
        for c in range(max(column - 1, 0), min(column + 2, cost.shape[1])):
            if blocked[r, c]:
                way = _beside(cost, price, r, c) + _way(price, r - row, c - column)
                best = min(best, way)
    return best


@part
def _beside(cost: Floats, price: float, row: int, column: int) -> float:
    """Return the cost of the best of the eight cells around one, with the way to it."""
    best = np.inf
    for r in range(max(row - 1, 0), min(row + 2, cost.shape[0])):
        for c in range(max(column - 1, 0), min(column + 2, cost.shape[1])):
            if r != row or c != column:
                best = min(best, cost[r, c] + _way(price, r - row, c - column))
    return best


@part
def _way(price: float, down: int, right: int) -> float:
    return price * math.sqrt(down * down + right * right)


def all_spilled(
    cost: Annotated[Floats, "row column"],
    blocked: Annotated[Bools, "row column"],
    price: float,
) -> Floats:
    """Return fields continued two cells deep into what is blocked, as :func:`spilled` does."""
    dark = blocked & np.isinf(cost)
    near = np.where(dark, _all_beside(cost, price), cost)
    deep = _all_beside(np.where(blocked, _all_beside(cost, price), np.inf), price)
    return np.where(np.isinf(near) & dark, deep, near)


def _all_beside(cost: Annotated[Floats, "row column"], price: float) -> Floats:
    """Return the cost of the best of the eight cells around each, with the way to it."""
    rows, columns = cost.shape
    wide = np.full((rows + 2, columns + 2), np.inf)
    wide[1:-1, 1:-1] = cost
    best = np.full((rows, columns), np.inf)
    for i, j in _EIGHT:
        way = price * math.sqrt(i * i + j * j)
        np.minimum(best, wide[1 + i : 1 + i + rows, 1 + j : 1 + j + columns] + way, out=best)
    return best


def _shifted(padded: Floats | Bools, move: tuple[int, int]) -> Floats | Bools:
    """Return the view of a padded array that shows, in each cell, what lies one move away."""
    down, right = move
    rows, columns = padded.shape[-2] - 2 * _MARGIN, padded.shape[-1] - 2 * _MARGIN
    top, left = _MARGIN + down, _MARGIN + right
    return padded[..., top : top + rows, left : left + columns]
