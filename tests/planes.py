"""Walks on an open plane, towards goals that are far away: what they are seen to be is exact."""

from __future__ import annotations

import numpy as np

from hbtom.mind.sight import WOBBLE


class Plane:
    """Goals so far away that the cost-to-go is plane: the policy is von Mises, exactly."""

    headings = np.array([0.0, 1.0, 2.6])

    def of_moves(self, start: np.ndarray, stop: np.ndarray, phase: int):
        way = np.stack([np.cos(self.headings), np.sin(self.headings)], axis=1)
        move = (stop - start) / 10.0
        length = np.sqrt((move**2).sum(axis=-1))
        return length - (move * way[:, None, None]).sum(axis=-1), length

    def of_act(self, places: np.ndarray, act: int, item: int, phase: int):
        raise NotImplementedError


BETA = np.array([0.5, 1.5, 4.0, 10.0])


def seen_walk(rng: np.random.Generator, goal: int, beta: float, noise: float, strides: int = 4):
    """Walk by the policy, lengths drawn evenly from an area, and return it as it is seen."""
    here, found = rng.normal(0.0, 1.0, 2), []
    begin = here + rng.normal(0.0, noise, 2)
    for _ in range(strides):
        length = np.sqrt(rng.uniform(12.0**2, 22.0**2))
        heading = rng.vonmises(Plane.headings[goal], beta * length / 10.0)
        there = here + length * np.array([np.cos(heading), np.sin(heading)])
        share = np.arange(1, 8) / 8
        inner = here + share[:, None] * (there - here)
        inner += rng.normal(0.0, np.hypot(noise, WOBBLE), inner.shape)
        found.append((share, inner, there + rng.normal(0.0, noise, 2), begin))
        here, begin = there, None
    return found
