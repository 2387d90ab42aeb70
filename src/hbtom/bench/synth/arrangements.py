"""Stages with two objects: where walls, home and objects are in the trials of an episode.

In most trials of a crowded episode, one object lies on or near the path to the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hbtom.bench.synth.geometry import Box, Point, Rng, square
from hbtom.bench.synth.layouts import (
    Build,
    Cells,
    attempt,
    between,
    boxes_of,
    cells_under,
    ensure,
    floor,
    found,
    scatter,
    spot,
    vacant,
    without,
)
from hbtom.bench.synth.script import FAMILIARIZATION
from hbtom.bench.synth.sprites import OBJECT_R
from hbtom.bench.synth.walks import MIDST, PathLengths, passage

NEAREST = 48  # least distance from home to an object, in pixels
APART = 38  # least distance between two objects, in pixels
LONGEST = 130.0  # longest path to an object with nothing in the way, in pixels
BENT = 1.4  # largest ratio of such a path to the straight line
LONGEST_AROUND = 145.0  # longest path around the other object, in pixels
DETOUR = 1.6  # largest ratio of such a path to the path through the other object


@dataclass(frozen=True, slots=True)
class Stage:
    """Where walls, home, the wanted object and the other object are."""

    cells: Cells
    home: Point
    wanted: Point
    other: Point

    def swapped(self) -> Stage:
        """The same stage with the two objects swapped, as at test in real files."""
        return replace(self, wanted=self.other, other=self.wanted)

    def passage(self, wanted: bool) -> PathLengths | None:
        """The path to an object past the other one; None if it is unclear whether there is one."""
        goal, other = (self.wanted, self.other) if wanted else (self.other, self.wanted)
        return passage(boxes_of(self.cells), self.home, goal, other)

    def reachable(self, wanted: bool) -> bool:
        """Whether there clearly is a path to an object around the other one."""
        way = self.passage(wanted)
        return way is not None and bool(np.isfinite(way.around))


Behind = Literal["wanted", "other"] | None  # the object that lies behind the other one
Site = Build[Stage]  # draws stages that have the constant parts of an episode in common


def fixed_site(rng: Rng, behind: Behind) -> Site:
    """Walls are the same in all trials, and each object keeps to its own part of the arena."""
    cells, home = floor(rng)
    if behind:
        regions = _one_behind_the_other(rng, home, 55, behind)
    else:
        regions = two_spots(rng, home, (55, 92), (46, 105))
    a, b = ((x - 22, y - 24, x + 22, y + 24) for x, y in regions)
    return lambda r: _placed(r, cells, home, a, b)


def cleared_site(rng: Rng, behind: Behind) -> Site:
    """Objects are anywhere nearby; in each trial the cells between them and home are removed."""
    cells = scatter(rng, int(rng.integers(16, 22)))
    place, pad = spot(rng, boxes_of(cells), OBJECT_R), int(rng.integers(0, 12))
    home = found(place)
    return lambda r: _cleared(r, cells, home, pad, behind)


def familiar(rng: Rng, site: Site, base: Stage) -> tuple[Stage, ...]:
    """The stages of the familiarization, one of which is given."""
    place = int(rng.integers(FAMILIARIZATION))
    return tuple(base if i == place else attempt(site, rng) for i in range(FAMILIARIZATION))


def exchanged(rng: Rng, site: Site, behind: Behind) -> Stage:
    """A stage whose objects can be swapped for the test and still be reached past each other.

    `behind` is the object that lies behind the other one before the swap.
    """

    def fitting(r: Rng) -> Stage:
        stage = site(r)
        test = stage.swapped()
        to_wanted, to_other = found(test.passage(wanted=True)), found(test.passage(wanted=False))
        ensure(bool(np.isfinite(to_wanted.around + to_other.around)))
        ensure(behind is None or (to_other if behind == "wanted" else to_wanted).obstructed)
        return stage

    return attempt(fitting, rng)


def two_spots(
    rng: Rng, home: Point, away: tuple[float, float], apart: tuple[float, float]
) -> tuple[Point, Point]:
    """Two positions whose distances from home and from each other are within bounds."""
    spots = [
        spot(rng, [], OBJECT_R, accept=lambda p: away[0] <= math.dist(p, home) <= away[1])
        for _ in range(2)
    ]
    a, b = map(found, spots)
    ensure(apart[0] <= math.dist(a, b) <= apart[1])
    return a, b


def _one_behind_the_other(
    rng: Rng, home: Point, nearest: int, behind: Behind
) -> tuple[Point, Point]:
    """Positions of the wanted and the other object, one on the straight line to the other."""
    near = found(spot(rng, [], OBJECT_R, accept=lambda p: nearest <= math.dist(p, home) <= 75))
    far = attempt(lambda r: _beyond(r, home, near), rng)
    return (near, far) if behind == "other" else (far, near)


def _beyond(rng: Rng, home: Point, near: Point) -> Point:
    """A position beyond `near`, which is on or near the straight line to it."""
    length = math.dist(home, near)
    share = rng.uniform(length + APART, 118) / length
    lean = rng.uniform(-MIDST, MIDST) / length
    dx, dy = near[0] - home[0], near[1] - home[1]
    place = (home[0] + round(share * (dx - lean * dy)), home[1] + round(share * (dy + lean * dx)))
    ensure(vacant(place, OBJECT_R, []))
    return place


def _placed(rng: Rng, cells: Cells, home: Point, a: Box, b: Box) -> Stage:
    """A stage with each object in its window, both within reach no matter which is wanted."""
    boxes = boxes_of(cells)
    far = lambda p: math.dist(p, home) >= NEAREST  # noqa: E731
    one, two = map(found, [spot(rng, boxes, OBJECT_R, window, far) for window in (a, b)])
    ensure(math.dist(one, two) >= APART)
    return _usual(Stage(cells, home, one, two))


def _cleared(rng: Rng, cells: Cells, home: Point, pad: int, behind: Behind) -> Stage:
    if behind:
        a, b = _one_behind_the_other(rng, home, 38, behind)
    else:
        a, b = two_spots(rng, home, (38, 95), (APART, math.inf))
    gone = [*between(home, a, pad), *between(home, b, pad)]
    gone += cells_under(square(a, OBJECT_R + 1)) + cells_under(square(b, OBJECT_R + 1))
    return _usual(Stage(without(cells, gone), home, a, b))


def _usual(stage: Stage) -> Stage:
    """The stage, if the paths to both objects are of the usual length.

    Neither the bends nor a detour around the other object, if there is one, may add much to it.
    """
    for goal, wanted in ((stage.wanted, True), (stage.other, False)):
        way = found(stage.passage(wanted))
        ensure(way.through <= min(LONGEST, BENT * math.dist(stage.home, goal)))
        ensure(not min(LONGEST_AROUND, DETOUR * way.through) < way.around < np.inf)
    return stage
