"""Gestures: out and back along the same way, in four directions, mirrored or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hbtom.bench.synth.geometry import Point, Rng
from hbtom.bench.synth.layouts import Misfit
from hbtom.bench.synth.motion import pixel_line
from hbtom.bench.synth.social.cases import chance, pick
from hbtom.bench.synth.social.staging import SLOW, Place, walk

SHAPES: dict[str, tuple[tuple[Point, ...], int]] = {  # legs of the way out, and repetitions
    "L": (((19, 0), (0, 39)), 1),
    "C": (((19, 0), (0, 39), (-19, 0)), 1),
    "hook": (((39, 0), (19, 19)), 1),
    "line": (((29, 0),), 2),
    "diagonal": (((20, 20),), 2),
}
DISTINCT = 15.0  # two gestures are at least this far apart somewhere, in pixels


@dataclass(frozen=True, slots=True)
class GestureShape:
    """The corners of the way out, relative to its start, and the number of repetitions."""

    out: tuple[Point, ...]
    times: int

    def route(self, start: Point) -> list[Point]:
        """Return the corners of the whole way, out and back."""
        out = [(start[0] + x, start[1] + y) for x, y in self.out]
        return [start, *(out[1:] + out[-2::-1]) * self.times]

    def steps(self, start: Point) -> list[Place]:
        """Return the steps of the gesture, after its start."""
        return walk(self.route(start), SLOW)

    def pixels(self, start: Point) -> list[Point]:
        """Return all places on the way out."""
        corners = self.route(start)[: len(self.out)]
        return [place for a, b in pairwise(corners) for place in pixel_line(a, b)]

    def cut(self, start: Point, at: Point, reach: float, rest: int) -> list[Place]:
        """Return the steps if something is in the way: until it is touched, a rest, and back."""
        out: list[Place] = [start, *walk(self.route(start)[: len(self.out)], SLOW)]
        last = next(i for i, (x, y) in enumerate(out) if _far((x, y), at) <= reach)
        return [*out[1 : last + 1], *[out[last]] * rest, *out[last - 1 :: -1]]


def _far(one: Place, other: Place) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


def gesture(rng: Rng) -> GestureShape:
    """Draw a gesture."""
    legs, times = SHAPES[pick(rng, tuple(SHAPES))]
    quarter, flip = int(rng.integers(4)), chance(rng, 0.5)
    corners = [(0, 0)]
    for dx, dy in legs:
        x, y = dx, -dy if flip else dy
        for _ in range(quarter):
            x, y = -y, x
        corners.append((corners[-1][0] + x, corners[-1][1] + y))
    return GestureShape(tuple(corners), times)


def two_gestures(rng: Rng) -> tuple[GestureShape, GestureShape]:
    """Draw two gestures that cannot be mistaken for each other."""
    one, other = gesture(rng), gesture(rng)
    if differ(one.steps((0, 0)), other.steps((0, 0))) < DISTINCT:
        raise Misfit
    return one, other


def differ(one: Sequence[Place], other: Sequence[Place]) -> float:
    """Return the largest distance between two ways, step by step, until the shorter one ends."""
    return max(_far(a, b) for a, b in zip(one, other, strict=False))
