"""The Boltzmann policies compared with their definitions and with numerical normalisation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hbtom.mind import Headings, Regret, log_likelihood
from hbtom.mind.policy import log_boltzmann, log_choice, log_heading, log_i0e
from hbtom.observe import Identity

few = settings(max_examples=30)
seeds = st.integers(0, 2**32 - 1)
BETAS = np.array([0.1, 1.25, 5.0, 40.0])


def some_q(seed: int) -> np.ndarray:
    """Return Q-values [step, action, goal]; some actions are illegal, but never all of them."""
    rng = np.random.default_rng(seed)
    q = -rng.random((3, 6, 2)) * 20
    q[:, 1:][rng.random((3, 5)) < 0.3] = -np.inf
    return q


def log_policy(q: np.ndarray, betas: np.ndarray) -> np.ndarray:
    """Return the log-probability of every action; shape [step, action, goal, efficiency]."""
    wasted = q.max(axis=1, keepdims=True) - q
    taken = [np.ascontiguousarray(wasted[:, action]) for action in range(q.shape[1])]
    return np.stack([log_boltzmann(step_regret, wasted, betas) for step_regret in taken], axis=1)


# Discrete actions


@few
@given(seeds)
def test_probabilities_of_actions_add_up_to_one(seed: int) -> None:
    policy = np.exp(log_policy(some_q(seed), BETAS))
    np.testing.assert_allclose(policy.sum(axis=1), 1.0, rtol=1e-12)


@few
@given(seeds)
def test_the_policy_is_boltzmann(seed: int) -> None:
    q = some_q(seed)
    policy = np.exp(log_policy(q, BETAS))
    for step, action, goal, k in np.ndindex(policy.shape):
        weights = [
            math.exp(BETAS[k] * value) for value in q[step, :, goal] - q[step, :, goal].max()
        ]
        assert policy[step, action, goal, k] == pytest.approx(weights[action] / sum(weights))


@few
@given(seeds)
def test_without_efficiency_all_legal_actions_are_equal(seed: int) -> None:
    q = some_q(seed)
    policy = np.exp(log_policy(q, np.array([1e-12])))[..., 0]
    legal = np.isfinite(q)
    np.testing.assert_allclose(policy, legal / legal.sum(axis=1, keepdims=True), atol=1e-9)


@few
@given(seeds)
def test_with_infinite_efficiency_only_the_best_action_is_taken(seed: int) -> None:
    q = np.round(some_q(seed) / 5) * 5  # with ties
    policy = np.exp(log_policy(q, np.array([1e6])))[..., 0]
    best = q == q.max(axis=1, keepdims=True)
    np.testing.assert_allclose(policy, best / best.sum(axis=1, keepdims=True), atol=1e-12)


def test_hugely_bad_actions_do_not_underflow() -> None:
    q = np.array([[[-1e5], [-1e5 - 2.0]]])
    np.testing.assert_allclose(log_policy(q, np.array([500.0]))[0, :, 0, 0], [0.0, -1000.0])


@pytest.mark.parametrize(("steps", "goals", "many"), [(0, 2, 3), (2, 1, 1)])
def test_the_only_available_action_is_certain(steps: int, goals: int, many: int) -> None:
    options = np.full((steps, 4, goals), np.inf)
    options[:, 2] = 0.0
    log = log_boltzmann(np.zeros((steps, goals)), options, np.linspace(0.1, 9.0, many))
    assert log.shape == (steps, goals, many)
    assert (log == 0).all()


# Headings


def headings(many: int) -> np.ndarray:
    return (np.arange(many) + 0.5) * 2 * np.pi / many


@pytest.mark.parametrize("length", [0.01, 0.2, 1.0, 3.0, 100.0])
def test_densities_of_headings_average_to_one(length: float) -> None:
    """The density is relative to a random heading; a heading wastes length (1 - cos angle)."""
    step_regret = length * (1 - np.cos(headings(4000)))
    for beta in BETAS:
        density = [math.exp(log_heading(each, length, beta)) for each in step_regret.tolist()]
        assert np.mean(density) == pytest.approx(1.0, rel=1e-9)


def test_without_efficiency_headings_have_log_density_zero() -> None:
    for angle in headings(8):
        assert log_heading(2 * (1 - math.cos(angle)), 2.0, 0.0) == 0


@pytest.mark.parametrize("beta", BETAS)
def test_a_move_of_length_zero_says_nothing(beta: float) -> None:
    assert log_heading(0.0, 0.0, beta) == 0


def test_with_infinite_efficiency_only_the_best_heading_is_taken() -> None:
    assert log_heading(0.0, 1.0, 1e6) > 5
    assert log_heading(0.01, 1.0, 1e6) < -9000


@few
@given(
    step_regret=st.floats(0, 2),
    more=st.floats(0.001, 2),
    length=st.floats(0.1, 10),
    k=st.integers(0, 3),
)
def test_more_waste_is_less_likely(step_regret: float, more: float, length: float, k: int) -> None:
    less = log_heading(step_regret * length, length, BETAS[k])
    assert log_heading((step_regret + more) * length, length, BETAS[k]) < less


# I0(x) exp(-x) is the mean of exp(x (cos angle - 1)) over all angles


@pytest.mark.parametrize(
    "x",
    [0.0, 1e-9, 1e-3, 0.5, 3.0, 20.0, 29.9, 30.0, 30.1, 45.0, 499.9, 500.0, 500.1, 2e3, 1e5, 1e7],
)
def test_the_bessel_function_matches_its_integral(x: float) -> None:
    angles = headings(1_000_000)[:500_000]  # the integrand is even
    integral = np.exp(-2 * x * np.sin(angles / 2) ** 2).mean()
    assert log_i0e(x) == pytest.approx(math.log(integral), abs=1e-11)


def test_the_bessel_function_has_its_limits() -> None:
    for x in (1e-8, 1e-4):
        assert log_i0e(x) == pytest.approx(-x + x**2 / 4, rel=1e-7)
    for huge in (1e10, 1e100, 1e300):
        assert log_i0e(huge) == pytest.approx(-0.5 * math.log(2 * math.pi * huge), rel=1e-11)
    assert (np.diff([log_i0e(x) for x in np.linspace(0, 1500, 5001).tolist()]) < 0).all()


def test_the_two_series_of_the_bessel_function_meet() -> None:
    """The gap is no larger than a rounding error."""
    below, above = log_i0e(30.0), log_i0e(math.nextafter(30.0, math.inf))
    assert abs(below - above) < 1e-15 * 30


# Acts


@few
@given(step_regret=st.floats(0, 1), act=st.floats(0.1, 30))
def test_acting_and_not_acting_add_up_to_one(step_regret: float, act: float) -> None:
    """Relative to the toss of a coin, the two add up to two."""
    for beta in BETAS:
        doing = math.exp(log_choice(step_regret * act, act, beta))
        leaving = math.exp(log_choice(act - step_regret * act, act, beta))
        assert doing + leaving == pytest.approx(2.0, rel=1e-12)


def test_an_act_is_a_coin_toss_without_efficiency_and_certain_with_enough() -> None:
    for waste, sure in [(0.0, math.log(2)), (0.5, 0.0), (1.0, math.log(2) - 1e4)]:
        assert log_choice(waste, 1.0, 0.0) == pytest.approx(0.0, abs=1e-15)
        assert log_choice(waste, 1.0, 1e4) == pytest.approx(sure)


def test_an_act_by_hand() -> None:
    """An act of cost 1 done in vain, at efficiency 2, has 2 / (1 + e^2)."""
    assert math.exp(log_choice(1.0, 1.0, 2.0)) == pytest.approx(2 / (1 + math.exp(2)))


# Whole trials


@few
@given(seeds)
def test_the_evidence_of_a_trial_is_that_of_its_headings_and_acts(seed: int) -> None:
    """An agent whose goal is unreachable may do anything, which says nothing."""
    rng = np.random.default_rng(seed)
    steps, goals = int(rng.integers(0, 5)), int(rng.integers(1, 4))
    length, act = rng.random(steps) * 5, float(rng.random() * 3 + 0.1)
    moves, reachable = rng.random(steps) < 0.6, rng.random(goals) < 0.7
    most = np.where(moves, 2 * length, act)[:, None]
    step_regret = rng.random((steps, goals)) * most
    things = tuple(Identity(f"thing {number}") for number in range(goals))
    choice = Headings(moves, length, step_regret, act)
    frames = np.arange(steps)
    log = log_likelihood(Regret(things, reachable, frames, step_regret, choice), BETAS).log
    assert log.shape == (steps, goals, len(BETAS))
    for step, goal, k in np.ndindex(log.shape):
        one, beta = float(step_regret[step, goal]), float(BETAS[k])
        heading = log_heading(one, float(length[step]), beta)
        wanted = heading if moves[step] else log_choice(one, act, beta)
        assert log[step, goal, k] == pytest.approx(wanted * reachable[goal], rel=1e-12, abs=1e-12)
