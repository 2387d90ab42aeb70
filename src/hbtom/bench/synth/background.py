"""Background (training) episodes: expected outcomes only, simpler than the evaluation tasks."""

from __future__ import annotations

import math

from hbtom.bench.synth.arrangements import two_spots
from hbtom.bench.synth.errands import VaultScene, run_errand
from hbtom.bench.synth.geometry import Rng, square
from hbtom.bench.synth.layouts import (
    between,
    boxes_of,
    ensure,
    floor,
    found,
    repeat,
    repeated,
    scatter,
    spot,
    without,
)
from hbtom.bench.synth.script import FAMILIARIZATION, Script, Take, Thing
from hbtom.bench.synth.setups import LONGEST, vault_bounds
from hbtom.bench.synth.sprites import KEY_R, OBJECT_R, agent_looks, key_and_lock, object_looks
from hbtom.bench.synth.vaults import barrier_blocks, draw_manner, draw_vault, hits
from hbtom.bench.synth.walks import Order, plain_trial, routes_from, routes_on, walk_to
from hbtom.observe import Identity

TRIALS = FAMILIARIZATION + 1


def single_object(rng: Rng) -> Script:
    """An agent walks to the only object in all nine trials."""
    return repeat(lambda r: _one_object(r, replaced=False), rng)


def multi_agent(rng: Rng) -> Script:
    """There is one object; another agent takes over at some trial."""
    return repeat(lambda r: _one_object(r, replaced=True), rng)


def _one_object(rng: Rng, replaced: bool) -> Script:
    cells, home = floor(rng)
    first, second = agent_looks(rng, 2)
    change = int(rng.integers(1, TRIALS)) if replaced else TRIALS
    goal = object_looks(rng, 1)[0]
    boxes, field = boxes_of(cells), routes_on(cells, home)

    def trial(agent: Identity) -> Take:
        place = spot(rng, boxes, OBJECT_R, accept=lambda p: 45 <= math.dist(p, home) <= 120)
        thing = Thing(found(place), goal)
        walk = walk_to(rng, field, agent, thing)
        ensure(len(walk) <= 90)
        return plain_trial(cells, [thing], agent, walk)

    return Script(tuple(trial(first if i < change else second) for i in range(TRIALS)))


@repeated
def preference(rng: Rng) -> Script:
    """Two objects nearby with nothing in the way; the agent always takes the same one."""
    cells, home = floor(rng)
    agent, looks, order = agent_looks(rng, 1)[0], object_looks(rng, 2), Order(rng)

    def trial() -> Take:
        places = two_spots(rng, home, (26, 45), (36, math.inf))
        gone = [cell for place in places for cell in between(home, place, OBJECT_R + 1)]
        here = without(cells, gone)
        goal, other = map(Thing, places, looks)
        walk = walk_to(rng, routes_from(boxes_of(here), home, *places), agent, goal)
        return plain_trial(here, order.of([goal, other]), agent, walk)

    return Script(tuple(trial() for _ in range(TRIALS)))


@repeated
def instrumental_action(rng: Rng) -> Script:
    """The agent is locked in with the key, opens the barrier and walks to the object."""
    vault = draw_vault(rng, least=3, most=4)
    loose = [c for c in scatter(rng, int(rng.integers(5, 10))) if c not in vault.covers]
    cells = (*loose, *vault.walls)
    home = found(spot(rng, [], OBJECT_R, vault_bounds(vault.inside, OBJECT_R)))
    manner, (key_look, lock_look) = draw_manner(rng), key_and_lock(rng)
    agent, goal = agent_looks(rng, 1)[0], object_looks(rng, 1)[0]
    inside, door = vault_bounds(vault.inside, KEY_R + 1), square(vault.door(inward=True), 8)

    def trial() -> Take:
        key = spot(rng, [door], KEY_R, inside, lambda p: math.dist(p, home) >= 26)
        place = spot(
            rng, boxes_of(cells), OBJECT_R, accept=lambda p: not hits(vault, square(p, OBJECT_R))
        )
        scene = VaultScene(
            cells,
            home,
            Thing(found(place), goal),
            Thing(found(key), key_look),
            Thing(vault.lock_centre, lock_look),
            vault,
            barrier_blocks(vault, manner),
            inward=True,
        )
        ensure(scene.by_key() < LONGEST)
        return run_errand(rng, scene, agent, "unlock", manner)

    return Script(tuple(trial() for _ in range(TRIALS)))
