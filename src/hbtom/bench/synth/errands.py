"""Errands: walks of instrumental trials, with a key to fetch and a lock to open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .geometry import CELL, Box, Point, Space, distance, square
from .layouts import Cells, boxes_of, wall_list
from .motion import frames_along, natural, until
from .script import Moment, Take, Thing
from .sprites import KEY_R, LOCK_R, Look
from .vaults import Manner, Vault
from .walks import Passage, passage, still_before_and_after, walk_to, ways

Errand = Literal["object", "key", "unlock", "carry"]
REACH = 18  # how near the agent's centre comes to the lock's centre before the key goes in


@dataclass(frozen=True, slots=True)
class Scene:
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
        """Walls, and barrier and lock until it is open."""
        # Blocks off the lattice overlap others that are on it, and add no ground of their own.
        blocks = () if unlocked else (*self.barrier, *self._lock_block())
        green = ((x // CELL, y // CELL) for x, y in blocks if x % CELL == y % CELL == 0)
        return boxes_of((*self.cells, *green))

    def _lock_block(self) -> list[Point]:
        """The corner of the block that the lock is."""
        return [] if self.lock is None else [square(self.lock.centre, LOCK_R)[:2]]

    def direct(self) -> Passage | None:
        """The way to the object past the key; None if it is not plain whether there is one."""
        return passage(self.solid(), self.home, self.goal.centre, self.key.centre)

    def by_key(self) -> float:
        """Length of the shortest way by key and lock to the object, waiting not counted.

        Infinity if there is none, or if it is not plain which one it is.
        """
        key, goal = self.key.centre, self.goal.centre
        fetching = passage(self.solid(), self.home, key, goal)
        if fetching is None:
            return np.inf
        if self.lock is None:
            return fetching.length + Space.around(self.solid()).field(key).length(goal)
        lock = self.lock.centre
        opening = [passage(self.solid(), key, place, goal) for place in _beside(lock)]
        if None in opening:
            return np.inf
        then = min(way.length for way in opening if way is not None)
        last = Space.around(self.solid(unlocked=True)).field(lock).length(goal)
        return fetching.length + then + CELL + last


def _beside(lock: Point) -> list[Point]:
    """Where an agent may stand in front of a lock: in the middle of the cells next to it."""
    return [
        (lock[0] + dx, lock[1] + dy)
        for dx in (-CELL, 0, CELL)
        for dy in (-CELL, 0, CELL)
        if (dx == 0) != (dy == 0)
    ]


def run(
    rng: np.random.Generator, scene: Scene, agent: Look, errand: Errand, manner: Manner
) -> Take | None:
    """The trial in which the agent does this errand; None if it cannot."""
    moments = {"object": _to_object, "key": _to_key, "unlock": _unlock, "carry": _carry}[errand](
        rng, scene, agent, manner
    )
    if moments is None:
        return None
    frames = still_before_and_after(moments)
    return Take(wall_list(scene.cells), (scene.goal,), scene.home, agent, frames)


Moments = list[Moment] | None


def _to_object(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    field = ways(scene.solid(), scene.home, scene.goal.centre, scene.key.centre)
    walk = walk_to(rng, field, agent, scene.goal)
    return _lying(scene, walk) if walk else None


def _to_key(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    field = ways(scene.solid(), scene.home, scene.key.centre, scene.goal.centre)
    walk = walk_to(rng, field, agent, scene.key, KEY_R)
    return _lying(scene, walk) if walk else None


def _carry(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    """Fetch the key and take it to the object: nothing is there to be opened."""
    fetched = _to_key(rng, scene, agent, manner)
    if fetched is None:
        return None
    field = ways(scene.solid(), fetched[-1].agent, scene.goal.centre)
    walk = walk_to(rng, field, agent, scene.goal)
    if walk is None:
        return None
    return fetched + _carrying(rng, scene, walk, manner)


def _unlock(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    """Fetch the key, open the lock, wait until the barrier has gone, go to the object."""
    fetched = _to_key(rng, scene, agent, manner)
    if fetched is None or scene.lock is None:
        return None
    lock, door = scene.lock.centre, scene.vault.door(scene.inward)
    field = ways(scene.solid(), fetched[-1].agent, door, scene.goal.centre)
    route = field.route(door)
    if route is None:
        return None
    frames = frames_along([*natural(route, field.space, rng), lock])
    walk = until(frames, lambda p: distance(p, lock) <= REACH)
    if walk is None or len(walk) < 2:
        return None
    opening = _opening(scene, walk[-1], manner)
    start = lock if manner.jump else walk[-1]
    field = ways(scene.solid(unlocked=True), start, scene.goal.centre)
    last = walk_to(rng, field, agent, scene.goal)
    if last is None:
        return None
    return fetched + _carrying(rng, scene, walk, manner) + opening + [Moment(p) for p in last]


def _lying(scene: Scene, walk: Sequence[Point]) -> list[Moment]:
    return [Moment(p, scene.key, scene.lock, scene.barrier) for p in walk]


def _carrying(
    rng: np.random.Generator, scene: Scene, walk: Sequence[Point], manner: Manner
) -> list[Moment]:
    """The walk with the key, which strays a little around the agent. The first frame is past."""
    stray = rng.integers(-manner.jitter, manner.jitter + 1, size=(len(walk), 2))
    return [
        Moment(
            p,
            replace(scene.key, centre=(p[0] + int(dx), p[1] + int(dy))),
            scene.lock,
            scene.barrier,
        )
        for p, (dx, dy) in list(zip(walk, stray, strict=True))[1:]
    ]


def _opening(scene: Scene, agent: Point, manner: Manner) -> list[Moment]:
    """The key is in the lock and the barrier vanishes block by block while the agent waits."""
    assert scene.lock is not None
    inserted = replace(scene.key, centre=scene.lock.centre)
    n = len(scene.barrier)
    return [
        Moment(agent, inserted, scene.lock, scene.barrier[n * t // manner.wait :])
        for t in range(manner.wait)
    ]
