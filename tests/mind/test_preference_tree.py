"""Choices from different sets of goals, compared with integration over preferences."""

from __future__ import annotations

import numpy as np
import pytest

from episodes import HEART, SPOON, Thing, episode, read, to_thing
from hbtom import Beliefs, Model, judge
from hbtom.mind import Actions, Likelihood, Posterior, Regret, infer_agent
from hbtom.mind.preference_tree import NO_OFFERS, PreferenceTree
from hbtom.model import with_settings
from hbtom.observe import Identity

AGENT = Identity("agent")
ITEMS = {name: Identity(name) for name in "ABCD"}
ALPHA = 3  # a whole number, so that the integrand is smooth
MODEL = with_settings(
    Model.preset("paper"),
    {"preference.concentration": ALPHA, "efficiency.temperatures": [0.2, 0.9]},
)


def trial(goals: str, log: np.ndarray, reachable: str | None = None) -> Likelihood:
    """Return the likelihood of a trial in which an agent chooses among the given goals."""
    steps, can = len(log), [name in (reachable or goals) for name in goals]
    choice = Actions(np.zeros((steps, 1, len(goals))))
    frame, wasted = np.arange(1, steps + 1), np.zeros((steps, len(goals)))
    regret = Regret(tuple(ITEMS[name] for name in goals), np.array(can), frame, wasted, choice)
    return Likelihood(regret, log, MODEL.efficiency.values)


def watched(trials: list[Likelihood], **weight: float) -> tuple[list[Posterior], Beliefs]:
    beliefs, posteriors = Beliefs(), []
    more = {ITEMS[name]: value for name, value in weight.items()}
    for one in trials:
        posterior, beliefs = infer_agent(MODEL, beliefs, AGENT, one, weight=more)
        posteriors.append(posterior)
    return posteriors, beliefs


