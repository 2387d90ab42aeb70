"""What a goal costs at least: plans in a world where nothing ever becomes false.

    h(fact) = 0 if it is true,    h(fact) = min over actions that add it of  cost + h(action)
    h(action) = max over the facts it needs,    h(goal) likewise, and the least over its cases

It never overestimates, and changes by no more than an action costs from a state to the next (it is
admissible and consistent). What must be false is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.world.pddl import Goal, World
from hbtom.world.pddl.ground import Words, bits

_AT_ONCE = 1 << 22  # costs of actions that are worked out together


def relaxed_costs(
    world: World, goals: Sequence[Goal], states: Annotated[Words, "state word"]
) -> Annotated[Floats, "goal state"]:
    """Return at least what every goal costs from every state; infinite where it is out of reach."""
    size = max(_AT_ONCE // max(len(world.need), 1), 1)
    parts = [
        _costs(world, goals, states[start : start + size]) for start in range(0, len(states), size)
    ]
    return np.concatenate([np.empty((len(goals), 0)), *parts], axis=1)


def _costs(
    world: World, goals: Sequence[Goal], states: Annotated[Words, "state word"]
) -> Annotated[Floats, "goal state"]:
    fact = np.where(bits(states).T, 0.0, np.inf)
    price = world.cost[world.action][:, None]
    way, first, added = world.adding
    while True:
        action = fact[world.need[:, 0]]
        for column in world.need.T[1:]:
            np.maximum(action, fact[column], out=action)
        action += price
        least = np.minimum(fact[added], np.minimum.reduceat(action[way], first))
        if np.array_equal(least, fact[added]):
            return np.array([_goal(goal, fact) for goal in goals])
        fact[added] = least


def _goal(goal: Goal, fact: Annotated[Floats, "fact state"]) -> Annotated[Floats, "state"]:
    ways = [fact[needed].max(axis=0) for needed in bits(goal.need)]
    return np.minimum.reduce([np.full(fact.shape[1], np.inf), *ways])
