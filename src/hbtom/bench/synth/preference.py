"""Tasks about which object an agent wants: preference, multi_agent, inaccessible_goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .geometry import CLEARANCE, Box, Point, Space, distance, path_length, square
from .layouts import (
    INTERIOR,
    Cells,
    between,
    boxes_of,
    cells_under,
    interior,
    repeat,
    ring,
    scatter,
    spot,
    without,
)
from .script import Script, Take, Thing
from .shapes import OBJECT_R, Look, agent_looks, object_looks
from .walks import Order, Walk, obstacles, plain_trial, walk_to

FAMILIARIZATION = 8
NEAREST = 48  # pixels from home to an object, at least
APART = 38  # pixels between two objects, at least
Pair = tuple[Script, Script]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who and what appears in an episode."""

    agent: Look
    newcomer: Look
    wanted: Look
    other: Look


@dataclass(frozen=True, slots=True)
class Stage:
    """One placement: walls, home, where the wanted object lies and where the other one."""

    cells: Cells
    home: Point
    wanted: Point
    other: Point

    def swapped(self) -> Stage:
        """The same placement with the two objects exchanged, as at test in real files."""
        return Stage(self.cells, self.home, self.other, self.wanted)


def draw_cast(rng: np.random.Generator) -> Cast:
    """Two agents and two objects, all different."""
    agents, things = agent_looks(rng, 2), object_looks(rng, 2)
    return Cast(agents[0], agents[1], things[0], things[1])


def preference(rng: np.random.Generator) -> Pair:
    """e: to the object it always took, now elsewhere; u: to the other one, in the old place."""
    return repeat(_preference, rng)


def multi_agent(rng: np.random.Generator) -> Pair:
    """The same test walk, to either object, by the familiar agent or by a newcomer."""
    # Variants are drawn before the attempts, so that none is favoured for being easy to build.
    to_wanted, fixed = bool(rng.random() < 0.5), bool(rng.random() < 0.4)
    return repeat(lambda r: _multi_agent(r, to_wanted, fixed), rng)


def inaccessible_goal(rng: np.random.Generator) -> Pair:
    """The agent takes the other object; e: the preferred one is walled in; u: it is not."""
    fixed, gap = bool(rng.random() < 0.5), (1, 2, None)[int(rng.choice(3, p=(0.3, 0.35, 0.35)))]
    return repeat(lambda r: _inaccessible_goal(r, fixed, gap), rng)


def _preference(rng: np.random.Generator) -> Pair | None:
    cast = draw_cast(rng)
    stages = _fixed_stages(rng)
    if stages is None:
        return None
    order = Order(rng)
    seen = _familiarization(rng, stages, cast, order)
    test = stages[int(rng.integers(FAMILIARIZATION))].swapped()
    walks = [_walk(rng, test, cast, cast.agent, wanted) for wanted in (True, False)]
    if seen is None or walks[0] is None or walks[1] is None:
        return None
    e, u = (_trial(test, cast, cast.agent, walk, order) for walk in walks if walk is not None)
    return Script((*seen, e)), Script((*seen, u))


def _multi_agent(rng: np.random.Generator, to_wanted: bool, fixed: bool) -> Pair | None:
    cast = draw_cast(rng)
    stages = _fixed_stages(rng) if fixed else _cleared_stages(rng)
    if stages is None:
        return None
    order = Order(rng)
    seen = _familiarization(rng, stages, cast, order)
    test = stages[int(rng.integers(FAMILIARIZATION))].swapped()
    seeds = int(rng.integers(2**31))
    # One seed for both walks: newcomer and familiar agent go the very same way.
    walks = [
        _walk(np.random.default_rng(seeds), test, cast, agent, to_wanted)
        for agent in (cast.agent, cast.newcomer)
    ]
    if seen is None or walks[0] is None or walks[1] is None:
        return None
    familiar = _trial(test, cast, cast.agent, walks[0], order)
    strange = _trial(test, cast, cast.newcomer, walks[1], order)
    e, u = (familiar, strange) if to_wanted else (strange, familiar)
    return Script((*seen, e)), Script((*seen, u))


def _inaccessible_goal(rng: np.random.Generator, fixed: bool, gap: int | None) -> Pair | None:
    cast = draw_cast(rng)
    stages = _fixed_stages(rng) if fixed else _cleared_stages(rng)
    if stages is None:
        return None
    order = Order(rng)
    base = stages[int(rng.integers(FAMILIARIZATION))]
    test = base.swapped() if rng.random() < 0.5 else base
    tests = _enclosures(rng, test, gap)
    seen = _familiarization(rng, stages, cast, order) if tests else None
    if seen is None or tests is None:
        return None
    trials = []
    seed = int(rng.integers(2**31))
    for stage in tests:
        walk = _walk(np.random.default_rng(seed), stage, cast, cast.agent, wanted=False)
        if walk is None or path_length(walk) > 140:
            return None
        trials.append(_trial(stage, cast, cast.agent, walk, order))
    return Script((*seen, trials[0])), Script((*seen, trials[1]))


