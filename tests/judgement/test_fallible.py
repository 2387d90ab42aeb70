"""Fallible agents, as people see them: they make mistakes and change their minds."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hbtom
from domains import EXAMPLES, example, world_of
from episodes import HEART, SPOON, episode, key_trial, read, simple_episode, trial, walk
from hbtom import BadInput
from hbtom.judgement.accounts import account
from hbtom.judgement.mistakes import Mistakes
from hbtom.judgement.plan_judging import PlanJudgement, infer_plans
from hbtom.judgement.shared_work import judge_pair
from hbtom.judgement.tables import to_xarray
from hbtom.model import Model, with_settings
from hbtom.show.terminal import explain_mistakes
from hbtom.show.words import explain
from hbtom.world.pddl import (
    load_goals,
    load_plan,
    load_world,
    make_goal,
    read_partial_plan,
    read_plan,
)
from locked import CORRIDOR, LOCKED_OUT, corridor, gems

DATA = Path(__file__).parents[3] / "shared" / "data" / "people" / "mistakes-2021"


def wants(model: Model | str, plan: str = LOCKED_OUT) -> np.ndarray:
    """Return P(gem a) at every step of an agent that locks itself out of it."""
    world = corridor()
    return infer_plans(gems(world), [read_plan(world, plan)], model).test.goal[:, 0]


def test_an_agent_may_want_a_goal_that_it_made_impossible() -> None:
    """An ideal agent cannot have wanted it; one with limited foresight or lapses can."""
    assert wants("paper")[2] == 0.0
    assert wants("people")[2] > 0.4
    assert wants("people")[3] > wants("people")[2]  # it continues as if it did not know
    lapse = with_settings(Model.preset("paper"), {"acts.lapse": 0.2})
    assert wants(lapse)[2] > 0.4


def test_an_agent_that_turns_elsewhere_has_changed_its_mind() -> None:
    world = corridor()
    steps = (
        "(pick-up key-1 start)\n(unlock key-1 start side)\n(move start side)\n(move side room)\n"
    )
    plan = read_plan(world, steps + "(move room side)\n(move side start)\n(move start west)\n")
    told = infer_plans(gems(world), [plan], "people").test
    changed = told.changed
    assert changed is not None
    assert changed[0] == pytest.approx(0.0, abs=1e-9)
    assert changed.argmax() == 4  # back from the room without the keys
    never = with_settings(Model.preset("people"), {"goals.switching": 0.0})
    assert infer_plans(gems(world), [plan], never).test.changed is None


COUNTED = {  # keys are a number, not objects
    "(has ?t - thing))": "(has ?t - thing)) (:functions (keys))",
    """(?t - thing ?c - cell)
    :precondition""": "(?t - gem ?c - cell) :precondition",
    "(:action unlock": """(:action take :parameters (?k - key ?c - cell)
    :precondition (and (at ?c) (lies ?k ?c))
    :effect (and (increase (keys) 1) (not (lies ?k ?c))))
  (:action unlock""",
    "(?k - key ?here": "(?here",
    "(locked ?door) (has ?k)": "(locked ?door) (> (keys) 0)",
    "(not (has ?k))": "(decrease (keys) 1)",
}


def test_keys_may_be_counted() -> None:
    world = corridor()
    named = infer_plans(gems(world), [read_plan(world, LOCKED_OUT)], "people").test
    domain = (EXAMPLES / "doors-keys-gems" / "domain.pddl").read_text(encoding="utf-8")
    for old, new in COUNTED.items():
        assert old in domain
        domain = domain.replace(old, new)
    counted = world_of(domain, CORRIDOR.replace("(:init", "(:init (= (keys) 0)"))
    steps = LOCKED_OUT.replace("pick-up key", "take key").replace("unlock key-1", "unlock")
    told = infer_plans(gems(counted), [read_plan(counted, steps)], "people").test
    assert told.goal == pytest.approx(named.goal)


def test_an_agent_may_want_what_only_seems_possible() -> None:
    """There is one key, and gem a is behind two doors. An agent may fail to foresee this."""
    domain = (EXAMPLES / "doors-keys-gems" / "domain.pddl").read_text(encoding="utf-8")
    world = world_of(domain, CORRIDOR.replace("(lies key-2 room) (lies key-3 room)", ""))
    plan = [read_plan(world, LOCKED_OUT)]
    ideal, people = (
        infer_plans(gems(world), plan, one).test.goal[:, 0] for one in ("paper", "people")
    )
    assert not ideal.any()
    assert people[0] == pytest.approx(0.5)
    assert people[-1] > 0.6


def test_foresight_carries_over_from_plan_to_plan() -> None:
    world = corridor()
    plans = [read_plan(world, LOCKED_OUT)] * 2
    first, second = infer_plans(gems(world), plans, "people").posteriors
    assert second.foresight[0] == pytest.approx(first.foresight[-1])
    assert first.foresight[0] == pytest.approx(np.full(6, 1 / 6))


def test_unlimited_foresight_is_the_model_without_foresight() -> None:
    world = corridor()
    plan = [read_plan(world, LOCKED_OUT + "(move east start)\n(move start west)\n")]
    same = with_settings(Model.preset("paper"), {"foresight.depths": [float("inf")]})
    one, other = (infer_plans(gems(world), plan, model).test for model in ("paper", same))
    assert np.array_equal(one.full, other.full)
    assert one.full.shape == other.full.shape == (6, 2, 1, 1, 5)


# What is reported


def locked_out() -> PlanJudgement:
    world = corridor()
    plan = read_plan(world, LOCKED_OUT + "(move east start)\n(move start east)\n")
    return infer_plans(gems(world), [plan], "people")


def test_an_oversight_is_reported() -> None:
    judgement = locked_out()
    (mistakes,), (plan,) = judgement.mistakes, judgement.plans
    assert mistakes.changed is None
    said = (
        "it probably did not see that step 2, (unlock key-1 start east), would put a out of reach"
    )
    assert explain_mistakes(mistakes, plan.steps) == said
    told = judgement.to_dict()["plans"][0]
    assert (told["oversight"]["step"], told["oversight"]["goal"]) == (2, "a")
    assert told["oversight"]["out_of_reach"]
    assert told["oversight"]["probability"] > 0.5


def test_a_change_of_mind_is_reported_and_ideal_agents_have_neither() -> None:
    world = example("doors-keys-gems")
    folder = EXAMPLES / "doors-keys-gems"
    goals = load_goals(world, folder / "goals.txt")
    plan = load_plan(world, folder / "plans" / "wrong-door.plan")
    (people,), (ideal,) = (infer_plans(goals, [plan], one).mistakes for one in ("people", "paper"))
    assert explain_mistakes(people, plan.steps) == "it probably changed its mind after step 7"
    assert people.to_dict(plan.steps) == {"goal_changed_before": 8}
    assert ideal == Mistakes()
    assert explain_mistakes(ideal, plan.steps) == ""


def test_foresight_has_an_axis_everywhere() -> None:
    judgement = locked_out()
    posterior = judgement.test
    assert posterior.full.shape == (6, 2, 1, 1, 6, 4)
    assert posterior.margin("foresight").sum(axis=1) == pytest.approx(np.ones(6))
    assert posterior.joint.shape == (6, 2, 4)
    step = judgement.to_dict()["plans"][0]["steps"][-1]
    assert list(step["foresight"]) == ["0", "1", "2", "4", "8", "inf"]
    assert list(step["foresight"].values()) == posterior.foresight[-1].tolist()
    assert step["goal_changed"] == posterior.changed[-1]
    table = judgement.to_pandas()
    rows = table[(table.variable == "foresight") & (table.step == 5)]
    assert rows.probability.tolist() == posterior.foresight[-1].tolist()
    labelled = to_xarray(posterior)["posterior"]
    assert labelled.dims == ("step", "goal", "foresight", "efficiency")
    assert labelled.sel(foresight=math.inf, step=5).sum() == pytest.approx(
        posterior.foresight[5, -1]
    )
    assert "6 depths of foresight" in repr(posterior.likelihood)


def test_foresight_is_drawn_beside_efficiency() -> None:
    labels = [axes.get_ylabel() for axes in locked_out().plot().axes]
    assert labels[-3:] == ["P(goal)", "efficiency", "foresight"]


def test_in_an_episode_all_depths_agree() -> None:
    """There, no act uses up what another needs."""
    model = with_settings(Model.preset("paper"), {"foresight.depths": [0, 2, math.inf]})
    trials = read(episode(key_trial(), key_trial()))
    one, other = (hbtom.judge(trials, each).test for each in ("paper", model))
    assert other.goal == pytest.approx(one.goal)
    assert other.efficiency == pytest.approx(one.efficiency)
    assert other.foresight == pytest.approx(np.full((len(other) + 1, 3), 1 / 3))
    assert other.log_likelihood == pytest.approx(one.log_likelihood)


@pytest.mark.parametrize("motion", ["paper", "default"])
def test_in_an_episode_goals_may_change(motion: str) -> None:
    model = with_settings(Model.preset(motion), {"goals.switching": 0.5, "acts.lapse": 0.05})
    test = hbtom.judge(read(simple_episode()), model).test
    assert test.changed is not None
    assert test.goal.sum(axis=1) == pytest.approx(np.ones(len(test) + 1))
    assert (test.changed[1:] > 0).all()
    rarely = with_settings(Model.preset(motion), {"goals.switching": 1e-9, "social": False})
    never = with_settings(Model.preset(motion), {"social": False})
    one, other = (hbtom.judge(read(simple_episode()), each).test for each in (rarely, never))
    assert one.goal == pytest.approx(other.goal, abs=1e-6)
    assert one.preference == pytest.approx(other.preference, abs=1e-6)


def test_a_change_of_mind_in_an_episode_is_reported() -> None:
    """Halfway to the heart the agent turns to the spoon."""
    things = [HEART.at(160, 40), SPOON.at(160, 160)]
    path = walk((20, 100), (90, 70), (150, 150))
    seen = read(episode(trial(path, things), trial(path, things)))
    model = with_settings(Model.preset("paper"), {"goals.switching": 0.5})
    said = explain(account(hbtom.judge(seen, model)))
    assert "; probably changed its mind after frame " in said
    frame = int(said.rsplit(maxsplit=1)[-1])
    assert 30 < frame < 46  # it turns in frame 38
    assert "changed" not in explain(account(hbtom.judge(seen, "paper")))


def test_models_that_share_plans_have_separate_beliefs() -> None:
    """Judged together, they give the same results as alone."""
    changes = (
        {},
        {"goals.switching": 0.5},
        {"foresight.depths": [1, math.inf]},
        {"acts.lapse": 0.1},
    )
    models = [with_settings(Model.preset("default"), one) for one in changes]
    seen = read(simple_episode())
    for model, (shared, _) in zip(models, judge_pair(models, seen, seen), strict=True):
        assert shared.plausibility == hbtom.judge(seen, model).plausibility


# What is not supported


def test_limited_foresight_needs_all_actions() -> None:
    world = example("doors-keys-gems")
    goals = load_goals(world, EXAMPLES / "doors-keys-gems" / "goals.txt")
    with pytest.raises(BadInput, match="not all actions of plan were seen") as told:
        infer_plans(goals, [read_partial_plan(world, "(move c44 c34)\n?\n")], "people")
    assert "paper" in told.value.hint


def test_goals_cannot_change_with_noise() -> None:
    settings = {"goals.switching": 1.0, "observation.noise": 2.0}
    with pytest.raises(BadInput, match="goals cannot change where"):
        hbtom.judge(read(simple_episode()), with_settings(Model.preset("paper"), settings))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"foresight.depths": [2, 1]}, "must increase"),
        ({"foresight.depths": [0.5]}, "whole number"),
        ({"foresight.depths": [100]}, "whole number"),
        ({"foresight.depths": []}, "length >= 1"),
        ({"foresight.depths": [-1]}, ">= 0"),
        ({"foresight.prior": [1, 2]}, "1 depths and 2 weights"),
        ({"foresight.prior": [0]}, "> 0"),
        ({"goals.switching": -1}, ">= 0"),
        ({"acts.lapse": 1}, "< 1"),
    ],
)
def test_invalid_depths_rates_and_probabilities_are_reported(
    settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        with_settings(Model.preset("paper"), settings)


# What people say


def test_the_preset_is_the_measured_one() -> None:
    assert Model.preset("people").fingerprint == "c150180c26ca"


def spelled(word: str) -> str:
    letters = " ".join(f"(on {above} {below})" for above, below in pairwise(word))
    return f"(and (clear {word[0]}) (ontable {word[-1]}) {letters})"


@pytest.mark.skipif(not DATA.exists(), reason="needs ratings that are not part of the project")
def test_people_agree_with_the_preset_about_block_words() -> None:
    """Pearson's r with mean ratings, over all goals and times of 16 scenarios."""
    told = json.loads((DATA / "block-words-plans-and-goals.json").read_text())
    rated, believed = [], []
    for name, one in told.items():
        problem = DATA / "block-words-scenarios" / f"scenario-{name}.pddl"
        world = load_world(DATA / "block-words-domain.pddl", problem)
        goals = [make_goal(world, word, spelled(word)) for word in one["goals"]]
        test = infer_plans(goals, [read_plan(world, "\n".join(one["actions"]))], "people").test
        believed.append(test.goal[one["judgement_after"]].ravel())
        ratings = DATA / "block-words-human-mean" / f"{name.replace('-', '_')}.csv"
        rated.append(np.loadtxt(ratings, delimiter=",").ravel())
    assert np.corrcoef(np.concatenate(rated), np.concatenate(believed))[0, 1] > 0.88
