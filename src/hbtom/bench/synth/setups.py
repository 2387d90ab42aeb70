"""The constant parts of an instrumental episode, and its familiarization stages."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hbtom.bench.synth.errands import VaultScene
from hbtom.bench.synth.geometry import Box, Point, Rng, cell_box, free_space, path_length, square
from hbtom.bench.synth.layouts import Cells, boxes_of, ensure, found, scatter, spot
from hbtom.bench.synth.script import Thing
from hbtom.bench.synth.sprites import KEY_R, OBJECT_R, agent_looks, key_and_lock, object_looks
from hbtom.bench.synth.vaults import (
    BarrierStyle,
    Vault,
    barrier_blocks,
    draw_manner,
    draw_vault,
    hits,
    relocked,
)
from hbtom.bench.synth.walks import MIDST, in_the_way
from hbtom.observe import Identity

LONGEST = 330.0  # longest path by key and lock, in pixels
USUAL = 150.0  # longest path to the object without the key, in pixels


@dataclass(frozen=True, slots=True)
class Setup:
    """The constant parts of an episode."""

    agent: Identity
    goal: Identity
    key: Identity
    lock: Identity
    manner: BarrierStyle
    vault: Vault
    cells: Cells  # all walls, those of the vault included
    home: Point
    moving_lock: bool  # whether the lock is elsewhere in the barrier in every trial


def draw_setup(rng: Rng) -> Setup:
    """A vault, walls, a home outside the vault, and the looks of everything."""
    vault = draw_vault(rng)
    loose = [c for c in scatter(rng, int(rng.integers(5, 10))) if c not in vault.covers]
    cells = (*loose, *vault.walls)
    outside = spot(rng, boxes_of(cells), OBJECT_R, accept=lambda p: not hits(vault, square(p, 9)))
    home = found(outside)
    key, lock = key_and_lock(rng)
    return Setup(
        agent_looks(rng, 1)[0],
        object_looks(rng, 1)[0],
        key,
        lock,
        draw_manner(rng),
        vault,
        cells,
        home,
        bool(rng.random() < 0.4),
    )


def closed_stage(rng: Rng, setup: Setup) -> VaultScene:
    """A familiarization stage whose key can be fetched and used on a path of the usual length."""
    scene = stage(rng, setup)
    ensure(scene.by_key() < LONGEST)
    return scene


def stage(rng: Rng, setup: Setup) -> VaultScene:
    """The object in the closed vault, the key somewhere outside."""
    vault = relocked(rng, setup.vault, setup.cells) if setup.moving_lock else setup.vault
    goal = spot(rng, [], OBJECT_R, vault_bounds(vault.inside, OBJECT_R + 1))
    key = spot(
        rng,
        _taken(setup.cells, vault),
        KEY_R + 1,
        accept=lambda p: 40 <= math.dist(p, setup.home) <= 95,
    )
    return VaultScene(
        setup.cells,
        setup.home,
        Thing(found(goal), setup.goal),
        Thing(found(key), setup.key),
        Thing(vault.lock_centre, setup.lock),
        vault,
        barrier_blocks(vault, setup.manner),
    )


def key_in_the_way(rng: Rng, test: VaultScene, base: VaultScene) -> Thing:
    """The key on the path to the object at test, at a place that is also free on the base stage."""
    route = found(free_space(test.solid()).route(test.home, test.goal.centre))
    ensure(path_length(route) <= USUAL)
    x, y = [p[0] for p in route], [p[1] for p in route]
    place = spot(
        rng,
        [*_taken(test.cells, test.vault), *_taken(base.cells, base.vault)],
        KEY_R + 1,
        (min(x) - MIDST, min(y) - MIDST, max(x) + MIDST, max(y) + MIDST),
        lambda p: 30 <= math.dist(p, test.home) <= 95 and in_the_way(p, route, MIDST),
    )
    return Thing(found(place), test.key.look)


def _taken(cells: Cells, vault: Vault) -> tuple[Box, ...]:
    """Where no key may lie: on walls, in the vault, or in front of its lock."""
    return boxes_of((*cells, *vault.covers))


def vault_bounds(cells: Cells, margin: int) -> Box:
    """Where an entity's centre may lie so that the entity stays in the rectangle of cells."""
    left, top, right, bottom = *cell_box(min(cells))[:2], *cell_box(max(cells))[2:]
    return left + margin, top + margin, right - margin, bottom - margin
