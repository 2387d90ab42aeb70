"""Cues at any time, and agents who do not know in which world they are, against enumeration."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, lasting, random_world, seen, soft, walked

S, A = 4, 3
P = random_world(31, S, A)
R = np.random.default_rng(8).normal(size=(2, S, A))
ACTS, STATES = [1, 0, 2], [0, 1, 3, 0]
EFFICIENCIES = {0.5: 1, 2.0: 2}
SAID = {0: 0.9, 1: 0.2}  # P(an utterance | goal)
AGENT = hb.Agent(
    goals={0: 3, 1: 2}, step=P, reward=lambda goal: R[goal], discount=0.7,
    traits={"efficiency": EFFICIENCIES},
)  # fmt: skip
Q = {goal: lasting(P, R[goal], discount=0.7, rounds=150) for goal in (0, 1)}


def looked(efficiency: float, goal: int) -> float:
    return math.log(0.3 + 0.1 * efficiency * goal)


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_cues_before_between_and_after_steps(at: int) -> None:
    cues = [
        hb.Cue(at, log=lambda goal: math.log(SAID[goal])),
        hb.Cue(1, log=looked),
        hb.Cue(3, log=lambda world: -0.5 * world.states),
    ]
    p = hb.watch(AGENT, hb.Walk(ACTS, STATES, cues=cues))
    for t in range(4):
        weights = {}
        for goal, efficiency in product((0, 1), EFFICIENCIES):
            like = [0.6, 0.4][goal] * EFFICIENCIES[efficiency] / 3
            like *= walked(
                P, lambda t, s: soft(Q[goal][s], efficiency), STATES[: t + 1], ACTS[:t]  # noqa: B023
            )  # fmt: skip
            like *= SAID[goal] if t >= at else 1.0
            like *= math.exp(looked(efficiency, goal)) if t >= 1 else 1.0
            like *= math.exp(-0.5 * S) if t >= 3 else 1.0
            weights[goal, efficiency] = like
        assert_same(p, weights, ["goal", "efficiency"], at=t)


def test_cues_alone_and_cues_that_rule_out() -> None:
    p = hb.watch(AGENT, hb.Walk([], [0], cues=[hb.Cue(0, log=lambda goal: math.log(SAID[goal]))]))
    assert p["goal"][0] == pytest.approx(0.6 * 0.9 / (0.6 * 0.9 + 0.4 * 0.2), abs=1e-12)
    sure = hb.Cue(2, log=lambda goal: 0.0 if goal else -np.inf)
    p = hb.watch(AGENT, hb.Walk(ACTS, STATES, cues=[sure]))
    assert 0 < p.margin("goal")[1, 0] < 1
    assert p["goal"] == pytest.approx({0: 0.0, 1: 1.0}, abs=1e-12)


def test_a_cue_of_a_mood_bears_on_its_time() -> None:
    def moody(Q: Any, mood: Any, efficiency: Any) -> Any:
        return hb.boltzmann(Q + mood * np.array([0, 1, -1]), efficiency)

    moods, rate = (2.0, -2.0), 0.4
    agent = AGENT.but(
        policy=moody, traits={"mood": hb.Trait(moods, anew=rate), "efficiency": [1.0]}
    )
    smile = {2.0: 0.8, -2.0: 0.1}
    cue = hb.Cue(2, log=lambda mood: math.log(smile[mood]))
    p = hb.watch(agent, hb.Walk(ACTS, STATES, cues=[cue]))
    for at in range(4):
        weights: dict[Any, float] = {}
        for goal in (0, 1):
            for path in product(moods, repeat=4):
                like = [0.6, 0.4][goal] / 2 * smile[path[2]]
                for t, a in enumerate(ACTS):
                    like *= rate / 2 + (1 - rate) * (path[t] == path[t + 1])
                    q = [
                        x + path[t + 1] * m
                        for x, m in zip(Q[goal][STATES[t]], [0, 1, -1], strict=True)
                    ]
                    like *= soft(q, 1.0)[a] * P[STATES[t], a, STATES[t + 1]]
                weights[path[at], goal] = weights.get((path[at], goal), 0.0) + like
        assert_same(p, weights, ["mood", "goal"], at=at, smoothed=True)
    assert_same(p, weights, ["mood", "goal"])


# Beliefs

BELIEVED = {"calm": (0.7, random_world(41, S, A)), "stormy": (0.3, random_world(42, S, A))}
WORLDS = {label: (weight, hb.World.of(step)) for label, (weight, step) in BELIEVED.items()}
UNSURE = AGENT.but(step=None, knows=lambda: WORLDS)
QB = {
    (goal, label): lasting(step, R[goal], discount=0.7, rounds=150)
    for goal, (label, (_, step)) in product((0, 1), BELIEVED.items())
}
TRUE = hb.World.of(P)
NAMES = ["goal", "efficiency", "belief"]


def believing(acts: Any, states: Any, choose: float = 0.0) -> dict[Any, float]:
    weights = {}
    for goal, efficiency, belief in product((0, 1), EFFICIENCIES, BELIEVED):
        odds = [w * math.exp(choose * max(QB[g, belief][0])) for g, w in ((0, 0.6), (1, 0.4))]
        prior = odds[goal] / sum(odds) * EFFICIENCIES[efficiency] / 3 * BELIEVED[belief][0]
        like, _ = seen(P, lambda t, s: soft(QB[goal, belief][s], efficiency), states, acts)  # noqa: B023
        weights[goal, efficiency, belief] = prior * like
    return weights


@pytest.mark.parametrize("choose", [0.0, 2.0])
@pytest.mark.parametrize(
    ("acts", "states"), [(ACTS, STATES), ([None] * 3, STATES), ([None, 0, None], [0, None, 3, 0])]
)
def test_two_worlds_in_which_an_agent_may_believe_it_is(
    acts: Any, states: Any, choose: float
) -> None:
    rule: Any = (lambda V: 2.0 * V) if choose else 0.0
    p = hb.watch(UNSURE.but(choose=rule), hb.Walk(acts, states, TRUE))
    assert_same(p, believing(acts, states, choose), NAMES)


def test_beliefs_are_formed_anew_in_each_trial() -> None:
    p = hb.watch(UNSURE, [hb.Walk(ACTS, STATES, TRUE), hb.Walk([0, 2], [2, 1, 0], TRUE)])
    first, last = believing(ACTS, STATES), believing([0, 2], [2, 1, 0])
    weights: dict[Any, float] = {}
    for (a, ka), (b, kb) in product(first.items(), last.items()):
        if a[1] == b[1]:
            weights[b] = weights.get(b, 0.0) + ka * kb / (EFFICIENCIES[b[1]] / 3)
    assert_same(p, weights, NAMES)


def test_what_an_agent_does_next_follows_its_belief() -> None:
    p = hb.watch(UNSURE, hb.Walk(ACTS, STATES, TRUE))
    weights = believing(ACTS, STATES)
    coming, after = np.zeros(A), np.zeros(S)
    for (goal, efficiency, belief), weight in weights.items():
        pi = np.array(soft(QB[goal, belief][0], efficiency))
        coming += weight * pi
        after += weight * (pi @ P[0])
    total = sum(weights.values())
    assert np.allclose([*p.next().values()], coming / total, atol=1e-9)
    assert np.allclose(p.would(since=3, rounds=4), after / total, atol=1e-9)


@pytest.mark.parametrize("keep", [None, "goal"])
def test_in_another_world_goals_are_chosen_again_under_the_same_belief(keep: str | None) -> None:
    """What an agent believes is a function of the world that is asked about."""
    shift = {"calm": 0.0, "stormy": 1.0}

    def mixed(step: Any, belief: str) -> Any:
        own = shift[belief] / 2
        return (1 - own) * step + own * BELIEVED[belief][1]

    def knows(world: Any) -> Any:
        step = world.phases[0].step.P
        return {one: (BELIEVED[one][0], hb.World.of(mixed(step, one))) for one in BELIEVED}

    agent = AGENT.but(step=None, knows=knows, choose=lambda V: 2.0 * V)
    other = random_world(77, S, A)

    def worth(step: Any, belief: str) -> list[Any]:
        own = mixed(step, belief)
        return [lasting(own, R[goal], discount=0.7, rounds=150) for goal in (0, 1)]

    def odds(Qs: Any) -> list[float]:
        weight = [w * math.exp(2 * max(Qs[g][0])) for g, w in ((0, 0.6), (1, 0.4))]
        return [w / sum(weight) for w in weight]

    p = hb.watch(agent, hb.Walk(ACTS, STATES, TRUE))
    found, total = np.zeros(S), 0.0
    for efficiency, belief in product(EFFICIENCIES, BELIEVED):
        old, new = worth(P, belief), worth(other, belief)
        minds = []
        for goal in (0, 1):
            like = odds(old)[goal] * EFFICIENCIES[efficiency] / 3 * BELIEVED[belief][0]
            like *= walked(P, lambda t, s: soft(old[goal][s], efficiency), STATES, ACTS)  # noqa: B023
            minds.append(like)
        total += sum(minds)
        for goal in (0, 1):
            weight = minds[goal] if keep else sum(minds) * odds(new)[goal]
            state = np.eye(S)[0]
            for _ in range(2):
                pi = np.array([soft(new[goal][s], efficiency) for s in range(S)])
                state = np.einsum("s,sa,sat->t", state, pi, other)
            found += weight * state
    then = p.would(world=hb.World.of(other), keep=keep, rounds=2)
    assert np.allclose(then, found / total, atol=1e-9)
