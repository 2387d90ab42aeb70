"""Possible problems: an agent does not know which of them it is in.

The problems have one domain and differ in their initial facts. In each state, the agent sees which
actions it can take, whether it has reached a goal, and whether certain conditions hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools
from hbtom.errors import BadInput
from hbtom.world.pddl.goals import Goal, make_goal
from hbtom.world.pddl.grounded_world import World
from hbtom.world.pddl.observed_plans import Plan
from hbtom.world.pddl.partial import SeenPlan
from hbtom.world.pddl.problem import Ground
from hbtom.world.pddl.states import StateGraph, explore
from hbtom.world.possible_worlds import HAVE, STAY, PossibleWorld, Uncertain, Walk, views

MOST_POSSIBLE = 64

_Codes = dict[tuple[Ground, int], int]  # distinguishes actions that are written the same way


def possible_problems(
    worlds: Sequence[World], goals: Sequence[Goal], sees: Sequence[Goal] = (), *, most: int
) -> tuple[Uncertain, _Codes]:
    """Return the worlds of problems as an agent sees them, and the numbers of all actions.

    ``sees`` are conditions whose truth the agent sees in every state.
    """
    _check(worlds)
    codes, graphs = _Codes(), [explore(world, most=most) for world in worlds]
    held = [[_holding(graph, some) for graph in graphs] for some in (sees, goals)]
    found = []
    for graph, view, offers in zip(graphs, views(held[0]), held[1], strict=True):
        number = np.array([codes.setdefault(one, len(codes)) for one in _written(graph.world)])
        actions = number[graph.action]
        found.append(PossibleWorld(graph.choices, actions, graph.cost, graph.target, view, offers))
    names = [world.problem.name for world in worlds]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, start=1)]
    reached = np.array([one.offers.any(axis=0) for one in found])
    hidden = tuple(0 < many < len(found) for many in reached.sum(axis=0).tolist())
    lacking = (False,) * len(worlds)
    things = tuple(goal.name for goal in goals)
    return Uncertain(things, tuple(names), tuple(found), lacking, hidden), codes


def walk_of_plan(
    plan: SeenPlan, codes: _Codes, goals: Sequence[Goal], *, stopped: bool = False
) -> Walk:
    """Return the walk of an agent that follows a plan in the first problem, and then may stop."""
    if not isinstance(plan, Plan):
        hint = "write all actions of the plan"
        raise BadInput(f"{plan.name}: some actions were not observed", hint=hint)
    written = _written(plan.world)
    acts, words = [codes[written[action]] for action in plan.actions], list(plan.steps)
    if stopped:
        reached = any(_in(plan.world, goal).holds(plan.states[-1:])[0] for goal in goals)
        acts, words = [*acts, HAVE if reached else STAY], [*words, "stop"]
    return Walk(plan.name, 0, 0, tuple(acts), tuple(words), plan.agent)


def _check(worlds: Sequence[World]) -> None:
    if not 1 <= len(worlds) <= MOST_POSSIBLE:
        raise BadInput(f"there are {len(worlds)} problems", hint=f"give 1 to {MOST_POSSIBLE}")
    for world in worlds:
        if world.problem.domain.name != worlds[0].problem.domain.name:
            hint = "give problems of one domain"
            raise BadInput(f"'{world.problem.name}' is a problem of another domain", hint=hint)
        if not world.certain:
            hint = "use hbtom infer, which plans with chance"
            raise BadInput("graded wants need actions whose outcomes are certain", hint=hint)


def _holding(graph: StateGraph, some: Sequence[Goal]) -> Annotated[Bools, "state condition"]:
    """Return which conditions hold in each state."""
    held = [_in(graph.world, one).holds(graph.states) for one in some]
    return np.array(held, dtype=np.bool_).reshape(len(some), len(graph)).T


def _in(world: World, goal: Goal) -> Goal:
    """Return a condition in another problem of its domain."""
    return goal if goal.world is world else make_goal(world, goal.name, str(goal.formula))


def _written(world: World) -> list[tuple[Ground, int]]:
    """Return each action as it is written, and how many before it are written the same way."""
    count = dict[Ground, int]()
    found = []
    for action in world.actions:
        count[action] = count.get(action, -1) + 1
        found.append((action, count[action]))
    return found
