"""Plane geometry for the generator: boxes, lines of sight, shortest paths.

Agents of the benchmark keep a fixed clearance from everything solid, so the shortest path of an
agent's centre bends only at corners of obstacles grown by that clearance. The shortest path in the
graph of mutually visible corners is therefore exact, and much cheaper than a search over pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Point = tuple[int, int]
Box = tuple[int, int, int, int]  # left, top, right, bottom
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WORLD = 200
CELL = 20
CLEARANCE = 9  # pixels between an agent's centre and anything solid, as measured in real files
_SLACK = 0.25  # boxes are shrunk by this, so that integer points on their rim count as free


def cell_box(cell: Point) -> Box:
    """The pixels of a lattice cell (column, row)."""
    x, y = cell[0] * CELL, cell[1] * CELL
    return x, y, x + CELL, y + CELL


def block_box(corner: Point) -> Box:
    """A barrier block, which is as large as a cell but may stand off the lattice."""
    return corner[0], corner[1], corner[0] + CELL, corner[1] + CELL


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


def distance(a: Point, b: Point) -> float:
    """Euclidean distance between two points."""
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def path_length(points: Sequence[Point]) -> float:
    """Length of the polyline through the points."""
    if len(points) < 2:
        return 0.0
    steps = np.diff(np.asarray(points, dtype=float), axis=0)
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())


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


def _blocked(a: Floats, b: Floats, boxes: Floats) -> Bools:
    """Whether each segment a[i]-b[i] passes through the inside of any box (slab method)."""
    if len(boxes) == 0:
        return np.zeros(len(a), dtype=bool)
    enter = np.zeros((len(a), len(boxes)))
    leave = np.ones((len(a), len(boxes)))
    for axis in (0, 1):
        way = b[:, axis] - a[:, axis]
        way = np.where(np.abs(way) < 1e-9, 1e-9, way)[:, None]
        near = (boxes[None, :, axis] - a[:, axis, None]) / way
        far = (boxes[None, :, axis + 2] - a[:, axis, None]) / way
        np.maximum(enter, np.minimum(near, far), out=enter)
        np.minimum(leave, np.maximum(near, far), out=leave)
    return np.asarray((enter < leave).any(axis=1), dtype=bool)


@dataclass(frozen=True, slots=True)
class Space:
    """Where an agent's centre may be: the arena minus the obstacles grown by the clearance."""

    boxes: Floats  # [n, 4] grown and slightly shrunk obstacles
    corners: Floats  # [m, 2] points where a shortest path may bend
    sight: Floats  # [m, m] distance between corners that see each other, else infinity

    @classmethod
    def around(cls, obstacles: Iterable[Box]) -> Space:
        """The free space around obstacles; the arena's border is always there."""
        grown = np.array(sorted(set(obstacles)), dtype=float).reshape(-1, 4)
        grown = grown + np.array([-CLEARANCE, -CLEARANCE, CLEARANCE, CLEARANCE])
        boxes = grown + np.array([_SLACK, _SLACK, -_SLACK, -_SLACK])
        corners = np.concatenate([grown[:, [i, j]] for i in (0, 2) for j in (1, 3)])
        corners = np.unique(corners, axis=0)
        corners = corners[_inside_arena(corners) & ~_covered(corners, boxes)]
        return cls(boxes, corners, _sight(corners, boxes))

    def free(self, point: Point) -> bool:
        """Whether the agent's centre may be here."""
        p = np.array([point], dtype=float)
        return bool(_inside_arena(p)[0] and not _covered(p, self.boxes)[0])

    def clear(self, a: Point, b: Point) -> bool:
        """Whether the agent may go straight from a to b."""
        ends = np.array([a, b], dtype=float)
        return not bool(_blocked(ends[:1], ends[1:], self.boxes)[0])

    def field(self, start: Point) -> Field:
        """Shortest ways from one start to everywhere."""
        return Field.of(self, start)

    def route(self, start: Point, goal: Point) -> list[Point] | None:
        """The turning points of the shortest path, both ends included; None if there is none."""
        return self.field(start).route(goal)


@dataclass(frozen=True, slots=True)
class Field:
    """Shortest ways from one start: distance and predecessor of every corner."""

    space: Space
    start: Point
    far: Floats  # [m] length of the shortest path to each corner
    back: NDArray[np.intp]  # [m] the corner before it; -1 is the start itself

    @classmethod
    def of(cls, space: Space, start: Point) -> Field:
        """Dijkstra's algorithm over the corners, in its dense form."""
        m = len(space.corners)
        far = _seen_from(space, start)
        back = np.full(m, -1, dtype=np.intp)
        todo = np.ones(m, dtype=bool)
        for _ in range(m):
            i = int(np.argmin(np.where(todo, far, np.inf)))
            if not todo[i] or not np.isfinite(far[i]):
                break
            todo[i] = False
            via = far[i] + space.sight[i]
            better = via < far - 1e-9
            far = np.where(better, via, far)
            back = np.where(better, i, back)
        return cls(space, start, far, back)

    def length(self, goal: Point) -> float:
        """Length of the shortest path to the goal; infinity if it cannot be reached."""
        if not self.space.free(goal):
            return float("inf")
        if self.space.clear(self.start, goal):
            return distance(self.start, goal)
        total = self.far + _seen_from(self.space, goal)
        return float(total.min()) if len(total) else float("inf")

    def route(self, goal: Point) -> list[Point] | None:
        """The turning points from the start to the goal."""
        if not self.space.free(goal):
            return None
        if self.space.clear(self.start, goal):
            return [self.start, goal]
        total = self.far + _seen_from(self.space, goal)
        if len(total) == 0 or not np.isfinite(total.min()):
            return None
        way = [goal]
        i = int(np.argmin(total))
        while i >= 0:
            way.append((int(self.space.corners[i, 0]), int(self.space.corners[i, 1])))
            i = int(self.back[i])
        return [self.start, *reversed(way)]


def _inside_arena(points: Floats) -> Bools:
    low, high = CELL + CLEARANCE, WORLD - CELL - CLEARANCE
    return np.asarray(((points >= low) & (points <= high)).all(axis=1), dtype=bool)


def _covered(points: Floats, boxes: Floats) -> Bools:
    x, y = points[:, :1], points[:, 1:]
    inside = (x > boxes[:, 0]) & (x < boxes[:, 2]) & (y > boxes[:, 1]) & (y < boxes[:, 3])
    return np.asarray(inside.any(axis=1), dtype=bool)


def _seen_from(space: Space, point: Point) -> Floats:
    """Straight distance to every corner in sight, infinity to the others."""
    here = np.broadcast_to(np.array(point, dtype=float), space.corners.shape)
    straight = np.hypot(*(space.corners - here).T)
    return np.where(_blocked(here, space.corners, space.boxes), np.inf, straight)


def _sight(corners: Floats, boxes: Floats) -> Floats:
    m = len(corners)
    i, j = np.triu_indices(m, 1)
    sight = np.full((m, m), np.inf)
    if len(i):
        straight = np.hypot(*(corners[i] - corners[j]).T)
        seen = np.where(_blocked(corners[i], corners[j], boxes), np.inf, straight)
        sight[i, j] = sight[j, i] = seen
    return sight
