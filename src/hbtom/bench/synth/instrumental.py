"""Tasks about means and ends: a key opens a barrier that may or may not be in the way.

Where the object can be reached without it, the key is never worth its while, nor does it seal the
way to the object. But in half of the episodes it lies on that way, and has to be walked around.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from .errands import Errand, Scene, run
from .geometry import CLEARANCE, Box, Point, cell_box, distance, overlap, square
from .layouts import INTERIOR, attempt, boxes_of, interior, repeat, spot
from .script import Script, Thing
from .setups import LONGEST, USUAL, Setup, closed, draw_setup, key_in_the_way, stage
from .sprites import AGENT_R, KEY_R, OBJECT_R
from .vaults import blocks, draw_vault, gaps, hits

FAMILIARIZATION = 8
CROWDED = 0.5  # share of the episodes in which the key lies in the way
# A way by key and lock that is not needed is longer than the direct one: this many times, and by
# so many pixels more, because touching key and lock takes no more than coming near to them.
DEARER, TOUCHING = 1.25, 30.0
BESIDE = 31  # pixels along the longer axis between key and object, so that each can be got at
Pair = tuple[Script, Script]
Change = Callable[[np.random.Generator, Setup, Scene], Scene | None]


def instrumental_no_barrier(rng: np.random.Generator) -> Pair:
    """No barrier at test; e: straight to the object; u: to the key."""
    # Variants are drawn before the attempts, so that none is favoured for being easy to build.
    crowded, stops = bool(rng.random() < CROWDED), bool(rng.random() < 0.5)
    # Without a lock to go to, a key in the way is picked up for nothing: there always is one then.
    locked = crowded or bool(rng.random() < 0.5)
    errand: Errand = "key" if stops else "unlock" if locked else "carry"
    removed = _removed if locked else _removed_with_lock
    pair = repeat(lambda r: _straight_or_by_key(r, crowded, removed, errand), rng)
    if rng.random() >= 0.1:
        return pair
    wrapped: Literal["home", "agent"] = "home" if rng.random() < 0.5 else "agent"
    return Script(pair[0].trials, wrapped), Script(pair[1].trials, wrapped)


def instrumental_inconsequential_barrier(rng: np.random.Generator) -> Pair:
    """A barrier that is not in the way; e: straight to the object; u: to the key."""
    crowded, change, errand = _draw_variant(rng)
    return repeat(lambda r: _straight_or_by_key(r, crowded, change, errand), rng)


def instrumental_blocking_barrier(rng: np.random.Generator) -> Pair:
    """To the key; e: the barrier blocks the object; u: it does not."""
    crowded, change, errand = _draw_variant(rng)
    return repeat(lambda r: _needed_or_not(r, crowded, change, errand), rng)


def _straight_or_by_key(
    rng: np.random.Generator, crowded: bool, change: Change, errand: Errand
) -> Pair | None:
    drawn = _stages(rng, crowded, change)
    if drawn is None:
        return None
    setup, base, test = drawn
    return _pair(rng, setup, base, (test, "object"), (test, errand))


def _needed_or_not(
    rng: np.random.Generator, crowded: bool, change: Change, errand: Errand
) -> Pair | None:
    drawn = _stages(rng, crowded, change)
    if drawn is None:
        return None
    setup, base, test = drawn
    return _pair(rng, setup, base, (base, errand), (test, errand))


def _draw_variant(rng: np.random.Generator) -> tuple[bool, Change, Errand]:
    """Whether the key lies in the way, why the barrier does not, and what is done with the key.

    The barrier has a gap, or the object lies outside, or the vault has moved. The agent stops at
    the key, or uses it.
    """
    change = (_opened, _outside, _elsewhere)[int(rng.integers(3))]
    errand: Errand = "key" if rng.random() < 0.5 else "unlock"
    return bool(rng.random() < CROWDED), change, errand


def _stages(
    rng: np.random.Generator, crowded: bool, change: Change
) -> tuple[Setup, Scene, Scene] | None:
    """Setup, a stage of the familiarization, and the same changed: the key is not needed."""
    setup = draw_setup(rng)
    base = None if setup is None else stage(rng, setup)
    if setup is None or base is None:
        return None

    def changed(r: np.random.Generator) -> tuple[Scene, Scene] | None:
        test = change(r, setup, base)
        if test is None:
            return None
        key = key_in_the_way(r, test, base) if crowded else base.key
        if key is None or not _needless(test := replace(test, key=key), crowded):
            return None
        before = replace(base, key=key)
        return (before, test) if before.by_key() < LONGEST else None

    scenes = attempt(changed, rng, TRIES[change])
    return None if scenes is None else (setup, *scenes)


def _needless(scene: Scene, obstructed: bool) -> bool:
    """Whether the direct way exists, is of the usual length, and makes the key a waste."""
    (kx, ky), (gx, gy) = scene.key.centre, scene.goal.centre
    if max(abs(kx - gx), abs(ky - gy)) < BESIDE:
        return False
    direct = scene.direct()
    if direct is None or direct.around > USUAL or (obstructed and not direct.obstructed):
        return False
    return DEARER * direct.around + TOUCHING <= scene.by_key() < LONGEST


def _pair(
    rng: np.random.Generator,
    setup: Setup,
    base: Scene,
    expected: tuple[Scene, Errand],
    unexpected: tuple[Scene, Errand],
) -> Pair | None:
    """Both members: key, lock and object eight times, on the base stage and others; then the test.

    One seed for both test trials: equal stages give equal walks.
    """
    seed = int(rng.integers(2**31))
    tests = [
        run(np.random.default_rng(seed), scene, setup.agent, errand, setup.manner)
        for scene, errand in (expected, unexpected)
    ]
    if tests[0] is None or tests[1] is None:
        return None
    seen = []
    place = int(rng.integers(FAMILIARIZATION))
    for i in range(FAMILIARIZATION):
        scene = base if i == place else attempt(lambda r: closed(r, setup), rng)
        trial = None if scene is None else run(rng, scene, setup.agent, "unlock", setup.manner)
        if trial is None:
            return None
        seen.append(trial)
    return Script((*seen, tests[0])), Script((*seen, tests[1]))


# How the barrier fails to be in the way


def _removed(rng: np.random.Generator, setup: Setup, base: Scene) -> Scene | None:
    """There is no barrier; the lock stands where it stood."""
    return replace(base, barrier=())


def _removed_with_lock(rng: np.random.Generator, setup: Setup, base: Scene) -> Scene | None:
    """There is neither barrier nor lock."""
    return replace(base, barrier=(), lock=None)


def _opened(rng: np.random.Generator, setup: Setup, base: Scene) -> Scene | None:
    """The barrier stands where it stood, with a gap."""
    missing = gaps(rng, base.vault)
    return replace(base, barrier=blocks(base.vault, setup.manner, missing))


def _outside(rng: np.random.Generator, setup: Setup, base: Scene) -> Scene | None:
    """The barrier is closed but the object lies outside."""
    place = spot(
        rng,
        boxes_of((*setup.cells, *base.vault.covers)),
        OBJECT_R,
        accept=lambda p: 45 <= distance(p, setup.home) <= 120,
    )
    return None if place is None else replace(base, goal=Thing(place, setup.goal))


def _elsewhere(rng: np.random.Generator, setup: Setup, base: Scene) -> Scene | None:
    """The vault has moved; the object stays where it was."""
    vault = draw_vault(rng)
    if vault is None:
        return None
    keep: list[Box] = [
        square(setup.home, AGENT_R + 3),
        square(base.key.centre, KEY_R + 1),
        square(base.goal.centre, OBJECT_R + 1),
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
    return replace(base, cells=cells, lock=lock, vault=vault, barrier=barrier)


def _crowds(cell: Point, things: Sequence[Box]) -> bool:
    """Whether a wall here would stand in the way of any of these."""
    return any(overlap(cell_box(cell), box, CLEARANCE) for box in things)


# How often each change is tried on one stage, before another stage is drawn
TRIES: dict[Change, int] = {
    _removed: 2,
    _removed_with_lock: 1,
    _opened: 3,
    _outside: 8,
    _elsewhere: 8,
}
