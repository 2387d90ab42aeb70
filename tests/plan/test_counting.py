"""Operators, landmarks, cuts and costs of observations, compared with brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from domains import EXAMPLES, example, world_of
from errands import ERRANDS, TOWN
from hbtom.compiled import Kernel
from hbtom.mind.cost_filter import COUNTED, CostFilter
from hbtom.plan.graph import plan_on_graph
from hbtom.plan.landmark_cuts import find_cuts, least_costs
from hbtom.plan.landmarks import least_cost
from hbtom.plan.operator_counting import PlanObservation, _Program, observed_costs
from hbtom.plan.operators import Operators, find_operators
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import World, explore, load_goals, make_goal
from hbtom.world.pddl.states import expand

pytest.importorskip("highspy")

GOALS = {"bread": "(have bread)", "soap": "(have soap)", "rest": "(and (asleep) (have bread))"}


def town() -> World:
    return world_of(ERRANDS, TOWN)


def plans_of(operators: Operators, wanted: np.ndarray, longest: int) -> Iterator[list[int]]:
    """Yield all sequences of operators up to a length that make the given facts true."""

    def go(true: np.ndarray, done: list[int]) -> Iterator[list[int]]:
        if true[wanted].all():
            yield done
            return
        for one in range(len(operators)) if len(done) < longest else ():
            if true[operators.need.of(one)].all():
                after = true.copy()
                after[operators.delete.of(one)] = False
                after[operators.add.of(one)] = True
                yield from go(after, [*done, one])

    yield from go(operators.initial, [])


def sight(operators: Operators, action: tuple[str, ...]) -> PlanObservation:
    number = operators.world.action_number[action]
    (done,) = np.flatnonzero(operators.action == number)
    facts = operators.need.of(int(done))
    return PlanObservation(np.array([done]), facts[facts != 0])


def test_operators_match_actions() -> None:
    world = town()
    operators = find_operators(world, [make_goal(world, "awake", "(not (asleep))")])
    graph = explore(world)
    for number, state in enumerate(graph.states):
        true = np.zeros(len(operators.initial), dtype=np.bool_)
        for fact in world.true_in(state):
            true[world.number[fact]] = True
        opposite = operators.opposite
        true[opposite[opposite > 1]] = ~true[: len(opposite)][opposite > 1]
        true[0] = True
        able = [one for one in range(len(operators)) if true[operators.need.of(one)].all()]
        steps = expand(world, graph.states[number][None])
        assert operators.action[able].tolist() == steps.action.tolist()


@pytest.mark.parametrize("goal", GOALS)
def test_every_plan_has_an_operator_of_each_cut_and_makes_each_landmark_true(goal: str) -> None:
    world = town()
    wanted = make_goal(world, goal, GOALS[goal])
    operators = find_operators(world, [wanted])
    (facts,) = operators.cases(wanted)
    cuts = find_cuts(operators, facts)
    assert cuts is not None
    assert len(cuts) > 0
    landmarks = operators.landmarks[0][facts].any(axis=0)
    plans = list(plans_of(operators, facts, 5))
    assert plans
    for plan in plans:
        assert cuts[:, plan].any(axis=1).all()
        made = {fact for one in plan for fact in operators.add.of(one).tolist()}
        assert set(np.flatnonzero(landmarks).tolist()) <= made


def test_impossible_facts_have_no_cuts() -> None:
    operators = find_operators(town(), [])
    assert find_cuts(operators, np.array([1])) is None


@pytest.mark.parametrize("name", ["block-words", "doors-keys-gems", "kitchen", "logistics"])
def test_goals_cost_at_most_as_much_as_plans(name: str) -> None:
    """Without observations, the linear program is a lower bound on the cost of plans."""
    world = example(name)
    goals = load_goals(world, EXAMPLES / name / "goals.txt")[:3]
    operators = find_operators(world, goals)
    cost = plan_on_graph(explore(world), goals).cost[:, 0]
    program = _Program(operators, [operators.cases(goal) for goal in goals], [], 1.0)
    counted = [program.values(goal, [0])[0] for goal in range(len(goals))]
    assert (np.array(counted) <= cost + 1e-6).all()
    assert (np.array(counted) >= 0.5 * cost).all()


def test_observations_that_lead_away_from_a_goal_add_cost() -> None:
    world = town()
    goals = [make_goal(world, name, text) for name, text in GOALS.items()]
    operators = find_operators(world, goals)
    seen = [sight(operators, ("go", "home", "mill")), sight(operators, ("go", "mill", "shop"))]
    cases = [operators.cases(goal) for goal in goals]
    cost = observed_costs(operators, cases, seen, [1, 2])
    assert cost.flags.c_contiguous  # as kernels require
    # They are on the way to the shop. For bread the agent would have to come back: 2 more actions,
    # and the second observation is cheaper to leave unexplained.
    delta = cost - cost[0]
    assert delta == pytest.approx(np.array([[0, 0, 0], [1.5, 0, 1.5], [3, 0, 3]]))


def test_the_same_observation_counts_each_time() -> None:
    world = town()
    goals = [make_goal(world, "soap", "(have soap)")]
    operators = find_operators(world, goals)
    seen = [sight(operators, ("go", "home", "mill"))] * 3
    cost = observed_costs(operators, [operators.cases(goals[0])], seen, [1, 2, 3])
    assert cost[:, 0] == pytest.approx([3, 3, 4.5, 6])


def test_an_unreachable_goal_has_infinite_cost() -> None:
    world = town()
    goals = [make_goal(world, "soap", "(have soap)"), make_goal(world, "never", "(have home)")]
    operators = find_operators(world, goals)
    cost = observed_costs(
        operators,
        [operators.cases(goal) for goal in goals],
        [sight(operators, ("go", "home", "mill"))],
        [1],
    )
    assert cost[:, 0].tolist() == [3, 3]
    assert np.isinf(cost[:, 1]).all()


def test_the_cheapest_of_several_cases_counts() -> None:
    world = town()
    both = make_goal(world, "any", "(or (have bread) (have soap))")
    operators = find_operators(world, [both])
    seen = [sight(operators, ("go", *road)) for road in (("home", "mill"), ("mill", "shop"))]
    cases = operators.cases(both)
    before, together = observed_costs(operators, [cases], seen, [2])[:, 0]
    assert len(cases) == 2
    # Soap, via the shop, costs 3; bread alone 2, so one more than expected.
    assert (before, together) == pytest.approx((2, 3))


def test_with_gaps_an_observation_may_be_any_action_of_a_plan() -> None:
    cost = np.array([[2.0, 4.0, np.inf], [2.0, 4.0, np.inf], [3.0, 4.0, np.inf]])
    efficiency = np.array([1.0, 2.0])
    log = CostFilter(cost, np.array([0, 1, 2]))(efficiency)
    rate = COUNTED * efficiency
    assert np.exp(log.sum(axis=0))[:2] == pytest.approx(
        np.array([rate * np.exp(-rate) / 9, rate / 16])
    )
    assert np.isneginf(log[:, 2]).all()
    whole = CostFilter(cost, np.zeros(3, dtype=np.int64))(efficiency)
    assert np.exp(whole[0])[:2] == pytest.approx(np.array([rate, rate]))


def test_cuts_do_not_depend_on_the_order_of_facts() -> None:
    operators = find_operators(town(), [])
    fact = operators.world.number
    wanted = [fact["have", "bread"], fact["have", "soap"], fact["asleep",]]
    values = []
    for order in itertools.permutations(wanted):
        cuts = find_cuts(operators, np.array(order))
        assert cuts is not None
        values.append(len(cuts))
    assert len(set(values)) == 1


@pytest.mark.parametrize("name", ["block-words", "logistics"])
def test_cuts_of_single_states_match_those_of_many_states(name: str) -> None:
    """Compiled landmarks are compared with those on arrays, which ignore negative conditions."""
    world = example(name)
    goal = load_goals(world, EXAMPLES / name / "goals.txt")[0]
    operators = find_operators(world, [goal])
    states = explore(world).states[::97]
    (wanted,) = operators.cases(goal)
    one = least_costs(operators, operators.true_in(states), wanted)
    other = least_cost(world, goal, states, landmarks=True)
    cost = plan_on_graph(explore(world), (goal,)).cost[0, ::97]
    assert (one <= cost + 1e-9).all()
    assert (np.isinf(one) == np.isinf(other)).all()
    some = np.isfinite(one)
    assert one[some].sum() == pytest.approx(other[some].sum(), rel=0.1)


def test_searching_with_compiled_landmarks_finds_the_same_costs(monkeypatch) -> None:
    world = example("logistics")
    goals = load_goals(world, EXAMPLES / "logistics" / "goals.txt")[:3]
    visited = world.initial[None]
    plain = plan_by_search(world, goals, visited).cost
    monkeypatch.setattr(Kernel, "compiling", True)
    assert plan_by_search(world, goals, visited).cost == pytest.approx(plain)
