"""The examples show what docs/pddl.md says about them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import hbtom
from domains import EXAMPLES, NAMES, example
from hbtom.observe import Identity


@cache
def seen(name: str, plan: str, something_else: float = 0.0) -> hbtom.PlanJudgement:
    world = example(name)
    goals = hbtom.load_goals(world, EXAMPLES / name / "goals.txt")
    loaded = hbtom.load_plan(world, EXAMPLES / name / "plans" / f"{plan}.plan")
    return hbtom.infer_plans(goals, [loaded], something_else=something_else)


def belief(judgement: hbtom.PlanJudgement, goal: str) -> np.ndarray:
    """Return P(goal) before the first action and after each."""
    return judgement.test.goal[:, judgement.test.goals.index(Identity(goal))]


def after(judgement: hbtom.PlanJudgement, action: str) -> int:
    """Return the time after the first occurrence of an action."""
    return judgement.plans[0].steps.index(action) + 1


def efficiency(judgement: hbtom.PlanJudgement) -> np.ndarray:
    return judgement.test.efficiency @ judgement.test.efficiencies


@pytest.mark.parametrize("name", NAMES)
def test_each_example_has_a_domain_a_problem_goals_and_plans(name: str) -> None:
    assert len(list((EXAMPLES / name).glob("plans/*.plan"))) >= 4


@pytest.mark.parametrize(
    ("name", "plan", "goal"),
    [
        ("doors-keys-gems", "gem-a", "gem-a"),
        ("doors-keys-gems", "gem-b", "gem-b"),
        ("doors-keys-gems", "gem-c", "gem-c"),
        ("doors-keys-gems", "turns-back", "gem-b"),
        ("doors-keys-gems", "wrong-door", "gem-b"),
        ("block-words", "power", "power"),
        ("block-words", "cower", "cower"),
        ("block-words", "crow", "crow"),
        ("block-words", "slip", "crow"),
        ("kitchen", "salad", "salad"),
        ("kitchen", "soup", "soup"),
        ("kitchen", "omelette", "omelette"),
        ("logistics", "school", "school"),
        ("logistics", "farm", "farm"),
        ("logistics", "flour", "flour"),
        ("logistics", "coast-road", "school"),
        ("unreliable-gripper", "cup", "cup"),
        ("unreliable-gripper", "bin", "bin"),
        ("unreliable-gripper", "careful", "cup"),
        ("unreliable-gripper", "glass", "glass"),
        ("unreliable-gripper", "pieces", "away"),
    ],
)
def test_at_the_end_the_goal_is_clear(name: str, plan: str, goal: str) -> None:
    assert belief(seen(name, plan), goal)[-1] > 0.95


def test_gems_behind_doors_are_equal_until_the_key_is_carried() -> None:
    judgement = seen("doors-keys-gems", "gem-a")
    picked = after(judgement, "(pick-up key-1 c14)")
    a, b = belief(judgement, "gem-a"), belief(judgement, "gem-b")
    assert a[: picked + 1] == pytest.approx(b[: picked + 1])
    assert a[picked + 1] > 0.9


def test_an_agent_that_turns_back_wanted_something_else_or_plans_badly() -> None:
    judgement = seen("doors-keys-gems", "turns-back")
    turned = after(judgement, "(move c32 c33)")
    c = belief(judgement, "gem-c")
    assert c[turned - 1] > 0.99
    assert c[-1] < 0.001
    assert efficiency(judgement)[turned] < 0.6 * efficiency(judgement)[turned - 1]


def test_a_door_opened_in_vain_misleads_until_the_other_key_is_fetched() -> None:
    judgement = seen("doors-keys-gems", "wrong-door")
    fetched = after(judgement, "(pick-up key-2 c37)")
    a, b = belief(judgement, "gem-a"), belief(judgement, "gem-b")
    assert a[fetched - 3] > 0.9
    assert b[fetched] > 0.5 > b[fetched - 1]


def test_wandering_is_explained_by_something_else() -> None:
    without = seen("doors-keys-gems", "wanders")
    assert without.test.goal[-1].max() < 0.6
    assert belief(seen("doors-keys-gems", "wanders", 0.5), "something else")[-1] > 0.9


def test_two_words_are_equal_up_to_the_penultimate_letter() -> None:
    judgement = seen("block-words", "power")
    placed = after(judgement, "(stack o w)")
    power, cower = belief(judgement, "power"), belief(judgement, "cower")
    assert power[: placed + 1] == pytest.approx(cower[: placed + 1])
    assert power[placed + 1] > 0.95


def test_a_slip_costs_efficiency_but_not_the_word() -> None:
    slip, straight = seen("block-words", "slip"), seen("block-words", "crow")
    done = after(slip, "(stack o w)")
    assert (belief(slip, "crow")[done:] > 0.95).all()
    assert efficiency(slip)[-1] < 0.6 * efficiency(straight)[-1]


def test_a_spoilt_salad_leaves_only_soup() -> None:
    judgement = seen("kitchen", "spoilt")
    cooked = after(judgement, "(cook tomato oven)")
    assert belief(judgement, "salad")[cooked - 1] > 0.9
    assert (belief(judgement, "salad")[cooked:] == 0).all()
    assert belief(judgement, "soup")[-1] > 0.9


def test_the_island_is_out_of_reach_and_never_believed_in() -> None:
    for plan in ("school", "farm", "flour", "coast-road"):
        judgement = seen("logistics", plan)
        assert not judgement.test.reachable[-1]
        assert (belief(judgement, "island") == 0).all()


def test_the_longer_road_costs_efficiency_but_not_the_goal() -> None:
    longer, shorter = seen("logistics", "coast-road"), seen("logistics", "school")
    assert belief(longer, "school")[-1] > 0.95
    assert efficiency(longer)[-1] < 0.6 * efficiency(shorter)[-1]


def test_bad_luck_costs_neither_the_goal_nor_efficiency() -> None:
    judgement = seen("unreliable-gripper", "cup")
    tries = judgement.plans[0].steps.count("(grasp cup shelf)")
    first = after(judgement, "(grasp cup shelf)")
    cup, binned = belief(judgement, "cup"), belief(judgement, "bin")
    assert tries == 5
    assert cup[first : first + tries] == pytest.approx(binned[first : first + tries])
    assert (np.diff(efficiency(judgement)[first : first + tries]) > 0).all()


def test_a_firm_grip_on_a_cup_costs_efficiency_but_not_the_goal() -> None:
    firm, quick = seen("unreliable-gripper", "careful"), seen("unreliable-gripper", "cup")
    assert efficiency(firm)[-1] < 0.7 * efficiency(quick)[-1]


def test_an_agent_that_risks_the_glass_does_not_want_it_intact() -> None:
    risked, careful = seen("unreliable-gripper", "pieces"), seen("unreliable-gripper", "glass")
    when = after(risked, "(grasp-fragile glass shelf)")
    assert belief(risked, "glass")[when - 1] > 0.2
    assert (belief(risked, "glass")[when:] == 0).all()
    firm = after(careful, "(grip-firmly glass shelf)")
    assert belief(careful, "glass")[firm] > 0.9 > 0.1 > belief(careful, "away")[firm]