def _enclosures(
    rng: np.random.Generator, test: Stage, gap: int | None
) -> tuple[Stage, Stage] | None:
    """The same placement with the wanted object walled in, and with a way to it left open."""
    inside = cells_under(square(test.wanted, OBJECT_R))
    fence = [c for c in ring(inside) if interior(c)]
    taken = _taken(test)
    if any(c in taken for c in fence):
        return None
    loose = without(test.cells, [*inside, *fence])
    e = replace(test, cells=_shuffled(rng, (*loose, *fence)))
    if _reachable(e, e.wanted, [e.other]) or not _reachable(e, e.other, [e.wanted]):
        return None
    beside = [c for c in fence if any(_side_by_side(c, i) for i in inside)]
    gone = fence if gap is None else [beside[i] for i in rng.permutation(len(beside))[:gap]]
    # The cells taken away stand elsewhere, so that the number of walls tells nothing.
    full = {*loose, *fence, *inside, *taken}
    free = [c for c in INTERIOR if c not in full]
    for _ in range(6):
        moved = [free[i] for i in rng.permutation(len(free))[: len(gone)]]
        u = replace(test, cells=_shuffled(rng, (*without((*loose, *fence), gone), *moved)))
        if _reachable(u, u.wanted, [u.other]) and _reachable(u, u.other, [u.wanted]):
            return e, u
    return None


def _taken(stage: Stage) -> list[Point]:
    """Cells that must stay free for the agent's home and the other object."""
    home, other = square(stage.home, CLEARANCE), square(stage.other, OBJECT_R + 3)
    return cells_under(home) + cells_under(other)


def _side_by_side(a: Point, b: Point) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1


def _shuffled(rng: np.random.Generator, cells: Cells) -> Cells:
    """The cells in random order: where a wall stands in the list must not give it away."""
    return tuple(cells[i] for i in rng.permutation(len(cells)))


def _fixed_stages(rng: np.random.Generator) -> list[Stage] | None:
    """Walls the same in all trials; each object keeps to its own part of the arena."""
    cells = scatter(rng, int(rng.integers(10, 15)))
    boxes = boxes_of(cells)
    home = spot(rng, boxes, OBJECT_R)
    if home is None:
        return None
    a = spot(rng, [], OBJECT_R, accept=lambda p: 55 <= distance(p, home) <= 92)
    b = spot(rng, [], OBJECT_R, accept=lambda p: 55 <= distance(p, home) <= 92)
    if a is None or b is None or not 46 <= distance(a, b) <= 105:
        return None
    stages = []
    for _ in range(FAMILIARIZATION):
        stage = _placed(rng, cells, home, _window(a), _window(b))
        if stage is None:
            return None
        stages.append(stage)
    return stages


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
        if _within(stage, one, two) and _within(stage, two, one):
            return stage
    return None


def _within(stage: Stage, goal: Point, other: Point) -> bool:
    """Whether a goal is reachable by a walk of the usual length, with modest bends only."""
    length = _path(stage, goal, [other])
    return length <= min(130.0, 1.4 * distance(stage.home, goal))


def _cleared_stages(rng: np.random.Generator) -> list[Stage] | None:
    """Objects anywhere near; the cells between agent and objects are taken away in each trial."""
    cells = scatter(rng, int(rng.integers(16, 22)))
    home = spot(rng, boxes_of(cells), OBJECT_R)
    if home is None:
        return None
    pad = int(rng.integers(0, 12))
    stages = []
    for _ in range(FAMILIARIZATION):
        a = spot(rng, [], OBJECT_R, accept=lambda p: 38 <= distance(p, home) <= 95)
        b = spot(rng, [], OBJECT_R, accept=lambda p: 38 <= distance(p, home) <= 95)
        if a is None or b is None or distance(a, b) < APART:
            return None
        gone = [*between(home, a, pad), *between(home, b, pad)]
        gone += cells_under(square(a, OBJECT_R + 1)) + cells_under(square(b, OBJECT_R + 1))
        stage = Stage(without(cells, [c for c in gone if interior(c)]), home, a, b)
        if not (_within(stage, a, b) and _within(stage, b, a)):
            return None
        stages.append(stage)
    return stages


def _path(stage: Stage, goal: Point, others: Sequence[Point]) -> float:
    boxes = [*boxes_of(stage.cells), *(square(o, OBJECT_R) for o in others)]
    return Space.around(boxes).field(stage.home).length(goal)


def _reachable(stage: Stage, goal: Point, others: Sequence[Point]) -> bool:
    return bool(np.isfinite(_path(stage, goal, others)))


def _walk(
    rng: np.random.Generator, stage: Stage, cast: Cast, agent: Look, wanted: bool
) -> Walk | None:
    goal, avoided = Thing(stage.wanted, cast.wanted), Thing(stage.other, cast.other)
    if not wanted:
        goal, avoided = avoided, goal
    space = Space.around(obstacles(stage.cells, [avoided]))
    return walk_to(rng, space, stage.home, agent, goal)


def _trial(stage: Stage, cast: Cast, agent: Look, walk: Walk, order: Order) -> Take:
    things = [Thing(stage.wanted, cast.wanted), Thing(stage.other, cast.other)]
    return plain_trial(stage.cells, order.of(things), agent, walk)


def _familiarization(
    rng: np.random.Generator, stages: Sequence[Stage], cast: Cast, order: Order
) -> tuple[Take, ...] | None:
    trials = []
    for stage in stages:
        walk = _walk(rng, stage, cast, cast.agent, wanted=True)
        if walk is None:
            return None
        trials.append(_trial(stage, cast, cast.agent, walk, order))
    return tuple(trials)
