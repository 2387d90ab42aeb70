import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hbtom.bench.synth.geometry import free_space, path_length
from hbtom.bench.synth.ground import Ground
from hbtom.bench.synth.layouts import boxes_of, maze, scatter, spot, wall_list
from hbtom.bench.synth.motion import frames_along, natural, pixel_line
from hbtom.bench.synth.sprites import AGENT_SHAPES, OBJECT_SHAPES, shapes_touch
from hbtom.observe import Identity

points = st.tuples(st.integers(0, 199), st.integers(0, 199))


@given(points, points)
def test_lines_join_their_ends_pixel_by_pixel(a: tuple[int, int], b: tuple[int, int]) -> None:
    pixels = pixel_line(a, b)
    assert pixels[0] == a
    assert pixels[-1] == b
    assert len(pixels) == max(abs(a[0] - b[0]), abs(a[1] - b[1])) + 1
    for p, q in pairwise(pixels):
        assert max(abs(p[0] - q[0]), abs(p[1] - q[1])) == 1


@given(st.lists(points, min_size=2, max_size=5, unique=True))
def test_steps_are_at_most_two_pixels_along_the_longer_axis(route: list[tuple[int, int]]) -> None:
    frames = frames_along(route)
    for p, q in pairwise(frames):
        assert max(abs(p[0] - q[0]), abs(p[1] - q[1])) <= 2


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_routes_are_as_short_as_those_of_an_independent_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = maze(rng) if seed % 2 else scatter(rng, 14)
    boxes = boxes_of(cells)
    start, goal = spot(rng, boxes, 9), spot(rng, boxes, 9)
    if start is None or goal is None or start == goal:
        return
    route = free_space(boxes).route(start, goal)
    walls = [(x, y, x + 20, y + 20) for x, y in wall_list(cells)]
    other = Ground(walls, 9).length(start, goal)
    if route is None:
        assert math.isinf(other)
    else:
        assert path_length(route) == pytest.approx(other, rel=0.025, abs=1.0)


def test_natural_walks_are_hardly_longer_and_stay_clear_of_walls() -> None:
    ratios = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        boxes = boxes_of(maze(rng))
        start, goal = spot(rng, boxes, 9), spot(rng, boxes, 9)
        if start is None or goal is None or math.dist(start, goal) < 40:
            continue
        space = free_space(boxes)
        route = space.route(start, goal)
        if route is None:
            continue
        frames = frames_along(natural(route, space, rng))
        ratios.append(path_length(frames) / path_length(route))
        for x, y in frames:
            assert not any(b[0] - 8 < x < b[2] + 8 and b[1] - 8 < y < b[3] + 8 for b in boxes)
    assert len(ratios) > 50
    assert max(ratios) <= 1.08
    assert 1.0 <= float(np.mean(ratios)) <= 1.04


def test_shapes_touch_at_distances_seen_in_real_files() -> None:
    for agent in AGENT_SHAPES:
        for thing in OBJECT_SHAPES:
            a, b = Identity(f"x/{agent}.png", (0, 0, 0)), Identity(f"x/{thing}.png", (0, 0, 0))
            for angle in np.linspace(0, 2 * math.pi, 16, endpoint=False):
                reach = [
                    d
                    for d in range(30)
                    if shapes_touch(
                        a, (round(d * math.cos(angle)), round(d * math.sin(angle))), b, (0, 0), 9
                    )
                ]
                assert 8 <= max(reach) <= 13
