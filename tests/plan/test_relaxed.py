"""Relaxed plans, compared with a naive search, and in worlds where their cost is known."""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hbtom
from domains import EXAMPLES, NAMES, example, world_of
from hbtom.plan.graph import plan_on_graph
from hbtom.plan.landmark_cuts import without_deletes
from hbtom.plan.operators import Lists, Operators, find_operators
from hbtom.plan.relaxed import relaxed_costs, relaxed_plans
from hbtom.world.pddl import explore, load_goals, make_goal

CHAIN = """
(define (domain chain)
  (:types link)
  (:predicates (made ?l - link) (next ?a ?b - link) (start))
  (:functions (total-cost) - number (price ?l - link) - number)
  (:action make
    :parameters (?a ?b - link)
    :precondition (and (made ?a) (next ?a ?b))
    :effect (and (made ?b) (increase (total-cost) (price ?b)))))
"""
LINKS = """
(define (problem links)
  (:domain chain)
  (:objects a b c d - link)
  (:init (made a) (next a b) (next b c) (next c d)
         (= (price a) 1) (= (price b) 2) (= (price c) 0) (= (price d) 4))
  (:goal (made d))
  (:metric minimize (total-cost)))
"""


def naive(operators: Operators, true: set[int], wanted: list[int]) -> float:
    """Return the cost of a relaxed plan, found round by round with sets and tables."""
    price, by = dict.fromkeys(true, 0.0), dict[int, int]()
    while True:
        offers: dict[int, tuple[float, int]] = {}
        for one in range(len(operators)):
            need = operators.need.of(one).tolist()
            if all(fact in price for fact in need):
                total = float(operators.cost[one])
                for fact in need:
                    total += price[fact]
                for fact in operators.add.of(one).tolist():
                    offers[fact] = min(offers.get(fact, (math.inf, 0)), (total, one))
        better = {f: offer for f, offer in offers.items() if offer[0] < price.get(f, math.inf)}
        if not better:
            break
        for fact, (total, one) in better.items():
            price[fact], by[fact] = total, one
    if not all(fact in price for fact in wanted):
        return math.inf
    plan, left = set[int](), list(wanted)
    while left:
        one = by.get(left.pop())
        if one is not None and one not in plan:
            plan.add(one)
            left += operators.need.of(one).tolist()
    return sum(operators.cost[sorted(plan)].tolist())


@pytest.mark.parametrize("name", NAMES)
def test_the_cost_of_a_relaxed_plan_matches_a_naive_search(name: str) -> None:
    """For states all over an example, and for all of its goals."""
    world = example(name)
    goals = load_goals(world, EXAMPLES / name / "goals.txt")
    operators, states = find_operators(world, goals), explore(world).states
    true = operators.true_in(states[:: max(len(states) // 12, 1)])
    cost = relaxed_costs(operators, goals, true)
    for goal, row in zip(goals, cost, strict=True):
        cases = [facts.tolist() for facts in operators.cases(goal)]
        facts = [set(np.flatnonzero(one).tolist()) for one in true]
        ways = [[naive(operators, one, case) for case in cases] for one in facts]
        assert row.tolist() == [min(some, default=math.inf) for some in ways]


@pytest.mark.parametrize("name", NAMES)
def test_the_compiled_form_finds_the_same_to_the_last_bit(name: str) -> None:
    """Here in plain Python."""
    world = example(name)
    goals = load_goals(world, EXAMPLES / name / "goals.txt")
    operators, states = find_operators(world, goals), explore(world).states
    true = operators.true_in(states[:: max(len(states) // 12, 1)])
    facts = [case for goal in goals for case in operators.cases(goal)]
    wanted = Lists(np.cumsum([0, *map(len, facts)]), np.concatenate(facts))
    relaxed = without_deletes(operators)
    relaxed = relaxed._replace(cost=relaxed.cost * 0.1)
    both = (form(relaxed, true, wanted) for form in (relaxed_plans._function, relaxed_plans.plain))
    assert np.array_equal(*both)


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
def test_compiled_it_finds_the_same_to_the_last_bit() -> None:
    """In a process of its own, where there is a compiler."""
    code = (
        "from hbtom.compiled import start_compiler\nassert start_compiler()\n"
        "from plan.test_relaxed import gems_cost\nprint(gems_cost().tobytes().hex())"
    )
    tests = Path(__file__).parents[1]
    paths = os.pathsep.join([str(Path(hbtom.__file__).parents[1]), str(tests)])
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == gems_cost().tobytes().hex()


def gems_cost() -> np.ndarray:
    world = example("doors-keys-gems")
    goals = load_goals(world, EXAMPLES / "doors-keys-gems" / "goals.txt")
    operators = find_operators(world, goals)
    return relaxed_costs(operators, goals, operators.true_in(world.initial[None]))


def test_without_deletions_a_chain_has_its_real_cost() -> None:
    """This includes zero costs, and goals that hold already."""
    world = world_of(CHAIN, LINKS)
    conditions = "(made d)", "(made a)", "(and (made b) (made c))", "(or (made d) (made b))"
    goals = tuple(make_goal(world, f"goal-{n}", one) for n, one in enumerate(conditions))
    graph, operators = explore(world), find_operators(world, goals)
    best = plan_on_graph(graph, goals).cost
    assert np.array_equal(relaxed_costs(operators, goals, operators.true_in(graph.states)), best)
    assert best[:, 0].tolist() == [6.0, 0.0, 2.0, 2.0]


def test_a_fact_that_is_needed_twice_is_paid_for_once() -> None:
    """Sums of facts' costs would give 2 + (2 + 0), but the plan has the first link only once."""
    world = world_of(CHAIN, LINKS)
    goal = make_goal(world, "both", "(and (made b) (made c))")
    operators = find_operators(world, [goal])
    assert relaxed_costs(operators, [goal], operators.initial[None]).tolist() == [[2.0]]


def test_a_fact_may_be_both_false_and_true() -> None:
    """In a relaxed plan, a lamp that was turned off still shines."""
    world = world_of()
    goals = tuple(
        make_goal(world, name, condition)
        for name, condition in {
            "dark": "(and (not (on hall)) (not (on stairs)))",
            "both": "(and (on hall) (on stairs))",
            "never": "(and (on hall) (not (on hall)))",
        }.items()
    )
    operators = find_operators(world, goals)
    cost = relaxed_costs(operators, goals, operators.initial[None])
    assert cost.tolist() == [[1.0], [1.0], [math.inf]]
