"""A heap in two arrays: facts and their prices, the cheapest first.

It does what :mod:`heapq` does with a list of pairs, which numba takes much longer to compile.
"""

from __future__ import annotations

from typing import Annotated

from hbtom.arrays import Floats, Ints
from hbtom.compiled import part


@part
def push(
    queue: Annotated[Ints, "place"],
    prices: Annotated[Floats, "place"],
    size: int,
    fact: int,
    price: float,
) -> int:
    """Add a fact to a heap; return the new size."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if prices[above] < price or (prices[above] == price and queue[above] <= fact):
            break
        queue[at], prices[at] = queue[above], prices[above]
        at = above
    queue[at], prices[at] = fact, price
    return size + 1


@part
def pop(queue: Annotated[Ints, "place"], prices: Annotated[Floats, "place"], size: int) -> int:
    """Move the cheapest fact of a heap behind its end; return the new size."""
    size -= 1
    first, least = queue[0], prices[0]
    fact, price = queue[size], prices[size]
    at, below = 0, 1
    while below < size:
        beside = min(below + 1, size - 1)
        if prices[beside] < prices[below] or (
            prices[beside] == prices[below] and queue[beside] < queue[below]
        ):
            below = beside
        if price < prices[below] or (price == prices[below] and fact <= queue[below]):
            break
        queue[at], prices[at] = queue[below], prices[below]
        at, below = below, 2 * below + 1
    queue[at], prices[at] = fact, price
    queue[size], prices[size] = first, least
    return size
