"""Walks of one agent against enumeration: goals, traits, paths that were seen in part."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, backward, expecting, lasting, random_world, seen, soft, walked

S, A = 5, 3
CLIFF = np.array([0, 0, 1, 0, 0])
HOMES = {"east": 3, "north": 4}
FEARS, EFFICIENCIES = {0.0: 1, 4.0: 3}, {0.5: 2, 2.0: 1}


def windy() -> Any:
    """A world whose last two states are absorbing; state 1 has no third action."""
    P = random_world(7, S, A)
    P[3], P[4] = np.eye(S)[3], np.eye(S)[4]
    P[1, 2] = 0
    return P


P = windy()
COST = np.array([[1.0, 1.5, 0.7]] * S)
AT = {goal: np.arange(S) == s for goal, s in HOMES.items()}
THEORY = {
    "goals": {"east": 1, "north": 2},
    "end": lambda goal: AT[goal],
    "traits": {"fear": FEARS, "efficiency": EFFICIENCIES},
    "discount": 0.9,
}


def reward(goal: str, fear: float) -> Any:
    return -COST - fear * (P @ CLIFF) - (goal == "north") * 0.3 * np.arange(A)


def naive_pi(goal: str, fear: float, efficiency: float) -> Any:
    R = [[-COST[s][a] - fear * P[s][a][2] - (0.3 * a if goal == "north" else 0) for a in range(A)]
         for s in range(S)]  # fmt: skip
    Q = lasting(P, R, end=AT[goal], discount=0.9, rounds=400)
    return lambda t, s: soft(Q[s], efficiency)


HYPOTHESES = {
    (goal, fear, efficiency): (wg / 3 * wf / 4 * we / 3, naive_pi(goal, fear, efficiency))
    for (goal, wg), (fear, wf), (efficiency, we) in product(
        [("east", 1), ("north", 2)], FEARS.items(), EFFICIENCIES.items()
    )
}
NAMES = "goal", "fear", "efficiency"
AGENT = hb.Agent(step=P, reward=reward, **THEORY)
TARGETS = np.broadcast_to(np.arange(S), (S, A, S))
WORLDS = {
    "own": lambda walk: (AGENT, walk),
    "dense": lambda walk: (AGENT.but(step=None), _in(walk, hb.World.of(P))),
    "sparse": lambda walk: (AGENT.but(step=None), _in(walk, hb.World.of(hb.Sparse(TARGETS, P)))),
}


def _in(walk: Any, world: Any) -> Any:
    return hb.Walk(walk.actions, walk.states, world)


@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize(
    ("actions", "states"),
    [
        ([0, 1, 0], [0, 1, 2, 3]),
        ([2, 1, 1, 1], [2, 0, 1, 0, 4]),
        (None, [0, 1, 2, 0]),
        ([0, None, 2], [0, 1, 2, 0]),
        ([0, None, 2], [0, None, 2, 0]),
        ([None, 1, None], [0, 2, None, 1]),
        ([1, 0], [0, 2, None]),
        (None, [0, None, None, 3]),
        (None, [None, 2, 1]),
        ([2, 0], [[0.5, 0.2, 0.9, 0, 0.3], 2, 1]),
        (None, [0, [0.1, 0.8, 0.3, 0.2, 0.0], [0.5, 0.5, 0.1, 0.9, 0.2], 2]),
        (None, [0, 1, [0.1, 0.8, 0.3, 0.2, 0.0]]),
    ],
)
def test_goals_and_traits_of_a_walk(kind: str, actions: Any, states: Any) -> None:
    agent, walk = WORLDS[kind](hb.Walk(actions, states))
    p = hb.watch(agent, walk)
    many = len(states) - 1
    acts = [None] * many if actions is None else actions
    for t in range(many + 1):
        weights = {
            key: prior * seen(P, pi, states[: t + 1], acts[:t])[0]
            for key, (prior, pi) in HYPOTHESES.items()
        }
        assert_same(p, weights, NAMES, at=t)


def test_next_and_the_last_state_of_a_walk_that_was_seen_in_part() -> None:
    states, acts = [0, None, [0.5, 0.5, 0.1, 0.3, 0.2]], [0, None]
    p = hb.watch(AGENT, hb.Walk(acts, states))
    would, last, total, over = [0.0] * A, [0.0] * S, 0.0, 0.0
    for (goal, *_), (prior, pi) in HYPOTHESES.items():
        joint = seen(P, pi, states, acts)[1]
        total += prior * sum(joint)
        for s in range(S):
            last[s] += prior * joint[s]
            if AT[goal][s]:  # nothing more happens
                over += prior * joint[s]
                continue
            for a in range(A):
                would[a] += prior * joint[s] * pi(2, s)[a]
    assert np.allclose([*p.next().values()], np.array([*would, over]) / total, atol=1e-9)
    assert np.allclose(p.would(since=2, rounds=2), np.array(last) / total, atol=1e-9)


def test_a_record_ends_where_it_says() -> None:
    walk = [0, 1, 2, 0, 1]
    whole = hb.watch(AGENT, hb.Walk(None, walk, until=np.arange(S) == 2))
    cut = hb.watch(AGENT, hb.Walk(None, walk[:3]))
    assert np.allclose(whole.joint(), cut.joint())
    assert len(whole.log_evidence) == 3
    assert abs(whole.log_evidence[-1] - hb.watch(AGENT, hb.Walk(None, walk)).log_evidence[-1]) > 0.1


def test_sure_outcomes_need_no_states() -> None:
    to = np.array([[1, 2], [3, 2], [0, 3], [3, 3]])
    agent = hb.Agent(
        goals=[0, 1], step=hb.Sparse(to), actions="ab", end=np.arange(4) == 3,
        reward=lambda goal: -1.0 - 2 * goal * np.array([[0, 1], [1, 0], [0, 2], [0, 0]]),
    )  # fmt: skip
    told = hb.watch(agent, hb.Walk("aba"))
    full = hb.watch(agent, hb.Walk("aba", [0, 1, 2, 0]))
    assert np.allclose(told.joint(), full.joint(), atol=1e-15)
    assert told.log_evidence[-1] == pytest.approx(full.log_evidence[-1])
    assert told["goal"][0] != pytest.approx(0.5, abs=0.01)


# Planners

R4 = np.random.default_rng(3).normal(size=(4, 3))
P4 = random_world(3, 4, 3, sure=0.3)
FINAL = [0.0, 1.0, 2.0, 3.0]
SEEN = [0, 2, 1, 3]


@pytest.mark.parametrize("worth", [hb.best, hb.as_it_acts])
def test_finite_horizon_with_a_discount_that_is_a_trait(worth: Any) -> None:
    greeds, efficiencies, patiences = [1, 2], [1.0, 3.0], {0.5: 1, 1.0: 2}
    agent = hb.Agent(
        step=P4, reward=lambda greed: greed * R4, horizon=4, final=FINAL,
        discount=lambda patience: patience, worth=worth, end=np.arange(4) == 3,
        traits={"greed": greeds, "efficiency": efficiencies, "patience": patiences},
    )  # fmt: skip
    p = hb.watch(agent, hb.Walk(states=SEEN))
    for t in range(len(SEEN)):
        weights = {}
        for greed, efficiency, patience in product(greeds, efficiencies, patiences):
            Q = backward(
                P4, greed * R4, 4, final=FINAL, discount=patience, end=[False] * 3 + [True],
                worth=max if worth is hb.best else expecting(efficiency),
            )  # fmt: skip
            like, _ = seen(P4, lambda t, s: soft(Q[t][s], efficiency), SEEN[: t + 1], [None] * t)  # noqa: B023
            weights[greed, efficiency, patience] = patiences[patience] / 12 * like
        assert_same(p, weights, ["greed", "efficiency", "patience"], at=t)


@pytest.mark.parametrize("horizon", [None, 3])
def test_agents_look_only_so_far_ahead(horizon: int | None) -> None:
    depths, efficiencies = {1: 1, 2: 3, 5: 2}, [0.5, 2.0]
    agent = hb.Agent(
        step=P4, reward=R4, final=FINAL, depth=lambda depth: depth, discount=0.8, horizon=horizon,
        traits={"depth": depths, "efficiency": efficiencies},
    )  # fmt: skip
    p = hb.watch(agent, hb.Walk(states=SEEN))
    weights = {}
    for depth, efficiency in product(depths, efficiencies):
        Q = [backward(P4, R4, min(depth, (horizon or 99) - t), final=FINAL, discount=0.8)[0]
             for t in range(3)]  # fmt: skip
        like, _ = seen(P4, lambda t, s: soft(Q[t][s], efficiency), SEEN, [None] * 3)  # noqa: B023
        weights[depth, efficiency] = depths[depth] / 12 * like
    assert_same(p, weights, ["depth", "efficiency"])


def test_an_agent_that_expects_to_err() -> None:
    agent = AGENT.but(worth=hb.as_it_acts)
    states, acts = [2, 0, 1, 0, 4], [2, 1, 1, 1]
    weights = {}
    for goal, fear, efficiency in HYPOTHESES:
        R = reward(goal, fear).tolist()
        Q = lasting(P, R, end=AT[goal], discount=0.9, rounds=400, worth=expecting(efficiency))
        like = walked(P, lambda t, s: soft(Q[s], efficiency), states, acts)  # noqa: B023
        weights[goal, fear, efficiency] = HYPOTHESES[goal, fear, efficiency][0] * like
    p = hb.watch(agent, hb.Walk(acts, states))
    assert_same(p, weights, NAMES)
    assert abs(p.log_evidence[-1] - hb.watch(AGENT, hb.Walk(acts, states)).log_evidence[-1]) > 1e-3


def test_a_planner_of_ones_own() -> None:
    agent = hb.Agent(
        goals=[1, 2], step=P4, values=lambda goal, hope: goal * R4 + hope * P4 @ np.array(FINAL),
        traits={"hope": [0, 1], "efficiency": [1.0, 2.0]},
    )  # fmt: skip
    weights = {}
    for goal, hope, efficiency in product([1, 2], [0, 1], [1.0, 2.0]):
        Q = [[goal * R4[s][a] + hope * sum(P4[s][a][to] * FINAL[to] for to in range(4))
              for a in range(3)] for s in range(4)]  # fmt: skip
        weights[goal, hope, efficiency] = seen(
            P4, lambda t, s: soft(Q[s], efficiency), SEEN, [None] * 3  # noqa: B023
        )[0] / 8  # fmt: skip
    assert_same(hb.watch(agent, hb.Walk(states=SEEN)), weights, ["goal", "hope", "efficiency"])


def test_policies_are_functions_of_their_own() -> None:
    def lapsing(Q: Any, efficiency: Any, lapse: Any, legal: Any) -> Any:
        return hb.mix(hb.boltzmann(Q, efficiency), hb.uniform(legal), lapse)

    def greedy(Q: Any, lapse: Any) -> Any:
        return hb.greedy(Q, lapse)

    for policy, efficiencies in ((lapsing, [0.5, 4.0]), (greedy, [math.inf])):
        traits = {"efficiency": efficiencies, "lapse": [0.1, 0.4]}
        agent = AGENT.but(
            policy=policy, reward=lambda goal: reward(goal, 1.0),
            traits=traits if policy is lapsing else {"lapse": traits["lapse"]},
        )  # fmt: skip
        states, acts, weights = [2, 0, 1, 0, 4], [2, 1, 1, 1], {}
        for goal, efficiency, lapse in product(HOMES, efficiencies, [0.1, 0.4]):
            Q = lasting(P, reward(goal, 1.0).tolist(), end=AT[goal], discount=0.9, rounds=400)
            like = {"east": 1, "north": 2}[goal] / 6 / len(efficiencies)
            for t, a in enumerate(acts):
                q = Q[states[t]]
                there = [x > -math.inf for x in q]
                pi = soft(q, min(efficiency, 1e6))
                chance = (1 - lapse) * pi[a] + lapse * there[a] / sum(there)
                like *= chance * P[states[t]][a][states[t + 1]]
            weights[(goal, efficiency, lapse) if policy is lapsing else (goal, lapse)] = like
        names = ["goal", "efficiency", "lapse"] if policy is lapsing else ["goal", "lapse"]
        assert_same(hb.watch(agent, hb.Walk(acts, states)), weights, names)
