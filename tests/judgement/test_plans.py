"""Judging plans in any domain: priors, several agents, several problems, surprise."""

from __future__ import annotations

from itertools import product

import msgspec
import numpy as np
import pytest

import hbtom
from domains import EXAMPLES, LAMPS, SWITCHES, example, world_of
from hbtom import BadInput, Model, infer_plans, load_goals, load_plan
from hbtom.judgement import plausibility, surprise
from hbtom.judgement.plan_judging import ALONE, LEAST_WEIGHT, MOST_WEIGHT, PlanJudgement
from hbtom.mind import log_likelihood
from hbtom.mind.graph_regret import OTHER_GOAL, graph_regret
from hbtom.model import with_settings
from hbtom.observe import Identity
from hbtom.plan.graph import plan_on_graph
from hbtom.world.pddl import Plan, explore, ground, make_goal, read_domain, read_plan, read_problem

PAPER = Model.preset("paper")


def seen(name: str, *plans: str, **options: object) -> PlanJudgement:
    """Judge plans of an example; each may be given as AGENT=PLAN."""
    world = example(name)
    goals = load_goals(world, EXAMPLES / name / "goals.txt")
    split = [plan.partition("=") if "=" in plan else ("agent", "", plan) for plan in plans]
    loaded = [
        load_plan(world, EXAMPLES / name / "plans" / f"{file}.plan", agent=agent)
        for agent, _, file in split
    ]
    return infer_plans(goals, loaded, **options)


def belief(judgement: PlanJudgement, goal: str, time: int = -1, plan: int = -1) -> float:
    posterior = judgement.posteriors[plan]
    return float(posterior.goal[time, posterior.goals.index(Identity(goal))])


def test_one_plan_is_bayes_rule_by_hand() -> None:
    judgement = seen("doors-keys-gems", "turns-back")
    (plan,) = judgement.plans
    goals = load_goals(plan.world, EXAMPLES / "doors-keys-gems" / "goals.txt")
    regret = graph_regret(plan_on_graph(explore(plan.world), goals), plan)
    log = log_likelihood(regret, PAPER.efficiency.values).log
    prior = np.exp(PAPER.efficiency.log_prior) / 3
    for time in range(len(plan) + 1):
        joint = prior * np.exp(log[:time].sum(axis=0))
        assert judgement.test.joint[time] == pytest.approx(joint / joint.sum())
    assert judgement.surprise == surprise(judgement.test)
    assert (judgement.plausibility, judgement.parts) == plausibility(
        PAPER.classifier, judgement.surprise
    )


def test_several_plans_are_summed_over_all_goal_histories() -> None:
    judgement = seen("doors-keys-gems", "gem-a", "turns-back", "gem-c")
    many, betas = 3, PAPER.efficiency.values
    logs = [
        log_likelihood(one.likelihood.regret, betas).log.sum(axis=0) for one in judgement.posteriors
    ]
    total = np.zeros((many, len(betas)))
    for history in product(range(many), repeat=3):
        chosen, weight = [1.0] * many, np.exp(PAPER.efficiency.log_prior)
        for goal, log in zip(history, logs, strict=True):
            weight = weight * chosen[goal] / sum(chosen) * np.exp(log[goal])
            chosen[goal] += 1
        total[history[-1]] += weight
    assert judgement.test.joint[-1] == pytest.approx(total / total.sum())


def test_a_preference_is_learnt_and_another_goal_surprises() -> None:
    usual = seen("doors-keys-gems", "gem-a", "gem-a", "gem-a", "gem-a")
    other = seen("doors-keys-gems", "gem-a", "gem-a", "gem-a", "gem-b")
    assert belief(usual, "gem-a", time=0) > 0.6
    assert usual.surprise.goal < 0.4 < 0.6 < other.surprise.goal
    assert usual.plausibility > 2 * other.plausibility


def test_agents_are_distinguished() -> None:
    judgement = seen("doors-keys-gems", "ann=gem-a", "ann=gem-a", "bob=gem-b")
    assert judgement.test.goal[0] == pytest.approx([1 / 3] * 3)
    assert set(judgement.beliefs.agents) == {Identity("ann"), Identity("bob")}


def test_an_inefficient_agent_is_expected_to_stay_inefficient() -> None:
    before = seen("block-words", "slip")
    after = seen("block-words", "slip", "slip")
    assert after.surprise.efficiency < before.surprise.efficiency
    mean = [one.efficiency[0] @ one.efficiencies for one in after.posteriors]
    assert mean[1] < mean[0]


def test_goals_out_of_reach_are_not_chosen() -> None:
    judgement = seen("logistics", "school")
    assert belief(judgement, "island", time=0) == 0
    wishful = msgspec.structs.replace(
        PAPER, preference=msgspec.structs.replace(PAPER.preference, feasible=False)
    )
    assert belief(seen("logistics", "school", model=wishful), "island", time=0) == pytest.approx(
        0.2
    )


