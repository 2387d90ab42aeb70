"""Bounded foresight, compared with a plain recursion and with known results."""

from __future__ import annotations

import math

import numpy as np
import pytest

from domains import EXAMPLES, example
from hbtom import BadInput
from hbtom.plan import foresight
from hbtom.plan.foresight import foresee, plan_ahead
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.operators import find_operators
from hbtom.plan.relaxed import relaxed_costs
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import Goal, World, explore, follow, load_goals, read_plan
from hbtom.world.pddl.states import expand
from locked import LOCKED_OUT, corridor, gems

DEPTHS = (0, 1, 2, 3, 5, math.inf)


def recursed(world: World, goal: Goal, state: np.ndarray, steps: int) -> float:
    """Return V of a state by trying all plans of ``steps`` actions, then a relaxed plan."""
    if steps == 0:
        operators = find_operators(world, [goal])
        return float(relaxed_costs(operators, [goal], operators.true_in(state[None]))[0, 0])
    if goal.holds(state[None])[0]:
        return 0.0
    found = expand(world, state[None])
    after, value = iter(found.after), math.inf
    likely = iter(found.probability)
    for action, many in zip(found.action, found.outcomes, strict=True):
        some = [next(likely) * recursed(world, goal, next(after), steps - 1) for _ in range(many)]
        value = min(value, world.cost[action] + sum(some))
    return float(value)


@pytest.mark.parametrize("name", ["doors-keys-gems", "unreliable-gripper"])
def test_expected_costs_match_a_recursion(name: str) -> None:
    """This includes chance."""
    world = example(name)
    goals = load_goals(world, EXAMPLES / name / "goals.txt")[:2]
    plans = plan_on_graph(explore(world), goals)
    graph, visited = plans.graph, np.array([0])
    for depth, costs in zip((1, 2, 3), plan_ahead(plans, (1, 2, 3), visited), strict=True):
        first, last = graph.choices[:2]
        prices = costs.prices(first, last)
        for goal, row in zip(goals, prices, strict=True):
            for choice, price in zip(range(first, last), row, strict=True):
                some = slice(*graph.outcomes[choice : choice + 2])
                after = graph.states[graph.target[some]]
                later = [recursed(world, goal, one, depth - 1) for one in after]
                average = np.dot(graph.probability[some], later)
                assert price == pytest.approx(graph.cost[choice] + average)


def test_enough_foresight_equals_unlimited_foresight() -> None:
    """If goals are within the depth, costs are those of the cheapest plans."""
    world = corridor()
    plans = plan_on_graph(explore(world), gems(world))
    every = np.arange(len(plans.graph))
    deep, whole = plan_ahead(plans, (40, math.inf), every)
    assert whole is plans
    prices = [one.prices(0, len(plans.graph.action)) for one in (deep, plans)]
    assert np.array_equal(*prices)


def test_the_shallowest_agent_does_not_see_what_its_action_uses_up() -> None:
    """It thinks that a key that has opened one door also opens the next."""
    world = corridor()
    plans = plan_on_graph(explore(world), gems(world))
    path = follow(plans.graph, read_plan(world, LOCKED_OUT))
    before, unlock = path.state[1], path.taken[1]
    first, last = plans.graph.choices[before : before + 2]
    ahead = plan_ahead(plans, (0, 1, math.inf), path.state)
    blind, short, ideal = (one.prices(first, last)[0] for one in ahead)
    assert blind[unlock] == blind.min() == 6.0  # unlock, move, unlock, move, move, pick up
    assert short[unlock] == ideal[unlock] == math.inf
    assert ideal.min() < math.inf


def test_visited_states_are_enough() -> None:
    """If not all states can be kept, the costs of visited states are the same."""
    world = corridor()
    goals = gems(world)
    whole = plan_on_graph(explore(world), goals)
    few = plan_by_search(world, goals, world.initial[None])
    for one, other in zip(
        plan_ahead(whole, DEPTHS, np.array([0])),
        plan_ahead(few, DEPTHS, np.array([0])),
        strict=True,
    ):
        both = [costs.prices(0, int(costs.graph.choices[1])) for costs in (one, other)]
        assert np.array_equal(*both)


def test_foreseen_costs_are_cached() -> None:
    world = corridor()
    plans = plan_on_graph(explore(world), gems(world))
    once = foresee(plans, (0, 2, math.inf), np.array([0, 1]))
    assert plan_ahead(once, (2, 0), np.array([1])) == (once.ahead[2], once.ahead[0])
    assert plan_ahead(once, (2,), np.array([2]))[0] is not once.ahead[2]  # of another state
    assert plan_ahead(once, (1, 2), np.array([1]))[1] is not once.ahead[2]  # and another depth
    every = foresee(plans, (0, 2))
    for depth in (0, 2):
        last = int(plans.graph.choices[2])
        both = [one.ahead[depth].prices(0, last) for one in (every, once)]
        assert np.array_equal(*both)


def far(world: World) -> GraphCosts:
    return plan_by_search(world, gems(world), world.initial[None])


def test_too_many_states_within_the_depth_are_reported() -> None:
    world = corridor()
    with pytest.raises(BadInput, match="more than 10 states within") as told:
        plan_ahead(far(world), (8,), np.array([0]), most=10)
    assert "depths" in told.value.hint


def test_too_large_relaxations_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MOST_PLAIN", "MOST_COMPILED"):
        monkeypatch.setattr(foresight, limit, 100)
    with pytest.raises(BadInput, match="take too long"):
        plan_ahead(far(corridor()), (1,), np.array([0]))
