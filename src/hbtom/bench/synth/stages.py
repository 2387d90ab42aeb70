"""Stages with two objects: where walls, home and objects are in the trials of an episode.

In a crowded episode one object lies on or near the way to the other one, in most of its trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .geometry import Box, Point, distance, square
from .layouts import (
    Cells,
    between,
    boxes_of,
    cells_under,
    interior,
    scatter,
    spot,
    without,
)
from .shapes import OBJECT_R
from .walks import Passage, in_the_way, passage

FAMILIARIZATION = 8
NEAREST = 48  # pixels from home to an object, at least
APART = 38  # pixels between two objects, at least
LONGEST = 130.0  # pixels of a way to an object, at most, when nothing lies in it
BENT = 1.4  # how many times the straight line such a way may be
LONGEST_AROUND, DETOUR = 145.0, 1.6  # the same for a way around the other object, and how many
# times the way through the object it may be


@dataclass(frozen=True, slots=True)
class Stage:
    """One placement: walls, home, where the wanted object lies and where the other one."""

    cells: Cells
    home: Point
    wanted: Point
    other: Point

    def swapped(self) -> Stage:
        """The same placement with the two objects exchanged, as at test in real files."""
        return replace(self, wanted=self.other, other=self.wanted)

    def passage(self, wanted: bool) -> Passage | None:
        """The way to an object past the other one; None if it is not plain whether there is one."""
        goal, other = (self.wanted, self.other) if wanted else (self.other, self.wanted)
        return passage(boxes_of(self.cells), self.home, goal, other)

    def reachable(self, wanted: bool) -> bool:
        """Whether there plainly is a way to an object around the other one."""
        way = self.passage(wanted)
        return way is not None and bool(np.isfinite(way.around))


def fixed_stages(rng: np.random.Generator, crowded: bool) -> tuple[Stage, ...]:
    """Walls the same in all trials; each object keeps to its own part. Empty if it does not fit."""
    cells = scatter(rng, int(rng.integers(10, 15)))
    boxes = boxes_of(cells)
    home = spot(rng, boxes, OBJECT_R)
    if home is None:
        return ()
    regions = _one_behind_the_other(rng, home, 55) if crowded else _side_by_side(rng, home)
    if regions is None:
        return ()
    stages = []
    for _ in range(FAMILIARIZATION):
        stage = _placed(rng, cells, home, *map(_window, regions))
        if stage is None:
            return ()
        stages.append(stage)
    return tuple(stages)


def _side_by_side(rng: np.random.Generator, home: Point) -> tuple[Point, Point] | None:
    a = spot(rng, [], OBJECT_R, accept=lambda p: 55 <= distance(p, home) <= 92)
    b = spot(rng, [], OBJECT_R, accept=lambda p: 55 <= distance(p, home) <= 92)
    return None if a is None or b is None or not 46 <= distance(a, b) <= 105 else (a, b)


def _one_behind_the_other(
    rng: np.random.Generator, home: Point, nearest: int
) -> tuple[Point, Point] | None:
    """Two places, in either order, of which one lies on the straight line to the other."""
    near = spot(rng, [], OBJECT_R, accept=lambda p: nearest <= distance(p, home) <= 75)
    if near is None:
        return None
    far = spot(
        rng,
        [],
        OBJECT_R,
        accept=lambda p: (
            distance(p, near) >= APART + 4
            and distance(p, home) <= 118
            and in_the_way(near, (home, p))
        ),
        tries=200,
    )
    if far is None:
        return None
    return (near, far) if rng.random() < 0.5 else (far, near)


def _window(centre: Point) -> Box:
    return centre[0] - 22, centre[1] - 24, centre[0] + 22, centre[1] + 24


def _placed(rng: np.random.Generator, cells: Cells, home: Point, a: Box, b: Box) -> Stage | None:
    """Objects in their windows, both within reach, in either assignment of the two."""
    boxes = boxes_of(cells)
    for _ in range(8):
        one = spot(rng, boxes, OBJECT_R, a, lambda p: distance(p, home) >= NEAREST)
        two = spot(rng, boxes, OBJECT_R, b, lambda p: distance(p, home) >= NEAREST)
        if one is None or two is None:
            return None
        if distance(one, two) < APART:
            continue
        stage = Stage(cells, home, one, two)
        if _usual(stage):
            return stage
    return None


def cleared_stages(rng: np.random.Generator, crowded: bool) -> tuple[Stage, ...]:
    """Objects anywhere near, the cells in between taken away. Empty if it does not fit."""
    cells = scatter(rng, int(rng.integers(16, 22)))
    home = spot(rng, boxes_of(cells), OBJECT_R)
    if home is None:
        return ()
    pad = int(rng.integers(0, 12))
    stages = []
    for _ in range(FAMILIARIZATION):
        places = _one_behind_the_other(rng, home, 38) if crowded else _anywhere(rng, home)
        if places is None:
            return ()
        a, b = places
        gone = [*between(home, a, pad), *between(home, b, pad)]
        gone += cells_under(square(a, OBJECT_R + 1)) + cells_under(square(b, OBJECT_R + 1))
        stage = Stage(without(cells, [c for c in gone if interior(c)]), home, a, b)
        if not _usual(stage):
            return ()
        stages.append(stage)
    return tuple(stages)


def exchanged(
    rng: np.random.Generator, stages: Sequence[Stage], obstructed: bool | None
) -> Stage | None:
    """A stage for the test: one of these with the objects exchanged.

    `obstructed` asks for an object in the way to the wanted one (True) or to the other (False).
    """
    for i in rng.permutation(len(stages)):
        stage = stages[i].swapped()
        to_wanted, to_other = stage.passage(wanted=True), stage.passage(wanted=False)
        if to_wanted is None or to_other is None or np.isinf(to_wanted.around + to_other.around):
            continue
        if obstructed is None or (to_wanted if obstructed else to_other).obstructed:
            return stage
    return None


def _anywhere(rng: np.random.Generator, home: Point) -> tuple[Point, Point] | None:
    a = spot(rng, [], OBJECT_R, accept=lambda p: 38 <= distance(p, home) <= 95)
    b = spot(rng, [], OBJECT_R, accept=lambda p: 38 <= distance(p, home) <= 95)
    return None if a is None or b is None or distance(a, b) < APART else (a, b)


def _usual(stage: Stage) -> bool:
    """Whether both objects are at the end of ways of the usual length.

    Bends are modest, and so is the detour around the other object, where there is one to take.
    """
    for goal, wanted in ((stage.wanted, True), (stage.other, False)):
        way = stage.passage(wanted)
        if way is None or way.through > min(LONGEST, BENT * distance(stage.home, goal)):
            return False
        if min(LONGEST_AROUND, DETOUR * way.through) < way.around < np.inf:
            return False
    return True
