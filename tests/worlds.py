"""Odd worlds: random trials unlike those of any benchmark, the same for the same seed.

Anything goes: walls beyond the edges, agents inside walls, keys without locks, locks without keys,
barriers that vanish by themselves or before the key is touched, twins, jumps, single frames.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from hbtom import Episode, Model, Trial
from hbtom.arrays import Floats
from hbtom.assumptions import Acts, Continuous, Efficiency, Grid
from hbtom.observe import Body, Identity

SIZES = [(200.0, 200.0), (137.5, 203.0), (61.0, 40.0), (18.0, 90.0)]
LOOKS = [Identity("cup"), Identity("bell"), Identity("bell", (1.0, 0.0, 0.0)), Identity("ring")]
NOWHERE = (math.nan, math.nan)


def odd_trial(seed: int) -> Trial:
    """Return a trial; every seed has another mixture of features."""
    rng = np.random.default_rng(seed)
    width, height = size = SIZES[rng.choice(len(SIZES), p=[0.4, 0.3, 0.2, 0.1])]
    path = odd_path(rng, size)
    frames = len(path)

    def body(look: Identity, largest: float) -> Body:
        place = rng.uniform([0, 0], [width, height])
        radius = float(rng.uniform(1, largest))
        if rng.random() < 0.5:  # whole numbers, which need not be floats
            place, radius = np.round(place).astype(int), round(radius)
        x, y = place.tolist()
        return Body(look, (x, y), radius)

    looks = [LOOKS[index] for index in rng.integers(len(LOOKS), size=rng.integers(1, 5))]
    objects = tuple(sorted(body(look, 20) for look in looks))
    key = body(Identity("key.png"), 12) if rng.random() < 0.5 else None
    lock = body(Identity("lock.png"), 12) if rng.random() < 0.5 else None
    barrier = odd_blocks(rng, size, 4) if rng.random() < 0.6 else np.empty((0, 4))
    picked, opens, gone = sorted_or_not(rng, frames)
    key_path = None
    if key is not None:
        key_path = np.where(np.arange(frames)[:, None] < picked, key.centre, path + 1.0)
        key_path[gone + rng.integers(3) :] = NOWHERE
    return Trial(
        size=size,
        walls=odd_blocks(rng, size, 14),
        barrier=barrier,
        objects=objects,
        agent=Body(
            Identity(f"agent {rng.integers(2)}"),
            tuple(path[0].tolist()),
            float(rng.choice([2.5, 6, 9])),
        ),
        path=path,
        barrier_left=vanishing(frames, opens, gone) if len(barrier) else np.zeros(frames),
        key=key,
        key_path=key_path,
        lock=lock,
        lock_there=None if lock is None else np.arange(frames) < gone,
    )


def odd_path(rng: np.random.Generator, size: tuple[float, float]) -> Floats:
    """Return a path: a single frame, standing still, a walk with rests, or jumps."""
    start = rng.uniform([0, 0], size)
    frames = int(rng.integers(2, 60))
    kind = rng.choice(["one frame", "still", "walk", "jumps"], p=[0.05, 0.05, 0.7, 0.2])
    if kind == "one frame":
        return start[None]
    if kind == "still":
        return np.tile(start, (frames, 1))
    if kind == "jumps":
        return rng.uniform([0, 0], size, size=(frames, 2))
    turns = np.cumsum(rng.normal(scale=0.4, size=frames)) + rng.uniform(0, 2 * np.pi)
    steps = np.stack([np.cos(turns), np.sin(turns)], axis=1) * rng.choice([1.5, 4.0, 11.0])
    steps[rng.random(frames) < 0.25] = 0.0
    path = np.clip(start + np.cumsum(steps, axis=0), 0, size)
    return np.minimum(np.round(path), np.floor(size)) if rng.random() < 0.5 else path


def odd_blocks(rng: np.random.Generator, size: tuple[float, float], most: int) -> Floats:
    """Return blocks on a lattice of twenty pixels or anywhere, even beyond the edges."""
    many = int(rng.integers(0, most + 1))
    if rng.random() < 0.5:
        corners = 20.0 * rng.integers(-1, 11, size=(many, 2))
        return np.hstack([corners, np.full((many, 2), 20.0)])
    corners = rng.uniform(-30, np.add(size, 10), size=(many, 2))
    return np.hstack([corners, rng.exponential(20, size=(many, 2))])


def sorted_or_not(rng: np.random.Generator, frames: int) -> tuple[int, int, int]:
    """Return when the key is picked up and the barrier starts to vanish and is gone, if ever."""
    times = rng.integers(1, frames + 10, size=3)
    if rng.random() < 0.6:
        times = np.sort(times)
    picked, opens, gone = times.tolist()
    return picked, min(opens, gone), max(opens, gone)


def vanishing(frames: int, opens: int, gone: int) -> Floats:
    """Return how much of a barrier is left: all, less and less, nothing."""
    left = (gone - np.arange(frames)) / (gone - opens + 1)
    return np.clip(left, 0.0, 1.0)


def odd_episode(seed: int) -> Episode:
    """Return up to four odd trials, some of them by the same agent."""
    many = 1 + seed % 4
    return Episode(tuple(odd_trial(1000 * seed + number) for number in range(many)), f"odd {seed}")


def odd_model(seed: int) -> Model:
    """Return a model with unusual numbers, alternating between the motions."""
    rng = np.random.default_rng(seed)
    base = Model.preset("default")
    fine = Continuous(
        cell=float(rng.choice([3.0, 4.0, 7.3, 20.0])),
        clearance=float(rng.choice([0.0, 5.5, 7.0])),
        stride=float(rng.choice([0.0, 9.0, 15.0])),
    )
    coarse = Grid(cell=float(rng.choice([4.5, 10.0, 13.0, 100.0])))
    flat, few = rng.random(2) < 0.5
    temperatures = rng.choice([0.02, 0.2, 0.5, 0.9, 3.0, 40.0], size=4, replace=False)
    return msgspec.structs.replace(
        base,
        preference=msgspec.structs.replace(
            base.preference,
            concentration=float(rng.choice([0.3, 1.0, 2.5])),
            keys=bool(rng.random() < 0.7),
            feasible=bool(rng.random() < 0.7),
        ),
        efficiency=Efficiency(
            shape=1.0 if flat else 2.5,
            scale=0.0 if flat else 0.7,
            temperatures=tuple(temperatures[: 1 if few else 4].tolist()),
        ),
        motion=fine if seed % 2 else coarse,
        acts=Acts(
            cost=float(rng.choice([0.3, 1.0, 6.0])),
            final=bool(rng.random() < 0.5),
            learn_opening=bool(rng.random() < 0.5),
        ),
    )
