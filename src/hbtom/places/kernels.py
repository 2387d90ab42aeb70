"""What is worth compiling: the cost-to-go on a lattice, by Dijkstra's algorithm with buckets.

It is compiled by numba's ordinary ``njit(cache=True)`` once :func:`start_compiler` is called; until
then, and without numba, whole buckets are handled by numpy. Both give the same numbers.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints

_NARROW = 1.0 - 1e-9  # buckets are narrower than the shortest move by more than rounding error
_compiled: list[Any] = []  # the compiled kernel, once there is one


def start_compiler() -> bool:
    """Compile the kernel when it is first called; return False if numba is not installed."""
    if not _compiled:
        try:
            from numba import njit
        except ImportError:
            return False
        _compiled.append(njit(cache=True)(_flood))
    return True


def stop_compiler() -> None:
    """Use numpy from now on."""
    _compiled.clear()


def flood(
    cost: Annotated[Floats, "map cell"], to: Annotated[Ints, "move"],
    past: Annotated[Ints, "move 2"], price: Annotated[Floats, "move"],
    wanted: Annotated[Bools, "map cell"],
) -> None:  # fmt: skip
    """Lower ``cost`` in place to that of the cheapest path from each cell to a seed.

        C(s) = min( Z(s), min over legal moves m of [ price(m) + C(s + m) ] )

    ``cost`` holds the costs of seeds Z, inf in other free cells, -inf in blocked ones. The margin
    of each map is blocked. Moves go to cell + to, past two cells that must be free. It ends once
    the cells ``wanted`` are final; cells that are not final by then become inf.

    Within a bucket no cell can improve another, because it is narrower than the shortest move.
    """
    if _compiled:
        for one, some in zip(cost, wanted, strict=True):
            _compiled[0](one, to, past, price, np.flatnonzero(some))
    else:  # the maps, one after the other, are one large map
        _flood_buckets(cost.reshape(-1), to, past, price, np.flatnonzero(wanted))


def _flood(cost: Any, to: Any, past: Any, price: Any, wanted: Any) -> None:
    """Take the cells of a bucket one by one."""
    waiting, ready = np.empty(len(cost), np.int64), np.empty(len(cost), np.int64)
    many, met, width = 0, 0, price.min() * (1.0 - 1e-9)
    for cell in range(len(cost)):
        if 0 <= cost[cell] < np.inf:
            waiting[many] = cell
            many += 1
    while many > 0:
        least = np.inf
        for index in range(many):
            least = min(least, cost[waiting[index]])
        limit, now, kept = least + width, 0, 0
        for index in range(many):
            cell = waiting[index]
            if cost[cell] <= limit:
                ready[now] = cell
                now += 1
            else:
                waiting[kept] = cell
                kept += 1
        many = kept
        for index in range(now):
            here = ready[index]
            for move in range(len(to)):
                there, value = here + to[move], cost[here] + price[move]
                free = cost[here + past[move, 0]] >= 0 and cost[here + past[move, 1]] >= 0
                if free and value < cost[there]:  # never true of a blocked cell
                    if cost[there] == np.inf:
                        waiting[many] = there
                        many += 1
                    cost[there] = value
        while met < len(wanted) and cost[wanted[met]] < limit + width:
            met += 1
        if met == len(wanted) and met > 0:
            for cell in range(len(cost)):
                if cost[cell] >= limit + width:
                    cost[cell] = np.inf
            return


def _flood_buckets(cost: Floats, to: Ints, past: Ints, price: Floats, wanted: Ints) -> None:
    """Take all cells of a bucket at once."""
    free = cost >= 0
    inside = np.flatnonzero(free)
    legal = free[inside + to[:, None]] & free[inside + past[:, :1]] & free[inside + past[:, 1:]]
    neighbour = np.full((len(to), len(cost)), len(cost))  # illegal moves lead beyond the last cell
    neighbour[:, inside] = np.where(legal, inside + to[:, None], len(cost))
    found, left = np.append(cost, np.inf), np.append(free, False)
    width, limit = price.min() * _NARROW, 0.0
    while True:
        now = np.flatnonzero(left & (found <= limit))
        if not len(now):
            limit = found[left].min(initial=np.inf)
            if limit == np.inf:
                break
            continue
        left[now] = False
        np.minimum.at(found, neighbour[:, now], found[now] + price[:, None])  # moves are symmetric
        if len(wanted) and not left[wanted].any():
            found[left] = np.inf
            break
        limit += width
    cost[:] = found[:-1]
