"""The few functions that are worth compiling, on plain arrays.

They are compiled by numba's ordinary ``njit(cache=True)`` once the compiler has been started
(:func:`hbtom.compiled.start_compiler`); until then, and without numba, numpy handles whole arrays
at once. Both give the same numbers, bit for bit, so that results can be resumed either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import Kernel

_NARROW = 1.0 - 1e-9  # buckets are narrower than the shortest move by more than rounding error


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    from numba import njit

    compiled: Callable[..., Any] = njit(cache=True)(function)
    return compiled


# Cost-to-go on a lattice: Dijkstra's algorithm with buckets


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
    if Kernel.compiling:
        for one, some in zip(cost, wanted, strict=True):
            _compiled(_flood)(one, to, past, price, np.flatnonzero(some))
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


# Headings: the modified Bessel function


def log_i0e(x: Any) -> Any:
    """Return log( I0(x) exp(-x) ) for x >= 0, I0 the modified Bessel function of order zero.

    Up to 30 by the power series, all of whose terms are positive, then by the asymptotic one.
    """
    if Kernel.compiling:
        flat = np.ascontiguousarray(x, dtype=np.float64)
        return _compiled(_each_log_i0e)(flat.ravel()).reshape(flat.shape)
    near = x <= 30.0
    quarter, term = np.where(near, x, 0.0) ** 2 / 4.0, np.ones(np.shape(x))
    total, n = term.copy(), 1
    while (term > 1e-17 * total).any():
        term *= quarter / (n * n)
        total += term
        n += 1
    if near.all():
        return _log(total) - x
    far, term = np.where(near, np.inf, x), np.where(near, 0.0, 1.0)
    series = np.ones(np.shape(x))
    for n in range(1, 30):
        term = np.where(term > 1e-17, term * ((2.0 * n - 1.0) ** 2 / (8.0 * far * n)), 0.0)
        series += term
    with np.errstate(invalid="ignore"):
        beyond = _log(series) - 0.5 * _log(2.0 * np.pi * np.where(near, 1.0, x))
    return np.where(near, _log(total) - x, beyond)


def _log(x: Floats) -> Floats:
    """Return log x as compiled code computes it: numpy's may differ in the last digit."""
    return np.array([math.log(one) for one in x.ravel().tolist()]).reshape(x.shape)


def _each_log_i0e(x: Any) -> Any:
    """Return the same of each number."""
    found = np.empty(len(x))
    for index in range(len(x)):
        one = x[index]
        term, total, n = 1.0, 1.0, 1.0
        if one <= 30.0:
            quarter = one * one / 4.0
            while term > 1e-17 * total:
                term *= quarter / (n * n)
                total += term
                n += 1.0
            found[index] = math.log(total) - one
        else:
            while term > 1e-17 and n < 30.0:
                term *= (2.0 * n - 1.0) * (2.0 * n - 1.0) / (8.0 * one * n)
                total += term
                n += 1.0
            found[index] = math.log(total) - 0.5 * math.log(2.0 * math.pi * one)
    return found
