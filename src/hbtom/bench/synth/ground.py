"""The basis of the audit: trials read from plain JSON, and its own search for paths.

No code is shared with the generator. Paths are found on a lattice of points five pixels apart,
each joined to sixteen neighbours, and then pulled straight. An edge is open if no pixel on it lies
in a solid box grown by the clearance.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from hbtom.bench.workers import without_collecting_garbage
from hbtom.observe.formats import unpack

XY = tuple[float, float]
Rect = tuple[float, float, float, float]
Name = tuple[str, tuple[int, ...]]  # image and colour

CLEARANCE = 9.0  # least distance of agents from anything solid
ITEM = 9.0  # half the side of the square that an item takes up
CONTACT = 13.0  # largest distance between the centres of agent and item that touch, in pixels
NO_GAP = 1.0  # a tiny clearance: if it does not get through, nothing does
EFFICIENT = 1.08  # largest ratio of an efficient walk to the shortest
STEP = 5  # pixels between lattice points
LOW, HIGH = 20, 180  # the first and the last lattice point
_MOVES = [
    (dx, dy)
    for dx in range(-2, 3)
    for dy in range(-2, 3)
    if (dx, dy) != (0, 0) and math.gcd(dx, dy) == 1
]

_NUDGES = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


@dataclass(frozen=True, slots=True)
class AuditTrial:
    """One trial as read from a file."""

    walls: frozenset[Rect]
    barriers: tuple[frozenset[Rect], ...]  # per frame
    objects: dict[Name, XY]  # centres; they never move within a trial
    keys: tuple[XY | None, ...]  # per frame
    locks: tuple[Rect | None, ...]  # per frame
    agent: Name
    home: XY
    track: tuple[XY, ...]  # the agent's centre, per frame

    @property
    def goal_reached(self) -> Name | None:
        """The object that the agent touches in the last frame, if any."""
        near = [n for n, at in self.objects.items() if math.dist(at, self.track[-1]) <= CONTACT]
        return near[0] if len(near) == 1 else None

    @property
    def key_reached(self) -> int | None:
        """The first frame in which the agent is at the key."""
        for i, (at, key) in enumerate(zip(self.track, self.keys, strict=True)):
            if key is not None and math.dist(at, key) <= CONTACT:
                return i
        return None

    @property
    def walked(self) -> float:
        """Length of the agent's path."""
        return _length(self.track)


Member = list[AuditTrial]  # one member of a pair: its trials
Problems = Iterator[str]


def read_trials(path: Path) -> list[AuditTrial]:
    """All trials of a file, compressed or not."""
    data = unpack(path.read_bytes())
    with without_collecting_garbage():  # collecting would double the time: millions of lists
        return [_trial(frames) for frames in msgspec.json.decode(data)]


def _trial(frames: list[dict[str, Any]]) -> AuditTrial:
    first = frames[0]
    return AuditTrial(
        walls=_rects(first["walls"]),
        barriers=tuple(_rects(f["fuse_walls"]) for f in frames),
        objects={_name(o): _centre(o) for o in first["objects"]},
        keys=tuple(_centre(f["pin"][0]) if f["pin"] else None for f in frames),
        locks=tuple(
            item_square(_centre(f["key"][0]), f["key"][0][1]) if f["key"] else None for f in frames
        ),
        agent=_name(_bare(first["agent"])),
        home=_centre(_bare(first["home"])),
        track=tuple(_centre(_bare(f["agent"])) for f in frames),
    )


def _bare(entity: list[Any]) -> list[Any]:
    return entity[0] if len(entity) == 1 else entity


def _centre(entity: list[Any]) -> XY:
    (x, y), r = entity[0], entity[1]
    return x + r, y + r


def _name(entity: list[Any]) -> Name:
    return entity[2], tuple(entity[3])


def _rects(boxes: list[Any]) -> frozenset[Rect]:
    return frozenset((x, y, x + w, y + h) for (x, y), (w, h) in boxes)


