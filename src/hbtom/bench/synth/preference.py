"""Tasks about which object an agent wants: preference, multi_agent, inaccessible_goal.

In half of the episodes, one object lies on or near the path to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hbtom.bench.synth.arrangements import (
    Behind,
    Site,
    Stage,
    cleared_site,
    exchanged,
    familiar,
    fixed_site,
)
from hbtom.bench.synth.geometry import CLEARANCE, Rng, path_length, square
from hbtom.bench.synth.layouts import (
    INTERIOR,
    Cells,
    Misfit,
    boxes_of,
    cells_under,
    ensure,
    found,
    interior,
    maybe,
    repeat,
    ring,
    without,
)
from hbtom.bench.synth.script import Pair, Script, Take, Thing
from hbtom.bench.synth.sprites import OBJECT_R, agent_looks, object_looks
from hbtom.bench.synth.walks import Order, Walk, plain_trial, routes_from, walk_to
from hbtom.observe import Identity

CROWDED = 0.5  # share of the episodes in which one object lies roughly in the way to the other


@dataclass(frozen=True, slots=True)
class Characters:
    """The agents and objects of an episode."""

    agent: Identity
    newcomer: Identity
    wanted: Identity
    other: Identity


def draw_characters(rng: Rng) -> Characters:
    """Two agents and two objects, all different."""
    return Characters(*agent_looks(rng, 2), *object_looks(rng, 2))


def preference(rng: Rng) -> Pair:
    """e: to the object it always took, now elsewhere; u: to the other one, in the old place."""
    # Variants are drawn before the attempts, so that easy ones are not favoured.
    behind = _draw_behind(rng, "wanted" if rng.random() < 0.5 else "other")
    return repeat(lambda r: _preference(r, behind), rng)


def multi_agent(rng: Rng) -> Pair:
    """The same test walk, to either object, by the familiar agent or by a newcomer."""
    to_wanted, fixed = bool(rng.random() < 0.5), bool(rng.random() < 0.4)
    behind = _draw_behind(rng, "other" if to_wanted else "wanted")
    return repeat(lambda r: _multi_agent(r, to_wanted, fixed, behind), rng)


def inaccessible_goal(rng: Rng) -> Pair:
    """The agent takes the other object; e: the preferred one is walled in; u: it is not."""
    behind = _draw_behind(rng, "wanted" if rng.random() < 0.5 else "other")
    fixed = bool(rng.random() < 0.5)
    gap = (1, 2, None)[int(rng.choice(3, p=(0.3, 0.35, 0.35)))]
    return repeat(lambda r: _inaccessible_goal(r, fixed, gap, behind), rng)


def _draw_behind(rng: Rng, which: Behind) -> Behind:
    """The object that lies behind the other one: this one in crowded episodes, else none."""
    return which if rng.random() < CROWDED else None


def _preference(rng: Rng, behind: Behind) -> Pair:
    characters = draw_characters(rng)
    site = fixed_site(rng, behind)
    base = exchanged(rng, site, behind)
    order, test, agent = Order(rng), base.swapped(), characters.agent
    seen = maybe(lambda r: _familiarization(r, site, base, characters, order), rng)
    to_wanted = maybe(lambda r: _walk(r, test, characters, agent, wanted=True), rng)
    to_other = _walk(rng, test, characters, agent, wanted=False)
    familiar, walks = found(seen), (found(to_wanted), to_other)
    e, u = (_trial(test, characters, agent, walk, order) for walk in walks)
    return Script((*familiar, e)), Script((*familiar, u))


def _multi_agent(rng: Rng, to_wanted: bool, fixed: bool, behind: Behind) -> Pair:
    characters = draw_characters(rng)
    site = fixed_site(rng, behind) if fixed else cleared_site(rng, behind)
    base = exchanged(rng, site, behind)
    order, test = Order(rng), base.swapped()
    seen = maybe(lambda r: _familiarization(r, site, base, characters, order), rng)
    seed = int(rng.integers(2**31))
    familiar, agents = found(seen), (characters.agent, characters.newcomer)
    # Both walks have the same seed, so that both agents take exactly the same path.
    walks = [
        _walk(np.random.default_rng(seed), test, characters, agent, to_wanted) for agent in agents
    ]
    tests = [_trial(test, characters, *taken, order) for taken in zip(agents, walks, strict=True)]
    e, u = tests if to_wanted else reversed(tests)
    return Script((*familiar, e)), Script((*familiar, u))


def _inaccessible_goal(rng: Rng, fixed: bool, gap: int | None, behind: Behind) -> Pair:
    characters = draw_characters(rng)
    site = fixed_site(rng, behind) if fixed else cleared_site(rng, behind)
    base = site(rng)
    tests = _enclosures(rng, base.swapped() if rng.random() < 0.5 else base, gap)
    order, seed = Order(rng), int(rng.integers(2**31))
    trials = []
    for stage in tests:
        walk = _walk(np.random.default_rng(seed), stage, characters, characters.agent, wanted=False)
        ensure(path_length(walk) <= 140)
        trials.append(_trial(stage, characters, characters.agent, walk, order))
    seen = _familiarization(rng, site, base, characters, order)
    return Script((*seen, trials[0])), Script((*seen, trials[1]))


def _enclosures(rng: Rng, test: Stage, gap: int | None) -> tuple[Stage, Stage]:
    """The same stage with the wanted object walled in, and with a path to it left open."""
    inside = cells_under(square(test.wanted, OBJECT_R))
    fence = [c for c in ring(inside) if interior(c)]
    # Cells that must stay free for the agent's home and the other object
    taken = cells_under(square(test.home, CLEARANCE))
    taken += cells_under(square(test.other, OBJECT_R + 3))
    ensure(not any(c in taken for c in fence))
    loose = without(test.cells, [*inside, *fence])
    e = replace(test, cells=_shuffled(rng, (*loose, *fence)))
    ensure(not e.reachable(wanted=True) and e.reachable(wanted=False))
    beside = [(x, y) for x, y in fence if any(abs(x - a) + abs(y - b) == 1 for a, b in inside)]
    gone = fence if gap is None else [beside[i] for i in rng.permutation(len(beside))[:gap]]
    # The removed cells are placed elsewhere, so that the number of walls gives nothing away.
    full = {*loose, *fence, *inside, *taken}
    free = [c for c in INTERIOR if c not in full]
    for _ in range(6):
        moved = [free[i] for i in rng.permutation(len(free))[: len(gone)]]
        u = replace(test, cells=_shuffled(rng, (*without((*loose, *fence), gone), *moved)))
        if u.reachable(wanted=True) and u.reachable(wanted=False):
            return e, u
    raise Misfit


def _shuffled(rng: Rng, cells: Cells) -> Cells:
    """The cells in random order, so that a wall's position in the list gives nothing away."""
    return tuple(cells[i] for i in rng.permutation(len(cells)))


def _walk(rng: Rng, stage: Stage, characters: Characters, agent: Identity, wanted: bool) -> Walk:
    goal, avoided = Thing(stage.wanted, characters.wanted), Thing(stage.other, characters.other)
    if not wanted:
        goal, avoided = avoided, goal
    field = routes_from(boxes_of(stage.cells), stage.home, goal.centre, avoided.centre)
    return walk_to(rng, field, agent, goal)


def _trial(stage: Stage, characters: Characters, agent: Identity, walk: Walk, order: Order) -> Take:
    things = [Thing(stage.wanted, characters.wanted), Thing(stage.other, characters.other)]
    return plain_trial(stage.cells, order.of(things), agent, walk)


def _familiarization(
    rng: Rng, site: Site, base: Stage, characters: Characters, order: Order
) -> tuple[Take, ...]:
    def trial(stage: Stage) -> Take:
        walk = _walk(rng, stage, characters, characters.agent, wanted=True)
        return _trial(stage, characters, characters.agent, walk, order)

    return tuple(map(trial, familiar(rng, site, base)))
