"""Cost-to-go on a lattice: the cheapest path from every cell to a set of seeds.

    C(s) = min over moves a of  cost(a) + C(s'),      C(s) <= seed(s)

Motion models differ only in their stencil of moves. The costs are found by Dijkstra's algorithm
with buckets. Compiled code takes the cells one by one, plain Python a whole bucket at a time. Since
rounding is monotone, both find the same numbers, bit for bit.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part_or
from hbtom.plan.flooding import FlatMoves, Seeds, flood, seeds_in_margin, steps_in
from hbtom.plan.stencil import MARGIN


def relaxed(
    blocked: Annotated[Bools, "row column"],
    seeds: Seeds,
    moves: Annotated[Ints, "move 2"],
    cell: float,
    needed: Annotated[Ints, "needed 2"],
) -> Annotated[Floats, "row column"]:
    """Solve a field in plain Python: relax all cells of a bucket at once.

    If there are ``needed`` cells, stop once their costs are known.
    """
    wide = blocked.shape[1] + 2 * MARGIN
    steps = steps_in(moves, wide, cell)
    neighbour = _neighbours(np.pad(~blocked, MARGIN).ravel(), steps, 2 * wide + 2)
    cost = np.full(neighbour.shape[1] + 1, np.inf)  # illegal moves lead to the last
    floor = cost[:-1].reshape(-1, wide)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    row, column = np.divmod(seeds.cell, blocked.shape[1])
    floor[row, column] = np.where(blocked[row, column], np.inf, seeds.cost)
    needed = needed[~blocked[needed[:, 0], needed[:, 1]]]
    wanted = (needed[:, 0] + MARGIN) * wide + needed[:, 1] + MARGIN
    _relax(cost, neighbour, steps.price[:, None], wanted)
    return floor.copy()


def _neighbours(
    free: Annotated[Bools, "cell"], steps: FlatMoves, edge: int
) -> Annotated[Ints, "move cell"]:
    """Return where each move leads from each cell of a flat map: if illegal, beyond the last."""
    inner, size = slice(edge, len(free) - edge), len(free)
    neighbour = np.full((len(steps.to), size), size)
    here = np.arange(size)[inner]
    moves = zip(steps.to.tolist(), steps.past.tolist(), strict=True)
    for move, (there, (one, other)) in enumerate(moves):
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
    """Propagate costs in place, a bucket of cells at a time, until the wanted ones are known.

    Buckets are a little narrower than the shortest move, so no cell improves another in its bucket.
    """
    width, limit = price.min() * (1.0 - 1e-9), 0.0
    left = np.ones(len(cost), dtype=np.bool_)
    left[-1] = False  # where illegal moves lead: costs do not flow from there
    while True:
        now = (left & (cost < limit)).nonzero()[0]
        if not len(now):
            least = cost[left].min(initial=np.inf)
            if least == np.inf:
                return
            limit = least
        left[now] = False
        np.minimum.at(cost, neighbour.take(now, axis=1), cost[now] + price)  # moves are symmetric
        if len(wanted) and not left[wanted].any():
            cost[left] = np.inf
            return
        limit += width


@part_or(relaxed)
def field(
    blocked: Annotated[Bools, "row column"],
    seeds: Seeds,
    moves: Annotated[Ints, "move 2"],
    cell: float,
    needed: Annotated[Ints, "needed 2"],
) -> Annotated[Floats, "row column"]:
    """Solve a field; if there are ``needed`` cells, stop once their costs are known.

    This is Dijkstra's algorithm, with buckets a little narrower than the shortest move instead of a
    heap. Within a bucket, no cell can improve another, so their order does not matter.
    """
    rows, columns = blocked.shape
    wide = columns + 2 * MARGIN
    wanted, free = np.empty(len(needed), dtype=np.int64), 0
    for index in range(len(needed)):
        r, c = needed[index, 0], needed[index, 1]
        if not blocked[r, c]:
            wanted[free] = (r + MARGIN) * wide + c + MARGIN
            free += 1
    cost = np.full((rows + 2 * MARGIN, wide), -np.inf)  # a wall is never improved
    for r in range(rows):
        for c in range(columns):
            cost[r + MARGIN, c + MARGIN] = -np.inf if blocked[r, c] else np.inf
    sown, steps = seeds_in_margin(seeds, columns), steps_in(moves, wide, cell)
    known = flood(cost.reshape(-1), sown, steps, wanted[:free])
    solved = np.empty((rows, columns))
    for r in range(rows):
        for c in range(columns):
            value = cost[r + MARGIN, c + MARGIN]
            solved[r, c] = value if (value >= 0.0) & (value < known) else np.inf
    return solved
