"""Errands: walks of instrumental trials, with a key to fetch and a lock to open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .geometry import CELL, Box, Point, Space, block_box, distance, square
from .layouts import Cells, boxes_of, wall_list
from .motion import STILL_FRAMES, TRAILING_FRAMES, frames_along, natural, until
from .script import Moment, Take, Thing
from .shapes import KEY_R, LOCK_R, OBJECT_R, Look
from .vaults import Manner, Vault
from .walks import walk_to

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

    def space(self, *others: Thing, unlocked: bool = False) -> Space:
        """The free space: walls, the things to be avoided, and the barrier until it is open."""
        radius = {self.key.look: KEY_R}
        boxes = boxes_of(self.cells)
        boxes += [square(o.centre, radius.get(o.look, OBJECT_R)) for o in others]
        return Space.around(boxes if unlocked else [*boxes, *self.barrier_boxes()])

    def direct(self) -> float:
        """Length of the way to the object without the key; infinity if there is none."""
        return self.space(self.key).field(self.home).length(self.goal.centre)

    def by_key(self) -> float:
        """Length of the way to the object by way of key and lock, waiting not counted."""
        locked = self.space(self.goal).field(self.key.centre)
        first = locked.length(self.home)
        if self.lock is None:
            return first + self.space().field(self.key.centre).length(self.goal.centre)
        door = self.vault.door(self.inward)
        after = self.space(unlocked=True).field(self.lock.centre).length(self.goal.centre)
        return first + locked.length(door) + CELL + after


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
    walk = walk_to(rng, scene.space(scene.key), scene.home, agent, scene.goal)
    return _lying(scene, walk) if walk else None


def _to_key(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    walk = walk_to(rng, scene.space(scene.goal), scene.home, agent, scene.key, KEY_R)
    return _lying(scene, walk) if walk else None


def _carry(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    """Fetch the key and take it to the object: nothing is there to be opened."""
    fetched = _to_key(rng, scene, agent, manner)
    if fetched is None:
        return None
    walk = walk_to(rng, scene.space(), fetched[-1].agent, agent, scene.goal)
    if walk is None:
        return None
    return fetched + _carrying(rng, scene, walk, manner)


def _unlock(rng: np.random.Generator, scene: Scene, agent: Look, manner: Manner) -> Moments:
    """Fetch the key, open the lock, wait until the barrier has gone, go to the object."""
    fetched = _to_key(rng, scene, agent, manner)
    if fetched is None or scene.lock is None:
        return None
    lock = scene.lock.centre
    space = scene.space(scene.goal)
    route = space.route(fetched[-1].agent, scene.vault.door(scene.inward))
    if route is None:
        return None
    frames = frames_along([*natural(route, space, rng), lock])
    walk = until(frames, lambda p: distance(p, lock) <= REACH)
    if walk is None or len(walk) < 2:
        return None
    opening = _opening(scene, walk[-1], manner)
    start = lock if manner.jump else walk[-1]
    last = walk_to(rng, scene.space(unlocked=True), start, agent, scene.goal)
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
