"""Costs with random outcomes, compared with value iteration, all policies and closed forms."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains import CHANCE, EXAMPLES, domain_with, example, problem_with, world_of
from hbtom.errors import BadInput
from hbtom.plan import expected_cost as solver
from hbtom.plan.expected_cost import expected_cost
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.landmarks import least_cost
from hbtom.plan.search import plan_by_search
from hbtom.plan.transitions import Transitions, almost_surely, cheapest
from hbtom.world.pddl import (
    Goal,
    StateGraph,
    explore,
    ground,
    load_goals,
    make_goal,
    read_domain,
    read_problem,
)
from hbtom.world.pddl.gridworld import write_domain
from hbtom.world.pddl.states import keys
from world.test_pddl_gridworld import random_grid

INF = math.inf


def told(*states: list[tuple[float, list[tuple[int, float]]]]) -> Transitions:
    """Return transitions from lists: the choices of each state, each with a cost and outcomes."""
    choices = [choice for some in states for choice in some]
    outcomes = [outcome for _, some in choices for outcome in some]
    return Transitions(
        np.cumsum([0, *map(len, states)]),
        np.array([cost for cost, _ in choices], dtype=np.float64),
        np.cumsum([0, *(len(some) for _, some in choices)]),
        np.array([target for target, _ in outcomes], dtype=np.int64),
        np.array([probability for _, probability in outcomes], dtype=np.float64),
    )


def at(many: int, *goals: int) -> np.ndarray:
    return np.isin(np.arange(many), goals)


@st.composite
def mazes(draw: st.DrawFn, most: int = 6, costs: tuple[float, ...] = (0.5, 1.0, 3.0)):
    """Draw a few states with choices that lead anywhere, and the goal states."""
    many = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states = []
    for _ in range(many):
        some = []
        for _ in range(rng.integers(0, 4)):
            targets = rng.integers(many, size=rng.integers(1, 4)).tolist()
            shares = rng.integers(1, 5, size=len(targets))
            some.append((rng.choice(costs), list(zip(targets, shares / shares.sum(), strict=True))))
        states.append(some)
    return told(*states), rng.random(many) < 0.3


def by_value_iteration(
    transitions: Transitions, done: np.ndarray, hopeful: np.ndarray
) -> np.ndarray:
    """Return the fixed point of Bellman's equation by sweeps over all states, in any order.

    It is unique if costs are positive, except for hopeless states, which are infinite.
    """
    value = np.where(hopeful, 0.0, INF)
    while True:
        new = np.where(done, 0.0, INF)
        for state in np.flatnonzero(hopeful & ~done):
            for choice in range(*transitions.choices[state : state + 2]):
                some = slice(*transitions.outcomes[choice : choice + 2])
                later = transitions.probability[some] @ value[transitions.target[some]]
                new[state] = min(new[state], transitions.cost[choice] + later)
        if np.allclose(new, value, rtol=1e-13, atol=0):
            return new
        value = new


def by_all_policies(transitions: Transitions, done: np.ndarray) -> np.ndarray:
    """Return the least cost of any policy that surely reaches the goal, by linear equations."""
    many = len(transitions)
    least = np.where(done, 0.0, INF)
    options = [
        [-1] if done[state] else list(range(*transitions.choices[state : state + 2])) or [-1]
        for state in range(many)
    ]
    for policy in product(*options):
        matrix, price = np.zeros((many, many)), np.zeros(many)
        for state, choice in enumerate(policy):
            if choice >= 0:
                some = slice(*transitions.outcomes[choice : choice + 2])
                np.add.at(matrix[state], transitions.target[some], transitions.probability[some])
                price[state] = transitions.cost[choice]
        leads = np.linalg.matrix_power(np.eye(many) + matrix, many) > 0
        never = ~leads[:, done].any(axis=1)
        sure = np.flatnonzero(~leads[:, never].any(axis=1) & ~done)
        if len(sure):
            inner = np.eye(len(sure)) - matrix[np.ix_(sure, sure)]
            least[sure] = np.minimum(least[sure], np.linalg.solve(inner, price[sure]))
    return least


@settings(max_examples=20)
@given(mazes(most=12))
def test_costs_match_value_iteration(maze) -> None:
    transitions, done = maze
    cost = expected_cost(transitions, done)
    sure, _ = almost_surely(transitions, done)
    assert np.array_equal(np.isfinite(cost), sure)
    assert np.allclose(cost, by_value_iteration(transitions, done, sure), rtol=1e-8)
    assert (cheapest(transitions, done) <= cost + 1e-9).all()


@settings(max_examples=50)
@given(mazes(most=5, costs=(0.0, 0.0, 1.0, 2.5)))
def test_costs_match_the_best_of_all_policies(maze) -> None:
    """This includes choices that cost nothing and lead nowhere."""
    assert np.allclose(expected_cost(*maze), by_all_policies(*maze), rtol=1e-8, atol=1e-10)


@settings(max_examples=20)
@given(mazes(most=12))
def test_blocks_and_equations_find_the_same(maze) -> None:
    cost = expected_cost(*maze)
    before = solver._BLOCK, solver.MOST_SWEEPS
    try:
        solver._BLOCK = 3
        assert np.allclose(expected_cost(*maze), cost, rtol=1e-9)
        solver.MOST_SWEEPS = 0
        assert np.allclose(expected_cost(*maze), cost, rtol=1e-9)
    finally:
        solver._BLOCK, solver.MOST_SWEEPS = before


# By hand


def test_trying_until_it_works() -> None:
    """Tossing a coin until heads takes two tosses on average; a sure way for 3 is not worth it."""
    for sure, cost in ((3.0, 2.0), (1.5, 1.5)):
        toss = (1.0, [(0, 0.5), (1, 0.5)])
        assert expected_cost(told([toss, (sure, [(1, 1.0)])], []), at(2, 1)).tolist() == [cost, 0.0]


def test_states_that_may_lead_to_a_dead_end_are_infinite() -> None:
    """State 0 may lead to the dead end 2; state 1 leads to the goal, at great cost."""
    risky = (1.0, [(3, 0.99), (2, 0.01)])
    states = [risky], [risky, (1000.0, [(3, 1.0)])], [(1.0, [(2, 1.0)])], []
    assert expected_cost(told(*states), at(4, 3)).tolist() == [INF, 1000.0, INF, 0.0]


def test_free_cycles_do_not_reach_the_goal() -> None:
    """Moving between two states is free; only one has a way out, by tossing a coin."""
    rest, way_out = (0.0, [(1, 1.0)]), (1.0, [(2, 0.5), (0, 0.5)])
    states = [(0.0, [(0, 1.0)]), rest], [(0.0, [(0, 1.0)]), way_out], []
    assert expected_cost(told(*states), at(3, 2)) == pytest.approx([2.0, 2.0, 0.0])


def test_rare_outcomes_are_solved_for_few_states() -> None:
    """Ten heads in a row take 2046 tosses, and thirty about two billion."""
    for heads, close in ((10, 1e-9), (30, 1e-6)):
        row = [[(1.0, [(state + 1, 0.5), (0, 0.5)])] for state in range(heads)]
        cost = expected_cost(told(*row, []), at(heads + 1, heads))
        assert cost[0] == pytest.approx(2 ** (heads + 1) - 2, rel=close)


def test_rare_outcomes_are_refused_for_many_states(monkeypatch) -> None:
    monkeypatch.setattr(solver, "MOST_EQUATIONS", 5)
    monkeypatch.setattr(solver, "MOST_SWEEPS", 50)
    row = [[(1.0, [(state + 1, 0.5), (0, 0.5)])] for state in range(30)]
    with pytest.raises(BadInput, match="takes too long to compute"):
        expected_cost(told(*row, []), at(31, 30))


def test_nothing_to_do_and_nothing_to_reach() -> None:
    assert expected_cost(told([], []), at(2, 1)).tolist() == [INF, 0.0]
    assert expected_cost(told([(1.0, [(0, 0.5), (1, 0.5)])], []), at(2)).tolist() == [INF, INF]
    assert expected_cost(told([(1.0, [(0, 0.5), (1, 0.5)])], []), at(2, 0, 1)).tolist() == [
        0.0,
        0.0,
    ]


# Worlds: all states at once, and by trials from a few


def slippery_roads(draw: st.DrawFn) -> GraphCosts:
    """Draw places with roads that may lead elsewhere, and a ball that may be dropped."""
    names = [f"p{number}" for number in range(draw(st.integers(2, 4)))]
    pairs = [(a, b) for a in names for b in names if a != b]
    roads = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1, max_size=8))
    facts = [f"(road {a} {b})" for a, b in roads] + [f"(at {names[0]})", f"(in ball {names[-1]})"]
    slip = draw(st.sampled_from(["0.1", "1/3", "0.9"]))
    drive = f"""(:action drive :parameters (?a ?b ?c - place)
      :precondition (and (at ?a) (road ?a ?b) (road ?b ?c))
      :effect (and (probabilistic {slip} (and (not (at ?a)) (at ?b))
                                  0.05 (and (not (at ?a)) (at ?c)))
                   (increase (total-cost) 2)))"""
    carry = """(:action carry :parameters (?a ?b - place)
      :precondition (and (at ?a) (in ball ?a) (road ?a ?b))
      :effect (and (not (in ball ?a)) (probabilistic 0.75 (in ball ?b) 0.2 (in ball ?a))
                   (increase (total-cost) 1)))"""
    problem = problem_with(*facts, objects=f"{' '.join(names)} - place")
    problem = problem.replace("(:goal", "(:metric minimize (total-cost)) (:goal")
    requirement = "(:requirements :probabilistic-effects)"
    graph = explore(world_of(domain_with(drive, carry, more=requirement), problem))
    wanted = [f"(in ball {names[0]})", f"(at {names[-1]})", f"(not (in ball {names[-1]}))", "(or)"]
    goals = tuple(make_goal(graph.world, str(i), one) for i, one in enumerate(wanted))
    return plan_on_graph(graph, goals)


def arrays(graph: StateGraph) -> Transitions:
    parts = graph.choices, graph.cost, graph.outcomes, graph.target, graph.probability
    return Transitions(*parts)


@settings(max_examples=25)
@given(st.data())
def test_random_worlds_by_value_iteration_and_by_trials(data: st.DataObject) -> None:
    plans = slippery_roads(data.draw)
    graph = plans.graph
    transitions = arrays(graph)
    for goal, cost in zip(plans.goals, plans.cost, strict=True):
        done = goal.holds(graph.states)
        sure, _ = almost_surely(transitions, done)
        assert np.array_equal(sure, np.isfinite(cost))
        assert (least_cost(graph.world, goal, graph.states, landmarks=True) <= cost + 1e-9).all()
        if len(graph) < 30:
            assert np.allclose(cost, by_value_iteration(transitions, done, sure), rtol=1e-8)
    by_trials = plan_by_search(graph.world, plans.goals, graph.states)
    assert keys(by_trials.graph.states) == keys(graph.states)
    assert np.allclose(by_trials.cost, plans.cost, rtol=1e-7)


@pytest.mark.parametrize("name", CHANCE)
def test_trials_find_the_costs_of_all_states(name: str) -> None:
    graph = explore(example(name))
    goals = load_goals(graph.world, EXAMPLES / name / "goals.txt")
    whole = plan_on_graph(graph, goals)
    part = plan_by_search(graph.world, goals, graph.states)
    assert np.allclose(part.cost, whole.cost, rtol=1e-8)
    assert np.isinf(whole.cost).any()
    for goal, cost in zip(goals, whole.cost, strict=True):
        plain = by_value_iteration(arrays(graph), goal.holds(graph.states), np.isfinite(cost))
        assert np.allclose(cost, plain, rtol=1e-8)


def slippery_grid(seed: int, slip: float) -> tuple[StateGraph, tuple[Goal, ...]]:
    grid = random_grid(np.random.default_rng(seed))
    problem = read_problem(grid.problem(slippery=True), read_domain(write_domain(slip)))
    graph = explore(ground(problem))
    return graph, (
        make_goal(graph.world, "bell", "(touched bell)"),
        make_goal(graph.world, "key", "(held clef)"),
    )


@pytest.mark.parametrize("slip", [0.1, 0.4])
def test_trials_on_ice_with_key_and_lock(slip: float) -> None:
    graph, goals = slippery_grid(0, slip)
    whole = plan_on_graph(graph, goals)
    assert np.isfinite(whole.cost[:, 0]).all()
    part = plan_by_search(graph.world, goals, graph.states[:1])
    number = {key: state for state, key in enumerate(keys(graph.states))}
    there = [number[key] for key in keys(part.graph.states)]
    assert len(there) > 1
    assert np.allclose(part.cost, whole.cost[:, there], rtol=1e-7)


def test_trials_keep_to_their_bound() -> None:
    graph, goals = slippery_grid(0, 0.1)
    with pytest.raises(BadInput, match="goal 'bell' takes more than 20 states"):
        plan_by_search(graph.world, goals, graph.states[:1], most=20)


TRAP = """(:action jump :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
  :effect (and (not (at ?a)) (probabilistic 0.5 (at ?b) 0.5 (at home))))
