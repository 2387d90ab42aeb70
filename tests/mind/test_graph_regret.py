"""The regret of plans in any domain, compared with the definition, one action at a time."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from domains import EXAMPLES, NAMES, domain_with, example, problem_with, world_of
from hbtom import infer_plans
from hbtom.mind import log_likelihood
from hbtom.mind.graph_regret import OTHER_GOAL, graph_regret
from hbtom.observe import Identity
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import Plan, explore, load_goals, load_plan, make_goal, read_plan

BETAS = np.array([0.5, 2.0, 5.0])
CASES = [(name, plan.name) for name in NAMES for plan in sorted((EXAMPLES / name).glob("plans/*"))]


@cache
def planned(name: str) -> GraphCosts:
    world = example(name)
    return plan_on_graph(explore(world), load_goals(world, EXAMPLES / name / "goals.txt"))


def seen(name: str, file: str) -> tuple[GraphCosts, Plan]:
    return planned(name), load_plan(example(name), EXAMPLES / name / "plans" / file)


def on_average(plans: GraphCosts, goal: int, choice: int) -> float:
    """Return the expected cost-to-go after a choice."""
    graph = plans.graph
    outcomes = range(graph.outcomes[choice], graph.outcomes[choice + 1])
    return sum(graph.probability[one] * plans.cost[goal, graph.target[one]] for one in outcomes)


@pytest.mark.parametrize(("name", "file"), CASES)
def test_evidence_is_boltzmann_over_legal_actions(name: str, file: str) -> None:
    plans, plan = seen(name, file)
    likelihood = log_likelihood(graph_regret(plans, plan), BETAS)
    graph, state = plans.graph, 0
    for step, action in enumerate(plan.actions):
        assert np.array_equal(graph.states[state], plan.states[step])
        choices = range(graph.choices[state], graph.choices[state + 1])
        for goal in range(len(plans.goals)):
            q = {
                graph.action[one]: -(graph.cost[one] + on_average(plans, goal, one))
                for one in choices
            }
            for k, beta in enumerate(BETAS):
                best = max(q.values())
                if best == -math.inf:
                    expected = -math.log(len(q))
                else:
                    total = sum(math.exp(beta * (value - best)) for value in q.values())
                    expected = beta * (q[action] - best) - math.log(total)
                assert likelihood.log[step, goal, k] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        (choice,) = (one for one in choices if graph.action[one] == action)
        (state,) = {
            target
            for target in graph.target[graph.outcomes[choice] : graph.outcomes[choice + 1]]
            if np.array_equal(graph.states[target], plan.states[step + 1])
        }
    assert likelihood.frame.tolist() == list(range(1, len(plan) + 1))


@pytest.mark.parametrize(("name", "file"), CASES[::4])
def test_searching_gives_the_same_regret(name: str, file: str) -> None:
    plans, plan = seen(name, file)
    whole = graph_regret(plans, plan)
    part = graph_regret(plan_by_search(plan.world, plans.goals, plan.states), plan)
    assert whole.goals == part.goals
    assert whole.reachable.tolist() == part.reachable.tolist()
    assert np.allclose(whole.step_regret, part.step_regret, atol=1e-9)
    assert np.allclose(whole.choice.action_regret, part.choice.action_regret, atol=1e-9)


def test_an_unreachable_goal_has_no_regret() -> None:
    plans, plan = seen("logistics", "school.plan")
    regret = graph_regret(plans, plan)
    assert regret.reachable.tolist() == [True, True, True, True, False]
    assert (regret.step_regret[:, -1] == 0).all()


def test_something_else_is_acting_at_random() -> None:
    plans, plan = seen("doors-keys-gems", "gem-a.plan")
    regret = graph_regret(plans, plan, something_else=True)
    assert regret.goals[-1] == OTHER_GOAL
    assert regret.reachable[-1]
    graph = plans.graph
    state, log = 0, log_likelihood(regret, BETAS).log
    for step, action in enumerate(plan.actions):
        choices = range(graph.choices[state], graph.choices[state + 1])
        assert log[step, -1] == pytest.approx([-math.log(len(choices))] * 3)
        (state,) = (graph.target[one] for one in choices if graph.action[one] == action)


# Goals that become impossible

EAT = """(:action eat :parameters (?t - thing) :precondition (in ?t home)
  :effect (not (in ?t home)))"""
CARRY = """(:action carry :parameters (?t - thing) :precondition (in ?t home)
  :effect (and (not (in ?t home)) (in ?t shop)))"""
FETCH = """(:action fetch :parameters (?t - thing) :precondition (in ?t shop)
  :effect (and (not (in ?t shop)) (in ?t home)))"""


def kept(*steps: str, goals: tuple[str, ...] = ("(in ball shop)", "(in crate shop)")):
    world = world_of(
        domain_with(EAT, CARRY, FETCH), problem_with("(in ball home)", "(in crate home)")
    )
    plan = read_plan(world, "\n".join(steps))
    wanted = tuple(make_goal(world, f"goal-{i}", goal) for i, goal in enumerate(goals))
    return graph_regret(plan_on_graph(explore(world), wanted), plan)


def test_an_agent_that_gives_up_a_goal_did_not_want_it() -> None:
    regret = kept("(eat ball)", "(carry crate)")
    log = log_likelihood(regret, BETAS).log
    assert (log[0, 0] == -np.inf).all()
    assert np.isfinite(log[0, 1]).all()
    # afterwards all actions are equally far from the lost goal
    assert log[1, 0] == pytest.approx([-math.log(2)] * 3)
    assert regret.warnings == ()


def test_a_step_that_gives_up_all_goals_says_nothing() -> None:
    regret = kept("(carry crate)", "(eat ball)", "(fetch crate)", goals=("(in ball shop)",) * 2)
    log = log_likelihood(regret, BETAS).log
    assert log[1].tolist() == [[0.0] * 3] * 2
    assert regret.warnings == ("step 2, (eat ball), makes every goal impossible; it is left out",)
    assert np.isfinite(log).all()


def test_a_plan_of_which_every_step_is_left_out_is_not_judged() -> None:
    world = world_of(domain_with(EAT, CARRY), problem_with("(in ball home)"))
    judgement = infer_plans(
        [make_goal(world, "shop", "(in ball shop)")], [read_plan(world, "(eat ball)")]
    )
    assert judgement.missing == "every step is left out"
    assert np.isnan(judgement.plausibility)
    assert judgement.to_dict()["missing"] == judgement.missing


def test_a_step_that_gives_up_the_last_goal_says_nothing() -> None:
    regret = kept("(eat ball)", "(eat crate)")
    log = log_likelihood(regret, BETAS).log
    assert (log[0, 0] == -np.inf).all()
    assert log[1].tolist() == [[0.0] * 3] * 2
    assert len(regret.warnings) == 1


def test_every_step_that_gives_up_all_goals_says_nothing() -> None:
    world = example("unreliable-gripper")
    plan = load_plan(world, EXAMPLES / "unreliable-gripper" / "plans" / "pieces.plan")
    planned = plan_on_graph(explore(world), (make_goal(world, "glass", "(on glass table)"),))
    regret = graph_regret(planned, plan)
    log = log_likelihood(regret, BETAS).log
    assert (log[0] < 0).all()
    assert log[1:].tolist() == [[[0.0] * 3]] * 2
    told = "(grasp-fragile glass shelf), makes every goal impossible; it is left out"
    assert regret.warnings == (f"step 2, {told}", f"step 3, {told}")


def test_a_plan_without_a_step_is_no_evidence() -> None:
    regret = kept()
    assert regret.step_regret.shape == (0, 2)
    assert regret.reachable.all()
    assert regret.goals == (Identity("goal-0"), Identity("goal-1"))
    assert log_likelihood(regret, BETAS).log.shape == (0, 2, 3)
