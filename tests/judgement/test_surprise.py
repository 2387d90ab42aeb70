"""Surprises and plausibility by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hbtom import Model, Posterior
from hbtom.assumptions import Classifier, Logistic
from hbtom.judgement import Surprise, plausibility, surprise
from hbtom.judgement.classifier import logistic
from hbtom.judgement.surprises import shift
from hbtom.mind import Actions, Likelihood, Regret
from hbtom.mind.regret import FilteredChoice
from hbtom.observe import Identity

CLASSIFIER = Classifier(
    goal=Logistic(weight=-11.81, bias=5.96),
    efficiency=Logistic(weight=-9.42, bias=5.90),
    observation=Logistic(weight=-0.2, bias=2.0),
)
few = settings(max_examples=50)


def believed(joint: list, log_likelihood: list[float]) -> Posterior:
    """Return a posterior with a given joint [time, goal, efficiency]."""
    table = np.array(joint, dtype=float)
    steps, many = len(table) - 1, table.shape[1]
    goals = tuple(Identity(f"{index}.png") for index in range(many))
    regret = Regret(
        goals=goals,
        reachable=np.ones(many, dtype=bool),
        frame=np.arange(1, steps + 1),
        step_regret=np.zeros((steps, many)),
        choice=Actions(np.zeros((steps, 1, many))),
    )
    return Posterior(
        agent=Identity("agent.png"),
        goals=goals,
        reachable=regret.reachable,
        full=table[:, :, None, None],
        preferred=goals,
        preference=table.sum(axis=2),
        log_likelihood=np.array(log_likelihood),
        likelihood=Likelihood(
            regret, np.zeros((steps, *table.shape[1:])), np.arange(1.0, table.shape[2] + 1)
        ),
    )


# Surprise


def test_surprises_by_hand() -> None:
    """The posterior over goals shifts most in the middle, that over efficiencies at the end."""
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


def test_rounding_errors_are_not_surprising() -> None:
    seen = believed([[[0.3, 0.7]], [[0.3 + 4e-16, 0.7 - 4e-16]]], [0.0])
    assert surprise(seen).efficiency == 0.0
    assert not shift(seen.efficiency).any()


def test_waste_is_left_out_if_some_actions_were_not_seen() -> None:
    seen = believed([[[0.4, 0.6]]] * 2, [-1.0])
    assert surprise(seen, waste=True).waste is not None
    regret = replace(seen.likelihood.regret, choice=FilteredChoice(lambda efficiency: efficiency))
    hidden = replace(seen, likelihood=replace(seen.likelihood, regret=regret))
    assert surprise(hidden, waste=True).waste is None


def test_without_steps_surprise_is_missing() -> None:
    missing = surprise(believed([[[0.25, 0.75]]], [])).to_dict()
    assert list(missing) == ["goal", "efficiency", "observation"]
    assert all(map(math.isnan, missing.values()))


def test_total_variation_is_half_the_sum_of_differences() -> None:
    belief = np.array([[0.2, 0.3, 0.5], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(shift(belief), [0.0, 0.3, 0.8])


@few
@given(st.integers(0, 2**32 - 1))
def test_total_variation_lies_between_0_and_1(seed: int) -> None:
    belief = np.random.default_rng(seed).dirichlet([0.3] * 4, size=5)
    assert shift(belief)[0] == 0
    assert ((shift(belief) >= 0) & (shift(belief) <= 1 + 1e-12)).all()


# Plausibility


def test_parts_by_hand() -> None:
    product, parts = plausibility(CLASSIFIER, Surprise(0.9, 0.1, 3.0))
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
    before, _ = plausibility(classifier, Surprise(*less))
    after, _ = plausibility(classifier, Surprise(*(a + b for a, b in zip(less, more, strict=True))))
    assert after <= before
    assert 0 <= after <= before <= 1


@pytest.mark.parametrize("name", ["goal", "efficiency", "observation"])
def test_each_part_falls_only_with_its_own_surprise(name: str) -> None:
    calm = {"goal": 0.1, "efficiency": 0.1, "observation": 1.0}
    _, before = plausibility(CLASSIFIER, Surprise(**calm))
    _, after = plausibility(CLASSIFIER, Surprise(**{**calm, name: calm[name] + 0.5}))
    for part, value in after.to_dict().items():
        old = before.to_dict()[part]
        assert value < old if part == name else value == old


@pytest.mark.parametrize("z", [-1e6, -800.0, 0.0, 800.0, 1e6])
def test_the_logistic_never_overflows(z: float) -> None:
    value = logistic(Logistic(weight=1.0, bias=0.0), z)
    assert value == pytest.approx({-1: 0.0, 0: 0.5, 1: 1.0}[int(np.sign(z))], abs=1e-300)
