"""Planning in the worlds of plans that were seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb

import numpy as np

from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import (
    Goal,
    Plan,
    SeenPlan,
    StatePath,
    TooManyStates,
    World,
    explore,
    follow,
    make_goal,
)

MOST_PLAIN = 1 << 23  # sums over goals that are done without a compiler, in half a minute
MOST_COMPILED = 1 << 28  # and with one


def plan_worlds(
    goals: Sequence[Goal] | GraphCosts, plans: Sequence[SeenPlan], most: int
) -> tuple[tuple[GraphCosts, ...], tuple[StatePath | None, ...]]:
    """Return the costs to go in the world of each plan, and its path, if all of it was seen."""
    _check_work(len(goals.goals if isinstance(goals, GraphCosts) else goals), plans)
    costs = tuple(_each(goals, plans, most))
    both = zip(costs, plans, strict=True)
    paths = (follow(cost.graph, plan) if isinstance(plan, Plan) else None for cost, plan in both)
    return costs, tuple(paths)


def _check_work(goals: int, plans: Sequence[SeenPlan]) -> None:
    """Compile what judging plans takes, if there is much to do; refuse what is too much anyway.

    Beliefs are sums over all pairs of goals, for every step, and for every history: how often an
    agent has had each goal.
    """
    longest, most = max(map(len, plans)), max(Counter(plan.agent for plan in plans).values())
    sums = max(longest, comb(goals + most - 2, most - 1)) * goals * goals
    if sums > MOST_PLAIN and (sums > MOST_COMPILED or not start_compiler()):
        problem = f"{goals} goals are too many for {len(plans)} plans of up to {longest} steps"
        raise BadInput(problem, hint="inference is exact; leave out goals, plans or steps")


def _each(
    goals: Sequence[Goal] | GraphCosts, plans: Sequence[SeenPlan], most: int
) -> Iterator[GraphCosts]:
    """Yield the costs to go to the goals in the world of every plan."""
    known: dict[int, GraphCosts] = {}
    if isinstance(goals, GraphCosts):
        known[id(goals.graph.world)] = goals
        goals = goals.goals
    for plan in plans:
        if id(plan.world) not in known:
            seen = [other for other in plans if other.world is plan.world]
            known[id(plan.world)] = _plan(plan.world, goals, seen, most)
        yield known[id(plan.world)]


def _plan(world: World, goals: Sequence[Goal], seen: Sequence[SeenPlan], most: int) -> GraphCosts:
    """Plan from all states of a world, or, if they are too many, from those that were visited.

    Where some actions were not seen, nobody knows which states were visited.
    """
    its = tuple(
        goal if goal.world is world else make_goal(world, goal.name, str(goal.formula))
        for goal in goals
    )
    try:
        return plan_on_graph(explore(world, most=most), its)
    except TooManyStates:
        visited = [plan.states for plan in seen if isinstance(plan, Plan)]
        if len(visited) < len(seen):
            raise
        return plan_by_search(world, its, np.concatenate(visited), most=most)
