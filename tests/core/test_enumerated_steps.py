"""Steps that depend on what is latent: the wind is a trait, and a goal may change what acts do."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, lasting, random_world, seen, soft

S, A = 4, 3
CALM, STORM = random_world(71, S, A), random_world(72, S, A)
SKILLED = np.roll(CALM, 1, axis=1)  # who wants 1 has learnt to act in another way
R = np.random.default_rng(10).normal(size=(2, S, A))
WINDS, EFFICIENCIES = {0.1: 2, 0.8: 1}, {0.5: 1, 2.0: 1}


def step(wind: float, goal: int) -> Any:
    return (1 - wind) * (SKILLED if goal else CALM) + wind * STORM


AGENT = hb.Agent(
    goals={0: 3, 1: 2}, step=step, reward=lambda goal: R[goal], discount=0.7,
    traits={"efficiency": EFFICIENCIES, "wind": WINDS},
)  # fmt: skip
NAMES = ["goal", "efficiency", "wind"]
KEYS = [*product((0, 1), EFFICIENCIES, WINDS)]
QS = {
    (goal, wind): lasting(step(wind, goal), R[goal], discount=0.7, rounds=150)
    for goal, wind in product((0, 1), WINDS)
}


def prior(goal: int, efficiency: float, wind: float) -> float:
    return [0.6, 0.4][goal] / 2 * WINDS[wind] / 3


def like(key: Any, acts: Any, states: Any) -> tuple[float, list[float]]:
    goal, efficiency, wind = key
    pi = lambda t, s: soft(QS[goal, wind][s], efficiency)  # noqa: E731
    return seen(step(wind, goal), pi, states, acts)


WALKS = [
    ([1, 0, 2], [0, 1, 3, 0]),
    ([None] * 3, [0, 1, 3, 0]),
    ([None, 0, None], [0, None, 3, [0.1, 0.5, 0.2, 0.9]]),
    ([1, 2], [0, None, None]),
]


@pytest.mark.parametrize(("acts", "states"), WALKS)
def test_what_acts_do_is_learnt_from_what_comes_of_them(acts: Any, states: Any) -> None:
    p = hb.watch(AGENT, hb.Walk(acts, states))
    for at in range(len(states)):
        weights = {key: prior(*key) * like(key, acts[:at], states[: at + 1])[0] for key in KEYS}
        assert_same(p, weights, NAMES, at=at)


def test_the_wind_lasts_and_goals_are_learnt() -> None:
    agent = AGENT.but(choose=hb.dirichlet(0.5), goals=[0, 1])
    p = hb.watch(agent, [hb.Walk(*walk) for walk in WALKS[:3]])
    weights: dict[Any, float] = {}
    for efficiency, wind in product(EFFICIENCIES, WINDS):
        for goals in product((0, 1), repeat=3):
            chance = WINDS[wind] / 6
            for n, goal in enumerate(goals):
                chance *= (0.5 + goals[:n].count(goal)) / (1 + n)
                chance *= like((goal, efficiency, wind), *WALKS[n])[0]
            key = goals[-1], efficiency, wind
            weights[key] = weights.get(key, 0.0) + chance
    assert_same(p, weights, NAMES)


def test_predictions_know_the_wind() -> None:
    acts, states = WALKS[0]
    p = hb.watch(AGENT, hb.Walk(acts, states))
    weights = {key: prior(*key) * like(key, acts, states)[0] for key in KEYS}
    total, after, calm = sum(weights.values()), np.zeros(S), np.zeros(S)
    exact: dict[Any, float] = {}
    for (goal, efficiency, wind), weight in weights.items():
        for w, found in ((wind, after), (0.1, calm)):
            pi = np.array([soft(QS[goal, w][s], efficiency) for s in range(S)])
            one = np.einsum("sa,sat->st", pi, step(w, goal))
            found += weight / total * (one @ one)[0]
        for to in range(S):
            one = np.array(soft(QS[goal, wind][0], efficiency)) @ step(wind, goal)[0]
            exact[goal, wind, to] = exact.get((goal, wind, to), 0.0) + weight / total * one[to]
    assert np.allclose(p.would(since=3, rounds=5), after, atol=1e-9)
    assert np.allclose(p.would(do={"wind": 0.1}, since=3, rounds=5), calm, atol=1e-9)
    walks = p.sample(3000, rounds=1, seed=4)
    found = [(w.truth["goal"], w.truth["wind"], w.states[1]) for w in walks]
    for key, P in exact.items():
        assert abs(found.count(key) / 3000 - P) < 4.5 * math.sqrt(P * (1 - P) / 3000) + 1e-12


def test_agents_may_be_wrong_about_the_wind() -> None:
    """A trial that brings a world says what is true; the step is what the agent believes."""
    world = hb.World.of(STORM)
    p = hb.watch(AGENT, hb.Walk([1, 0, 2], [0, 1, 3, 0], world))
    weights = {}
    for key in KEYS:
        goal, efficiency, wind = key
        chance = prior(*key)
        for a, s, to in [(1, 0, 1), (0, 1, 3), (2, 3, 0)]:
            chance *= soft(QS[goal, wind][s], efficiency)[a] * STORM[s, a, to]
        weights[key] = chance
    assert_same(p, weights, NAMES)
