"""Plans with gaps: the exact filter compared with the sum over all ways to fill them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from domains import world_of
from hbtom import BadInput
from hbtom.mind.gap_filter import GapFilter
from hbtom.mind.gap_kernels import SEEN
from hbtom.mind.partial_plan import ForwardFilter, partial_plan_regret
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.world.pddl import explore, make_goal, read_partial_plan
from hbtom.world.pddl.partial import NO_ACTION, read_observations

BETAS = np.array([0.5, 2.0])


def lamps() -> GraphCosts:
    world = world_of()
    goals = [("both", "(and (on hall) (on stairs))"), ("dark", "(not (on hall))")]
    return plan_on_graph(explore(world), tuple(make_goal(world, *goal) for goal in goals))


def policy(plans: GraphCosts, goal: int, beta: float) -> dict[int, list[tuple[int, int, float]]]:
    """Return the choices of each state: their looks, targets and probabilities."""
    graph = plans.graph
    moves = {}
    for state in range(len(graph)):
        choices = range(graph.choices[state], graph.choices[state + 1])
        price = [graph.cost[one] + plans.cost[goal, graph.target[one]] for one in choices]
        share = [math.exp(-beta * (one - min(price))) for one in price]
        moves[state] = [
            (int(graph.action[choice]), int(graph.target[choice]), one / sum(share))
            for choice, one in zip(choices, share, strict=True)
        ]
    return moves


def by_hand(plans, plan, goal: int, beta: float, wrong: float, stops: bool, deep: int = 24):
    """Return P(o_1:t) for all t, by following every path up to a number of hidden actions."""
    moves = policy(plans, goal, beta)
    belief = {0: 1.0}
    names = len(plans.graph.world.actions)
    whole = []
    for step, action in enumerate(plan.actions.tolist()):
        ways = dict(belief)
        hidden = belief
        for _ in range(deep if plan.gaps and plan.gaps[step] else 0):
            after: dict[int, float] = {}
            for state, share in hidden.items():
                for _, target, chance in moves[state]:
                    if not (stops and plans.cost[goal, state] == 0):
                        after[target] = after.get(target, 0.0) + (1 - SEEN) * share * chance
            hidden = after
            for state, share in hidden.items():
                ways[state] = ways.get(state, 0.0) + share
        told = (1 - wrong) * (SEEN if plan.gaps and plan.gaps[step] else 1.0)
        new: dict[int, float] = {}
        for state, share in ways.items():
            if action == NO_ACTION:
                new[state] = new.get(state, 0.0) + share
                continue
            for looks, target, chance in moves[state]:
                fits = action in (-1, looks) and not (stops and plans.cost[goal, state] == 0)
                if fits:
                    new[target] = new.get(target, 0.0) + told * share * chance
            if action >= 0:
                new[state] = new.get(state, 0.0) + wrong * share / names
        held = plan.held[step] if plan.held else None
        if held is not None:
            for state in new:
                holds = held.holds(plans.graph.states[[state]])[0]
                new[state] *= 1 - wrong if holds else wrong
        belief = new
        whole.append(sum(belief.values()))
    return whole


PLANS = [
    "...\n(turn-on stairs)",
    "(turn-off hall)\n...\n(turn-on hall)\n(turn-on stairs)",
    "...\n?\n... => (and (on hall) (on stairs))\n(turn-off hall)",
    "(turn-on stairs)\n... => (not (on hall))",
]


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("wrong", [0.0, 0.2])
@pytest.mark.parametrize("text", PLANS)
def test_it_sums_over_all_ways_to_fill_the_gaps(text: str, wrong: float, stops: bool) -> None:
    plans = lamps()
    plan = read_partial_plan(plans.graph.world, text)
    found = GapFilter(plans, plan, something_else=True, wrong=(wrong,), stops=stops)(BETAS)
    for goal in range(2):
        for which, beta in enumerate(BETAS):
            hand = by_hand(plans, plan, goal, beta, wrong, stops)
            whole = np.exp(np.cumsum(found[:, goal, which]))
            assert whole == pytest.approx(hand, abs=2e-4)


def test_without_gaps_it_equals_the_forward_filter() -> None:
    plans = lamps()
    plan = read_partial_plan(plans.graph.world, "?\n(turn-on hall)\n? => (on stairs)")
    one = GapFilter(plans, plan, something_else=True)(BETAS)
    other = ForwardFilter(plans, plan, something_else=True)(BETAS)
    assert one == pytest.approx(other)


def test_rates_of_wrong_observations_are_weighted_by_their_likelihood() -> None:
    plans = lamps()
    plan = read_observations(plans.graph.world, "(turn-on hall)\n(turn-on hall)")
    rates = (0.001, 0.3)
    both = GapFilter(plans, plan, wrong=rates)(BETAS).sum(axis=0)
    each = [GapFilter(plans, plan, wrong=(rate,))(BETAS).sum(axis=0) for rate in rates]
    assert both == pytest.approx(np.log(np.mean(np.exp(each), axis=0)))


def test_inference_uses_the_gap_filter_for_gaps() -> None:
    plans = lamps()
    plan = read_partial_plan(plans.graph.world, "...\n(turn-on stairs)")
    regret = partial_plan_regret(plans, plan)
    assert isinstance(regret.choice.filter, GapFilter)
    glimpsed = replace(plan, likelihood=np.ones((1, 4)))
    with pytest.raises(BadInput, match="likelihood of states"):
        partial_plan_regret(plans, glimpsed)


def test_impossible_steps_are_reported_with_their_line() -> None:
    plans = lamps()
    plan = read_partial_plan(plans.graph.world, "(turn-off hall)\n\n(turn-off hall)\n...\n?")
    with pytest.raises(BadInput, match=r"line 3: step 2, .turn-off hall., is impossible"):
        GapFilter(plans, plan)(BETAS)
