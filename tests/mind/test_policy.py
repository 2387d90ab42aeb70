"""The Boltzmann policies against their definitions and against numerical normalisation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hbtom.mind.policy import log_boltzmann, log_choice, log_heading, log_i0e

few = settings(max_examples=30)
seeds = st.integers(0, 2**32 - 1)
BETAS = np.array([0.1, 1.25, 5.0, 40.0])


def some_q(seed: int) -> np.ndarray:
    """Return Q-values [step, action, goal]; some actions are illegal, but never all of them."""
    rng = np.random.default_rng(seed)
    q = -rng.random((3, 6, 2)) * 20
    q[:, 1:][rng.random((3, 5)) < 0.3] = -np.inf
    return q


# Discrete actions


@few
@given(seeds)
def test_probabilities_of_actions_add_up_to_one(seed: int) -> None:
    policy = np.exp(log_boltzmann(some_q(seed), BETAS))
    np.testing.assert_allclose(policy.sum(axis=1), 1.0, rtol=1e-12)


@few
@given(seeds)
def test_the_policy_is_boltzmann(seed: int) -> None:
    q = some_q(seed)
    policy = np.exp(log_boltzmann(q, BETAS))
    for step, action, goal, k in np.ndindex(policy.shape):
        weights = [
            math.exp(BETAS[k] * value) for value in q[step, :, goal] - q[step, :, goal].max()
        ]
        assert policy[step, action, goal, k] == pytest.approx(weights[action] / sum(weights))


@few
@given(seeds)
def test_without_efficiency_all_legal_actions_are_equal(seed: int) -> None:
    q = some_q(seed)
    policy = np.exp(log_boltzmann(q, np.array([1e-12])))[..., 0]
    legal = np.isfinite(q)
    np.testing.assert_allclose(policy, legal / legal.sum(axis=1, keepdims=True), atol=1e-9)


@few
@given(seeds)
def test_with_endless_efficiency_only_the_best_is_done(seed: int) -> None:
    q = np.round(some_q(seed) / 5) * 5  # with ties
    policy = np.exp(log_boltzmann(q, np.array([1e6])))[..., 0]
    best = q == q.max(axis=1, keepdims=True)
    np.testing.assert_allclose(policy, best / best.sum(axis=1, keepdims=True), atol=1e-12)


def test_hugely_bad_actions_do_not_underflow() -> None:
    q = np.array([[[-1e5], [-1e5 - 2.0]]])
    np.testing.assert_allclose(log_boltzmann(q, np.array([500.0]))[0, :, 0, 0], [0.0, -1000.0])


# Headings


def headings(many: int) -> np.ndarray:
    return (np.arange(many) + 0.5) * 2 * np.pi / many


@pytest.mark.parametrize("length", [0.01, 0.2, 1.0, 3.0, 100.0])
def test_densities_of_headings_average_to_one(length: float) -> None:
    """A density relative to a random heading; a heading wastes length (1 - cos angle)."""
    excess = length * (1 - np.cos(headings(20_000)))
    log = log_heading(excess[:, None], np.full(len(excess), length), BETAS)
    assert log.shape == (20_000, 1, len(BETAS))
    np.testing.assert_allclose(np.exp(log).mean(axis=0)[0], 1.0, rtol=1e-9)


def test_a_random_heading_scores_nothing_without_efficiency() -> None:
    excess = 2 * (1 - np.cos(headings(8)))[:, None]
    np.testing.assert_allclose(log_heading(excess, np.full(8, 2.0), np.array([0.0])), 0.0)


def test_no_move_says_nothing() -> None:
    assert (log_heading(np.zeros((1, 2)), np.zeros(1), BETAS) == 0).all()


def test_with_endless_efficiency_only_the_best_heading_is_taken() -> None:
    log = log_heading(np.array([[0.0, 0.01]]), np.ones(1), np.array([1e6]))[0, :, 0]
    assert log[0] > 5
    assert log[1] < -9000


@few
@given(
    excess=st.floats(0, 2), more=st.floats(0.001, 2), length=st.floats(0.1, 10), k=st.integers(0, 3)
)
def test_the_more_is_wasted_the_less_likely(
    excess: float, more: float, length: float, k: int
) -> None:
    log = log_heading(np.array([[excess, excess + more]]) * length, np.array([length]), BETAS)
    assert log[0, 1, k] < log[0, 0, k]


# I0(x) exp(-x) is the mean of exp(x (cos angle - 1)) over all angles


@pytest.mark.parametrize("x", [0.0, 1e-9, 1e-3, 0.5, 3.0, 20.0, 499.9, 500.0, 500.1, 2e3, 1e5, 1e7])
def test_the_bessel_function_is_its_integral(x: float) -> None:
    angles = headings(1_000_000)[:500_000]  # it is even
    integral = np.exp(-2 * x * np.sin(angles / 2) ** 2).mean()
    assert log_i0e(np.array(x)) == pytest.approx(math.log(integral), abs=1e-11)


def test_the_bessel_function_has_its_limits() -> None:
    x = np.array([1e-8, 1e-4])
    np.testing.assert_allclose(log_i0e(x), -x + x**2 / 4, rtol=1e-7)
    huge = np.array([1e10, 1e100, 1e300])
    np.testing.assert_allclose(log_i0e(huge), -0.5 * np.log(2 * np.pi * huge), rtol=1e-11)
    assert (np.diff(log_i0e(np.linspace(0, 1500, 5001))) < 0).all()


# Acts


@few
@given(excess=st.floats(0, 1), act=st.floats(0.1, 30))
def test_doing_and_not_doing_add_up_to_one(excess: float, act: float) -> None:
    """Relative to a coin's toss, so that the two halves add up to two."""
    waste = np.array([excess * act, act - excess * act])
    both = np.exp(log_choice(waste, act, BETAS))
    np.testing.assert_allclose(both.sum(axis=0), 2.0, rtol=1e-12)


def test_an_act_is_a_coins_toss_without_efficiency_and_certain_with_enough() -> None:
    waste = np.array([0.0, 0.5, 1.0])
    np.testing.assert_allclose(log_choice(waste, 1.0, np.array([0.0])), 0.0, atol=1e-15)
    sure = log_choice(waste, 1.0, np.array([1e4]))[:, 0]
    np.testing.assert_allclose(sure, [math.log(2), 0.0, math.log(2) - 1e4])


def test_an_act_by_hand() -> None:
    """An act of cost 1 done in vain, at efficiency 2: 2 / (1 + e^2)."""
    wasted = log_choice(np.array([1.0]), 1.0, np.array([2.0]))[0, 0]
    assert math.exp(wasted) == pytest.approx(2 / (1 + math.exp(2)))
