"""Simulation-based calibration: truths that were drawn from the prior have uniform ranks.

Each is followed by a control: a theory that is wrong must fail the same test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import random_world

S, A, MANY, BINS = 4, 3, 400, 10
LIMIT = 27.88  # chi-square with 9 degrees of freedom, p = .001
P = random_world(61, S, A)
R = np.random.default_rng(4).normal(size=(2, S, A))


def reward(goal: int, fear: float) -> Any:
    return R[goal] - fear * (np.arange(S) == 2)[:, None] * np.array([0.0, 1.0, 2.0])


def mooded(Q: Any, efficiency: Any, mood: Any) -> Any:
    return hb.boltzmann(Q + mood * np.array([0, 1, -1]), efficiency)


PLAIN = hb.Agent(
    goals={0: 2, 1: 1}, step=P, reward=reward, discount=0.7,
    traits={"fear": {0.0: 1, 1.0: 2, 3.0: 1}, "efficiency": {0.5: 1, 1.5: 2, 4.0: 1}},
)  # fmt: skip
MOODY = PLAIN.but(
    traits={**PLAIN.traits, "mood": hb.Trait({-1.5: 1, 1.5: 2}, anew=0.25)}, policy=mooded
)
NAMES = ("goal", "fear", "efficiency")


def everything(walk: Any) -> Any:
    return hb.Walk(walk.actions, walk.states)


def states(walk: Any) -> Any:
    return hb.Walk(None, walk.states)


def some(walk: Any) -> Any:
    """Return every other action and state of a walk."""
    acts = [a if i % 2 else None for i, a in enumerate(walk.actions)]
    return hb.Walk(acts, [s if i % 3 == 0 else None for i, s in enumerate(walk.states)])


def noisy(walk: Any) -> Any:
    """Return a walk that was seen by somebody who confuses states with their neighbours."""
    look = 0.6 * np.eye(S) + 0.4 * np.roll(np.eye(S), 1, axis=1)  # P(seen | state) [state, seen]
    rng = np.random.default_rng(sum(walk.states) + 7 * len(walk.actions) + walk.actions[0])
    seen = [look[:, rng.choice(S, p=look[s])] for s in walk.states[1:]]
    return hb.Walk(None, [walk.states[0], *seen])


def chi_squares(
    truth: hb.Agent, watcher: hb.Agent, seen: Callable[[Any], Any], names: Sequence[str] = NAMES,
    start: Any = 0, rounds: int = 8,
) -> dict[str, float]:  # fmt: skip
    """Return the chi-square of the ranks of the true values among those that are believed."""
    walks = hb.watch(truth, hb.Walk([], [start])).sample(MANY, rounds=rounds, seed=9)
    rng, counts = np.random.default_rng(10), {name: np.zeros(BINS) for name in names}
    for walk in walks:
        p = hb.watch(watcher, seen(walk))
        for name in names:
            belief = p.margin(name, smoothed=True)[0]
            place = p.axis(name).labels.index(walk.truth[name])
            rank = belief[:place].sum() + rng.random() * belief[place]
            counts[name][min(int(rank * BINS), BINS - 1)] += 1
    return {
        name: float(((n - MANY / BINS) ** 2 / (MANY / BINS)).sum()) for name, n in counts.items()
    }


@pytest.mark.parametrize("seen", [everything, states, some, noisy])
def test_ranks_of_goals_and_traits_are_uniform(seen: Any) -> None:
    assert max(chi_squares(PLAIN, PLAIN, seen).values()) < LIMIT


def test_ranks_of_moods_are_uniform() -> None:
    names = (*NAMES, "mood")
    assert max(chi_squares(MOODY, MOODY, everything, names).values()) < LIMIT
    assert max(chi_squares(MOODY, MOODY, states, names).values()) < LIMIT


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("goal", PLAIN.but(goals={0: 1, 1: 6})),
        ("fear", PLAIN.but(traits={**PLAIN.traits, "fear": {0.0: 8, 1.0: 1, 3.0: 1}})),
        ("efficiency", PLAIN.but(policy=lambda Q, efficiency: hb.boltzmann(Q, 3 * efficiency))),
    ],
)
def test_a_wrong_theory_is_found_out(name: str, wrong: hb.Agent) -> None:
    assert chi_squares(PLAIN, wrong, everything, rounds=3)[name] > LIMIT


def test_what_is_believed_with_probability_p_is_true_as_often() -> None:
    walks = hb.watch(PLAIN, hb.Walk([], [0])).sample(MANY, rounds=8, seed=11)
    P, true = [], []
    for walk in walks:
        p = hb.watch(PLAIN, states(walk))
        P.append(p["goal"][1])
        true.append(walk.truth["goal"] == 1)
    error = np.sqrt((np.array(P) * (1 - np.array(P))).sum())
    assert abs(sum(true) - sum(P)) < 3.5 * error
    assert np.corrcoef(P, true)[0, 1] > 0.3


def test_minds_of_two_are_calibrated() -> None:
    """One minds what the other wants, which it knows; neither walk ends."""
    reds = np.random.default_rng(12).normal(size=(2, 3))
    moves = [
        (who, [0, 1], lambda action, red, blue, who=who: {
            who: ({"red": red, "blue": blue}[who] + action) % 3})
        for who in ("red", "blue")
    ]  # fmt: skip
    world = hb.explore({"red": 0, "blue": 1}, moves)
    still = hb.Agent(traits={}, policy=hb.uniform, values=lambda phase: 0.0 * phase.step.legal)
    red = hb.Agent(
        goals=[0, 1], traits={"efficiency": [1.0, 3.0]}, discount=0.6, others={"blue": still},
        reward=lambda world, goal: (
            reds[goal][world["red"]] - 1.0 * (world["red"] == world["blue"])
        )[:, None] + np.zeros(2),
    )  # fmt: skip
    blue = hb.Agent(
        goals={"help": 2, "hinder": 1}, traits={"wants": [0, 1], "efficiency": [1.0, 3.0]},
        discount=0.6, others={"red": red.known(goal="wants")}, reward=-0.1,
        stake={"red": lambda goal: 2.0 if goal == "help" else -2.0},
    )  # fmt: skip
    minds = {"red": red, "blue": blue}
    walks = hb.watch(minds, hb.Walk([], world=world)).sample(MANY, rounds=6, seed=13)
    rng, names = np.random.default_rng(14), ("red.goal", "red.efficiency", "blue.goal")
    counts = {name: np.zeros(BINS) for name in names}
    sharp = 0.0
    for walk in walks:
        p = hb.watch(minds, hb.Walk(walk.actions, walk.states, world=world))
        for name in names:
            belief = p.margin(name)[-1]
            place = p.axis(name).labels.index(walk.truth[name])
            rank = belief[:place].sum() + rng.random() * belief[place]
            counts[name][min(int(rank * BINS), BINS - 1)] += 1
        sharp += max(p["blue.goal"].values()) / MANY
    for n in counts.values():
        assert ((n - MANY / BINS) ** 2 / (MANY / BINS)).sum() < LIMIT
    assert sharp > 0.7