def test_a_goal_that_is_spoilt_is_no_longer_believed() -> None:
    judgement = seen("kitchen", "spoilt")
    cooked = judgement.plans[0].steps.index("(cook tomato oven)") + 1
    assert belief(judgement, "salad", time=cooked - 1) > 0.9
    assert belief(judgement, "salad", time=cooked) == 0
    assert np.isfinite(judgement.test.joint).all()
    assert 0 < judgement.predictive < 0.1


# Something else


def test_something_else_has_its_prior_weight_and_explains_wandering() -> None:
    judgement = seen("doors-keys-gems", "wanders", something_else=0.5)
    assert judgement.test.goals[-1] == OTHER_GOAL
    assert judgement.test.goal[0] == pytest.approx(np.array([1, 1, 1, 0.5]) / 3.5)
    assert belief(judgement, "something else") > 0.9
    direct = seen("doors-keys-gems", "gem-a", something_else=0.5)
    assert belief(direct, "something else") < 0.01


def test_wanting_something_else_is_learnt_like_any_goal() -> None:
    judgement = seen("doors-keys-gems", "wanders", "wanders", something_else=0.5)
    first, second = (float(one.goal[0, -1]) for one in judgement.posteriors)
    assert first == pytest.approx(0.5 / 3.5)
    assert second == pytest.approx(1.5 / 4.5, abs=0.01)


@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan, 5e-324, 1e-7, 1e300])
def test_a_weight_must_be_a_number(weight: float) -> None:
    with pytest.raises(BadInput, match="is not a weight"):
        seen("doors-keys-gems", "gem-a", something_else=weight)


@pytest.mark.parametrize("weight", [LEAST_WEIGHT, MOST_WEIGHT])
@pytest.mark.parametrize("concentration", [1e-6, 1e6])
def test_the_smallest_and_largest_weights_are_valid(weight: float, concentration: float) -> None:
    model = with_settings(Model.preset("paper"), {"preference.concentration": concentration})
    judgement = seen("doors-keys-gems", "gem-a", model=model, something_else=weight)
    assert judgement.test.goal[0, -1] == pytest.approx(weight / (3 + weight))


# Worlds


def test_plans_of_several_problems_are_trials_of_one_agent() -> None:
    domain = read_domain(SWITCHES)
    dark = LAMPS.replace("(on hall)", "")
    larger = dark.replace("hall stairs - lamp", "hall stairs attic - lamp")
    worlds = [ground(read_problem(text, domain)) for text in (dark, larger)]
    plans = [read_plan(world, "(turn-on stairs)") for world in worlds]
    goals = [make_goal(worlds[0], name, f"(on {name})") for name in ("hall", "stairs")]
    first, second = infer_plans(goals, plans).posteriors
    assert first.goals == second.goals == (Identity("hall"), Identity("stairs"))
    assert 0.5 == first.goal[0, 1] < second.goal[0, 1] < second.goal[-1, 1]


def test_a_goal_that_another_problem_cannot_express_is_an_error() -> None:
    domain = read_domain(SWITCHES)
    other = ground(read_problem(LAMPS.replace("stairs", "attic"), domain))
    goal = make_goal(world_of(), "stairs", "(on stairs)")
    with pytest.raises(BadInput, match="no object 'stairs'"):
        infer_plans([goal], [read_plan(other, "(turn-off hall)")])


def test_large_problems_are_searched() -> None:
    whole = seen("doors-keys-gems", "gem-a", "gem-b")
    part = seen("doors-keys-gems", "gem-a", "gem-b", most=1000)
    for one, other in zip(whole.posteriors, part.posteriors, strict=True):
        assert one.joint == pytest.approx(other.joint, abs=1e-9)
    with pytest.raises(BadInput, match="more than 20 states"):
        seen("doors-keys-gems", "gem-a", most=20)


def test_earlier_plans_are_looked_up() -> None:
    judgement = seen("logistics", "farm", "flour")
    world = judgement.plans[0].world
    goals = load_goals(world, EXAMPLES / "logistics" / "goals.txt")
    again = infer_plans(plan_on_graph(explore(world), goals), judgement.plans, most=1)
    assert np.array_equal(again.test.joint, judgement.test.joint)


def test_without_a_plan_there_is_nothing_to_judge() -> None:
    with pytest.raises(BadInput, match="no plan"):
        infer_plans([make_goal(world_of(), "dark", "(not (on hall))")], [])


