"""Walks on an open plane, towards goals that are far away, whose likelihood is exact."""

from __future__ import annotations

import numpy as np

from floors import NO_EXITS, with_exits
from hbtom.mind.noisy_strides import WOBBLE
from hbtom.plan import CostToGo
from hbtom.world import Costs, PlaceWorld, Space, Trajectory

HEADINGS = np.array([0.0, 1.0, 2.6])
WAY = np.stack([np.cos(HEADINGS), np.sin(HEADINGS)], axis=1)
MIDDLE = 1000.0


def plane() -> CostToGo:
    """Return costs of goals so far away that they are linear: the policy is exactly von Mises.

    Four cells are enough, since costs are linear between their centres.
    """
    costs, shape = Costs(100.0, 1.0), (len(WAY), 2, 2)
    blocked, lying = np.zeros((1, 2, 2), dtype=bool), np.ones((1, len(WAY)), dtype=bool)
    boxes = np.zeros((0, 2, 2), dtype=bool)
    maps = blocked, lying, np.full(shape, np.inf), boxes
    world = with_exits(PlaceWorld(Space(MIDDLE), costs, *maps, NO_EXITS), len(WAY), 0, 1.0)
    y, x = (np.mgrid[:2, :2] + 0.5) * MIDDLE
    left = [(MIDDLE - x) * across + (MIDDLE - y) * down for across, down in WAY]
    return CostToGo(world, 1000.0 + np.array(left)[:, None] / 10.0)


def plane_regret(start: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the regret of moves [goal ... 2] on the plane, and their lengths."""
    move = (stop - start) / 10.0
    length = np.sqrt((move**2).sum(axis=-1))
    return length - (move * WAY[:, None, None]).sum(axis=-1), length


def steps_on(strides: int) -> Trajectory:
    """Return the given number of moves, of which nothing else is known."""
    nothing, nowhere = np.zeros(strides, dtype=np.int64), np.zeros((0, 2))
    first, exits = np.full(2, MIDDLE), nothing - 1
    return Trajectory(nothing, nothing, nothing, nothing, nowhere, nowhere, first, exits)


BETA = np.array([0.5, 1.5, 4.0, 10.0])


def seen_walk(rng: np.random.Generator, goal: int, beta: float, noise: float, strides: int = 4):
    """Walk by the policy, with lengths drawn uniformly by area; return the walk as seen."""
    here, found = rng.normal(MIDDLE, 1.0, 2), []
    begin = here + rng.normal(0.0, noise, 2)
    for _ in range(strides):
        length = np.sqrt(rng.uniform(12.0**2, 22.0**2))
        heading = rng.vonmises(HEADINGS[goal], beta * length / 10.0)
        there = here + length * np.array([np.cos(heading), np.sin(heading)])
        share = np.arange(1, 8) / 8
        inner = here + share[:, None] * (there - here)
        inner += rng.normal(0.0, np.hypot(noise, WOBBLE), inner.shape)
        found.append((share, inner, there + rng.normal(0.0, noise, 2), begin))
        here, begin = there, None
    return found