class Ground:
    """Where an agent's centre may be, given solid boxes and the agent's clearance from them."""

    def __init__(self, solid: Iterable[Rect], clearance: float) -> None:
        self._shut = np.zeros((201, 201), dtype=bool)
        axis = np.arange(201)
        for x0, y0, x1, y1 in solid:
            columns = (axis > x0 - clearance) & (axis < x1 + clearance)
            rows = (axis > y0 - clearance) & (axis < y1 + clearance)
            self._shut |= rows[:, None] & columns[None, :]

    def open(self, a: XY, b: XY) -> bool:
        """Whether the straight line from a to b is free."""
        n = max(1, math.ceil(max(abs(b[0] - a[0]), abs(b[1] - a[1]))))
        t = np.linspace(0, 1, n + 1)
        x = np.rint(a[0] + t * (b[0] - a[0])).astype(int)
        y = np.rint(a[1] + t * (b[1] - a[1])).astype(int)
        return not bool(self._shut[y, x].any())

    def way(self, start: XY, goal: XY) -> list[XY] | None:
        """A shortest path, pulled straight, or None if the goal cannot be reached."""
        if self.open(start, goal):
            return [start, goal]
        rough = self._search(start, goal)
        return None if rough is None else self._pulled(self._tightened(self._pulled(rough)))

    def length(self, start: XY, goal: XY) -> float:
        """Length of the path, infinity if there is none."""
        way = self.way(start, goal)
        return math.inf if way is None else _length(way)

    def _search(self, start: XY, goal: XY) -> list[XY] | None:
        """Dijkstra's algorithm on the lattice, from around the start to around the goal."""
        best: dict[XY, float] = {}
        back: dict[XY, XY] = {}
        queue: list[tuple[float, XY, XY]] = [
            (math.dist(start, p), p, start) for p in self._around(start)
        ]
        heapq.heapify(queue)
        ends = {p: math.dist(p, goal) for p in self._around(goal)}
        result: tuple[float, XY] | None = None
        moves = self._free_moves
        while queue:
            cost, here, before = heapq.heappop(queue)
            if here in best:
                continue
            if result is not None and cost >= result[0]:
                break
            best[here], back[here] = cost, before
            if here in ends and (result is None or cost + ends[here] < result[0]):
                result = (cost + ends[here], here)
            for dx, dy in moves[int(here[1] - LOW) // STEP][int(here[0] - LOW) // STEP]:
                there = (here[0] + STEP * dx, here[1] + STEP * dy)
                if there not in best:
                    heapq.heappush(queue, (cost + STEP * math.hypot(dx, dy), there, here))
        if result is None:
            return None
        way, here = [goal], result[1]
        while here != start:
            way.append(here)
            here = back[here]
        return [start, *reversed(way)]

    def _around(self, p: XY) -> list[XY]:
        """Lattice points near p that can be walked to."""
        x0, y0 = round(p[0] / STEP) * STEP, round(p[1] / STEP) * STEP
        near = [(x0 + STEP * i, y0 + STEP * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        return [q for q in near if LOW <= q[0] <= HIGH and LOW <= q[1] <= HIGH and self.open(p, q)]

    @cached_property
    def _free_moves(self) -> list[list[list[tuple[int, int]]]]:
        """The unobstructed moves, for each row and column of the lattice."""
        at = np.arange(LOW, HIGH + 1, STEP)
        free = np.empty((len(at), len(at), len(_MOVES)), dtype=bool)
        for number, (dx, dy) in enumerate(_MOVES):
            to_x, to_y = at + STEP * dx, at + STEP * dy
            within = (to_y >= LOW) & (to_y <= HIGH)
            free[:, :, number] = within[:, None] & (to_x >= LOW) & (to_x <= HIGH)
            for i in (1, 2, 3, 4):  # quarters of the way
                rows, columns = at + round(STEP * dy * i / 4), at + round(STEP * dx * i / 4)
                free[:, :, number] &= ~self._shut[rows[:, None], columns]
        return [[list(compress(_MOVES, one)) for one in row] for row in free.tolist()]

    def _pulled(self, way: Sequence[XY]) -> list[XY]:
        """Leave out points that can be bypassed; do so from both ends."""
        for _ in range(2):
            kept, i = [way[0]], 0
            while i < len(way) - 1:
                j = len(way) - 1
                while j > i + 1 and not self.open(way[i], way[j]):
                    j -= 1
                kept.append(way[j])
                i = j
            way = kept[::-1]
        return list(way)

    def _tightened(self, way: list[XY]) -> list[XY]:
        """Move the bends off the lattice, pixel by pixel, while that shortens the path."""
        way, moved = list(way), True
        while moved:
            moved = False
            for i in range(1, len(way) - 1):
                a, b = way[i - 1], way[i + 1]
                here = math.dist(a, way[i]) + math.dist(way[i], b)
                for dx, dy in _NUDGES:
                    p = (way[i][0] + dx, way[i][1] + dy)
                    shorter = math.dist(a, p) + math.dist(p, b) < here - 1e-6
                    if shorter and self.open(a, p) and self.open(p, b):
                        way[i], moved = p, True
                        break
        return way


def _length(points: Sequence[XY]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(points))


def item_square(at: XY, r: float = ITEM) -> Rect:
    """The square around an entity, by default an item."""
    return at[0] - r, at[1] - r, at[0] + r, at[1] + r


def leg(solid: Sequence[Rect], start: XY, goal: XY, other: XY | None = None) -> float:
    """Length of the path to a goal: around another item, or through it if it seals the way."""
    if other is not None:
        length = Ground([*solid, item_square(other)], CLEARANCE).length(start, goal)
        if math.isfinite(length):
            return length
    return Ground(solid, CLEARANCE).length(start, goal)


def walk_ratio(
    trial: AuditTrial, goal: XY, solid: Iterable[Rect] = (), other: XY | None = None
) -> float:
    """Ratio of the walk's length to that of the shortest path to contact."""
    last = math.dist(trial.track[-1], goal)
    shortest = leg([*trial.walls, *solid], trial.home, goal, other) - last
    return trial.walked / max(shortest, 1e-9)


def keeps_clear(trial: AuditTrial, other: XY) -> bool:
    """Whether the agent keeps as far from an item as from a wall, give or take a pixel."""
    near = min(max(abs(x - other[0]), abs(y - other[1])) for x, y in trial.track)
    return near >= ITEM + CLEARANCE - 1
