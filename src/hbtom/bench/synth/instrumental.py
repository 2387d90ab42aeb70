"""Tasks about means and ends: a key opens a barrier that may or may not be in the way.

If the object can be reached without the key, fetching the key is never worth the effort, and the
key does not seal the way to the object. But in half of the episodes, the agent must walk around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from hbtom.bench.synth.errands import Errand, VaultScene, run_errand
from hbtom.bench.synth.geometry import CLEARANCE, Box, Rng, cell_box, overlap, square
from hbtom.bench.synth.layouts import (
    INTERIOR,
    attempt,
    boxes_of,
    ensure,
    found,
    interior,
    repeat,
    spot,
)
from hbtom.bench.synth.script import FAMILIARIZATION, Pair, Script, Take, Thing
from hbtom.bench.synth.setups import (
    LONGEST,
    USUAL,
    Setup,
    closed_stage,
    draw_setup,
    key_in_the_way,
    stage,
)
from hbtom.bench.synth.sprites import AGENT_R, KEY_R, OBJECT_R
from hbtom.bench.synth.vaults import barrier_blocks, draw_vault, gaps, hits

CROWDED = 0.5  # share of the episodes in which the key lies in the way
# A needless path by key and lock is at least DEARER times as long as the direct one, plus TOUCHING
# pixels, because an agent only needs to come near enough to key and lock to touch them.
DEARER, TOUCHING = 1.25, 30.0
BESIDE = 31  # pixels along the longer axis between key and object, so that each can be reached
Change = Callable[[Rng, Setup, VaultScene], VaultScene]


def instrumental_no_barrier(rng: Rng) -> Pair:
    """No barrier at test; e: straight to the object; u: to the key."""
    # Variants are drawn before the attempts, so that easy ones are not favoured.
    crowded, stops = bool(rng.random() < CROWDED), bool(rng.random() < 0.5)
    # Without a lock, picking up a key in the way would cost nothing, so then there always is one.
    locked = crowded or bool(rng.random() < 0.5)
    errand: Errand = "key" if stops else "unlock" if locked else "carry"
    removed = _removed if locked else _removed_with_lock
    pair = repeat(lambda r: _draw_pair(r, crowded, removed, errand), rng)
    if rng.random() >= 0.1:
        return pair
    wrapped: Literal["home", "agent"] = "home" if rng.random() < 0.5 else "agent"
    return Script(pair[0].trials, wrapped), Script(pair[1].trials, wrapped)


def instrumental_inconsequential_barrier(rng: Rng) -> Pair:
    """A barrier that is not in the way; e: straight to the object; u: to the key."""
    crowded, change, errand = _draw_variant(rng)
    return repeat(lambda r: _draw_pair(r, crowded, change, errand), rng)


def instrumental_blocking_barrier(rng: Rng) -> Pair:
    """To the key; e: the barrier blocks the object; u: it does not."""
    crowded, change, errand = _draw_variant(rng)
    return repeat(lambda r: _draw_pair(r, crowded, change, errand, needed=True), rng)


def _draw_pair(
    rng: Rng, crowded: bool, change: Change, errand: Errand, needed: bool = False
) -> Pair:
    """u: a needless errand; e: the same where it is needed, or straight to the object.

    In the eight familiarization trials, one of them on the base stage, the agent opens the barrier.
    Both test trials have the same seed, so that equal stages give equal walks.
    """
    setup, base, test = _stages(rng, crowded, change)
    expected: tuple[VaultScene, Errand] = (base, errand) if needed else (test, "object")
    seed = int(rng.integers(2**31))
    e, u = [
        run_errand(np.random.default_rng(seed), scene, setup.agent, errand, setup.manner)
        for scene, errand in (expected, (test, errand))
    ]
    place = int(rng.integers(FAMILIARIZATION))

    def familiar(i: int) -> Take:
        scene = base if i == place else attempt(lambda r: closed_stage(r, setup), rng)
        return run_errand(rng, scene, setup.agent, "unlock", setup.manner)

    seen = tuple(familiar(i) for i in range(FAMILIARIZATION))
    return Script((*seen, e)), Script((*seen, u))


def _draw_variant(rng: Rng) -> tuple[bool, Change, Errand]:
    """Whether the key is in the way, why the barrier is not, and what the agent does with the key.

    The barrier has a gap, or the object lies outside, or the vault has moved. The agent stops at
    the key or uses it.
    """
    change = (_opened, _outside, _elsewhere)[int(rng.integers(3))]
    errand: Errand = "key" if rng.random() < 0.5 else "unlock"
    return bool(rng.random() < CROWDED), change, errand


def _stages(rng: Rng, crowded: bool, change: Change) -> tuple[Setup, VaultScene, VaultScene]:
    """The setup, a familiarization stage, and that stage changed so that the key is needless."""
    setup = draw_setup(rng)
    base = stage(rng, setup)

    def changed(r: Rng) -> tuple[VaultScene, VaultScene]:
        test = change(r, setup, base)
        key = key_in_the_way(r, test, base) if crowded else base.key
        before, test = replace(base, key=key), replace(test, key=key)
        ensure(_needless(test, crowded))
        ensure(before.by_key() < LONGEST)
        return before, test

    return (setup, *attempt(changed, rng, TRIES[change]))


def _needless(scene: VaultScene, obstructed: bool) -> bool:
    """Whether there is a direct path of the usual length, so that using the key is wasteful."""
    (kx, ky), (gx, gy) = scene.key.centre, scene.goal.centre
    if max(abs(kx - gx), abs(ky - gy)) < BESIDE:
        return False
    direct = scene.direct()
    if direct is None or direct.around > USUAL or (obstructed and not direct.obstructed):
        return False
    return DEARER * direct.around + TOUCHING <= scene.by_key() < LONGEST


# Why the barrier is not in the way


def _removed(rng: Rng, setup: Setup, base: VaultScene) -> VaultScene:
    """There is no barrier; the lock stays where it was."""
    return replace(base, barrier=())


def _removed_with_lock(rng: Rng, setup: Setup, base: VaultScene) -> VaultScene:
    """There is neither barrier nor lock."""
    return replace(base, barrier=(), lock=None)


def _opened(rng: Rng, setup: Setup, base: VaultScene) -> VaultScene:
    """The barrier stays where it was, with a gap."""
    missing = gaps(rng, base.vault)
    return replace(base, barrier=barrier_blocks(base.vault, setup.manner, missing))


def _outside(rng: Rng, setup: Setup, base: VaultScene) -> VaultScene:
    """The barrier is closed, but the object lies outside."""
    place = spot(
        rng,
        boxes_of((*setup.cells, *base.vault.covers)),
        OBJECT_R,
        accept=lambda p: 45 <= math.dist(p, setup.home) <= 120,
    )
    return replace(base, goal=Thing(found(place), setup.goal))


def _elsewhere(rng: Rng, setup: Setup, base: VaultScene) -> VaultScene:
    """The vault has moved; the object stays where it was."""
    vault = draw_vault(rng)
    keep: list[Box] = [
        square(setup.home, AGENT_R + 3),
        square(base.key.centre, KEY_R + 1),
        square(base.goal.centre, OBJECT_R + 1),
    ]
    ensure(not any(hits(vault, box) for box in keep))
    # As many walls as before, so that their number gives nothing away.
    ground = [c for c in INTERIOR if c not in vault.covers]
    loose = [c for c in setup.cells if c in ground and c not in setup.vault.walls]
    spare = [c for c in ground if c not in loose]
    spare = [c for c in spare if not any(overlap(cell_box(c), box, CLEARANCE) for box in keep)]
    loose += [spare[i] for i in rng.permutation(len(spare))]
    border = [c for c in setup.cells if not interior(c)]
    n = len(setup.cells) - len(border) - len(vault.walls)
    ensure(0 <= n <= len(loose))
    cells = (*border, *loose[:n], *vault.walls)
    lock = Thing(vault.lock_centre, setup.lock)
    barrier = barrier_blocks(vault, setup.manner)
    return replace(base, cells=cells, lock=lock, vault=vault, barrier=barrier)


# How often each change is tried on one stage before another stage is drawn
TRIES: dict[Change, int] = {
    _removed: 2,
    _removed_with_lock: 1,
    _opened: 3,
    _outside: 8,
    _elsewhere: 8,
}
