"""Partially seen plans: the exact filter compared with the sum over all hidden paths."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import hbtom
from domains import CERTAIN, CHANCE, EXAMPLES, example, world_of
from hbtom import BadInput
from hbtom.mind import log_likelihood
from hbtom.mind.graph_regret import graph_regret
from hbtom.mind.partial_plan import partial_plan_regret
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.world.pddl import (
    PartialPlan,
    explore,
    load_goals,
    load_plan,
    make_goal,
    read_partial_plan,
)

BETAS = np.array([0.3, 1.0, 4.0])
COLD = np.array([0.3, 1.0, 4.0, 1000.0])  # the last wastes nothing, not even by chance


def planned(name: str) -> GraphCosts:
    world = example(name)
    return plan_on_graph(explore(world), load_goals(world, EXAMPLES / name / "goals.txt"))


def lamps() -> GraphCosts:
    """Two lamps to switch: four states, two choices in each."""
    world = world_of()
    goals = [("both", "(and (on hall) (on stairs))"), ("dark", "(not (on hall))")]
    return plan_on_graph(explore(world), tuple(make_goal(world, *goal) for goal in goals))


def chancy() -> GraphCosts:
    """The same, but half of the choices may also leave everything unchanged."""
    plans = lamps()
    graph = plans.graph
    source = np.repeat(np.arange(len(graph)), np.diff(graph.choices))
    target, chance, ends = [], [], [0]
    for choice, (here, there) in enumerate(zip(source, graph.target, strict=True)):
        target += [there, here] if choice % 2 else [there]
        chance += [0.7, 0.3] if choice % 2 else [1.0]
        ends.append(len(target))
    changed = replace(
        graph, target=np.array(target), probability=np.array(chance), outcomes=np.array(ends)
    )
    return replace(plans, graph=changed)


def by_hand(plans: GraphCosts, partial_plan: PartialPlan, goal: int, beta: float) -> list[float]:
    """Return P(o_1:t | goal, efficiency) for every t from 0, path by path."""
    graph = plans.graph
    paths, totals = [(0, 1.0)], [1.0]  # where each ends, and how probable it is
    for step, action in enumerate(partial_plan.actions):
        longer = []
        for state, share in paths:
            choices = range(*graph.choices[state : state + 2])
            price = [plans.prices(one, one + 1)[goal, 0] for one in choices]
            if min(price) == math.inf:
                weight = [1.0] * len(price)
            else:
                weight = [math.exp(-beta * (one - min(price))) for one in price]
            for choice, mine in zip(choices, weight, strict=True):
                if action >= 0 and graph.action[choice] != action:
                    continue
                for outcome in range(*graph.outcomes[choice : choice + 2]):
                    to = graph.target[outcome]
                    likely = share * mine / sum(weight) * graph.probability[outcome]
                    if partial_plan.held and partial_plan.held[step] is not None:
                        likely *= partial_plan.held[step].holds(graph.states[to][None])[0]
                    if partial_plan.likelihood is not None:
                        likely *= partial_plan.likelihood[step, to]
                    longer.append((to, likely))
        paths = longer
        totals.append(sum(share for _, share in paths))
    return totals


@pytest.mark.parametrize("plans", [lamps(), chancy()], ids=["certain", "chancy"])
@pytest.mark.parametrize("hidden", list(itertools.product([False, True], repeat=3)))
def test_the_evidence_is_the_sum_over_all_hidden_paths(plans, hidden) -> None:
    graph, world = plans.graph, plans.graph.world
    rng = np.random.default_rng(5)
    done = [graph.action[graph.choices[0]], graph.action[graph.choices[1]], graph.action[0]]
    held = (None, make_goal(world, "seen", "(or (on stairs) (not (on hall)))"), None)
    for partial_plan in (
        PartialPlan(world, np.where(hidden, -1, done)),
        PartialPlan(world, np.where(hidden, -1, done), held=held),
        PartialPlan(world, np.where(hidden, -1, done), likelihood=rng.random((3, len(graph)))),
    ):
        expected = [[by_hand(plans, partial_plan, goal, b) for b in BETAS] for goal in range(2)]
        if 0.0 in np.array(expected):
            continue  # impossible observations are tested below
        log = log_likelihood(partial_plan_regret(plans, partial_plan), BETAS).log
        assert np.allclose(log, np.diff(np.log(np.moveaxis(expected, 2, 0)), axis=0), atol=1e-12)


@pytest.mark.parametrize("name", CHANCE)
def test_chance_outcomes_say_nothing_about_goals(name: str) -> None:
    plans = planned(name)
    graph, world, by_chance = plans.graph, plans.graph.world, False
    for file in sorted((EXAMPLES / name / "plans").iterdir()):
        plan = load_plan(world, file)
        exact = log_likelihood(graph_regret(plans, plan), BETAS).log
        seen = (graph.states[None] == plan.states[1:, None]).all(axis=2).astype(float)
        partial_plan = PartialPlan(world, plan.actions, likelihood=seen)
        log = log_likelihood(partial_plan_regret(plans, partial_plan), BETAS).log
        assert np.array_equal(np.isinf(log), np.isinf(exact))
        possible = np.isfinite(exact).all(axis=(1, 2))
        luck = log[possible] - exact[possible]
        assert np.allclose(luck, luck[:, :1, :1], rtol=0, atol=1e-12)
        assert (luck <= 1e-12).all()
        by_chance |= bool((luck < -0.01).any())
    assert by_chance


@pytest.mark.parametrize("name", CERTAIN)
def test_if_everything_is_seen_the_filter_is_the_exact_model(name: str) -> None:
    plans = planned(name)
    world = plans.graph.world
    for file in sorted((EXAMPLES / name / "plans").iterdir()):
        plan = load_plan(world, file)
        for other in (False, True):
            exact = log_likelihood(graph_regret(plans, plan, something_else=other), COLD).log
            partial_plan = PartialPlan(world, plan.actions)
            log = log_likelihood(
                partial_plan_regret(plans, partial_plan, something_else=other), COLD
            ).log
            assert np.array_equal(np.isinf(log), np.isinf(exact))
            assert np.allclose(log, exact, rtol=1e-12, atol=1e-12)


def test_an_unseen_action_says_nothing() -> None:
    plans = planned("doors-keys-gems")
    partial_plan = PartialPlan(plans.graph.world, np.full(5, -1))
    assert np.allclose(
        log_likelihood(partial_plan_regret(plans, partial_plan), BETAS).log, 0, atol=1e-12
    )


PARTLY = """
(move c44 c34)      ; this was seen
?
?
? => (has key-1)       ; of this, only what came of it
"""


def test_a_plan_with_gaps_is_read_and_judged() -> None:
    plans = planned("doors-keys-gems")
    partial_plan = read_partial_plan(plans.graph.world, PARTLY)
    assert partial_plan.steps == ("(move c44 c34)", "?", "?", "? => (has key-1)")
    judgement = hbtom.infer_plans(plans, [partial_plan])
    assert judgement.to_dict()["plans"][0]["steps"][4]["action"] == "? => (has key-1)"
    belief = dict(zip(map(str, judgement.test.goals), judgement.test.goal[-1], strict=True))
    assert belief["gem-c"] < 0.01  # no key is needed for it
    assert belief["gem-a"] == pytest.approx(belief["gem-b"])
    with pytest.raises(BadInput, match="not seen"):
        assert judgement.predictive


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("?\n(fly c44)", "no action 'fly'"),
        ("? => (has gem-9)", "gem-9"),
        ("(move c44 c34)\n?\n(move c44 c34)\n(pick-up gem-a c00)", "line 4: .* is impossible"),
        ("?? what", "what"),
        ("? (has gem-a)", r"line 1: '\? \(has gem-a\)' is not an action"),
        ("?\n? =>", "line 2: '' is not a condition"),
        ("? => gem-a", "line 1: ' gem-a' is not a condition"),
    ],
)
def test_impossible_observations_are_reported(text: str, why: str) -> None:
    plans = planned("doors-keys-gems")
    with pytest.raises(BadInput, match=why) as caught:
        hbtom.infer_plans(plans, [read_partial_plan(plans.graph.world, text)])
    assert caught.value.said


def test_several_conditions_may_be_seen_to_hold() -> None:
    world = planned("doors-keys-gems").graph.world
    read = read_partial_plan(world, "? => (has key-1) (at c44)\n(move c44 c34) => (at c34)")
    assert read.steps == ("? => (and (has key-1) (at c44))", "(move c44 c34) => (at c34)")


@pytest.mark.parametrize(
    ("partial_plan", "why"),
    [
        (lambda world: PartialPlan(world, np.array([99])), "no action with this number"),
        (lambda world: PartialPlan(world, np.array([-2])), "no action with this number"),
        (lambda world: PartialPlan(world, np.array([-1, -1]), held=(None,)), "1 conditions for 2"),
    ],
)
def test_invalid_partial_plans_are_refused(partial_plan, why: str) -> None:
    plans = lamps()
    with pytest.raises(BadInput, match=why):
        partial_plan_regret(plans, partial_plan(plans.graph.world))


@pytest.mark.parametrize("wrong", [-0.1, math.nan, math.inf])
def test_a_likelihood_is_a_number(wrong: float) -> None:
    plans = lamps()
    partial_plan = PartialPlan(plans.graph.world, np.array([-1]), likelihood=np.full((1, 4), wrong))
    with pytest.raises(BadInput, match="a likelihood is negative"):
        partial_plan_regret(plans, partial_plan)


def test_a_likelihood_must_have_a_number_for_each_state() -> None:
    plans = lamps()
    partial_plan = PartialPlan(plans.graph.world, np.array([-1]), likelihood=np.ones((1, 3)))
    with pytest.raises(BadInput, match=r"\(1, 3\), not \(1, 4\)"):
        partial_plan_regret(plans, partial_plan)


def test_too_many_states_are_an_error_if_some_actions_are_unseen() -> None:
    plans = planned("doors-keys-gems")
    partial_plan = read_partial_plan(plans.graph.world, PARTLY)
    with pytest.raises(BadInput, match="more than 10 states"):
        hbtom.infer_plans(plans.goals, [partial_plan], most=10)
