"""Hypotheses of goal, belief and process, compared with their enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import HEART, SPOON, episode, read, to_thing
from episodes import trial as trial_of
from hbtom import BadInput, Beliefs, Model, infer, judge
from hbtom.judgement.surprises import surprise
from hbtom.judgement.tables import to_pandas, to_xarray
from hbtom.mind import Actions, Likelihood, Regret, find_likelihood, infer_agent, join_beliefs
from hbtom.mind.hypotheses import Hypotheses
from hbtom.mind.likelihood import add_random_process, log_random
from hbtom.model import with_settings
from hbtom.observe import Identity
from regrets import regret_of

few = settings(max_examples=15)
seeds = st.integers(0, 2**32 - 1)
AGENT, GOALS = Identity("agent"), (Identity("cup"), Identity("bell"))
PAPER = with_settings(Model.preset("paper"), {"efficiency.temperatures": [0.2, 0.9]})
BETAS = PAPER.efficiency.values


def some_likelihood(rng: np.random.Generator, steps: int) -> Likelihood:
    """Return a random likelihood of two goals; each step has one to three legal actions."""
    options = np.where(np.arange(3)[:, None] < rng.integers(1, 4, size=(steps, 1, 1)), 1.0, np.inf)
    choice = Actions(np.repeat(options, 2, axis=2))
    frame, wasted = np.arange(1, steps + 1), np.zeros((steps, 2))
    regret = Regret(GOALS, np.ones(2, dtype=bool), frame, wasted, choice)
    return Likelihood(regret, rng.normal(scale=1.5, size=(steps, 2, 2)), BETAS)


@few
@given(seed=seeds, wrong=st.sampled_from([0.1, 0.6]), aimless=st.sampled_from([0.05, 0.5]))
def test_all_hypotheses_are_added_up(seed: int, wrong: float, aimless: float) -> None:
    """Three trials, each with two goals, two beliefs and two processes: 8^3 sequences."""
    rng, beliefs, posteriors, trials = np.random.default_rng(seed), Beliefs(), [], []
    for steps in rng.integers(1, 3, size=3):
        both = some_likelihood(rng, steps), some_likelihood(rng, steps)
        trials.append(both)
        seen = join_beliefs(dict(zip(("true", "outdated"), both, strict=True)), (1 - wrong, wrong))
        posterior, beliefs = infer_agent(PAPER, beliefs, AGENT, add_random_process(seen, aimless))
        posteriors.append(posterior)

    def log_seen(trial: int, goal: int, belief: int, process: int, k: int) -> float:
        likelihood = trials[trial][belief]
        if process == 1:
            return -sum(
                math.log(np.isfinite(options[:, 0]).sum())
                for options in trials[trial][0].regret.choice.action_regret
            )
        return float(likelihood.log[:, goal, k].sum())

    wanted = np.zeros((2, 2, 2, 2))
    each = list(product(range(2), range(2), range(2)))
    for sequence in product(each, repeat=3):
        for k in range(2):
            log, counts = PAPER.efficiency.log_prior[k], [1, 1]
            for trial, (goal, belief, process) in enumerate(sequence):
                log += math.log(counts[goal] / sum(counts))
                log += math.log((1 - wrong, wrong)[belief] * (1 - aimless, aimless)[process])
                log += log_seen(trial, goal, belief, process, k)
                counts[goal] += 1
            wanted[(*sequence[-1], k)] += math.exp(log)
    last = posteriors[-1]
    np.testing.assert_allclose(last.full[-1], wanted / wanted.sum(), atol=1e-10)
    total = sum(posterior.log_likelihood.sum() for posterior in posteriors)
    assert total == pytest.approx(math.log(wanted.sum()), abs=1e-9)
    np.testing.assert_allclose(last.joint, last.full.sum(axis=(2, 3)))
    np.testing.assert_allclose(last.goal, last.margin("goal"))
    np.testing.assert_allclose(last.efficiency, last.margin("efficiency"))
    np.testing.assert_allclose(last.belief[0], [1 - wrong, wrong])
    np.testing.assert_allclose(last.process[0], [1 - aimless, aimless])
    for axis in ("goal", "belief", "process", "efficiency"):
        np.testing.assert_allclose(last.margin(axis).sum(axis=1), 1.0)
    shifted = surprise(last)
    assert shifted.goal == pytest.approx(np.abs(last.goal - last.goal[0]).sum(axis=1).max() / 2)


def test_one_belief_and_one_process_change_nothing() -> None:
    seen = some_likelihood(np.random.default_rng(1), 2)
    assert find_likelihood(PAPER, seen.regret).hypotheses is seen.hypotheses
    posterior, _ = infer_agent(PAPER, Beliefs(), AGENT, seen)
    assert posterior.full.shape == (3, 2, 1, 1, 2)
    assert np.shares_memory(posterior.full, posterior.joint)
    np.testing.assert_array_equal(
        posterior.margin("belief"), posterior.joint.sum(axis=(1, 2))[:, None]
    )
    with pytest.raises(BadInput, match="no axis 'mood'"):
        posterior.margin("mood")


def test_beliefs_must_share_their_steps() -> None:
    rng = np.random.default_rng(2)
    with pytest.raises(BadInput, match="share their steps"):
        join_beliefs(
            {"true": some_likelihood(rng, 1), "outdated": some_likelihood(rng, 2)}, (0.5, 0.5)
        )


def test_a_goal_is_on_offer_if_any_belief_lets_it_be_reached() -> None:
    rng = np.random.default_rng(3)
    one, other = some_likelihood(rng, 1), some_likelihood(rng, 1)
    one.regret.reachable[0], other.regret.reachable[1] = False, False
    both = join_beliefs({"true": one, "outdated": other}, (0.5, 0.5))
    assert both.reachable.tolist() == [True, True]
    assert both.hypotheses.beliefs == ("true", "outdated")
    assert len(both.hypotheses) == 2


# Whole trials


def with_random(preset: str, probability: float) -> Model:
    return with_settings(Model.preset(preset), {"hypotheses.random": probability})


ONE = to_thing(HEART.at(120, 60), others=[SPOON.at(60, 150)])
TWO = to_thing(SPOON.at(60, 150), others=[HEART.at(120, 60)])


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_possible_random_motion_weakens_the_evidence(preset: str) -> None:
    """The more probable random motion is, the less is learnt; at the limit, nothing."""
    seen = read(episode(ONE, ONE, TWO))
    sure, tenth, nearly = (judge(seen, with_random(preset, p)) for p in (0.0, 0.1, 1 - 1e-12))
    plain = judge(seen, Model.preset(preset))
    np.testing.assert_array_equal(sure.test.joint, plain.test.joint)
    assert sure.model.fingerprint == plain.model.fingerprint != tenth.model.fingerprint
    assert sure.surprise == plain.surprise
    assert tenth.surprise.goal < sure.surprise.goal
    assert nearly.surprise.goal < 1e-6
    assert nearly.test.goal[-1] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert nearly.surprise.efficiency < 1e-6
    assert tenth.test.process[-1, 1] < 0.1  # it heads for something


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_random_motion_with_an_agent_that_stands_still(preset: str) -> None:
    """A trial without steps also has hypotheses, but nothing is learnt about them."""
    still = read(episode(trial_of([(40, 100)], [HEART.at(120, 60)])))[0]
    posterior, _ = infer(with_random(preset, 0.2), Beliefs(), still)
    assert posterior.process.tolist() == [pytest.approx([0.8, 0.2])]


def test_random_steps_are_equally_probable() -> None:
    seen = read(episode(ONE))[0]
    heading = regret_of(Model.preset("default"), seen)
    np.testing.assert_array_equal(log_random(heading), 0.0)
    action = regret_of(Model.preset("paper"), seen)
    legal = np.isfinite(action.choice.action_regret).any(axis=2).sum(axis=1)
    np.testing.assert_allclose(log_random(action), -np.log(legal))
    slips = with_settings(Model.preset("paper"), {"motion.slip": 0.25})
    astray = regret_of(slips, seen)
    chance, options = astray.choice.noise.chance, astray.choice.action_regret
    possible = np.isfinite(options).any(axis=2)
    said = [
        math.log(one[can, seen].sum() / one[can].sum())
        for one, can, seen in zip(chance, possible, astray.choice.noise.seen, strict=True)
    ]
    np.testing.assert_allclose(log_random(astray), said)


def test_random_motion_needs_steps_that_are_seen() -> None:
    noisy = with_settings(with_random("paper", 0.1), {"observation.noise": 2.0})
    with pytest.raises(BadInput, match="not seen for certain"):
        infer(noisy, Beliefs(), read(episode(ONE))[0])


def test_tables_have_axes_with_several_values() -> None:
    posterior, _ = infer(with_random("paper", 0.1), Beliefs(), read(episode(ONE))[0])
    labelled = to_xarray(posterior)
    assert labelled["posterior"].dims == ("step", "goal", "process", "efficiency")
    assert labelled["process"].values.tolist() == ["plan", "random"]
    np.testing.assert_array_equal(labelled["posterior"].values, posterior.full[:, :, 0])
    rows = to_pandas([posterior])
    assert rows["variable"].unique().tolist() == ["goal", "process", "efficiency", "preference"]
    said = rows[(rows["variable"] == "process") & (rows["step"] == 0)]["probability"].tolist()
    assert said == pytest.approx([0.9, 0.1])
    plain, _ = infer(Model.preset("paper"), Beliefs(), read(episode(ONE))[0])
    assert to_xarray(plain)["posterior"].dims == ("step", "goal", "efficiency")
    assert plain.hypotheses.beliefs == Hypotheses().beliefs == ("true",)
