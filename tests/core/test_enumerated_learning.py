"""Learning over trials against enumeration: Polya's urn, nested offers, rules of one's own."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, lasting, random_world, soft, summed, walked

S, A = 4, 3
P = random_world(11, S, A)
LURE = np.array([[0, 0, 0, 1.0], [0, 0, 2.0, 0], [1.5, 0, 0, 0]])  # what each goal likes
GOALS = ["a", "b", "c"]
FEARS, EFFICIENCIES = {0.0: 3, 3.0: 1}, [0.5, 2.0]
WALKS = [
    ([1, 0, 2], [0, 1, 3, 0]),
    ([0, 2], [1, 0, 2]),
    ([2, 2, 1, 0], [0, 3, 1, 2, 3]),
]


def reward(goal: str, fear: float) -> Any:
    return P @ (LURE[GOALS.index(goal)] - fear * np.array([0, 1.0, 0, 0]))


def likelihoods(goals: Any = GOALS) -> dict[Any, list[float]]:
    """Return P(each walk | goal, fear, efficiency)."""
    found = {}
    for goal, fear, efficiency in product(goals, FEARS, EFFICIENCIES):
        Q = lasting(P, reward(goal, fear).tolist(), discount=0.8, rounds=200)
        pi = lambda t, s: soft(Q[s], efficiency)  # noqa: B023, E731
        found[goal, fear, efficiency] = [walked(P, pi, states, acts) for acts, states in WALKS]
    return found


LIKE = likelihoods()
AGENT = hb.Agent(
    goals=GOALS, step=P, reward=reward, discount=0.8,
    traits={"fear": FEARS, "efficiency": EFFICIENCIES},
)  # fmt: skip
TRIALS = [hb.Walk(*walk) for walk in WALKS]


def urn(goals: Any, alpha: float, among: int) -> float:
    chance = 1.0
    for n, goal in enumerate(goals):
        chance *= (alpha + goals[:n].count(goal)) / (among * alpha + n)
    return chance


def enumerated(many: int, rule: Any) -> dict[Any, float]:
    """Return {(*goals, fear, efficiency): P(these, all walks)}."""
    weights = {}
    for goals in product(GOALS, repeat=many):
        for fear, efficiency in product(FEARS, EFFICIENCIES):
            prior = FEARS[fear] / 4 / 2 * rule(goals, fear, efficiency)
            like = math.prod(LIKE[g, fear, efficiency][n] for n, g in enumerate(goals))
            weights[*goals, fear, efficiency] = prior * like
    return weights


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_polyas_urn_with_traits_that_last(alpha: float) -> None:
    agent = AGENT.but(choose=hb.dirichlet(alpha))
    p = hb.watch(agent, TRIALS)
    for n, one in enumerate(p.series, 1):
        weights = enumerated(n, lambda goals, *_: urn(goals, alpha, 3))
        assert_same(one, summed(weights, n - 1, n, n + 1), ["goal", "fear", "efficiency"])
    total = sum(weights.values())
    for goal, found in p.preference().items():
        mean = sum(
            w * (alpha + key[:3].count(goal)) / (3 * alpha + 3) for key, w in weights.items()
        )
        assert abs(found - mean / total) < 1e-9
    later = hb.watch(
        agent, TRIALS[2], before=hb.watch(agent, TRIALS[1:2], hb.watch(agent, TRIALS[0]))
    )
    assert np.allclose(later.joint(), p.joint(), atol=1e-14)
    assert abs(later.log_evidence[-1] - p.log_evidence[-1]) < 1e-12


def test_goals_of_a_plain_rule_are_drawn_from_the_same_prior_each_time() -> None:
    prior = {"a": 0.2, "b": 0.5, "c": 0.3}
    p = hb.watch(AGENT.but(goals=prior), TRIALS)
    weights = enumerated(3, lambda goals, *_: math.prod(prior[g] for g in goals))
    assert_same(p, summed(weights, 2, 3, 4), ["goal", "fear", "efficiency"])


def test_a_rule_that_learns_in_its_own_way() -> None:
    def stubborn(counts: Any, fear: Any) -> Any:
        return np.log(0.1 + counts) * (1 + fear)

    def rule(goals: Any, fear: float, efficiency: float) -> float:
        chance = 1.0
        for n, goal in enumerate(goals):
            weight = {g: (0.1 + goals[:n].count(g)) ** (1 + fear) for g in GOALS}
            chance *= weight[goal] / sum(weight.values())
        return chance

    p = hb.watch(AGENT.but(choose=stubborn), TRIALS)
    weights = enumerated(3, rule)
    assert_same(p, summed(weights, 2, 3, 4), ["goal", "fear", "efficiency"])


def test_utility_rules_keep_what_traits_tell_of_worth() -> None:
    prior = {"a": 0.2, "b": 0.5, "c": 0.3}
    p = hb.watch(AGENT.but(goals=prior, choose=lambda V, efficiency: efficiency * V), TRIALS)

    Q = {
        (g, fear): lasting(P, reward(g, fear).tolist(), discount=0.8, rounds=200)
        for g, fear in product(GOALS, FEARS)
    }

    def rule(goals: Any, fear: float, efficiency: float) -> float:
        chance = 1.0
        for goal, (_, states) in zip(goals, WALKS, strict=True):
            weight = {
                g: prior[g] * math.exp(efficiency * max(Q[g, fear][states[0]])) for g in GOALS
            }
            chance *= weight[goal] / sum(weight.values())
        return chance

    weights = enumerated(3, rule)
    assert_same(p, summed(weights, 2, 3, 4), ["goal", "fear", "efficiency"])


# Offers that differ: c is behind a door, and so is a

SLIP = 0.2
PLACE = {"a": 1, "b": 2, "c": 3}


def rooms(*closed: str) -> Any:
    """A hall, 0, with ways to each place; behind closed doors one stays in the hall."""
    step = np.zeros((4, 3, 4))
    for s, (a, goal) in product(range(4), enumerate(GOALS)):
        to = PLACE[goal] if s == 0 and goal not in closed else 0
        step[s, a, to] += 1 - SLIP
        step[s, a, s] += SLIP
    return step


COSTS = {"a": 1.0, "b": 1.2, "c": 1.5}
WHERE = {goal: np.arange(4) == s for goal, s in PLACE.items()}


def chosen_in(step: Any, actions: Any, states: Any) -> dict[str, float]:
    like = {}
    for goal in GOALS:
        Q = lasting(step, [[-COSTS[g] for g in GOALS]] * 4, end=WHERE[goal], rounds=300)
        if max(Q[states[0]]) > -100:  # or no way leads there
            like[goal] = walked(step, lambda t, s: soft(Q[s], 1.5), states, actions)  # noqa: B023
    return like


HALL = [([0, 1], [0, 0, 2]), ([1, 0], [0, 0, 0]), ([0], [0, 0]), ([1], [0, 0]), ([2, 1], [0, 0, 0])]


@pytest.mark.parametrize("alpha", [1, 2])
@pytest.mark.parametrize(
    "doors",
    [
        ["c", "", "c"],
        ["", "c", "", "c", ""],
        ["c", "c", "", "", "c"],
        ["c", "", "ab", "ac", ""],  # one place alone is no choice
    ],
)
def test_nested_offers_are_exact(doors: list[str], alpha: int) -> None:
    agent = hb.Agent(
        goals=GOALS, reward=[[-COSTS[g] for g in GOALS]] * 4, end=lambda goal: WHERE[goal],
        traits={"efficiency": [1.5]}, choose=hb.dirichlet(alpha),
    )  # fmt: skip
    trials, likes = [], []
    for closed, (actions, states) in zip(doors, HALL, strict=False):
        states = [0] * len(states) if closed else states
        step = rooms(*closed)
        trials.append(hb.Walk(actions, states, hb.World.of(step)))
        likes.append(chosen_in(step, actions, states))
    # theta = (u v, u (1 - v), 1 - u), u ~ Beta(2 alpha, alpha), v ~ Beta(alpha, alpha): polynomials
    x, w = np.polynomial.legendre.leggauss(20)
    nodes = [((1 + x) / 2).tolist(), (w / 2).tolist()]
    weights: dict[Any, float] = {}
    mean, norm = dict.fromkeys(GOALS, 0.0), 0.0
    for (u, wu), (v, wv) in product(zip(*nodes, strict=True), repeat=2):
        density = (
            wu * wv * u ** (2 * alpha - 1) * (1 - u) ** (alpha - 1) * (v * (1 - v)) ** (alpha - 1)
        )
        theta = {"a": u * v, "b": u * (1 - v), "c": 1 - u}
        norm += density
        for some in product(*likes):
            chance = density
            for goal, like in zip(some, likes, strict=True):
                chance *= theta[goal] / sum(theta[g] for g in like) * like[goal]
            weights[some] = weights.get(some, 0.0) + chance
            for goal in GOALS:
                mean[goal] += chance * theta[goal]
    weights = {key: weight / norm for key, weight in weights.items()}
    p = hb.watch(agent, trials)
    assert not p.caveats
    found = summed(weights, len(likes) - 1)
    total = sum(found.values())
    assert abs(p.log_evidence[-1] - math.log(total)) < 1e-9
    for goal in GOALS:
        assert abs(p["goal"][goal] - found.get((goal,), 0.0) / total) < 1e-9
        assert abs(p.preference()[goal] - mean[goal] / norm / total) < 1e-9


def test_offers_that_overlap_are_told() -> None:
    agent = hb.Agent(
        goals=GOALS, reward=-1.0, end=lambda goal: WHERE[goal], choose=hb.dirichlet(),
    )  # fmt: skip
    trials = [hb.Walk([1], [0, 0], hb.World.of(rooms(door))) for door in "ca"]
    p = hb.watch(agent, trials)
    assert "overlap" in p.caveats[0]
    assert not p.series[0].caveats


def test_a_learner_may_join_others_later() -> None:
    world = hb.explore(
        {"ann": 1, "bob": 1},
        [
            ("ann", [-1, 1], lambda ann, action: {"ann": np.clip(ann + action, 0, 2)}),
            ("bob", [-1, 1], lambda bob, action: {"bob": np.clip(bob + action, 0, 2)}),
        ],
        horizon=1,
    )
    random = hb.Agent(values=0, policy=hb.uniform, traits={})
    ann, bob = (
        hb.Agent(
            goals=[0, 2], final=lambda world, goal, who=who: -abs(world[who] - goal),
            choose=hb.dirichlet(0.5), others={other: random},
        )
        for who, other in (("ann", "bob"), ("bob", "ann"))
    )  # fmt: skip
    walk = hb.Walk([-1, 1], world=world)
    before = hb.watch({"ann": ann}, walk)
    p = hb.watch({"ann": ann, "bob": bob}, walk, before=before)
    alone = hb.watch({"ann": ann}, [walk, walk]), hb.watch({"bob": bob}, walk)
    for who, known in zip(("ann", "bob"), alone, strict=True):
        assert p[f"{who}.goal"] == pytest.approx(known[f"{who}.goal"])
        assert p.preference(who) == pytest.approx(known.preference(who))
