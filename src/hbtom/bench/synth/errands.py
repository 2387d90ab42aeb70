"""Errands: walks of instrumental trials, with a key to fetch and a lock to open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .geometry import CELL, Box, Point, block_box, distance, square
from .layouts import Cells, boxes_of, wall_list
from .motion import STILL_FRAMES, TRAILING_FRAMES, frames_along, natural, until
from .script import Moment, Take, Thing
from .shapes import KEY_R, LOCK_R, Look
from .vaults import Manner, Vault
from .walks import Passage, passage, walk_to, ways

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

    def barrier_boxes(self) -> list[Box]:
        """Barrier and lock as obstacles."""
        solid = [block_box(corner) for corner in self.barrier]
        return solid if self.lock is None else [*solid, square(self.lock.centre, LOCK_R)]

    def solid(self, unlocked: bool = False) -> list[Box]:
        """Walls, and the barrier until it is open."""
        walls = boxes_of(self.cells)
        return walls if unlocked else [*walls, *self.barrier_boxes()]

    def direct(self) -> Passage | None:
        """The way to the object past the key; None if it is not plain whether there is one."""
        return passage(self.solid(), self.home, self.goal.centre, self.key.centre)

    def by_key(self) -> float:
        """Length of the shortest way by key and lock to the object, waiting not counted."""
        key, goal = self.key.centre, self.goal.centre
        first = ways(self.solid(), self.home, key, goal).length(key)
        if self.lock is None:
            return first + ways(self.solid(), key, goal).length(goal)
        lock = self.lock.centre
        then = min(ways(self.solid(), key, p, goal).length(p) for p in _beside(lock))
        return first + then + CELL + ways(self.solid(unlocked=True), lock, goal).length(goal)


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
    frames = [moments[0]] * (STILL_FRAMES - 1) + list(moments) + [moments[-1]] * TRAILING_FRAMES
    return Take(wall_list(scene.cells), (scene.goal,), scene.home, agent, tuple(frames))


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