(:action pace :parameters (?t - box) :precondition (at home)
  :effect (probabilistic 0.5 (open ?t)))
(:action turn :parameters (?t - box) :precondition (and (at home) (open ?t))
  :effect (not (open ?t)))"""


def test_trials_notice_dead_ends() -> None:
    """At home an agent may pace up and down for ever, which seems to lead somewhere."""
    problem = problem_with("(at shop)", "(road shop park)")
    text = domain_with(TRAP, more="(:requirements :probabilistic-effects)")
    graph = explore(world_of(text, problem))
    goals = (
        make_goal(graph.world, "park", "(at park)"),
        make_goal(graph.world, "home", "(and (at home) (open crate))"),
        make_goal(graph.world, "either", "(or (at park) (open crate))"),
    )
    whole = plan_on_graph(graph, goals)
    assert whole.cost[:, 0] == pytest.approx([INF, INF, 1 + 0.5 * 2])
    part = plan_by_search(graph.world, goals, graph.states)
    assert np.allclose(part.cost, whole.cost)


def test_trials_refuse_actions_without_cost() -> None:
    toss = """(:action toss :precondition (at home)
      :effect (and (probabilistic 0.5 (at shop)) (increase (total-cost) 0)))"""
    text = domain_with(toss, more="(:requirements :probabilistic-effects)")
    problem = problem_with("(at home)").replace("(:goal", "(:metric minimize (total-cost)) (:goal")
    world = world_of(text, problem)
    goals = (make_goal(world, "shop", "(at shop)"),)
    assert plan_on_graph(explore(world), goals).cost.tolist() == [[0.0, 0.0]]
    with pytest.raises(BadInput, match=r"\(toss\) costs nothing"):
        plan_by_search(world, goals, world.initial[None])
