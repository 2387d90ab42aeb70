"""Floors at random, and the moves on them written down as a graph, from the definition alone."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from hbtom.plan import Costs
from hbtom.world import Occupancy


def needs(move: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the cells that a move needs free: those its line runs through, sampled densely.

    A diagonal runs through a corner, and needs the cells on either side of it.
    """
    down, right = move
    if abs(down) == abs(right):
        return {(0, 0), (down, 0), (0, right), (down, right)}
    on_the_way = (np.arange(100) + 0.5) / 100
    return {(math.floor(0.5 + down * t), math.floor(0.5 + right * t)) for t in on_the_way}


def moves(kind: str) -> list[tuple[int, int]]:
    reach = range(-2, 3) if kind == "continuous" else range(-1, 2)
    return [(i, j) for i in reach for j in reach if math.gcd(i, j) == 1]


def way_graph(blocked: np.ndarray, kind: str, cell: float = 1.0) -> nx.DiGraph:
    """Return the free cells, with an edge of its cost for every legal move."""
    free = {(int(row), int(column)) for row, column in zip(*np.nonzero(~blocked), strict=True)}
    graph = nx.DiGraph()
    graph.add_nodes_from(free)
    for move in moves(kind):
        needed = needs(move)
        for row, column in free:
            if all((row + i, column + j) in free for i, j in needed):
                there = (row + move[0], column + move[1])
                graph.add_edge((row, column), there, weight=cell * math.hypot(*move))
    return graph


def costs_to(graph: nx.DiGraph, target: object) -> dict:
    return nx.single_source_dijkstra_path_length(graph.reverse(copy=False), target)


@st.composite
def floors(draw: st.DrawFn) -> tuple[Occupancy, Costs, int | None]:
    """Draw a floor with two or three items, perhaps a key (the last item) and a lock."""
    rows, columns = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (rows, columns)
    opened = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.4]))
    closed = opened | (rng.random(shape) < draw(st.sampled_from([0.0, 0.3])))
    fractions = draw(st.booleans())

    def near() -> np.ndarray:
        away = np.full(shape, np.inf)
        row, column = rng.integers(rows), rng.integers(columns)
        some = (slice(max(row - 1, 0), row + 2), slice(max(column - 1, 0), column + 2))
        away[some] = rng.random(away[some].shape) * 2 if fractions else 0.0
        return away

    items = draw(st.integers(2, 3))
    key = items - 1 if draw(st.booleans()) else None
    lock = near() if draw(st.booleans()) else None
    floor = Occupancy(10.0, closed, opened, np.array([near() for _ in range(items)]), lock)
    costs = Costs(*(draw(st.sampled_from([0.5, 1.0, 3.7])) for _ in range(3)))
    return floor, costs, key
