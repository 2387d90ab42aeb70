"""Tail probabilities of waste: the closed form compared with sampling and with convolution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

import hbtom
from episodes import read, simple_episode
from hbtom.assumptions import Logistic
from hbtom.judgement import plausibility, predictive, surprise
from hbtom.judgement.prediction import tail
from hbtom.judgement.shared_work import judge_pair
from hbtom.judgement.waste_tail import bessel_ratio, waste_tails
from hbtom.mind import Regret
from hbtom.mind.regret import Headings
from hbtom.model import Model
from hbtom.observe import Identity

MANY = 50_000
EFFICIENCIES = np.array([0.3, 0.625, 2.5, 7.07])


def tails(moved, lengths, acts=(), act=1.0, efficiencies=EFFICIENCIES):
    """Return the tails for one goal, given what moves and acts wasted."""
    step_regret = np.array([*moved, *acts], dtype=float)[:, None]
    length = np.array([*lengths, *([0.0] * len(acts))])
    moves = np.arange(len(length)) < len(lengths)
    return waste_tails(step_regret, length, moves, act, efficiencies)[0]


def sampled(lengths, efficiency: float, seed: int = 0) -> np.ndarray:
    """Return the total waste of agents that choose headings by the policy."""
    rng = np.random.default_rng(seed)
    turned = (rng.vonmises(0.0, efficiency * length, MANY) for length in lengths)
    return sum(
        length * (1.0 - np.cos(angle)) for length, angle in zip(lengths, turned, strict=True)
    )


@pytest.mark.parametrize("efficiency", EFFICIENCIES)
@pytest.mark.parametrize("moves", [3, 7, 20])
def test_tails_match_samples(moves: int, efficiency: float) -> None:
    lengths = np.random.default_rng(moves).uniform(0.4, 1.7, size=moves)
    wasted = sampled(lengths, efficiency)
    for share in (0.02, 0.3, 0.5, 0.9, 0.99):
        x = float(np.quantile(wasted, share))
        [found] = tails([x, *[0.0] * (moves - 1)], lengths, efficiencies=np.array([efficiency]))
        assert found == pytest.approx(1 - share, rel=0.12, abs=0.012)


def test_extreme_tails_match_numerical_convolution() -> None:
    """Samples are too rare there: probabilities go down to 1e-9, on a lattice of 72 headings."""
    lengths = np.array([1.5, 1.6, 1.5, 1.55, 0.8, 1.5])
    for share in (0.1, 0.3, 0.6):
        step_regret = (2 * share * lengths)[:, None]
        headings = Headings(np.ones(6, dtype=bool), lengths, step_regret, 1.0)
        everything = np.ones(1, dtype=bool)
        regret = Regret((Identity("goal"),), everything, np.arange(6), step_regret, headings)
        for efficiency, found in zip(EFFICIENCIES, tails(step_regret[:, 0], lengths), strict=True):
            exact = tail(regret, 0, efficiency)
            if exact > 1e-9:
                assert math.log(found) == pytest.approx(math.log(exact), abs=0.15)


def test_tails_fall_with_waste_and_efficiency_from_1_to_0() -> None:
    lengths = np.full(8, 1.5)
    found = np.array([tails([x, *[0.0] * 7], lengths) for x in np.linspace(0, 24, 400)])
    assert (found[0] == 1).all()
    assert (found[-1] == 0).all()
    assert (np.diff(found, axis=0) <= 1e-12).all()
    assert (np.diff(found[1:-1], axis=1) <= 1e-12).all()


def test_tails_are_smooth_at_the_average_waste() -> None:
    """There the formula would divide 0 by 0, and another one is used."""
    lengths, beta = np.full(5, 1.2), 2.0
    mean = float(sum(length * (1 - bessel_ratio(beta * length)) for length in lengths))
    xs = mean + np.linspace(-0.01, 0.01, 41)
    found = [tails([x, 0, 0, 0, 0], lengths, efficiencies=np.array([beta]))[0] for x in xs]
    slopes = np.diff(found)
    assert (slopes < 0).all()
    assert slopes.max() / slopes.min() == pytest.approx(1.0, abs=0.05)


def test_acts_are_summed_over() -> None:
    """Two acts, one done in vain, compared with the sum over all four combinations."""
    lengths, act = np.full(4, 1.5), 1.0
    moved, acts = [0.3, 0.0, 0.1, 0.0], [0.0, 1.0]
    found = tails(moved, lengths, acts, act)
    for beta, one in zip(EFFICIENCIES, found, strict=True):
        wise = 1 / (1 + math.exp(-beta * act))
        exact = 0.0
        for first in (True, False):  # the right thing, or the other
            for second in (True, False):
                chance = (wise if first else 1 - wise) * (wise if second else 1 - wise)
                left = sum(moved) + sum(acts) - act * ((not first) + (not second))
                alone = tails([left, 0, 0, 0], lengths, efficiencies=np.array([beta]))[0]
                exact += chance * alone
        assert one == pytest.approx(exact)


def test_a_trial_without_moves_wastes_only_by_acts() -> None:
    assert tails([], [], [0.0]) == pytest.approx(np.ones(4))
    assert tails([], [], [1.0]) == pytest.approx(1 / (1 + np.exp(EFFICIENCIES)))


# As a surprise


def test_the_surprise_of_waste_is_minus_its_log_probability() -> None:
    judgement = hbtom.judge(read(simple_episode()))
    assert judgement.surprise.waste == pytest.approx(-math.log(judgement.predictive))
    assert predictive(judgement.test) == judgement.predictive


def without_waste(model: Model) -> Model:
    return replace(model, classifier=replace(model.classifier, waste=None))


def test_models_may_leave_out_waste() -> None:
    episode, model = read(simple_episode()), Model.preset("default")
    full, short = hbtom.judge(episode, model), hbtom.judge(episode, without_waste(model))
    assert set(full.surprise.to_dict()) - set(short.surprise.to_dict()) == {"waste"}
    assert full.plausibility == pytest.approx(short.plausibility * full.parts.waste)
    known = surprise(short.test).to_dict()
    assert short.surprise.to_dict() == pytest.approx(known, abs=1e-12)


def test_models_with_and_without_waste_share_beliefs() -> None:
    episode, model = read(simple_episode()), Model.preset("default")
    steeper = replace(
        model, classifier=replace(model.classifier, waste=Logistic(weight=-2.0, bias=1.0))
    )
    models = [model, without_waste(model), steeper]
    for one, (shared, _) in zip(models, judge_pair(models, episode, episode), strict=True):
        alone = hbtom.judge(episode, one)
        assert shared.plausibility == alone.plausibility
        assert shared.surprise == alone.surprise
        assert plausibility(one.classifier, shared.surprise)[0] == alone.plausibility
