"""The heap used in kernels, compared with the standard library's."""

from __future__ import annotations

import heapq

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hbtom.plan.heap import pop, push

pairs = st.tuples(st.sampled_from([0.0, 0.5, 1.0, np.inf]), st.integers(0, 5))
some = st.lists(pairs, min_size=10, max_size=20)  # enough for ties that are several levels deep


@settings(max_examples=100)
@given(first=some, steps=st.lists(st.none() | pairs, max_size=20))
def test_the_heap_matches_the_standard_library(
    first: list[tuple[float, int]], steps: list[tuple[float, int] | None]
) -> None:
    queue, prices, size = np.empty(40, dtype=np.int64), np.empty(40), 0
    wanted: list[tuple[float, int]] = []
    for one in [*first, *steps, *[None] * 40]:  # None pops the first; at the end, all are popped
        if one is not None:
            size = push(queue, prices, size, one[1], one[0])
            heapq.heappush(wanted, one)
        elif wanted:
            size = pop(queue, prices, size)
            assert (prices[size], queue[size]) == heapq.heappop(wanted)
        assert size == len(wanted)
