"""Agents as people see them: mistakes are mistakes, and minds change."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hbtom.judgement.plan_judging import judge_plans
from hbtom.model import Model, with_settings
from hbtom.world.pddl import load_world, make_goal, read_plan
from locked import LOCKED_OUT, corridor, gems

DATA = Path(__file__).parents[3] / "shared" / "data" / "people" / "mistakes-2021"


def wants(model: Model | str, plan: str = LOCKED_OUT) -> np.ndarray:
    """Return P(gem a) at every step of an agent that locks itself out of it."""
    world = corridor()
    return judge_plans(gems(world), [read_plan(world, plan)], model).test.goal[:, 0]


def test_who_makes_a_goal_impossible_may_have_wanted_it() -> None:
    """To an ideal observer it is proof that it did not; with foresight or lapses it is not."""
    assert wants("paper")[2] == 0.0
    assert wants("people")[2] > 0.4
    assert wants("people")[3] > wants("people")[2]  # it goes on, as if it did not know
    lapse = with_settings(Model.preset("paper"), {"acts.lapse": 0.2})
    assert wants(lapse)[2] > 0.4


def test_who_goes_elsewhere_has_changed_its_mind() -> None:
    world = corridor()
    steps = (
        "(pick-up key-1 start)\n(unlock key-1 start side)\n(move start side)\n(move side room)\n"
    )
    plan = read_plan(world, steps + "(move room side)\n(move side start)\n(move start west)\n")
    told = judge_plans(gems(world), [plan], "people").test
    changed = told.changed
    assert changed is not None
    assert changed[0] == pytest.approx(0.0, abs=1e-9)
    assert changed.argmax() == 4  # back from the room without the keys
    never = with_settings(Model.preset("people"), {"goals.switching": 0.0})
    assert judge_plans(gems(world), [plan], never).test.changed is None


def test_foresight_carries_over_from_plan_to_plan() -> None:
    world = corridor()
    plans = [read_plan(world, LOCKED_OUT)] * 2
    first, second = judge_plans(gems(world), plans, "people").posteriors
    assert second.foresight[0] == pytest.approx(first.foresight[-1])
    assert first.foresight[0] == pytest.approx(np.full(6, 1 / 6))


def test_all_foresight_alone_is_the_model_without_foresight() -> None:
    world = corridor()
    plan = [read_plan(world, LOCKED_OUT + "(move east start)\n(move start west)\n")]
    same = with_settings(Model.preset("paper"), {"foresight.depths": [float("inf")]})
    one, other = (judge_plans(gems(world), plan, model).test for model in ("paper", same))
    assert np.array_equal(one.full, other.full)
    assert one.full.shape == other.full.shape == (6, 2, 1, 1, 5)


def spelled(word: str) -> str:
    letters = " ".join(f"(on {above} {below})" for above, below in pairwise(word))
    return f"(and (clear {word[0]}) (ontable {word[-1]}) {letters})"


@pytest.mark.skipif(not DATA.exists(), reason="needs ratings that are not part of the project")
def test_people_see_block_words_as_the_preset_does() -> None:
    """Pearson's r with mean ratings, over all goals and times of 16 scenarios."""
    told = json.loads((DATA / "block-words-plans-and-goals.json").read_text())
    rated, believed = [], []
    for name, one in told.items():
        problem = DATA / "block-words-scenarios" / f"scenario-{name}.pddl"
        world = load_world(DATA / "block-words-domain.pddl", problem)
        goals = [make_goal(world, word, spelled(word)) for word in one["goals"]]
        test = judge_plans(goals, [read_plan(world, "\n".join(one["actions"]))], "people").test
        believed.append(test.goal[one["judgement_after"]].ravel())
        ratings = DATA / "block-words-human-mean" / f"{name.replace('-', '_')}.csv"
        rated.append(np.loadtxt(ratings, delimiter=",").ravel())
    assert np.corrcoef(np.concatenate(rated), np.concatenate(believed))[0, 1] > 0.88
