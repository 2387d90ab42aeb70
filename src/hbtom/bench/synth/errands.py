"""Errands: the walks of instrumental trials, with a key to fetch and a lock to open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hbtom.bench.synth.geometry import CELL, Box, Point, Rng, free_space, square
from hbtom.bench.synth.layouts import Cells, boxes_of, ensure, found, wall_list
from hbtom.bench.synth.motion import frames_along, natural, until
from hbtom.bench.synth.script import Moment, Take, Thing
from hbtom.bench.synth.sprites import KEY_R, LOCK_R, OBJECT_R
from hbtom.bench.synth.vaults import BarrierStyle, Vault
from hbtom.bench.synth.walks import (
    PathLengths,
    passage,
    routes_from,
    still_before_and_after,
    walk_to,
)
from hbtom.observe import Identity

Errand = Literal["object", "key", "unlock", "carry"]
REACH = 18  # largest distance between agent and lock when the key goes in, in pixels


@dataclass(frozen=True, slots=True)
class VaultScene:
    """The stage of an instrumental trial."""

    cells: Cells
    home: Point
    goal: Thing
    key: Thing
    lock: Thing | None  # None if there is nothing to open
    vault: Vault
    barrier: tuple[Point, ...]
    inward: bool = False  # the agent stands inside the vault

    def solid(self, unlocked: bool = False) -> tuple[Box, ...]:
        """Walls, and barrier and lock unless unlocked."""
        lock = [] if self.lock is None else [square(self.lock.centre, LOCK_R)[:2]]
        # Blocks off the lattice lie within those on it, so they can be left out.
        blocks = () if unlocked else (*self.barrier, *lock)
        green = ((x // CELL, y // CELL) for x, y in blocks if x % CELL == y % CELL == 0)
        return boxes_of((*self.cells, *green))

    def direct(self) -> PathLengths | None:
        """The path to the object past the key; None if it is unclear whether there is one."""
        return passage(self.solid(), self.home, self.goal.centre, self.key.centre)

    def by_key(self) -> float:
        """Length of the shortest path to the object by key and lock.

        It is infinite if there is no such path, or if it is unclear which one is the shortest.
        """
        key, goal = self.key.centre, self.goal.centre
        fetching = passage(self.solid(), self.home, key, goal)
        if fetching is None:
            return np.inf
        if self.lock is None:
            return fetching.length + free_space(self.solid()).field(key).length(goal)
        lock = self.lock.centre
        opening = [passage(self.solid(), key, place, goal) for place in _beside(lock)]
        if None in opening:
            return np.inf
        then = min(way.length for way in opening if way is not None)
        last = free_space(self.solid(unlocked=True)).field(lock).length(goal)
        return fetching.length + then + CELL + last


def _beside(lock: Point) -> list[Point]:
    """Where an agent may stand in front of a lock: the centres of the cells next to it."""
    x, y = lock
    return [(x - CELL, y), (x, y - CELL), (x, y + CELL), (x + CELL, y)]


def run_errand(
    rng: Rng, scene: VaultScene, agent: Identity, errand: Errand, manner: BarrierStyle
) -> Take:
    """The trial in which the agent runs this errand."""
    if errand in ("object", "key"):
        item = scene.goal if errand == "object" else scene.key
        moments = _walk_to_item(rng, scene, agent, item)
    else:
        moments = (_unlock if errand == "unlock" else _carry)(rng, scene, agent, manner)
    frames = still_before_and_after(moments)
    return Take(wall_list(scene.cells), (scene.goal,), scene.home, agent, frames)


def _walk_to_item(rng: Rng, scene: VaultScene, agent: Identity, item: Thing) -> list[Moment]:
    """Walk from home to the object past the key, or the other way round."""
    other, r = (scene.key, OBJECT_R) if item is scene.goal else (scene.goal, KEY_R)
    field = routes_from(scene.solid(), scene.home, item.centre, other.centre)
    return [_with_key(scene, scene.key, p) for p in walk_to(rng, field, agent, item, r)]


def _carry(rng: Rng, scene: VaultScene, agent: Identity, manner: BarrierStyle) -> list[Moment]:
    """Fetch the key and take it to the object, although there is nothing to open."""
    fetched = _walk_to_item(rng, scene, agent, scene.key)
    field = routes_from(scene.solid(), fetched[-1].agent, scene.goal.centre)
    walk = walk_to(rng, field, agent, scene.goal)
    return fetched + _carrying(rng, scene, walk, manner)


def _unlock(rng: Rng, scene: VaultScene, agent: Identity, manner: BarrierStyle) -> list[Moment]:
    """Fetch the key, open the lock, wait until the barrier is gone, go to the object."""
    fetched = _walk_to_item(rng, scene, agent, scene.key)
    lock, door = found(scene.lock).centre, scene.vault.door(scene.inward)
    field = routes_from(scene.solid(), fetched[-1].agent, door, scene.goal.centre)
    frames = frames_along([*natural(found(field.route(door)), field.space, rng), lock])
    walk = found(until(frames, lambda p: math.dist(p, lock) <= REACH))
    ensure(len(walk) > 1)
    opening = _opening(scene, lock, walk[-1], manner)
    start = lock if manner.jump else walk[-1]
    field = routes_from(scene.solid(unlocked=True), start, scene.goal.centre)
    last = walk_to(rng, field, agent, scene.goal)
    return fetched + _carrying(rng, scene, walk, manner) + opening + [Moment(p) for p in last]


def _with_key(scene: VaultScene, key: Thing, agent: Point) -> Moment:
    return Moment(agent, key, scene.lock, scene.barrier)


def _carrying(
    rng: Rng, scene: VaultScene, walk: Sequence[Point], manner: BarrierStyle
) -> list[Moment]:
    """The walk with the key, which strays a little around the agent, without its first frame."""
    stray = rng.integers(-manner.jitter, manner.jitter + 1, size=(len(walk), 2))
    return [
        _with_key(scene, replace(scene.key, centre=(p[0] + int(dx), p[1] + int(dy))), p)
        for p, (dx, dy) in list(zip(walk, stray, strict=True))[1:]
    ]


def _opening(scene: VaultScene, lock: Point, agent: Point, manner: BarrierStyle) -> list[Moment]:
    """The agent waits while, with the key in the lock, the barrier vanishes block by block."""
    inserted = replace(scene.key, centre=lock)
    n = len(scene.barrier)
    return [
        Moment(agent, inserted, scene.lock, scene.barrier[n * t // manner.wait :])
        for t in range(manner.wait)
    ]