def simplex(alpha: list[float], points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return preferences [point item] and their Dirichlet weights, by breaking a stick.

    The first item is broken off first, so the sets in the tests are not branches of it.
    """
    x, w = np.polynomial.legendre.leggauss(points)
    x, w = (x + 1) / 2, w / 2
    left, weight, parts = np.ones(1), np.ones(1), np.empty((1, 0))
    for _ in alpha[1:]:
        broken = (left[:, None] * x).ravel()
        parts = np.column_stack([parts.repeat(points, axis=0), broken])
        weight = (weight[:, None] * w * left[:, None]).ravel()
        left = left.repeat(points) - broken
    places = np.column_stack([parts, left])
    density = weight * (places ** (np.array(alpha) - 1.0)).prod(axis=1)
    return places, density / density.sum()


def integrated(
    trials: list[Likelihood], alpha: dict[str, float], points: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return log P(everything seen), P(goal, efficiency) in the last trial, and E[theta]."""
    theta, weight = simplex(list(alpha.values()), points)
    column = {ITEMS[name]: i for i, name in enumerate(alpha)}
    mass = weight[:, None] * np.exp(MODEL.efficiency.log_prior)  # [point efficiency]
    for one in trials:
        share = theta[:, [column[goal] for goal in one.goals]] * one.reachable
        share = share / share.sum(axis=1, keepdims=True)
        told = share[:, :, None] * np.exp(one.log.sum(axis=0)) * mass[:, None]
        mass = told.sum(axis=1)
    joint = told.sum(axis=0)
    return float(np.log(mass.sum())), joint / joint.sum(), theta.T @ mass.sum(axis=1) / mass.sum()


@pytest.mark.parametrize(
    ("offers", "points"),
    [
        ("AB AB ABC", 40),  # a new goal appears
        ("BC BC BC ABC ABC", 40),
        ("ABC ABC BC BC ABC", 40),  # a goal disappears and comes back
        ("BC A BC ABC", 40),  # no choice in between
        ("AD BC AD ABCD BC", 32),  # apart, then together
        ("BD BCD ABCD BD BCD", 32),  # one after the other
        ("ABCD BD AC AC", 32),
    ],
)
@pytest.mark.parametrize("weight", [{}, {"B": 2.0}])
def test_nested_choices_are_exact(offers: str, points: int, weight: dict[str, float]) -> None:
    rng = np.random.default_rng(5)
    trials = [
        trial(goals, rng.normal(scale=1.5, size=(2, len(goals), 2))) for goals in offers.split()
    ]
    names = sorted(set(offers) - {" "})
    alpha = {name: ALPHA * weight.get(name, 1.0) for name in names}
    posteriors, _ = watched(trials, **weight)
    log_total, joint, theta = integrated(trials, alpha, points)
    assert sum(one.log_likelihood.sum() for one in posteriors) == pytest.approx(log_total, abs=1e-8)
    last = posteriors[-1]
    np.testing.assert_allclose(last.joint[-1], joint, atol=1e-8)
    liked = dict(zip(map(str, last.preferred), last.preference[-1], strict=True))
    assert [liked[name] for name in names] == pytest.approx(theta.tolist(), abs=1e-8)
    assert not any(one.warnings for one in posteriors)


def test_unreachable_goals_are_not_on_offer() -> None:
    rng = np.random.default_rng(6)
    logs = rng.normal(size=(3, 2, 3, 2))
    trials = [trial("ABC", log, can) for log, can in zip(logs, ("BC", "BC", "ABC"), strict=True)]
    _, joint, _ = integrated(trials, dict.fromkeys("ABC", ALPHA), 40)
    np.testing.assert_allclose(watched(trials)[0][-1].joint[-1], joint, atol=1e-8)


def test_a_new_goal_gets_its_prior_share() -> None:
    """Eight choices of A from {A, B} say nothing about C: 2/3 9/10, 2/3 1/10, and 1/3."""
    certain = np.full((1, 2, 2), [[[0.0], [-500.0]]])
    trials = [trial("AB", certain)] * 8 + [trial("ABC", np.zeros((0, 3, 2)))]
    posteriors, _ = watched(trials, **dict.fromkeys("ABC", 1 / ALPHA))
    np.testing.assert_allclose(posteriors[-1].goal[0], [0.6, 2 / 30, 1 / 3], atol=1e-12)


def test_overlapping_choices_count_alike_with_a_warning() -> None:
    certain = np.full((1, 2, 2), [[[0.0], [-500.0]]])
    trials = [trial("AB", certain), trial("BC", certain), trial("ABC", np.zeros((0, 3, 2)))]
    (first, second, third), beliefs = watched(trials)
    assert first.warnings == ()
    assert "overlap" in second.warnings[0]
    assert "overlap" in third.warnings[0]
    weights = np.array([ALPHA + 1, ALPHA + 1, ALPHA])
    np.testing.assert_allclose(third.goal[0], weights / weights.sum())
    assert not beliefs.agents[AGENT].tree.nested


def test_the_order_of_offers_does_not_matter() -> None:
    sets = [frozenset(one) for one in ((0, 1), (0, 1, 2), (3, 4), (0, 1))]
    tree = PreferenceTree()
    for one in sets:
        tree = tree.offered(one)
    assert dict(tree.times) == {sets[0]: 2, sets[1]: 1, sets[2]: 1}
    assert tree.nested
    nested = tree.within(frozenset(range(5)), 5)
    assert nested.inside.sum(axis=1).tolist() == [2, 3, 2]
    assert nested.times.tolist() == [2, 1, 1]
    assert nested.within.tolist() == [2, 3, 1]
    assert tree.within(sets[0], 5) is NO_OFFERS
    assert not tree.offered(frozenset((1, 3))).nested


def test_a_new_object_is_judged_by_what_is_known() -> None:
    """In whole trials: the third object was never on offer before the test trial."""
    two = [HEART.at(120, 60), SPOON.at(60, 150)]
    familiar = to_thing(two[0], others=[two[1]])
    test = to_thing(two[0], others=[two[1], Thing("cup.png", (9, 9, 9)).at(150, 150)])
    judgement = judge(read(episode(*[familiar] * 3, test)), "paper")
    assert judgement.test.goal[0, 2] == pytest.approx(1 / 3)
    assert judgement.warnings == ()


def test_a_judgement_warns_about_overlapping_choices() -> None:
    """Each trial has two of three objects."""
    spoon, cup = SPOON.at(60, 150), Thing("cup.png", (9, 9, 9)).at(150, 150)
    one, two = to_thing(HEART.at(120, 60), others=[spoon]), to_thing(spoon, others=[cup])
    (warning,) = judge(read(episode(one, two)), "paper").warnings
    assert warning.startswith("trial 2: the agent has chosen from sets of goals that overlap")
