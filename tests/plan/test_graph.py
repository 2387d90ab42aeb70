"""Cost-to-go on graphs of states, compared with a graph library and other planners."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains import CERTAIN, EXAMPLES, domain_with, example, problem_with, world_of
from hbtom.errors import BadInput
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.landmarks import least_cost
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import Goal, StateGraph, explore, load_goals, make_goal
from hbtom.world.pddl.gridworld import DOMAIN
from hbtom.world.pddl.states import keys
from world.test_pddl_gridworld import corridor, random_grid

every_example = pytest.mark.parametrize("name", CERTAIN)


def goals_of(graph: StateGraph, name: str) -> tuple[Goal, ...]:
    return load_goals(graph.world, EXAMPLES / name / "goals.txt")


def by_library(graph: StateGraph, goal: Goal) -> np.ndarray:
    """Return the cost-to-go of every state, by networkx."""
    backwards = nx.DiGraph()
    backwards.add_nodes_from(range(len(graph)))
    for state in range(len(graph)):
        for choice in range(graph.choices[state], graph.choices[state + 1]):
            edge, cost = (int(graph.target[choice]), state), float(graph.cost[choice])
            if not backwards.has_edge(*edge) or backwards.edges[edge]["weight"] > cost:
                backwards.add_edge(*edge, weight=cost)
    done = np.flatnonzero(goal.holds(graph.states)).tolist()
    found = nx.multi_source_dijkstra_path_length(backwards, done) if done else {}
    return np.array([found.get(state, np.inf) for state in range(len(graph))])


@every_example
def test_costs_match_a_graph_library(name: str) -> None:
    graph = explore(example(name))
    goals = goals_of(graph, name)
    plans = plan_on_graph(graph, goals)
    for goal, cost in zip(goals, plans.cost, strict=True):
        assert np.array_equal(cost, by_library(graph, goal))


@st.composite
def towns(draw: st.DrawFn) -> GraphCosts:
    """Draw a few places with roads of various lengths, and two balls to carry around."""
    names = [f"p{number}" for number in range(draw(st.integers(2, 5)))]
    pairs = [(a, b) for a in names for b in names if a != b]
    roads = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=10))
    far = [f"(= (far {a} {b}) {draw(st.sampled_from([0, 0.5, 1, 3]))})" for a, b in roads]
    facts = (
        [f"(road {a} {b})" for a, b in roads] + far + [f"(at {names[0]})", f"(in ball {names[-1]})"]
    )
    drive = """(:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
      :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (far ?a ?b))))"""
    carry = """(:action carry :parameters (?a ?b - place)
      :precondition (and (at ?a) (in ball ?a) (road ?a ?b) (not (at ?b)))
      :effect (and (not (in ball ?a)) (in ball ?b) (increase (total-cost) 1)))"""
    problem = problem_with(*facts, objects=f"{' '.join(names)} - place")
    problem = problem.replace("(:goal", "(:metric minimize (total-cost)) (:goal")
    graph = explore(world_of(domain_with(drive, carry), problem))
    wanted = [
        f"(in ball {names[0]})",
        f"(and (at {names[-1]}) (in ball {names[0]}))",
        f"(or (at {names[1]}) (not (in ball {names[-1]})))",
        "(or)",
    ]
    goals = tuple(make_goal(graph.world, str(i), one) for i, one in enumerate(wanted))
    return plan_on_graph(graph, goals)


@settings(max_examples=20)
@given(towns())
def test_random_towns_whole_by_library_and_by_search(plans: GraphCosts) -> None:
    graph = plans.graph
    for goal, cost in zip(plans.goals, plans.cost, strict=True):
        assert np.array_equal(cost, by_library(graph, goal))
    searched = plan_by_search(graph.world, plans.goals, graph.states)
    assert keys(searched.graph.states) == keys(graph.states)
    assert np.allclose(searched.cost, plans.cost, rtol=1e-12)


@settings(max_examples=20)
@given(towns())
def test_estimates_never_overestimate(plans: GraphCosts) -> None:
    world, states = plans.graph.world, plans.graph.states
    for goal, cost in zip(plans.goals, plans.cost, strict=True):
        quick = least_cost(world, goal, states, landmarks=False)
        least = least_cost(world, goal, states, landmarks=True)
        assert (quick <= least + 1e-9).all()
        assert (least <= cost + 1e-9).all()
        assert (least[cost == 0] == 0).all()


@every_example
def test_estimates_of_examples_are_admissible_and_informative(name: str) -> None:
    graph = explore(example(name))
    some = np.arange(0, len(graph), max(len(graph) // 200, 1))
    for goal, cost in zip(*planned(graph, name), strict=True):
        least, true = least_cost(graph.world, goal, graph.states[some], landmarks=True), cost[some]
        assert (least <= true + 1e-9).all()
        ways = np.isfinite(true) & (true > 0)
        assert least[ways].sum() >= 0.6 * true[ways].sum()


def planned(graph: StateGraph, name: str) -> tuple[tuple[Goal, ...], np.ndarray]:
    plans = plan_on_graph(graph, goals_of(graph, name))
    return plans.goals, plans.cost


@every_example
def test_searching_finds_the_costs_of_all_states(name: str) -> None:
    graph = explore(example(name))
    whole = plan_on_graph(graph, goals_of(graph, name))
    some = graph.states[[len(graph) // 3]]
    part = plan_by_search(graph.world, whole.goals, some)
    number = {key: state for state, key in enumerate(keys(graph.states))}
    there = [number[key] for key in keys(part.graph.states)]
    assert np.allclose(part.cost, whole.cost[:, there], rtol=1e-12)


def test_a_world_without_actions() -> None:
    world = world_of(
        domain_with("(:action a :precondition (at home) :effect (at shop))"), problem_with()
    )
    goals = tuple(make_goal(world, str(i), one) for i, one in enumerate(["(at home)", "(and)"]))
    for plans in (
        plan_on_graph(explore(world), goals),
        plan_by_search(world, goals, world.initial[None]),
    ):
        assert plans.cost.tolist() == [[np.inf], [0.0]]


def test_searching_keeps_to_its_bound() -> None:
    world = example("block-words")
    goals = load_goals(world, EXAMPLES / "block-words" / "goals.txt")
    with pytest.raises(BadInput, match="goal 'power' takes more than 50 states"):
        plan_by_search(world, goals, world.initial[None], most=50)


# Other planners, which are independent of hbtom


def solved_by_fast_downward(domain: str, problem: str, folder: Path) -> float:
    """Return the cost of an optimal plan, or infinity if there is none."""
    planner = pytest.importorskip("up_fast_downward")
    driver = Path(planner.__file__).parent / "downward" / "fast-downward.py"
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(problem)
    words = [driver, folder / "domain.pddl", folder / "problem.pddl", "--search", "astar(blind())"]
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False
    )
    cost = re.search(r"Plan cost: (\d+)", done.stdout)
    assert cost or re.search("unsolvable|no solution", done.stdout), done.stdout + done.stderr
    return float(cost[1]) if cost else np.inf


def with_goal(problem: str, goal: Goal) -> str:
    return re.sub(
        r"\(:goal .*?\)+\s*(\(:metric|\)\s*$)", rf"(:goal {goal.formula}) \1", problem, flags=re.S
    )


@every_example
def test_fast_downward_finds_plans_of_the_same_cost(name: str, tmp_path: Path) -> None:
    graph = explore(example(name))
    plans = plan_on_graph(graph, goals_of(graph, name))
    domain = (EXAMPLES / name / "domain.pddl").read_text(encoding="utf-8")
    problem = (EXAMPLES / name / "problem.pddl").read_text(encoding="utf-8")
    for goal, cost in list(zip(plans.goals, plans.cost[:, 0], strict=True))[-2:]:
        assert solved_by_fast_downward(domain, with_goal(problem, goal), tmp_path) == cost


def test_fast_downward_opens_the_lock_of_the_gridworld(tmp_path: Path) -> None:
    """Its costs are whole numbers: 1393 / 985 is the square root of two to six digits."""
    grid = corridor()
    graph = grid.graph()
    cost = grid.plans(graph).cost[0, 0]
    scaled = grid.problem(side=985, diagonal=1393, act=985, opening=2.5 * 985 + 0.5)
    found = solved_by_fast_downward(DOMAIN.read_text(encoding="utf-8"), scaled, tmp_path)
    assert found / 985 == pytest.approx(cost, abs=1e-3)


def test_mimir_solves_gridworlds_to_the_same_cost(tmp_path: Path, capfd) -> None:
    mimir = pytest.importorskip("pymimir")
    for seed in range(4):
        grid = random_grid(np.random.default_rng(seed))
        graph = grid.graph()
        (tmp_path / "problem.pddl").write_text(grid.problem())
        problem = mimir.Problem(
            mimir.Domain(str(DOMAIN)), str(tmp_path / "problem.pddl"), "grounded"
        )
        space = mimir.StateSpaceSampler.new(problem)
        if space is None:  # None if there is no plan
            assert grid.plans(graph).cost[0, 0] == np.inf
            continue
        assert len(space.get_states()) == len(graph)
        label = space.get_state_label(problem.get_initial_state())
        assert label.cost_to_goal == pytest.approx(grid.plans(graph).cost[0, 0], rel=1e-12)


@every_example
def test_mimir_has_the_same_states_and_costs(name: str, capfd) -> None:
    mimir = pytest.importorskip("pymimir")
    world = example(name)
    graph = explore(world)
    folder = EXAMPLES / name
    domain = mimir.Domain(str(folder / "domain.pddl"))
    problem = mimir.Problem(domain, str(folder / "problem.pddl"), mode="grounded")
    space = mimir.StateSpaceSampler.new(problem)
    assert len(space.get_states()) == len(graph)
    first = plan_on_graph(graph, (make_goal(world, "its", its_goal(folder)),)).cost[0, 0]
    assert space.get_state_label(problem.get_initial_state()).cost_to_goal == first


def its_goal(folder: Path) -> str:
    text = (folder / "problem.pddl").read_text(encoding="utf-8")
    return re.search(r"\(:goal (.*?)\)\s*(\(:metric|\)\s*$)", text, flags=re.S)[1]
