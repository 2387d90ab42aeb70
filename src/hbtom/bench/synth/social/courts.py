"""Courts: an open floor with a few walls in its corners, and where things may stand on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng, free_space
from hbtom.bench.synth.layouts import INTERIOR, SIDE, Cells, boxes_of, ensure

_DEEP = 2  # most cells from the corner
BORDER: Cells = tuple((x, y) for x in range(SIDE) for y in range(SIDE) if {x, y} & {0, SIDE - 1})


def court(rng: Rng) -> Cells:
    """Draw the walls of a court: the border, and six to eleven cells near its corners."""
    near = [cell for cell in INTERIOR if sum(min(one - 1, SIDE - 2 - one) for one in cell) <= _DEEP]
    picks = rng.choice(len(near), size=int(rng.integers(6, 12)), replace=False)
    return (*BORDER, *(near[i] for i in sorted(picks)))


def floor_of(walls: Cells) -> FreeSpace:
    """Return where the centre of an agent may be."""
    return free_space(boxes_of(walls))


def near(rng: Rng, centre: Point, spread: int) -> Point:
    """Draw a place in a square around another one."""
    dx, dy = rng.integers(-spread, spread + 1, size=2).tolist()
    return centre[0] + dx, centre[1] + dy


def anywhere(rng: Rng, floor: FreeSpace) -> Point:
    """Draw a free place."""
    x, y = rng.integers(29, 172, size=2).tolist()
    ensure(floor.free((x, y)))
    return x, y


def off(start: Point, angle: float, distance: float) -> Point:
    """Return the place at a distance in a direction, which is in degrees from x towards y."""
    turn = math.radians(angle)
    x, y = start[0] + distance * math.cos(turn), start[1] + distance * math.sin(turn)
    return round(x), round(y)


def least(way: Iterable[tuple[float, float]], place: tuple[float, float]) -> float:
    """Return how near a way comes to a place."""
    return min(math.dist(one, place) for one in way)


def apart(one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]) -> float:
    """Return how near two ways come to each other, regardless of time."""
    return min(least(other, place) for place in one)


def straight(floor: FreeSpace, start: Point, goal: Point) -> None:
    """Refuse a start and a goal with an obstacle between them."""
    ensure(floor.free(start) and floor.free(goal) and floor.clear(start, goal))
