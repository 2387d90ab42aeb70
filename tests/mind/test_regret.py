"""Regret: what it depends on, and how it becomes a likelihood."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from episodes import HEART, SPOON, episode, key_trial, read, to_thing
from hbtom import Beliefs, Model, Trial, infer
from hbtom.mind import Headings, Regret, find_likelihood, find_regrets, infer_agent, log_likelihood
from hbtom.mind.regret import KEY, name_goals
from hbtom.plan.planning import plan_trial
from hbtom.world.seeing import see
from regrets import regret_of


def trials_seen() -> list[Trial]:
    one = to_thing(HEART.at(120, 60), others=[SPOON.at(60, 150)])
    return list(read(episode(one, key_trial(), key_trial(goal=SPOON.at(50, 150)))))


def assert_equal_regrets(one: Regret, other: Regret) -> None:
    assert (one.goals, one.warnings) == (other.goals, other.warnings)
    for name in ("reachable", "frame", "step_regret"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.choice.action_regret, other.choice.action_regret)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_inference_is_seeing_planning_regret_and_belief(preset: str) -> None:
    model, beliefs = Model.preset(preset), Beliefs()
    for trial in trials_seen():
        seen = see(model, trial, beliefs.openings)
        regret, _ = find_regrets(model, trial, seen, plan_trial(model, seen))
        likelihood = find_likelihood(model, regret)
        one, after = infer(model, beliefs, trial)
        agent = trial.agent.look
        other, same = infer_agent(model, beliefs, agent, likelihood, waited=seen.waited)
        np.testing.assert_array_equal(one.joint, other.joint)
        np.testing.assert_array_equal(one.preference, other.preference)
        assert after.openings == same.openings
        assert_equal_regrets(one.likelihood.regret, regret)
        weighed = log_likelihood(regret, model.efficiency.values)
        np.testing.assert_array_equal(one.likelihood.log, weighed.log)
        np.testing.assert_array_equal(one.frame, [0, *regret.frame])
        beliefs = after


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_regret_depends_on_neither_efficiency_nor_preference(preset: str) -> None:
    """Models that differ only in these can therefore share it."""
    base = Model.preset(preset)
    other = msgspec.structs.replace(
        base,
        preference=msgspec.structs.replace(base.preference, concentration=0.3, feasible=False),
        efficiency=msgspec.structs.replace(base.efficiency, temperatures=(0.5,), shape=3.0),
    )
    beliefs = Beliefs()
    for trial in trials_seen():
        assert_equal_regrets(
            regret_of(base, trial, beliefs.openings), regret_of(other, trial, beliefs.openings)
        )
        _, beliefs = infer(base, beliefs, trial)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_regret_without_the_key_is_part_of_the_regret_with_it(preset: str) -> None:
    base = Model.preset(preset)
    keyless = msgspec.structs.replace(
        base, preference=msgspec.structs.replace(base.preference, keys=False)
    )
    for trial in trials_seen()[1:]:
        objects = slice(len(trial.objects))
        whole, part = (regret_of(model, trial) for model in (base, keyless))
        assert part.goals == whole.goals[objects]
        np.testing.assert_array_equal(whole.reachable[objects], part.reachable)
        np.testing.assert_array_equal(whole.step_regret[:, objects], part.step_regret)
        all_regret, some_regret = whole.choice.action_regret, part.choice.action_regret
        np.testing.assert_array_equal(all_regret[..., objects], some_regret)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_only_the_default_learns_what_opening_costs(preset: str) -> None:
    trial = trials_seen()[1]
    new, slow = (regret_of(Model.preset(preset), trial, o) for o in ((), (90.0,)))
    assert np.array_equal(new.step_regret, slow.step_regret) == (preset == "paper")


@pytest.mark.parametrize("beta", [0.3, 2.0, 5.0])
def test_the_evidence_is_the_boltzmann_share_among_options(beta: float) -> None:
    """The share is relative to an option chosen at random.

    It is exact for acts, and close for headings, of which there are many.
    """
    for trial in trials_seen():
        regret = regret_of(Model.preset("default"), trial)
        assert isinstance(regret.choice, Headings)
        log = log_likelihood(regret, np.array([beta])).log[..., 0]
        options = regret.choice.action_regret
        many = np.isfinite(options).sum(axis=1)
        assert set(many[regret.choice.moves].ravel()) == {72}
        assert set(many[~regret.choice.moves].ravel()) == {2}
        whole = np.exp(-beta * options).sum(axis=1) / many
        np.testing.assert_allclose(log, -beta * regret.step_regret - np.log(whole), atol=1e-9)
        assert (regret.step_regret >= 0).all()
        assert (regret.step_regret <= np.where(np.isfinite(options), options, 0).max(axis=1)).all()


def test_goals_that_look_the_same_are_numbered() -> None:
    twins = [HEART.at(120, 60), HEART.at(120, 140), SPOON.at(60, 60)]
    (seen,) = read(episode(to_thing(twins[0], others=twins[1:])))
    assert [str(goal) for goal in name_goals(seen)] == ["heart.png", "heart.png (2)", "spoon.png"]
    assert name_goals(read(episode(key_trial()))[0])[-1] == KEY
