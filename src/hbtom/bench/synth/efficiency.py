"""Tasks about the efficiency of an agent: efficiency_path, efficiency_time, efficiency_irrational.

All three start from an obstacle course: a dense layout in which the agent must walk around walls to
an object that is in a different place in every trial. Removing the walls between home and object
turns such a walk into a detour that nothing justifies. Real scenes are made this way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from hbtom.bench.synth.geometry import (
    CLEARANCE,
    Point,
    Rng,
    RouteField,
    cell_box,
    overlap,
    path_length,
    square,
)
from hbtom.bench.synth.layouts import (
    Cells,
    Misfit,
    attempt,
    between,
    boxes_of,
    ensure,
    found,
    interior,
    maze,
    repeat,
    spot,
    without,
)
from hbtom.bench.synth.script import FAMILIARIZATION, Pair, Script, Take, Thing
from hbtom.bench.synth.sprites import OBJECT_R, agent_looks, object_looks
from hbtom.bench.synth.walks import Walk, plain_trial, routes_on, walk_to
from hbtom.observe import Identity

CONTACT = 9  # pixels between the centres when agent and object touch, roughly
SPREAD = 12  # least distance between the object's positions in two trials, in pixels
LEAST_DETOUR, MOST_DETOUR = 1.16, 2.64  # the range of inefficient walks in real scenes
JUSTIFIED = 1.05  # largest ratio of an efficient walk to the shortest
# How often the test detour falls into each band, so that subtle ones are well represented.
Band = tuple[float, float]
BANDS: tuple[Band, ...] = ((1.16, 1.35), (1.35, 1.6), (1.6, 2.0), (2.0, 2.64))
BAND_SHARES = (0.34, 0.28, 0.22, 0.16)
ANY_DETOUR: Band = (LEAST_DETOUR, MOST_DETOUR)
TRIES = 15  # attempts to find a leg on a course before another course is drawn
Farther = tuple[Point, Cells, Walk]  # where an object lies, the walls, and the walk to it


@dataclass(frozen=True, slots=True)
class Leg:
    """One trial of a course: the object's place, the walk, and a layout that makes it a detour."""

    place: Point
    walk: Walk
    cleared: Cells  # the layout without the cells between home and object
    detour: float  # length of the walk over the shortest one on the cleared layout


@dataclass(frozen=True, slots=True)
class ObstacleCourse:
    """A dense layout, the agent that walks on it, and its goal."""

    cells: Cells
    home: Point
    agent: Identity
    goal: Identity
    field: RouteField  # routes from home

    def trial(self, leg: Leg, cells: Cells | None = None) -> Take:
        """The walk of one leg, on the dense layout or on another."""
        stage = self.cells if cells is None else cells
        return plain_trial(stage, [Thing(leg.place, self.goal)], self.agent, leg.walk)


def efficiency_path(rng: Rng) -> Pair:
    """Obstacle removed or moved at test; e: the efficient path; u: the familiar one, a detour."""
    # Variants are drawn before the attempts, so that easy ones are not favoured.
    band, moved = _draw_band(rng), bool(rng.random() < 0.5)
    return repeat(lambda r: _efficiency_path(r, band, moved), rng)


def efficiency_time(rng: Rng) -> Pair:
    """Like path control, but e's object is farther away, and both walks take equally long."""
    band = _draw_band(rng)
    return repeat(lambda r: _efficiency_time(r, band), rng)


def efficiency_irrational(rng: Rng) -> Pair:
    """The same detour at test; e: walls never justified the detours; u: they always did."""
    band = _draw_band(rng)
    return repeat(lambda r: _efficiency_irrational(r, band), rng)


def _efficiency_path(rng: Rng, band: Band, moved: bool) -> Pair:
    course = _course(rng)
    leg = attempt(lambda r: _leg(r, course, band), rng, TRIES)
    walk = _efficient(rng, course, leg.place, leg.cleared)
    familiar = _familiar(rng, course, _legs(rng, course, leg))
    cells = _moved(rng, course, leg, walk) if moved else leg.cleared
    direct = plain_trial(cells, [Thing(leg.place, course.goal)], course.agent, walk)
    return Script((*familiar, direct)), Script((*familiar, course.trial(leg, cells)))


def _efficiency_time(rng: Rng, band: Band) -> Pair:
    course = _course(rng)
    leg, (place, cells, walk) = attempt(lambda r: _timed(r, course, band), rng, TRIES)
    familiar = _familiar(rng, course, _legs(rng, course, leg))
    direct = plain_trial(cells, [Thing(place, course.goal)], course.agent, walk)
    return Script((*familiar, direct)), Script((*familiar, course.trial(leg, cells)))


def _efficiency_irrational(rng: Rng, band: Band) -> Pair:
    course = _course(rng)
    leg = attempt(lambda r: _leg(r, course, band), rng, TRIES)
    legs = _legs(rng, course, leg)
    test = course.trial(leg, leg.cleared)
    irrational = tuple(course.trial(one, one.cleared) for one in legs)
    rational = tuple(course.trial(one) for one in legs)
    return Script((*irrational, test)), Script((*rational, test))


def _draw_band(rng: Rng) -> Band:
    return BANDS[int(rng.choice(len(BANDS), p=BAND_SHARES))]


def _course(rng: Rng) -> ObstacleCourse:
    cells = maze(rng)
    home = found(spot(rng, boxes_of(cells), OBJECT_R))
    field = routes_on(cells, home)
    return ObstacleCourse(cells, home, agent_looks(rng, 1)[0], object_looks(rng, 1)[0], field)


