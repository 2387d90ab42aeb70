"""How agents move: the shortest path, drawn in pixels, at two pixels a frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng, path_length

STILL_FRAMES = 31  # frames 0 to 30 show the agent at home; it is first elsewhere in frame 31
TRAILING_FRAMES = 83  # still frames after the last move
KINK_CHANCE = 0.12
KINK_MIN_LEG = 45
KINK_MAX_RATIO = 1.03
NUDGE_MAX_RATIO = 1.02

Reached = Callable[[Point], bool]


def pixel_line(a: Point, b: Point) -> list[Point]:
    """The pixels of the Bresenham line from a to b, both included."""
    n = max(abs(b[0] - a[0]), abs(b[1] - a[1]))
    if n == 0:
        return [a]
    dx, dy = b[0] - a[0], b[1] - a[1]
    return [(a[0] + _rounded(dx * i, n), a[1] + _rounded(dy * i, n)) for i in range(n + 1)]


def frames_along(route: Sequence[Point]) -> list[Point]:
    """Every second pixel of the drawn route.

    Each line starts with the pixel where the last one ended, so the first step of a trial, and one
    step at each bend, is a single pixel, as in real files.
    """
    pixels = [route[0]]
    for a, b in pairwise(route):
        pixels.extend(pixel_line(a, b))
    return pixels[::2]


def until(frames: Sequence[Point], reached: Reached) -> list[Point] | None:
    """The frames up to the first one that satisfies `reached`; None if there is no such frame."""
    for i, point in enumerate(frames):
        if reached(point):
            return list(frames[: i + 1])
    return None


def natural(route: Sequence[Point], space: FreeSpace, rng: Rng) -> list[Point]:
    """The route as real agents take it: slightly wide corners, and now and then a kink.

    Real paths are 1.00 to 1.04 times as long as the shortest; these imperfections are the reason.
    """
    way = list(route)
    for i in range(1, len(way) - 1):
        nudged = (way[i][0] + int(rng.integers(-2, 3)), way[i][1] + int(rng.integers(-2, 3)))
        if space.free(nudged) and _fits(space, way[i - 1], nudged, way[i + 1]):
            way[i] = nudged
    if path_length(way) > NUDGE_MAX_RATIO * path_length(route):
        way = list(route)
    legs = [math.dist(a, b) for a, b in pairwise(way)]
    longest = int(np.argmax(legs))
    kink = rng.random() < KINK_CHANCE
    share, lean = rng.uniform(0.3, 0.7), rng.uniform(-0.14, 0.14)
    if kink and legs[longest] >= KINK_MIN_LEG:
        bend = _beside(way[longest], way[longest + 1], share, lean)
        trial = [*way[: longest + 1], bend, *way[longest + 1 :]]
        short = path_length(trial) <= KINK_MAX_RATIO * path_length(way)
        if short and space.free(bend) and _fits(space, way[longest], bend, way[longest + 1]):
            return trial
    return way


def _rounded(numerator: int, n: int) -> int:
    """numerator / n to the nearest integer, halves away from zero, without floats."""
    sign = 1 if numerator >= 0 else -1
    return sign * ((2 * abs(numerator) + n) // (2 * n))


def _fits(space: FreeSpace, before: Point, bend: Point, after: Point) -> bool:
    return space.clear(before, bend) and space.clear(bend, after)


def _beside(a: Point, b: Point, share: float, lean: float) -> Point:
    """A point beside the line from a to b: `share` of the way, `lean` of its length off it."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    return (round(a[0] + share * dx - lean * dy), round(a[1] + share * dy + lean * dx))
