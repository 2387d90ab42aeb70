"""Surprises and plausibility by hand."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hbtom import Model, Posterior
from hbtom.judgement import Triple, plausibility, predictive, surprise
from hbtom.judgement.fit import loss
from hbtom.judgement.plausibility import logistic
from hbtom.judgement.surprise import shift
from hbtom.mind import Evidence
from hbtom.model import Classifier, Logistic
from hbtom.observe import Look

CLASSIFIER = Classifier(
    goal=Logistic(weight=-11.81, bias=5.96),
    efficiency=Logistic(weight=-9.42, bias=5.90),
    observation=Logistic(weight=-0.2, bias=2.0),
)
few = settings(max_examples=50)


def believed(
    joint: list,
    log_likelihood: list[float],
    excess: list | None = None,
    options: list | None = None,
) -> Posterior:
    """Return a posterior that holds a joint [time, goal, efficiency] given by hand."""
    table = np.array(joint, dtype=float)
    steps, many = len(table) - 1, table.shape[1]
    goals = tuple(Look(f"{index}.png") for index in range(many))
    evidence = Evidence(
        goals=goals,
        reachable=np.ones(many, dtype=bool),
        log=np.zeros((steps, *table.shape[1:])),
        frame=np.arange(1, steps + 1),
        excess=np.zeros((steps, many)) if excess is None else np.array(excess),
        options=np.zeros((steps, 1, many)) if options is None else np.array(options),
    )
    return Posterior(
        agent=Look("agent.png"),
        goals=goals,
        reachable=evidence.reachable,
        efficiencies=np.arange(1.0, table.shape[2] + 1),
        joint=table,
        preferred=goals,
        preference=table.sum(axis=2),
        log_likelihood=np.array(log_likelihood),
        frame=np.arange(len(table)),
        evidence=evidence,
    )


# Surprise


def test_surprises_by_hand() -> None:
    """The goal posterior strays furthest in the middle, the efficiency posterior at the end."""
    seen = believed(
        [
            [[0.4, 0.1], [0.3, 0.2]],  # goals 0.5 0.5, efficiencies 0.7 0.3
            [[0.1, 0.1], [0.6, 0.2]],  # goals 0.2 0.8, efficiencies 0.7 0.3
            [[0.2, 0.3], [0.0, 0.5]],  # goals 0.5 0.5, efficiencies 0.2 0.8
        ],
        [-1.5, 0.25],
    )
    surprises = surprise(seen)
    assert surprises.goal == pytest.approx(0.3)
    assert surprises.efficiency == pytest.approx(0.5)
    assert surprises.observation == pytest.approx(1.5)


def test_the_unlikeliest_step_counts_even_if_all_are_likely() -> None:
    assert surprise(believed([[[1.0]]] * 3, [0.7, 0.4])).observation == pytest.approx(-0.4)


def test_without_steps_there_is_no_surprise() -> None:
    assert surprise(believed([[[0.25, 0.75]]], [])) == Triple(0.0, 0.0, 0.0)


def test_total_variation_is_half_the_sum_of_differences() -> None:
    belief = np.array([[0.2, 0.3, 0.5], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(shift(belief), [0.0, 0.3, 0.8])


@few
@given(st.integers(0, 2**32 - 1))
def test_total_variation_lies_between_nothing_and_one(seed: int) -> None:
    belief = np.random.default_rng(seed).dirichlet([0.3] * 4, size=5)
    assert shift(belief)[0] == 0
    assert ((shift(belief) >= 0) & (shift(belief) <= 1 + 1e-12)).all()


# Plausibility


def test_parts_by_hand() -> None:
    product, parts = plausibility(CLASSIFIER, Triple(0.9, 0.1, 3.0))
    assert parts.goal == pytest.approx(1 / (1 + math.exp(11.81 * 0.9 - 5.96)))
    assert parts.efficiency == pytest.approx(1 / (1 + math.exp(9.42 * 0.1 - 5.90)))
    assert parts.observation == pytest.approx(1 / (1 + math.exp(0.2 * 3.0 - 2.0)))
    assert product == parts.goal * parts.efficiency * parts.observation


surprises = st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(-5, 200))


@few
@given(less=surprises, more=st.tuples(*[st.floats(0, 3)] * 3))
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_more_surprise_is_never_more_plausible(preset: str, less: tuple, more: tuple) -> None:
    classifier = Model.preset(preset).classifier
    before, _ = plausibility(classifier, Triple(*less))
    after, _ = plausibility(classifier, Triple(*(a + b for a, b in zip(less, more, strict=True))))
    assert after <= before
    assert 0 <= after <= before <= 1


@pytest.mark.parametrize("name", ["goal", "efficiency", "observation"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_each_part_falls_with_its_own_surprise_only(preset: str, name: str) -> None:
    classifier = Model.preset(preset).classifier
    calm = {"goal": 0.1, "efficiency": 0.1, "observation": 1.0}
    _, before = plausibility(classifier, Triple(**calm))
    _, after = plausibility(classifier, Triple(**{**calm, name: calm[name] + 0.5}))
    for part, value in after.to_dict().items():
        old = before.to_dict()[part]
        assert value < old if part == name else value == old


@pytest.mark.parametrize("z", [-1e6, -800.0, 0.0, 800.0, 1e6])
def test_the_logistic_never_overflows(z: float) -> None:
    value = logistic(Logistic(weight=1.0, bias=0.0), z)
    assert value == pytest.approx({-1: 0.0, 0: 0.5, 1: 1.0}[int(np.sign(z))], abs=1e-300)


# The score without fitted weights


@few
@given(st.integers(0, 2**32 - 1))
def test_the_predictive_score_is_the_sum_over_all_that_could_have_been_done(seed: int) -> None:
    """Three steps with four options each, all combinations one by one; wastes are whole bins."""
    rng = np.random.default_rng(seed)
    options = rng.integers(0, 60, size=(3, 4, 2)) / 50
    options[rng.random((3, 4)) < 0.2] = np.inf
    taken = rng.integers(0, 4, size=3)
    options[np.arange(3), taken] = rng.integers(0, 60, size=(3, 2)) / 50
    options -= options.min(axis=1, keepdims=True)
    excess = options[np.arange(3), taken]
    prior = rng.dirichlet(np.ones(4)).reshape(2, 2)
    seen = believed([prior] * 4, [0.0] * 3, excess, options)
    score = 0.0
    for goal, k in product(range(2), range(2)):
        weights = np.exp(-seen.efficiencies[k] * options[:, :, goal])
        weights /= weights.sum(axis=1, keepdims=True)
        for choice in product(range(4), repeat=3):
            wasted = options[range(3), choice, goal].sum()
            if wasted >= excess[:, goal].sum() - 1e-9 and np.isfinite(wasted):
                score += prior[goal, k] * weights[range(3), choice].prod()
    assert predictive(seen) == pytest.approx(score, abs=1e-9)


def test_nothing_done_is_nothing_wasted() -> None:
    assert predictive(believed([[[0.25, 0.75]]], [])) == 1.0


# Fitting


@few
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-4, 0.1]))
def test_the_gradient_of_the_loss_is_its_slope(seed: int, penalty: float) -> None:
    rng = np.random.default_rng(seed)
    at, x, y = rng.normal(size=6) * 3, rng.random((20, 3)), rng.random(20) < 0.5
    _, gradient = loss(at, x, y, penalty)
    for index in range(6):
        nudge = np.zeros(6)
        nudge[index] = 1e-6
        slope = (loss(at + nudge, x, y, penalty)[0] - loss(at - nudge, x, y, penalty)[0]) / 2e-6
        assert gradient[index] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_the_loss_is_the_cross_entropy_of_the_plausibility() -> None:
    x = np.array([[0.9, 0.1, 3.0], [0.1, 0.0, -0.5]])
    curves = (CLASSIFIER.goal, CLASSIFIER.efficiency, CLASSIFIER.observation)
    at = np.array([curve.weight for curve in curves] + [curve.bias for curve in curves])
    unexpected, expected = (plausibility(CLASSIFIER, Triple(*row))[0] for row in x)
    wanted = -(math.log(1 - unexpected) + math.log(expected)) / 2
    assert loss(at, x, np.array([False, True]), 0.0)[0] == pytest.approx(wanted)