def _legs(rng: Rng, course: ObstacleCourse, test: Leg) -> list[Leg]:
    """The legs of the familiarization, one of which is shown at test."""
    legs = [test]
    for _ in range(FAMILIARIZATION * TRIES):
        with suppress(Misfit):
            legs.append(_leg(rng, course, ANY_DETOUR, [leg.place for leg in legs]))
        if len(legs) == FAMILIARIZATION:
            place = int(rng.integers(FAMILIARIZATION))
            legs[0], legs[place] = legs[place], legs[0]
            return legs
    raise Misfit


def _leg(rng: Rng, course: ObstacleCourse, band: Band, taken: Sequence[Point] = ()) -> Leg:
    """A walk to a new place that is a detour of this band once the cells between are cleared."""
    boxes, home = boxes_of(course.cells), course.home
    far = spot(rng, boxes, OBJECT_R, accept=lambda p: math.dist(p, home) >= 40, tries=20)
    place = found(far)
    ensure(all(math.dist(place, other) >= SPREAD for other in taken))
    length = course.field.length(place)
    # A cheap test that never rejects a valid leg: walks are slightly longer than the shortest path.
    least = 0.95 * band[0] * (math.dist(home, place) - CONTACT)
    ensure(least < length - CONTACT < 250)
    cleared = without(course.cells, between(home, place))
    shortest = routes_on(cleared, home).length(place)
    ensure(0.95 * band[0] < (length - CONTACT) / (shortest - CONTACT) < band[1])
    walk = walk_to(rng, course.field, course.agent, Thing(place, course.goal))
    detour = _detour(cleared, walk, place)
    ensure(band[0] <= detour < band[1])
    return Leg(place, walk, cleared, detour)


def _timed(rng: Rng, course: ObstacleCourse, band: Band) -> tuple[Leg, Farther]:
    """A leg that is a detour of this band, and an efficient walk that takes equally long."""
    # The test layout lacks more walls than the leg's own, so the detour is measured last.
    leg = _leg(rng, course, (0.9 * band[0], band[1]))
    far = _as_long(rng, course, leg)
    ensure(leg.detour >= LEAST_DETOUR)
    ensure(band[0] <= _detour(far[1], leg.walk, leg.place) < band[1])
    return leg, far


def _detour(cells: Cells, walk: Walk, place: Point) -> float:
    """Length of a walk over the shortest path to contact on this layout."""
    shortest = routes_on(cells, walk[0]).length(place)
    return path_length(walk) / max(1.0, shortest - math.dist(walk[-1], place))


def _efficient(rng: Rng, course: ObstacleCourse, place: Point, cells: Cells) -> Walk:
    field = routes_on(cells, course.home)
    return walk_to(rng, field, course.agent, Thing(place, course.goal))


def _familiar(rng: Rng, course: ObstacleCourse, legs: Sequence[Leg]) -> tuple[Take, ...]:
    """Familiarization on the dense layout; in half the episodes, irrelevant walls come and go."""
    if rng.random() < 0.5:
        return tuple(course.trial(leg) for leg in legs)
    trials = []
    for leg in legs:
        idle = [c for c in course.cells if interior(c)]
        gone = [idle[i] for i in rng.permutation(len(idle))[: int(rng.integers(1, 5))]]
        fewer = without(course.cells, gone)
        justified = _detour(fewer, leg.walk, leg.place) <= JUSTIFIED
        trials.append(course.trial(leg, fewer if justified else None))
    return tuple(trials)


def _moved(rng: Rng, course: ObstacleCourse, leg: Leg, walk: Walk) -> Cells:
    """The layout with the obstacle moved, rather than removed, to where it touches neither walk."""
    gone = [c for c in course.cells if c not in leg.cleared and interior(c)]
    shifts = [(dx, dy) for dx in range(-5, 6) for dy in range(-5, 6) if (dx, dy) != (0, 0)]
    best: list[Point] = []
    for i in rng.permutation(len(shifts))[:40]:
        dx, dy = shifts[i]
        there = [(x + dx, y + dy) for x, y in gone]
        fit = [c for c in there if c not in gone and _idle(c, course, leg, walk)]
        if len(fit) > len(best):
            best = fit
    return (*leg.cleared, *best)


def _idle(cell: Point, course: ObstacleCourse, leg: Leg, walk: Walk) -> bool:
    """Whether a wall cell here would touch neither walk nor the object."""
    if cell in course.cells or not interior(cell):
        return False
    box = cell_box(cell)
    hit = any(overlap(square(p, CLEARANCE + 1), box) for p in (*leg.walk, *walk))
    return not hit and not overlap(square(leg.place, OBJECT_R + 1), box)


def _as_long(rng: Rng, course: ObstacleCourse, leg: Leg) -> Farther:
    """A place to which an efficient walk takes as many frames as the detour, give or take one."""
    home = course.home
    longest = 1.1 * path_length(leg.walk) + CONTACT
    # Agents move two pixels a frame along the longer axis, so that axis determines the time.
    along = 2 * (len(leg.walk) - 1) + CONTACT

    def fits(p: Point) -> bool:
        axis = max(abs(p[0] - home[0]), abs(p[1] - home[1]))
        return abs(axis - along) <= 4 and math.dist(p, home) <= longest

    for _ in range(12):
        place = found(spot(rng, [], OBJECT_R, accept=fits))
        cells = without(leg.cleared, between(home, place))
        with suppress(Misfit):
            ensure(not any(overlap(square(place, OBJECT_R), box) for box in boxes_of(cells)))
            walk = _efficient(rng, course, place, cells)
            ensure(abs(len(walk) - len(leg.walk)) <= 1)
            return place, cells, walk
    raise Misfit
