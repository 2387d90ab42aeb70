"""Plane geometry for the generator: boxes, lines of sight, shortest paths.

Agents keep a fixed clearance from everything solid. The shortest path of an agent's centre thus
bends only at corners of obstacles grown by that clearance, so the shortest path in the graph of
mutually visible corners is exact, and much cheaper to find than by a search over pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from hbtom.arrays import Floats

Rng = np.random.Generator
Point = tuple[int, int]
Box = tuple[int, int, int, int]  # left, top, right, bottom

WORLD = 200
CELL = 20
CLEARANCE = 9  # pixels between an agent's centre and anything solid, as measured in real files
_SLACK = 0.25  # boxes are shrunk by this, so that integer points on their edge count as free


def cell_box(cell: Point) -> Box:
    """The pixels of a lattice cell (column, row)."""
    x, y = cell[0] * CELL, cell[1] * CELL
    return x, y, x + CELL, y + CELL


def square(centre: Point, r: int) -> Box:
    """The bounding square of an entity."""
    return centre[0] - r, centre[1] - r, centre[0] + r, centre[1] + r


def overlap(a: Box, b: Box, margin: int = 0) -> bool:
    """Whether two boxes overlap, or come closer than `margin`."""
    return (
        a[0] < b[2] + margin
        and b[0] < a[2] + margin
        and a[1] < b[3] + margin
        and b[1] < a[3] + margin
    )


def path_length(points: Sequence[Point]) -> float:
    """Length of the polyline through the points."""
    return sum(math.dist(a, b) for a, b in pairwise(points))


def meets(a: Point, b: Point, box: Box) -> bool:
    """Whether the straight line from a to b passes through the inside of a box."""
    enter, leave = 0.0, 1.0
    for axis in (0, 1):
        way, low, high = b[axis] - a[axis], box[axis] - a[axis], box[axis + 2] - a[axis]
        if way == 0:
            if not low < 0 < high:
                return False
            continue
        near, far = sorted((low / way, high / way))
        enter, leave = max(enter, near), min(leave, far)
    return enter < leave


class FreeSpace:
    """Where an agent's centre may be: the arena minus the obstacles grown by the clearance.

    Lines of sight between corners, and the routes from each start, are found on demand and kept.
    """

    def __init__(self, obstacles: Sequence[Box]) -> None:
        grown = np.array(obstacles, dtype=float).reshape(-1, 4)
        grown = grown + np.array([-CLEARANCE, -CLEARANCE, CLEARANCE, CLEARANCE])
        low, high = CELL + CLEARANCE, WORLD - CELL - CLEARANCE
        self._boxes = grown + np.array([_SLACK, _SLACK, -_SLACK, -_SLACK])
        self._solid: list[Box] = self._boxes.tolist()  # faster than arrays for a single point
        corners = np.concatenate([grown[:, [i, j]] for i in (0, 2) for j in (1, 3)])
        corners = corners[((corners >= low) & (corners <= high)).all(axis=1)]
        x, y, boxes = corners[:, :1], corners[:, 1:], self._boxes
        covered = (x > boxes[:, 0]) & (x < boxes[:, 2]) & (y > boxes[:, 1]) & (y < boxes[:, 3])
        self.corners = corners[~covered.any(axis=1)]  # [m, 2] where a shortest path may bend
        self._fields: dict[Point, RouteField] = {}

    def free(self, point: Point) -> bool:
        """Whether the agent's centre may be here."""
        low, high = CELL + CLEARANCE, WORLD - CELL - CLEARANCE
        x, y = point
        inside = low <= x <= high and low <= y <= high
        return inside and not any(b[0] < x < b[2] and b[1] < y < b[3] for b in self._solid)

    def clear(self, a: Point, b: Point) -> bool:
        """Whether the agent may go straight from a to b."""
        return not any(meets(a, b, box) for box in self._solid)

    def field(self, start: Point) -> RouteField:
        """Shortest routes from one start to everywhere."""
        if start not in self._fields:
            self._fields[start] = RouteField(self, start)
        return self._fields[start]

    def route(self, start: Point, goal: Point) -> list[Point] | None:
        """The turning points of the shortest path, both ends included; None if there is none."""
        return self.field(start).route(goal)

    def seen_from(self, point: Point) -> Floats:
        """Straight distance to every visible corner, infinity to the others."""
        return self._straight(np.array([point], dtype=float))[0]

    @cached_property
    def sight(self) -> Floats:
        """Straight distance between any two corners that see each other, infinity for others."""
        return self._straight(self.corners)

    def _straight(self, points: Floats) -> Floats:
        """Straight distance from each point to every visible corner, infinity to the others."""
        enter, leave = 0.0, 1.0  # fractions of the line, by the slab method
        deltas = []
        for axis in (0, 1):
            here = points[:, axis, None]
            way = self.corners[:, axis] - here  # [p, m]
            pace = 1 / np.where(way == 0, 1e-9, way)[:, :, None]
            low = (self._boxes[:, axis] - here)[:, None] * pace  # [p, m, n]
            high = (self._boxes[:, axis + 2] - here)[:, None] * pace
            enter = np.maximum(enter, np.minimum(low, high))
            leave = np.minimum(leave, np.maximum(low, high))
            deltas.append(way)
        hidden = np.any(enter < leave, axis=2)
        return np.where(hidden, np.inf, np.hypot(*deltas))


