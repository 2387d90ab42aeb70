"""The ratio of a detour, compared with geometry: both ways lead from the start to the touch."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from hbtom import Trial
from hbtom.judgement.detours import detour

RADIUS, REACH = 6.0, 15.0
Place = tuple[float, float]


def walk(*corners: Place, step: float = 2.0) -> list[Place]:
    """Return places on straight lines through corners."""
    places = [corners[0]]
    for a, b in pairwise(corners):
        many = math.ceil(math.dist(a, b) / step)
        places += [tuple(np.add(a, np.subtract(b, a) * (k / many))) for k in range(1, many + 1)]
    return places


def made(path: list[Place], thing: Place, walls: Any = (), **more: Any) -> Trial:
    others = more.pop("others", {})
    things = {"heart": (*thing, REACH - RADIUS), **others}
    return Trial.from_arrays(path, things, walls=walls, radius=RADIUS, **more)


@pytest.mark.parametrize("seed", range(20))
def test_without_walls_the_shortest_way_is_straight(seed: int) -> None:
    random = np.random.default_rng(seed)
    start, via, thing = (tuple(random.uniform(20, 180, 2).tolist()) for _ in range(3))
    if min(math.dist(start, thing), math.dist(via, thing)) < 40:
        return
    found = detour(made(walk(start, via, thing, step=float(random.uniform(0.5, 9))), thing), 0)
    line, first = np.subtract(via, start), np.subtract(thing, start)
    along = float(np.clip(line @ first / (line @ line), 0, 1))
    if math.dist(tuple(start + along * line), thing) > REACH:  # it does not touch it on the way
        walked = math.dist(start, via) + math.dist(via, thing) - REACH
        assert found == pytest.approx(walked / (math.dist(start, thing) - REACH), rel=1e-9)


def test_what_follows_the_touch_does_not_count() -> None:
    path = walk((40, 100), (100, 60), (150, 100))
    further = [*path, *walk((150, 100), (150, 180), (20, 20))]
    assert detour(made(further, (150, 100)), 0) == detour(made(path, (150, 100)), 0)
    walked = math.dist((40, 100), (100, 60)) + math.dist((100, 60), (150, 100)) - REACH
    assert detour(made(path, (150, 100)), 0) == pytest.approx(walked / (110 - REACH))


def test_a_way_around_a_wall_turns_at_its_corner() -> None:
    wall = (90, 60, 20, 140)  # from the middle to an edge
    corner, other = (90 - RADIUS, 60 - RADIUS), (110 + RADIUS, 60 - RADIUS)
    shortest = math.dist((40, 100), corner) + 32 + math.dist(other, (160, 100)) - REACH
    straight = made(walk((40, 100), corner, other, (160, 100)), (160, 100), [wall])
    assert detour(straight, 0) == pytest.approx(1.0, abs=1e-4)
    wide = walk((40, 100), (40, 20), (160, 20), (160, 100))
    walked = 80 + 120 + 80 - REACH
    assert detour(made(wide, (160, 100), [wall]), 0) == pytest.approx(walked / shortest, rel=1e-4)
    cells = [(90, y, 20, 20) for y in range(60, 200, 20)]  # the same wall in pieces
    assert detour(made(wide, (160, 100), cells), 0) == pytest.approx(walked / shortest, rel=1e-4)


def test_an_agent_that_keeps_less_than_its_radius_makes_no_shortcut() -> None:
    wall = (90, 60, 20, 140)
    close = made(walk((40, 100), (88, 58), (112, 58), (160, 100)), (160, 100), [wall])
    assert detour(close, 0) == pytest.approx(1.0, abs=1e-4)
    along = walk((88, 180), (88, 58), (112, 58), (112, 160))
    assert detour(made(along, (112, 170), [wall]), 0) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6])  # with 4, there is no way
def test_the_shortest_way_among_walls_is_that_on_a_fine_lattice(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners, sizes = random.integers(3, 15, (6, 2)) * 10, random.integers(1, 7, (6, 2)) * 10
    walls = np.column_stack([corners, sizes]).astype(float)
    path = lattice_way((15, 15), (185, 185), walls, margin=5)
    things = {"heart": (185, 185, 10)}
    trial = Trial.from_arrays(path, things, walls=walls, radius=5)
    found = detour(trial, 0)
    assert found is not None
    assert 1 - 1e-4 <= found < 1.015  # a lattice has few directions
    back = Trial.from_arrays([path[0], path[1], *path], things, walls=walls, radius=5)
    extra = detour(back, 0)
    walked = sum(math.dist(a, b) for a, b in pairwise(path)) - 15
    assert extra == pytest.approx(found * (walked + 2 * math.dist(*path[:2])) / walked, rel=0.01)


def lattice_way(start: Place, thing: Place, walls: Any, margin: float) -> list[Place]:
    """Return the shortest way between places 5 pixels apart, in 32 directions, around walls."""
    graph, low = nx.Graph(), walls[:, :2] - margin
    high = walls[:, :2] + walls[:, 2:] + margin
    far = (-3, -2, -1, 0, 1, 2, 3)
    moves = [np.array(move) * 5 for move in product(far, far) if math.gcd(*move) == 1]
    shares = np.linspace(0, 1, 31)[:, None, None]
    for place in product(range(10, 195, 5), repeat=2):
        for move in moves:
            way = np.array(place) + shares * move
            inside = ((low < way) & (way < high)).all(axis=2).any()
            other = tuple((np.array(place) + move).tolist())
            if not inside and min(other) >= 10 and max(other) < 195:
                graph.add_edge(place, other, weight=float(np.hypot(*move)))
    return [*nx.shortest_path(graph, start, thing, "weight")]


def test_where_the_ratio_is_not_defined() -> None:
    assert detour(made(walk((40, 100), (100, 100)), (150, 100)), 0) is None  # it stops before
    assert detour(made(walk((140, 100), (40, 100)), (150, 100)), 0) is None  # it begins there


def test_a_way_around_another_thing_is_not_a_detour() -> None:
    path = walk((40, 100), (100, 85), (160, 100))
    between = {"spoon": (100, 100, 9)}
    assert detour(made(path, (160, 100), others=between), 0) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("side", "frames"), [(2, 2), (10, 2), (20, 50_000)])
def test_the_search_is_limited(side: int, frames: int) -> None:
    """A chequerboard of walls has a corner at every square, and no two walls can be joined."""
    cells = product(range(0, 200 // side), repeat=2)
    walls = [(x * side, y * side, side, side) for x, y in cells if (x + y) % 2 and x > 6]
    path = [(10.0, 100 + 0.001 * at) for at in range(frames)] + walk((10, 100), (10, 30))
    assert detour(made(path, (10, 30), walls), 0) is None or side >= 10
