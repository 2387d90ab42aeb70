"""Background (training) episodes: expected outcomes only, simpler than the evaluation tasks."""

from __future__ import annotations

import numpy as np

from .errands import Scene, run
from .geometry import Point, Space, distance, square
from .layouts import Cells, between, boxes_of, interior, repeat, scatter, spot, without
from .script import Script, Take, Thing
from .setups import vault_bounds
from .sprites import (
    KEY_R,
    OBJECT_R,
    ROTATIONS,
    Look,
    agent_looks,
    key_look,
    lock_look,
    object_looks,
)
from .vaults import blocks, draw_manner, draw_vault, hits
from .walks import Order, plain_trial, walk_to, ways

TRIALS = 9


def single_object(rng: np.random.Generator) -> Script:
    """An agent walks to the only object, nine times."""
    return repeat(lambda r: _one_object(r, replaced=False), rng)


def multi_agent(rng: np.random.Generator) -> Script:
    """One object; at some trial another agent takes over for good."""
    return repeat(lambda r: _one_object(r, replaced=True), rng)


def preference(rng: np.random.Generator) -> Script:
    """Two objects close by, nothing in the way; the agent always takes the same one."""
    return repeat(_preference, rng)


def instrumental_action(rng: np.random.Generator) -> Script:
    """The agent is locked in with the key; it opens the barrier and walks to the object."""
    return repeat(_instrumental_action, rng)


def _one_object(rng: np.random.Generator, replaced: bool) -> Script | None:
    cells = scatter(rng, int(rng.integers(10, 15)))
    home = spot(rng, boxes_of(cells), OBJECT_R)
    if home is None:
        return None
    first, second = agent_looks(rng, 2)
    change = int(rng.integers(1, TRIALS)) if replaced else TRIALS
    goal = object_looks(rng, 1)[0]
    trials = []
    for i in range(TRIALS):
        trial = _single(rng, cells, home, first if i < change else second, goal)
        if trial is None:
            return None
        trials.append(trial)
    return Script(tuple(trials))


def _single(
    rng: np.random.Generator, cells: Cells, home: Point, agent: Look, goal: Look
) -> Take | None:
    boxes = boxes_of(cells)
    place = spot(rng, boxes, OBJECT_R, accept=lambda p: 45 <= distance(p, home) <= 120)
    if place is None:
        return None
    thing = Thing(place, goal)
    walk = walk_to(rng, Space.around(boxes).field(home), agent, thing)
    if walk is None or len(walk) > 90:
        return None
    return plain_trial(cells, [thing], agent, walk)


def _preference(rng: np.random.Generator) -> Script | None:
    cells = scatter(rng, int(rng.integers(10, 15)))
    home = spot(rng, boxes_of(cells), OBJECT_R)
    if home is None:
        return None
    agent, looks, order = agent_looks(rng, 1)[0], object_looks(rng, 2), Order(rng)
    trials = []
    for _ in range(TRIALS):
        a = spot(rng, [], OBJECT_R, accept=lambda p: 26 <= distance(p, home) <= 45)
        b = spot(rng, [], OBJECT_R, accept=lambda p: 26 <= distance(p, home) <= 45)
        if a is None or b is None or distance(a, b) < 36:
            return None
        gone = [*between(home, a, OBJECT_R + 1), *between(home, b, OBJECT_R + 1)]
        here = without(cells, [c for c in gone if interior(c)])
        goal, other = Thing(a, looks[0]), Thing(b, looks[1])
        walk = walk_to(rng, ways(boxes_of(here), home, a, b), agent, goal)
        if walk is None:
            return None
        trials.append(plain_trial(here, order.of([goal, other]), agent, walk))
    return Script(tuple(trials))


def _instrumental_action(rng: np.random.Generator) -> Script | None:
    vault = draw_vault(rng, least=3, most=4)
    if vault is None:
        return None
    loose = [c for c in scatter(rng, int(rng.integers(5, 10))) if c not in vault.covers]
    cells = (*loose, *vault.walls)
    home = spot(rng, [], OBJECT_R, vault_bounds(vault.inside, OBJECT_R))
    if home is None:
        return None
    manner, turn = draw_manner(rng), ROTATIONS[int(rng.integers(4))]
    agent, goal = agent_looks(rng, 1)[0], object_looks(rng, 1)[0]
    inside, door = vault_bounds(vault.inside, KEY_R + 1), square(vault.door(inward=True), 8)
    trials = []
    for _ in range(TRIALS):
        key = spot(rng, [door], KEY_R, inside, lambda p: distance(p, home) >= 26)
        place = spot(
            rng, boxes_of(cells), OBJECT_R, accept=lambda p: not hits(vault, square(p, OBJECT_R))
        )
        if key is None or place is None:
            return None
        scene = Scene(
            cells,
            home,
            Thing(place, goal),
            Thing(key, key_look(turn)),
            Thing(vault.lock_centre, lock_look(turn)),
            vault,
            blocks(vault, manner),
            inward=True,
        )
        trial = run(rng, scene, agent, "unlock", manner) if scene.by_key() < 330 else None
        if trial is None:
            return None
        trials.append(trial)
    return Script(tuple(trials))
