"""Cost-to-go of a few states by A*, if there are too many states to know them all.

As in the paper, searches start only from states that were visited and from their successors.
Searches for one goal learn from each other: if the cheapest plan costs f, a state that was reached
on the way at cost g is at least f - g away from the goal. So all searches but the first are short.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.plan.graph import GraphCosts
from hbtom.plan.landmarks import Estimates
from hbtom.plan.rtdp import Trials, check_costs
from hbtom.world.pddl import MOST_STATES, Goal, World, around
from hbtom.world.pddl.states import expand, keys
from hbtom.world.pddl.world import Words

_TOGETHER = 128  # equally promising states that are expanded at once


def plan_by_search(
    world: World,
    goals: tuple[Goal, ...],
    visited: Annotated[Words, "state word"],
    *,
    most: int = MOST_STATES,
) -> GraphCosts:
    """Plan from some states and their successors to every goal.

    If actions may have several outcomes, A* finds the cost of a goal with the best luck, and
    real-time dynamic programming then finds the average cost. At most ``most`` states are kept in
    memory for each goal; it is an error if that is not enough.
    """
    graph = around(world, visited)
    cost = np.empty((len(goals), len(graph)))
    if not world.certain:
        check_costs(world)
    for number, goal in enumerate(goals):
        search = _Search(world, goal, Estimates(world, goal, most))
        cost[number] = [search.cost(state) for state in graph.states]
        if not world.certain:
            trials = Trials(world, goal, search.estimates)
            cost[number] = [trials.cost(state) for state in graph.states]
    return GraphCosts(graph, goals, cost)


@dataclass
class _Search:
    """The searches for one goal, and what they have learned."""

    world: World
    goal: Goal
    estimates: Estimates

    @property
    def ahead(self) -> dict[bytes, float]:
        return self.estimates.ahead

    def cost(self, start: Annotated[Words, "word"]) -> float:
        """Return the cost of the cheapest plan from a state; infinite if there is none.

        If actions may have several outcomes, the best one is assumed.
        """
        first = start.tobytes()
        self.estimates.add(start[None])
        paid = {first: 0.0}
        expanded: dict[bytes, float] = {}  # with the cost at that time
        queue = [(self.ahead[first], first)] if self.ahead[first] < math.inf else []
        total = math.inf
        while queue and total == math.inf:
            promise, some = _best(queue, paid, expanded)
            states = np.frombuffer(b"".join(some), dtype=np.uint64).reshape(-1, self.world.words)
            if self.goal.holds(states).any():
                total = promise
            else:
                expanded.update((key, paid[key]) for key in some)
                self._expand(states, some, paid, queue)
        for key, spent in expanded.items():
            self.ahead[key] = max(self.ahead[key], total - spent)
        return total

    def _expand(
        self,
        states: Annotated[Words, "state word"],
        names: list[bytes],
        paid: dict[bytes, float],
        queue: list[tuple[float, bytes]],
    ) -> None:
        """Add the successors of some states to the queue if this is the cheapest path to them."""
        steps = expand(self.world, states)
        self.estimates.add(steps.after)
        state, action = (np.repeat(one, steps.outcomes) for one in (steps.state, steps.action))
        prices = self.world.cost[action].tolist()
        for before, price, after in zip(state.tolist(), prices, keys(steps.after), strict=True):
            spent = paid[names[before]] + price
            if spent < paid.get(after, math.inf) and self.ahead[after] < math.inf:
                paid[after] = spent
                heapq.heappush(queue, (spent + self.ahead[after], after))


def _best(
    queue: list[tuple[float, bytes]], paid: dict[bytes, float], expanded: dict[bytes, float]
) -> tuple[float, list[bytes]]:
    """Take the most promising states from the queue that are equally promising and still new."""
    promise = queue[0][0]
    some: list[bytes] = []
    while queue and queue[0][0] == promise and len(some) < _TOGETHER:
        _, key = heapq.heappop(queue)
        if expanded.get(key) != paid[key]:
            some.append(key)
    return promise, some
