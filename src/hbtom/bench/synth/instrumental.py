"""Tasks about means and ends: a key opens a barrier that may or may not be in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .errands import Errand, Scene, run
from .geometry import CLEARANCE, Box, Point, cell_box, distance, overlap, square
from .layouts import INTERIOR, Cells, boxes_of, interior, repeat, scatter, spot
from .script import Script, Take, Thing
from .shapes import (
    AGENT_R,
    KEY_R,
    OBJECT_R,
    ROTATIONS,
    Look,
    agent_looks,
    key_look,
    lock_look,
    object_looks,
)
from .vaults import Manner, Vault, blocks, draw_manner, draw_vault, gaps, hits, relocked

FAMILIARIZATION = 8
NEEDLESS = 30.0  # by how many pixels the way by the key must exceed the direct one
Pair = tuple[Script, Script]


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


Way = Callable[[np.random.Generator, Setup, Scene], Scene | None]


def instrumental_no_barrier(rng: np.random.Generator) -> Pair:
    """No barrier at test; e: straight to the object; u: to the key."""
    # Variants are drawn before the attempts, so that none is favoured for being easy to build.
    locked, stops = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    errand: Errand = "key" if stops else "unlock" if locked else "carry"
    pair = repeat(lambda r: _no_barrier(r, locked, errand), rng)
    if rng.random() >= 0.1:
        return pair
    wrapped: Literal["home", "agent"] = "home" if rng.random() < 0.5 else "agent"
    return Script(pair[0].trials, wrapped), Script(pair[1].trials, wrapped)


def instrumental_inconsequential_barrier(rng: np.random.Generator) -> Pair:
    """A barrier that is not in the way; e: straight to the object; u: to the key."""
    way, errand = _draw_way(rng), _draw_errand(rng)
    return repeat(lambda r: _inconsequential(r, way, errand), rng)


def instrumental_blocking_barrier(rng: np.random.Generator) -> Pair:
    """To the key; e: the barrier blocks the object; u: it does not."""
    way, errand = _draw_way(rng), _draw_errand(rng)
    return repeat(lambda r: _blocking(r, way, errand), rng)


def _no_barrier(rng: np.random.Generator, locked: bool, errand: Errand) -> Pair | None:
    begun = _begin(rng)
    if begun is None:
        return None
    setup, scenes, seen = begun
    base = scenes[int(rng.integers(FAMILIARIZATION))]
    test = replace(base, barrier=(), lock=base.lock if locked else None)
    if not _needless(test):
        return None
    return _pair(rng, setup, seen, (test, "object"), (test, errand))


def _inconsequential(rng: np.random.Generator, way: Way, errand: Errand) -> Pair | None:
    begun = _begin(rng)
    if begun is None:
        return None
    setup, scenes, seen = begun
    test = _unblocked(rng, setup, scenes[int(rng.integers(FAMILIARIZATION))], way)
    if test is None:
        return None
    return _pair(rng, setup, seen, (test, "object"), (test, errand))


def _blocking(rng: np.random.Generator, way: Way, errand: Errand) -> Pair | None:
    begun = _begin(rng)
    if begun is None:
        return None
    setup, scenes, seen = begun
    closed = scenes[int(rng.integers(FAMILIARIZATION))]
    opened = _unblocked(rng, setup, closed, way)
    if opened is None:
        return None
    return _pair(rng, setup, seen, (closed, errand), (opened, errand))


def _pair(
    rng: np.random.Generator,
    setup: Setup,
    seen: tuple[Take, ...],
    expected: tuple[Scene, Errand],
    unexpected: tuple[Scene, Errand],
) -> Pair | None:
    """Both members. One seed for both test trials: equal stages give equal walks."""
    seed = int(rng.integers(2**31))
    tests = [
        run(np.random.default_rng(seed), scene, setup.agent, errand, setup.manner)
        for scene, errand in (expected, unexpected)
    ]
    if tests[0] is None or tests[1] is None:
        return None
    return Script((*seen, tests[0])), Script((*seen, tests[1]))


def _begin(
    rng: np.random.Generator,
) -> tuple[Setup, list[Scene], tuple[Take, ...]] | None:
    """Setup and familiarization: fetch the key, open the lock, reach the object, eight times."""
    setup = _setup(rng)
    if setup is None:
        return None
    scenes, trials = [], []
    for _ in range(FAMILIARIZATION):
        scene = _closed(rng, setup)
        trial = None if scene is None else run(rng, scene, setup.agent, "unlock", setup.manner)
        if scene is None or trial is None:
            return None
        scenes.append(scene)
        trials.append(trial)
    return setup, scenes, tuple(trials)


def _setup(rng: np.random.Generator) -> Setup | None:
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
    )


def _closed(rng: np.random.Generator, setup: Setup) -> Scene | None:
    """A familiarization stage: the object in the closed vault, the key somewhere outside."""
    vault = relocked(rng, setup.vault, setup.cells) if setup.moving_lock else setup.vault
    goal = spot(rng, [], OBJECT_R, vault_bounds(vault.inside, OBJECT_R + 1))
    key = _key_place(rng, setup, vault)
    if goal is None or key is None:
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
    return scene if np.isinf(scene.direct()) and scene.by_key() < 330 else None


def _key_place(rng: np.random.Generator, setup: Setup, vault: Vault) -> Point | None:
    door = square(vault.door(), 10)
    return spot(
        rng,
        [*boxes_of(setup.cells), door],
        KEY_R + 1,
        accept=lambda p: (
            40 <= distance(p, setup.home) <= 95 and not hits(vault, square(p, KEY_R + 1))
        ),
    )


def _draw_way(rng: np.random.Generator) -> Way:
    """How the barrier fails to be in the way: a gap, the object outside, or the vault moved."""
    return (_open, _outside, _elsewhere)[int(rng.integers(3))]


def _draw_errand(rng: np.random.Generator) -> Errand:
    """Whether the agent stops at the key or uses it."""
    return "key" if rng.random() < 0.5 else "unlock"


def _unblocked(rng: np.random.Generator, setup: Setup, closed: Scene, way: Way) -> Scene | None:
    """The stage with a barrier that does not keep the agent from the object."""
    for _ in range(12):
        scene = way(rng, setup, closed)
        if scene is not None and _needless(scene):
            return scene
    return None


def _needless(scene: Scene) -> bool:
    """Whether the direct way exists, is of the usual length, and makes the key a waste."""
    direct = scene.direct()
    return direct <= 150 and direct + NEEDLESS <= scene.by_key() < 330


def _open(rng: np.random.Generator, setup: Setup, closed: Scene) -> Scene | None:
    """The barrier stands where it stood, with a gap."""
    missing = gaps(rng, closed.vault)
    return replace(closed, barrier=blocks(closed.vault, setup.manner, missing))


def _outside(rng: np.random.Generator, setup: Setup, closed: Scene) -> Scene | None:
    """The barrier is closed but the object lies outside."""
    place = spot(
        rng,
        boxes_of(setup.cells),
        OBJECT_R,
        accept=lambda p: (
            45 <= distance(p, setup.home) <= 110
            and distance(p, closed.key.centre) >= 36
            and not hits(setup.vault, square(p, OBJECT_R))
        ),
    )
    return None if place is None else replace(closed, goal=Thing(place, setup.goal))


def _elsewhere(rng: np.random.Generator, setup: Setup, closed: Scene) -> Scene | None:
    """The vault has moved; the object stays where it was."""
    vault = draw_vault(rng)
    if vault is None:
        return None
    keep: list[Box] = [
        square(setup.home, AGENT_R + 3),
        square(closed.key.centre, KEY_R + 1),
        square(closed.goal.centre, OBJECT_R + 1),
    ]
    if any(hits(vault, box) for box in keep):
        return None
    # As many walls as before, so that their number tells nothing.
    ground = [c for c in INTERIOR if c not in vault.covers]
    loose = [c for c in setup.cells if c in ground and c not in setup.vault.walls]
    spare = [c for c in ground if c not in loose and not _crowds(c, keep)]
    loose += [spare[i] for i in rng.permutation(len(spare))]
    border = [c for c in setup.cells if not interior(c)]
    n = len(setup.cells) - len(border) - len(vault.walls)
    if not 0 <= n <= len(loose):
        return None
    cells = (*border, *loose[:n], *vault.walls)
    lock = Thing(vault.lock_centre, setup.lock)
    barrier = blocks(vault, setup.manner)
    return replace(closed, cells=cells, lock=lock, vault=vault, barrier=barrier)


def _crowds(cell: Point, things: Sequence[Box]) -> bool:
    """Whether a wall here would stand in the way of any of these."""
    return any(overlap(cell_box(cell), box, CLEARANCE) for box in things)


def vault_bounds(cells: Cells, margin: int) -> Box:
    """Where a centre may lie so that the entity stays in the rectangle of cells."""
    boxes = [cell_box(c) for c in cells]
    low_x, low_y = min(b[0] for b in boxes), min(b[1] for b in boxes)
    high_x, high_y = max(b[2] for b in boxes), max(b[3] for b in boxes)
    return low_x + margin, low_y + margin, high_x - margin, high_y - margin
