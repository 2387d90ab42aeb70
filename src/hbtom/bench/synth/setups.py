"""What stays the same through an instrumental episode, and the stages of its familiarization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errands import Scene
from .geometry import CLEARANCE, Box, Point, Space, cell_box, distance, square
from .layouts import Cells, boxes_of, scatter, spot
from .script import Thing
from .shapes import KEY_R, OBJECT_R, ROTATIONS, Look, agent_looks, key_look, lock_look, object_looks
from .vaults import Manner, Vault, blocks, draw_manner, draw_vault, hits, relocked
from .walks import ITEM_R, in_the_way

LONGEST = 330.0  # pixels of a way by key and lock


@dataclass(frozen=True, slots=True)
class Setup:
    """What stays the same through an episode."""

    agent: Look
    goal: Look
    key: Look
    lock: Look
    manner: Manner
    vault: Vault
    cells: Cells  # all walls, those of the vault included
    home: Point
    moving_lock: bool  # whether the lock is elsewhere in the barrier in every trial
    crowded: bool  # whether the key lies where the way to the object would be without a barrier


def draw_setup(rng: np.random.Generator, crowded: bool) -> Setup | None:
    """A vault, walls, a home outside, and how everything looks."""
    vault = draw_vault(rng)
    if vault is None:
        return None
    loose = [c for c in scatter(rng, int(rng.integers(5, 10))) if c not in vault.covers]
    cells = (*loose, *vault.walls)
    home = spot(rng, boxes_of(cells), OBJECT_R, accept=lambda p: not hits(vault, square(p, 9)))
    if home is None:
        return None
    turn = ROTATIONS[int(rng.integers(4))]
    return Setup(
        agent_looks(rng, 1)[0],
        object_looks(rng, 1)[0],
        key_look(turn),
        lock_look(turn),
        draw_manner(rng),
        vault,
        cells,
        home,
        bool(rng.random() < 0.4),
        crowded,
    )


def closed(rng: np.random.Generator, setup: Setup) -> Scene | None:
    """A familiarization stage: the object in the closed vault, the key somewhere outside."""
    vault = relocked(rng, setup.vault, setup.cells) if setup.moving_lock else setup.vault
    goal = spot(rng, [], OBJECT_R, vault_bounds(vault.inside, OBJECT_R + 1))
    if goal is None:
        return None
    key = _key_in_the_way(rng, setup, vault, goal) if setup.crowded else _key(rng, setup, vault)
    if key is None:
        return None
    scene = Scene(
        setup.cells,
        setup.home,
        Thing(goal, setup.goal),
        Thing(key, setup.key),
        Thing(vault.lock_centre, setup.lock),
        vault,
        blocks(vault, setup.manner),
    )
    return scene if scene.by_key() < LONGEST else None


def _key(rng: np.random.Generator, setup: Setup, vault: Vault) -> Point | None:
    return spot(
        rng,
        [*boxes_of(setup.cells), square(vault.door(), 10)],
        KEY_R + 1,
        accept=lambda p: (
            40 <= distance(p, setup.home) <= 95 and not hits(vault, square(p, KEY_R + 1))
        ),
    )


def _key_in_the_way(
    rng: np.random.Generator, setup: Setup, vault: Vault, goal: Point
) -> Point | None:
    """A place for the key on the way to the object, as it would be without the barrier."""
    boxes = boxes_of(setup.cells)
    route = Space.around(boxes).route(setup.home, goal)
    if route is None:
        return None
    reach = ITEM_R + CLEARANCE
    x, y = [p[0] for p in route], [p[1] for p in route]
    return spot(
        rng,
        [*boxes, square(vault.door(), 10)],
        KEY_R + 1,
        (min(x) - reach, min(y) - reach, max(x) + reach, max(y) + reach),
        lambda p: (
            30 <= distance(p, setup.home) <= 95
            and in_the_way(p, route)
            and not hits(vault, square(p, KEY_R + 1))
        ),
    )


def vault_bounds(cells: Cells, margin: int) -> Box:
    """Where a centre may lie so that the entity stays in the rectangle of cells."""
    boxes = [cell_box(c) for c in cells]
    low_x, low_y = min(b[0] for b in boxes), min(b[1] for b in boxes)
    high_x, high_y = max(b[2] for b in boxes), max(b[3] for b in boxes)
    return low_x + margin, low_y + margin, high_x - margin, high_y - margin
