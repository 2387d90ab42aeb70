"""Wasted ways and von Mises headings, against scipy, quadrature and simulation."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import i0e, i1e

import hbtom as hb
from hbtom import kernels
from hbtom.core.policy import Headings
from hbtom.places.surprise import (
    mean_heading,
    moves_tail,
    shift,
    typical_efficiency,
    waste,
    waste_tail,
    worst_step,
)
from hbtom.places.watching import Watcher
from rooms import trial, walk

LARGE = np.concatenate([[0.0], np.geomspace(1e-6, 1e5, 300), [29.99, 30.0, 30.01]])
SAMPLES = 200_000


# The Bessel function


@pytest.mark.parametrize("form", [kernels.log_i0e, kernels._each_log_i0e])
def test_the_bessel_function_is_scipys(form: object) -> None:
    """The form for the compiler runs as plain Python here."""
    np.testing.assert_allclose(form(LARGE), np.log(i0e(LARGE)), rtol=1e-13, atol=2e-15)  # type: ignore[operator]


def test_the_bessel_function_keeps_shapes() -> None:
    for shape in ((), (0,), (3, 0), (2, 3)):
        found = kernels.log_i0e(np.full(shape, 2.5))
        assert np.shape(found) == shape
        np.testing.assert_allclose(found, math.log(i0e(2.5)))


# The mean cosine of a heading, and how it changes with the concentration


def central_moments(z: float) -> tuple[float, float]:
    """Return the variance and the third central moment of cos psi, by quadrature.

    With u = 1 - cos psi, nothing cancels; for negative z, headings turn round.
    """
    psi = np.linspace(-math.pi, math.pi, 40_001)[:-1] * min(1.0, 12.0 / math.sqrt(abs(z) + 1e-9))
    u = 2.0 * np.sin(psi / 2.0) ** 2
    density = np.exp(-abs(z) * u)
    density /= density.sum()
    u = u - density @ u
    third = float(density @ u**3)
    return float(density @ u**2), -third if z >= 0 else third


CONCENTRATIONS = [0.0, 1e-6, 1e-4, 0.01, 0.3, 1.0, 4.0, 12.0, 30.0, 49.0, 51.0, 200.0, 5e3]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_mean_heading_is_scipys(sign: float) -> None:
    z = sign * np.array(CONCENTRATIONS)
    ratio, _, _ = mean_heading(z)
    np.testing.assert_allclose(ratio, sign * i1e(abs(z)) / i0e(z), rtol=2e-10, atol=1e-16)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("z", CONCENTRATIONS)
def test_its_derivatives_are_moments_of_the_cosine(z: float, sign: float) -> None:
    """A' = Var(cos psi), and A'' is the third central moment: cumulants of an exponential family.

    From 50 on, they are series in 1 / z whose next terms are 1e-5 and smaller.
    """
    _, slope, bend = (float(one[0]) for one in mean_heading(np.array([sign * z])))
    variance, third = central_moments(sign * z)
    assert slope == pytest.approx(variance, rel=2e-6)
    assert bend == pytest.approx(third, rel=1e-4, abs=1e-9)


# How much is wasted

LENGTHS = np.array([1.5, 1.5, 1.5, 0.7, 1.6, 1.5, 1.5, 2.1, 1.5, 0.4])


@pytest.mark.parametrize("share", [1e-4, 0.01, 0.3, 1.0, 1.4, 1.99])
def test_the_typical_efficiency_wastes_that_much_on_average(share: float) -> None:
    x = share * LENGTHS.sum()
    (b,) = typical_efficiency(np.array([x]), LENGTHS)
    mean = (LENGTHS * (1.0 - np.sign(b) * i1e(abs(b) * LENGTHS) / i0e(b * LENGTHS))).sum()
    assert mean == pytest.approx(x, rel=1e-8)
    assert np.sign(round(b, 12)) == np.sign(1.0 - share)


def wasted(rng: np.random.Generator, efficiency: float, lengths: np.ndarray) -> np.ndarray:
    """Return what simulated agents waste in moves: l (1 - cos psi), psi von Mises [sample]."""
    psi = rng.vonmises(0.0, efficiency * lengths, (SAMPLES, len(lengths)))
    return (lengths * (1.0 - np.cos(psi))).sum(axis=1)


def error(p: np.ndarray) -> np.ndarray:
    """Return four standard errors of a simulated probability, and 0.3 % for the approximation."""
    return 4.0 * np.sqrt(p * (1.0 - p) / SAMPLES) + 0.003


@pytest.mark.parametrize("efficiency", [0.625, 1.25, 2.5, 5.0, 14.0])
def test_the_tail_of_moves_is_that_of_simulated_headings(efficiency: float) -> None:
    simulated = wasted(np.random.default_rng(1), efficiency, LENGTHS)
    x = np.quantile(simulated, [0.02, 0.2, 0.5, 0.8, 0.95, 0.999])
    found = moves_tail(x, LENGTHS, np.array([efficiency]))[:, 0]
    wanted = (simulated >= x[:, None]).mean(axis=1)
    assert (abs(found - wanted) <= error(wanted)).all()


def test_the_tail_is_smooth_where_the_waste_is_typical() -> None:
    """There the formula is 0 / 0, and replaced by its limit."""
    x = np.array([3.0])
    b = typical_efficiency(x, LENGTHS)
    near = b + np.array([-2e-3, -5e-4, -1e-6, 0.0, 1e-6, 5e-4, 2e-3]) * b
    found = moves_tail(x, LENGTHS, near)[0]
    slope = np.diff(found) / np.diff(near)
    np.testing.assert_allclose(slope, slope.mean(), rtol=0.05)
    assert (np.diff(found) < 0).all()


def test_tails_begin_at_one_and_end_at_zero() -> None:
    efficiencies = np.array([0.5, 5.0])
    x = np.array([0.0, 1e-3, 2.0, 10.0, 2 * LENGTHS.sum()])
    tails = moves_tail(x, LENGTHS, efficiencies)
    assert tails[0].tolist() == [1.0, 1.0]
    assert tails[-1].tolist() == [0.0, 0.0]
    assert (np.diff(tails, axis=0) <= 0).all()
    assert moves_tail(x[:2], LENGTHS[:0], efficiencies)[0].tolist() == [1.0, 1.0]


def headings(regret: np.ndarray, lengths: np.ndarray, cost: float) -> Headings:
    """Return steps whose first ones are moves, and the others acts."""
    moves = np.arange(regret.shape[1]) < len(lengths)
    length = np.append(lengths, np.zeros((~moves).sum()))
    goals = np.ones(len(regret), dtype=bool)
    known = np.ones(regret.shape, dtype=bool)
    return Headings(regret[None], np.zeros((1, len(regret))), goals, length, moves, cost, known)


@pytest.mark.parametrize("cost", [1.0, 2.0])
def test_acts_add_what_they_waste_or_the_rest_of_their_cost(cost: float) -> None:
    """Who wastes r by an act wastes the rest, cost - r, by leaving it."""
    rng = np.random.default_rng(2)
    efficiencies = np.array([0.625, 1.25, 2.5])
    acts = np.array([[0.0, 0.3], [0.8, 1.0]]) * cost
    regret = np.concatenate([np.tile(0.3 * LENGTHS, (2, 1)), acts], axis=1)
    regret[1, :3] = 0.0
    found = waste_tail(headings(regret, LENGTHS, cost), efficiencies)
    for number, efficiency in enumerate(efficiencies):
        moves = wasted(rng, efficiency, LENGTHS)
        for goal in range(2):
            doing = 1.0 / (1.0 + np.exp(-efficiency * (cost - 2.0 * acts[goal])))
            done = rng.random((SAMPLES, 2)) < doing
            total = moves + np.where(done, acts[goal], cost - acts[goal]).sum(axis=1)
            wanted = (total >= regret[goal].sum()).mean()
            assert abs(found[goal, number] - wanted) <= error(wanted)


def test_acts_that_waste_as_much_as_others_count_whatever_the_rounding() -> None:
    """Without moves, the sum over all combinations is exact; many of them tie."""
    tenths, efficiency = [7, 5, 7, 2, 6], 2.5
    found = waste_tail(headings(np.array([tenths]) / 10, LENGTHS[:0], 1.0), np.array([efficiency]))
    wanted = 0.0
    for done in product((True, False), repeat=len(tenths)):
        own = [one if did else 10 - one for one, did in zip(tenths, done, strict=True)]
        if sum(own) >= sum(tenths):
            wanted += math.prod(1 / (1 + math.exp(-efficiency * (1 - one / 5))) for one in own)
    assert found.item() == pytest.approx(wanted, rel=1e-12)


def test_nothing_wasted_is_no_surprise() -> None:
    p = watched(trial(walk((42, 102), (128, 102)), {"food": (142, 102)}))
    assert p.choices[""].regret.sum() == pytest.approx(0.0, abs=1e-12)
    assert waste(p) == 0.0


def watched(*trials: hb.Trial, preset: str = "default") -> hb.Posterior:
    return Watcher(hb.Model.preset(preset)).watch(trials).posteriors[-1]


DETOUR = walk((42, 102), (80, 140), (118, 140), (134, 106))
THINGS = {"food": (146.0, 102.0), "toy": (102.0, 180.0)}


def test_waste_is_weighted_by_what_was_believed_before_the_first_step() -> None:
    p = watched(trial(walk((42, 102), (72, 102)), THINGS), trial(DETOUR, THINGS))
    efficiencies = np.array(p.axis("efficiency").labels)
    prior = p.margin("goal", "efficiency")[0]
    assert abs(prior - prior.mean()).max() > 0.02
    tails = waste_tail(p.choices[""], efficiencies)
    assert waste(p) == pytest.approx(-math.log((prior * tails).sum()))
    assert 1.0 < waste(p) < 10.0


def test_choices_among_actions_have_no_tail_and_steps_that_are_none_waste_nothing() -> None:
    assert waste(watched(trial(DETOUR, THINGS), preset="paper")) is None
    still = watched(trial([(42, 102)] * 5, THINGS))
    assert (waste(still), worst_step(still), shift(still, "goal")) == (0.0, 0.0, 0.0)


# The other surprises, from their definitions


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_surprises_are_the_largest_shift_and_the_least_likely_step(preset: str) -> None:
    p = watched(trial(walk((42, 102), (72, 102)), THINGS), trial(DETOUR, THINGS), preset=preset)
    joint = np.array([p.joint(at) for at in range(len(p.steps) + 1)])  # [time, efficiency, goal]
    for name, gone in (("goal", 1), ("efficiency", 2)):
        belief = joint.sum(axis=gone)
        distance = [0.5 * abs(now - belief[0]).sum() for now in belief]
        assert shift(p, name) == pytest.approx(max(distance), abs=1e-12)
        assert max(distance) > 0.1
    likelihood = np.exp(p.choices[""].log_likelihood(hb.boltzmann, p.axes))
    steps = np.moveaxis(likelihood, -1, 0)
    chance = [(before * step).sum() for before, step in zip(joint[:-1], steps, strict=True)]
    assert worst_step(p) == pytest.approx(-math.log(min(chance)))