def free_space(obstacles: Iterable[Box]) -> FreeSpace:
    """The free space around obstacles, which always include the arena's border."""
    return _space(tuple(sorted(set(obstacles))))


_space = lru_cache(maxsize=256)(FreeSpace)


class RouteField:
    """Shortest routes from one start, found by A* over the corners.

    A corner that one search has settled stays settled in the next one, whatever the goal is,
    because the heuristic (straight distance) is consistent for all goals.
    """

    def __init__(self, space: FreeSpace, start: Point) -> None:
        self.space, self.start = space, start
        self._far: Floats | None = None  # [m] length of the route to each corner, as far as known
        self._back = np.full(len(space.corners), -1)  # [m] the corner before; -1 is the start
        self._open = np.ones(len(space.corners), dtype=bool)  # [m] not settled yet

    def length(self, goal: Point) -> float:
        """Length of the shortest path to the goal; infinity if it cannot be reached."""
        route = self.route(goal)
        return float("inf") if route is None else path_length(route)

    def route(self, goal: Point) -> list[Point] | None:
        """The turning points from the start to the goal; None if it cannot be reached."""
        if not self.space.free(goal):
            return None
        if self.space.clear(self.start, goal):
            return [self.start, goal]
        i = self._last_bend(goal)
        if i is None:
            return None
        way = [goal]
        while i >= 0:
            way.append((int(self.space.corners[i, 0]), int(self.space.corners[i, 1])))
            i = int(self._back[i])
        return [self.start, *reversed(way)]

    def _last_bend(self, goal: Point) -> int | None:
        """The corner from which the shortest path goes straight to the goal."""
        space = self.space
        if len(space.corners) == 0:
            return None
        if self._far is None:
            self._far = space.seen_from(self.start)
        last = space.seen_from(goal)
        ahead = np.hypot(space.corners[:, 0] - goal[0], space.corners[:, 1] - goal[1])
        while True:
            total = np.where(self._open, np.inf, self._far + last)
            best = int(np.argmin(total))
            hope = np.where(self._open, self._far + ahead, np.inf)
            i = int(np.argmin(hope))
            if hope[i] >= total[best]:
                return best if np.isfinite(total[best]) else None
            self._open[i] = False
            via = self._far[i] + space.sight[i]
            better = via < self._far - 1e-9
            self._far[better] = via[better]
            self._back[better] = i
