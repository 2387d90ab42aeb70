"""Tasks about which object an agent wants: preference, multi_agent, inaccessible_goal.

In half of the episodes one object lies on or near the way to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .geometry import CLEARANCE, Point, path_length, square
from .layouts import INTERIOR, Cells, boxes_of, cells_under, interior, repeat, ring, without
from .script import Script, Take, Thing
from .sprites import OBJECT_R, Look, agent_looks, object_looks
from .stages import Behind, Site, Stage, cleared_site, exchanged, familiar, fixed_site
from .walks import Order, Walk, plain_trial, walk_to, ways

CROWDED = 0.5  # share of the episodes in which an object lies about in the way
Pair = tuple[Script, Script]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who and what appears in an episode."""

    agent: Look
    newcomer: Look
    wanted: Look
    other: Look


def draw_cast(rng: np.random.Generator) -> Cast:
    """Two agents and two objects, all different."""
    agents, things = agent_looks(rng, 2), object_looks(rng, 2)
    return Cast(agents[0], agents[1], things[0], things[1])


def preference(rng: np.random.Generator) -> Pair:
    """e: to the object it always took, now elsewhere; u: to the other one, in the old place."""
    # Variants are drawn before the attempts, so that none is favoured for being easy to build.
    behind = _draw_behind(rng, "wanted" if rng.random() < 0.5 else "other")
    return repeat(lambda r: _preference(r, behind), rng)


def multi_agent(rng: np.random.Generator) -> Pair:
    """The same test walk, to either object, by the familiar agent or by a newcomer."""
    to_wanted, fixed = bool(rng.random() < 0.5), bool(rng.random() < 0.4)
    behind = _draw_behind(rng, "other" if to_wanted else "wanted")
    return repeat(lambda r: _multi_agent(r, to_wanted, fixed, behind), rng)


def inaccessible_goal(rng: np.random.Generator) -> Pair:
    """The agent takes the other object; e: the preferred one is walled in; u: it is not."""
    behind = _draw_behind(rng, "wanted" if rng.random() < 0.5 else "other")
    fixed = bool(rng.random() < 0.5)
    gap = (1, 2, None)[int(rng.choice(3, p=(0.3, 0.35, 0.35)))]
    return repeat(lambda r: _inaccessible_goal(r, fixed, gap, behind), rng)


def _draw_behind(rng: np.random.Generator, which: Behind) -> Behind:
    """An object behind the other one, in the crowded episodes."""
    return which if rng.random() < CROWDED else None


def _preference(rng: np.random.Generator, behind: Behind) -> Pair | None:
    cast = draw_cast(rng)
    site = fixed_site(rng, behind)
    base = None if site is None else exchanged(rng, site, behind)
    if site is None or base is None:
        return None
    order, test = Order(rng), base.swapped()
    seen = _familiarization(rng, site, base, cast, order)
    walks = [_walk(rng, test, cast, cast.agent, wanted) for wanted in (True, False)]
    if seen is None or walks[0] is None or walks[1] is None:
        return None
    e, u = (_trial(test, cast, cast.agent, walk, order) for walk in walks if walk is not None)
    return Script((*seen, e)), Script((*seen, u))


def _multi_agent(
    rng: np.random.Generator, to_wanted: bool, fixed: bool, behind: Behind
) -> Pair | None:
    cast = draw_cast(rng)
    site = fixed_site(rng, behind) if fixed else cleared_site(rng, behind)
    base = None if site is None else exchanged(rng, site, behind)
    if site is None or base is None:
        return None
    order, test = Order(rng), base.swapped()
    seen = _familiarization(rng, site, base, cast, order)
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


def _inaccessible_goal(
    rng: np.random.Generator, fixed: bool, gap: int | None, behind: Behind
) -> Pair | None:
    cast = draw_cast(rng)
    site = fixed_site(rng, behind) if fixed else cleared_site(rng, behind)
    base = None if site is None else site(rng)
    if site is None or base is None:
        return None
    tests = _enclosures(rng, base.swapped() if rng.random() < 0.5 else base, gap)
    if tests is None:
        return None
    order, seed = Order(rng), int(rng.integers(2**31))
    trials = []
    for stage in tests:
        walk = _walk(np.random.default_rng(seed), stage, cast, cast.agent, wanted=False)
        if walk is None or path_length(walk) > 140:
            return None
        trials.append(_trial(stage, cast, cast.agent, walk, order))
    seen = _familiarization(rng, site, base, cast, order)
    if seen is None:
        return None
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
    if e.reachable(wanted=True) or not e.reachable(wanted=False):
        return None
    beside = [c for c in fence if any(_side_by_side(c, i) for i in inside)]
    gone = fence if gap is None else [beside[i] for i in rng.permutation(len(beside))[:gap]]
    # The cells taken away stand elsewhere, so that the number of walls tells nothing.
    full = {*loose, *fence, *inside, *taken}
    free = [c for c in INTERIOR if c not in full]
    for _ in range(6):
        moved = [free[i] for i in rng.permutation(len(free))[: len(gone)]]
        u = replace(test, cells=_shuffled(rng, (*without((*loose, *fence), gone), *moved)))
        if u.reachable(wanted=True) and u.reachable(wanted=False):
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


def _walk(
    rng: np.random.Generator, stage: Stage, cast: Cast, agent: Look, wanted: bool
) -> Walk | None:
    goal, avoided = Thing(stage.wanted, cast.wanted), Thing(stage.other, cast.other)
    if not wanted:
        goal, avoided = avoided, goal
    field = ways(boxes_of(stage.cells), stage.home, goal.centre, avoided.centre)
    return walk_to(rng, field, agent, goal)


def _trial(stage: Stage, cast: Cast, agent: Look, walk: Walk, order: Order) -> Take:
    things = [Thing(stage.wanted, cast.wanted), Thing(stage.other, cast.other)]
    return plain_trial(stage.cells, order.of(things), agent, walk)


def _familiarization(
    rng: np.random.Generator, site: Site, base: Stage, cast: Cast, order: Order
) -> tuple[Take, ...] | None:
    trials = []
    for stage in familiar(rng, site, base) or ():
        walk = _walk(rng, stage, cast, cast.agent, wanted=True)
        if walk is None:
            return None
        trials.append(_trial(stage, cast, cast.agent, walk, order))
    return tuple(trials) or None