def test_other_values_than_lists_of_goals_and_plans_are_refused_with_a_hint() -> None:
    world = world_of()
    goal, plan = make_goal(world, "dark", "(not (on hall))"), read_plan(world, "(turn-off hall)")
    for goals, plans, told in (
        ([], [plan], "there are no goals"),
        (goal, [plan], "give \\[goal\\]"),
        ("goals.txt", [plan], "load_goals\\(world, file\\)"),
        (["dark"], [plan], "'dark' is not a goal.*load_goals"),
        ([goal], plan, "give \\[plan\\]"),
        ([goal], "seen.plan", "load_plan\\(world, file\\)"),
        ([goal], ["seen.plan"], "'seen.plan' is not a plan.*load_plan\\(world, file\\)"),
        ([goal], 3, "3 is not a list of plans"),
    ):
        with pytest.raises(BadInput, match=told):
            infer_plans(goals, plans)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="there are no goals"):
        plan_on_graph(explore(world), ())


def test_a_goal_that_holds_already_and_a_plan_that_does_nothing() -> None:
    world = world_of()
    goals = [make_goal(world, "light", "(on hall)"), make_goal(world, "dark", "(not (on hall))")]
    judgement = infer_plans(goals, [read_plan(world, "; nothing happens")])
    assert judgement.test.goal.tolist() == [[0.5, 0.5]]
    assert judgement.missing == "the agent does nothing"
    assert np.isnan([judgement.plausibility, judgement.predictive]).all()
    assert set(judgement.to_dict()["surprise"].values()) == {None}


def test_warnings_are_given_once_and_name_the_plan() -> None:
    judgement = seen("kitchen", "spoilt", "spoilt")
    assert judgement.warnings == ()
    world = example("kitchen")
    salad = make_goal(world, "salad", "(served salad)")
    plan = load_plan(world, EXAMPLES / "kitchen" / "plans" / "spoilt.plan")
    alone, warning = infer_plans([salad], [plan]).warnings
    assert alone == "there is only one plan: it is judged without familiarization"
    assert warning.endswith("makes every goal impossible; it is left out")


def test_an_agent_that_moves_at_random_may_give_up_all_goals() -> None:
    """A step that the random process explains is evidence for it: it is one of six actions."""
    world = example("unreliable-gripper")
    plan = load_plan(world, EXAMPLES / "unreliable-gripper" / "plans" / "pieces.plan")
    glass = make_goal(world, "glass", "(on glass table)")
    judgement = infer_plans([glass], [plan], with_settings(PAPER, {"hypotheses.random": 0.1}))
    assert judgement.warnings == (ALONE,)
    test = judgement.test
    assert test.margin("process")[2:, 1].tolist() == pytest.approx([1.0, 1.0])
    assert test.log_likelihood[2] == pytest.approx(-np.log(6))
    assert test.goal == pytest.approx(np.ones((4, 1)))


# As values


def test_the_judgement_as_plain_values() -> None:
    judgement = seen("doors-keys-gems", "ann=gem-a", "bob=gem-c")
    values = judgement.to_dict()
    verdict = ["plausibility", "parts", "surprise", "explanation"]
    assert list(values) == ["model", "plans", *verdict, "warnings"]
    first = values["plans"][0]
    assert (first["agent"], len(first["steps"])) == ("ann", 12)
    assert first["steps"][0]["action"] is None
    assert first["steps"][-1]["action"] == "(pick-up gem-a c00)"
    assert first["steps"][-1]["goal"]["gem-a"] == belief(judgement, "gem-a", plan=0)
    assert "frame" not in first["steps"][0]
    assert repr(judgement).endswith(f"plausibility {judgement.plausibility:.3f}>")


def test_the_judgement_as_tables() -> None:
    judgement = seen("doors-keys-gems", "gem-a", "gem-c")
    table = judgement.to_pandas()
    assert set(table["trial"]) == {1, 2}
    columns = ["trial", "agent", "step", "frame", "plan", "action"]
    assert list(table.columns) == [*columns, "variable", "value", "probability"]
    for trial, plan in enumerate(judgement.plans, start=1):
        rows = table[table["trial"] == trial].drop_duplicates("step")
        assert set(rows["plan"]) == {plan.name}
        assert rows["action"].tolist() == ["", *plan.steps]
    assert judgement.to_xarray()["posterior"].shape == judgement.test.joint.shape


def test_the_public_names() -> None:
    assert hbtom.infer_plans is infer_plans
    assert isinstance(hbtom.load_plan, type(load_plan))
    assert hbtom.PlanJudgement is PlanJudgement
    assert Plan.__name__ == "Plan"


def test_huge_problems_are_refused_before_planning(monkeypatch) -> None:
    world = example("doors-keys-gems")
    goals = [make_goal(world, f"goal {number}", "(has gem-a)") for number in range(80)]
    plan = load_plan(world, EXAMPLES / "doors-keys-gems" / "plans" / "gem-a.plan")
    monkeypatch.setattr("hbtom.plan.search._each", None)
    with pytest.raises(BadInput, match="80 goals are too many for 5 plans of up to 11 steps"):
        infer_plans(goals, [plan] * 5)
    with pytest.raises(BadInput, match="more than 250 goals"):
        infer_plans(goals * 4, [plan])
