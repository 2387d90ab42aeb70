"""Stages with two objects: where walls, home and objects are in the trials of an episode.

In a crowded episode one object lies on or near the way to the other one, in most of its trials.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .geometry import Box, Point, distance, square
from .layouts import (
    Build,
    Cells,
    attempt,
    between,
    boxes_of,
    cells_under,
    interior,
    scatter,
    spot,
    vacant,
    without,
)
from .sprites import OBJECT_R
from .walks import MIDST, Passage, passage

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


Behind = Literal["wanted", "other"] | None  # which object the other one lies in the way to
Site = Build[Stage]  # what stays the same through an episode: it draws the stages


def fixed_site(rng: np.random.Generator, behind: Behind) -> Site | None:
    """Walls the same in all trials; each object keeps to its own part of the arena."""
    cells = scatter(rng, int(rng.integers(10, 15)))
    home = spot(rng, boxes_of(cells), OBJECT_R)
    if home is None:
        return None
    regions = _one_behind_the_other(rng, home, 55, behind) if behind else _apart(rng, home)
    if regions is None:
        return None
    a, b = map(_window, regions)
    return lambda r: _placed(r, cells, home, a, b)


def cleared_site(rng: np.random.Generator, behind: Behind) -> Site | None:
    """Objects anywhere near; the cells between agent and objects are taken away in each trial."""
    cells = scatter(rng, int(rng.integers(16, 22)))
    home = spot(rng, boxes_of(cells), OBJECT_R)
    pad = int(rng.integers(0, 12))
    return None if home is None else lambda r: _cleared(r, cells, home, pad, behind)


def familiar(rng: np.random.Generator, site: Site, base: Stage) -> list[Stage] | None:
    """The stages of the familiarization, one of which is given."""
    stages: list[Stage] = []
    place = int(rng.integers(FAMILIARIZATION))
    for i in range(FAMILIARIZATION):
        stage = base if i == place else attempt(site, rng)
        if stage is None:
            return None
        stages.append(stage)
    return stages


def exchanged(rng: np.random.Generator, site: Site, behind: Behind) -> Stage | None:
    """A stage whose objects can be exchanged for the test, each within reach around the other.

    `behind` is the object that lies behind before they are: afterwards it lies in the way.
    """

    def fitting(r: np.random.Generator) -> Stage | None:
        stage = site(r)
        return stage if stage is not None and _fits(stage.swapped(), behind) else None

    return attempt(fitting, rng)


def _fits(test: Stage, behind: Behind) -> bool:
    to_wanted, to_other = test.passage(wanted=True), test.passage(wanted=False)
    if to_wanted is None or to_other is None or np.isinf(to_wanted.around + to_other.around):
        return False
    return behind is None or (to_other if behind == "wanted" else to_wanted).obstructed


def _apart(rng: np.random.Generator, home: Point) -> tuple[Point, Point] | None:
    a = spot(rng, [], OBJECT_R, accept=lambda p: 55 <= distance(p, home) <= 92)
    b = spot(rng, [], OBJECT_R, accept=lambda p: 55 <= distance(p, home) <= 92)
    return None if a is None or b is None or not 46 <= distance(a, b) <= 105 else (a, b)


def _one_behind_the_other(
    rng: np.random.Generator, home: Point, nearest: int, behind: Behind
) -> tuple[Point, Point] | None:
    """Places for the wanted object and the other, one on the straight line to the one behind."""
    near = spot(rng, [], OBJECT_R, accept=lambda p: nearest <= distance(p, home) <= 75)
    far = None if near is None else attempt(lambda r: _beyond(r, home, near), rng)
    if near is None or far is None:
        return None
    return (near, far) if behind == "other" else (far, near)


def _beyond(rng: np.random.Generator, home: Point, near: Point) -> Point | None:
    """A place such that the straight line to it passes about through another one."""
    length = distance(home, near)
    share = rng.uniform(length + APART, 118) / length
    lean = rng.uniform(-MIDST, MIDST) / length
    dx, dy = near[0] - home[0], near[1] - home[1]
    place = (
        home[0] + round(share * (dx - lean * dy)),
        home[1] + round(share * (dy + lean * dx)),
    )
    return place if vacant(place, OBJECT_R, []) else None


def _window(centre: Point) -> Box:
    return centre[0] - 22, centre[1] - 24, centre[0] + 22, centre[1] + 24


def _placed(rng: np.random.Generator, cells: Cells, home: Point, a: Box, b: Box) -> Stage | None:
    """Objects in their windows, both within reach, in either assignment of the two."""
    boxes = boxes_of(cells)
    one = spot(rng, boxes, OBJECT_R, a, lambda p: distance(p, home) >= NEAREST)
    two = spot(rng, boxes, OBJECT_R, b, lambda p: distance(p, home) >= NEAREST)
    if one is None or two is None or distance(one, two) < APART:
        return None
    stage = Stage(cells, home, one, two)
    return stage if _usual(stage) else None


def _cleared(
    rng: np.random.Generator, cells: Cells, home: Point, pad: int, behind: Behind
) -> Stage | None:
    places = _one_behind_the_other(rng, home, 38, behind) if behind else _anywhere(rng, home)
    if places is None:
        return None
    a, b = places
    gone = [*between(home, a, pad), *between(home, b, pad)]
    gone += cells_under(square(a, OBJECT_R + 1)) + cells_under(square(b, OBJECT_R + 1))
    stage = Stage(without(cells, [c for c in gone if interior(c)]), home, a, b)
    return stage if _usual(stage) else None


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
