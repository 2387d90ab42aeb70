"""Fitting and recovery where some values are impossible, discrete, or of learners."""

from __future__ import annotations

import numpy as np
import pytest

import hbtom as hb

LANE = hb.maze("A.@.B")
WALKER = hb.Agent(reward=-1.0, end=lambda world, goal: world[goal], traits={"efficiency": [6.0]})


def greedy(lapse: float) -> hb.Agent:
    return WALKER.but(policy=lambda Q: hb.greedy(Q, lapse), traits={})


def test_values_that_rule_the_data_out_are_not_fitted() -> None:
    walk = hb.Walk("left right right right", world=LANE)
    assert hb.fit(greedy, [walk], lapse=[0, 0.1, 0.4]).values == {"lapse": 0.4}
    free = hb.fit(greedy, [walk], lapse=(0, 0.5))
    assert 0.2 < free.values["lapse"] <= 0.5
    with pytest.raises(hb.BadInput, match="no values of the parameters explain the data"):
        hb.fit(greedy, [walk], lapse=[0])


def test_draws_of_listed_values_are_among_them() -> None:
    make = lambda depth, efficiency: WALKER.but(depth=depth, traits={"efficiency": [efficiency]})  # noqa: E731
    found = hb.fit(make, [hb.Walk("left left", world=LANE)], depth=[1, 2, 5], efficiency=(0.1, 3))
    draws = found.sample(60)
    assert {*draws["depth"].values.ravel().tolist()} == {1.0, 2.0, 5.0}
    assert ((draws["efficiency"] >= 0.1) & (draws["efficiency"] <= 3)).all()


def test_simulated_learners_have_one_preference_in_all_trials() -> None:
    """The same goal is chosen three times with the probability of Polya's urn."""
    from hbtom.modelling.fit import _simulated

    alpha, many = 0.5, 400
    agent = WALKER.but(choose=hb.dirichlet(alpha))
    trials = [hb.Walk("left left", world=LANE)] * 3
    alike = 0
    for seed in range(many):
        alike += len({walk.states[-1] for walk in _simulated(agent, trials, seed)}) == 1
    chance = (alpha + 1) / (2 * alpha + 1) * (alpha + 2) / (2 * alpha + 2)
    assert alike / many == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / many))


def test_what_is_told_beforehand_tells_nothing_about_the_theory() -> None:
    one, other = WALKER, WALKER.but(goals={"A": 9, "B": 1})
    told = hb.Cue(0, lambda goal: 0.0 if goal == "A" else -50.0)
    plain, known = hb.Walk([], world=LANE), hb.Walk([], world=LANE, cues=[told])
    best, least = hb.separate(one, other, [known, plain], rounds=2)
    assert (best.number, least.number) == (1, 0)
    assert best.gain > 0.05
    assert least.gain == pytest.approx(0.0, abs=1e-9)  # both want A, and walk alike
