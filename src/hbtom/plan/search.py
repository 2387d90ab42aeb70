"""Cost-to-go of a few states, where there are too many to know them all: A* from each.

As in the paper, only states that were visited, and those next to them, are searched from. Searches
for one goal learn from each other: where the cheapest plan costs f, a state that was reached on the
way, at cost g, is at least f - g away from the goal. So all searches but the first are short.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from hbtom.errors import BadInput
from hbtom.plan.graph import GraphPlans
from hbtom.plan.landmarks import least_cost
from hbtom.world.pddl import MOST_STATES, Goal, World, around
from hbtom.world.pddl.states import expand, keys
from hbtom.world.pddl.world import Words

WORTH = 1.1  # times the quick estimate: so much better must one be that takes long
_TOGETHER = 128  # states of equal promise that are expanded at once


def plan_by_search(
    world: World,
    goals: tuple[Goal, ...],
    visited: Annotated[Words, "state word"],
    *,
    most: int = MOST_STATES,
) -> GraphPlans:
    """Plan from some states, and from those next to them, to every goal.

    At most so many states are kept in memory for a goal; it is an error if that is not enough.
    """
    graph = around(world, visited)
    cost = np.empty((len(goals), len(graph)))
    for number, goal in enumerate(goals):
        search = _Search(world, goal, most)
        cost[number] = [search.cost(state) for state in graph.states]
    return GraphPlans(graph, goals, cost)


@dataclass
class _Search:
    """The searches for one goal, and what they have learnt."""

    world: World
    goal: Goal
    most: int
    ahead: dict[bytes, float] = field(default_factory=dict)  # what the goal costs at least
    landmarks: bool | None = None  # whether to look for them: where they are worth the trouble

    def cost(self, start: Annotated[Words, "word"]) -> float:
        """Return the cost of the cheapest plan from a state; infinite if there is none."""
        first = start.tobytes()
        self._estimate(start[None])
        paid = {first: 0.0}
        expanded: dict[bytes, float] = {}  # and what was paid then
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
        """Put all that some states lead to into the queue, where that is the cheapest way yet."""
        steps = expand(self.world, states)
        self._estimate(steps.after)
        prices = self.world.cost[steps.action].tolist()
        for before, price, after in zip(
            steps.state.tolist(), prices, keys(steps.after), strict=True
        ):
            spent = paid[names[before]] + price
            if spent < paid.get(after, math.inf) and self.ahead[after] < math.inf:
                paid[after] = spent
                heapq.heappush(queue, (spent + self.ahead[after], after))

    def _estimate(self, states: Annotated[Words, "state word"]) -> None:
        """Work out what the goal costs at least from states that were not met before."""
        new = {key: row for row, key in enumerate(keys(states)) if key not in self.ahead}
        if not new:
            return
        if len(self.ahead) + len(new) > self.most:
            problem = (
                f"planning to the goal '{self.goal.name}' takes more than {self.most:,} states"
            )
            hint = "make the problem smaller, leave out the goal, or allow more (--states, most=)"
            raise BadInput(problem, hint=hint)
        if self.landmarks is None:
            quick, better = (
                float(least_cost(self.world, self.goal, states[:1], landmarks=one)[0])
                for one in (False, True)
            )
            self.landmarks = better > WORTH * quick
        some = states[list(new.values())]
        least = least_cost(self.world, self.goal, some, landmarks=self.landmarks)
        self.ahead.update(zip(new, least.tolist(), strict=True))


def _best(
    queue: list[tuple[float, bytes]], paid: dict[bytes, float], expanded: dict[bytes, float]
) -> tuple[float, list[bytes]]:
    """Take the most promising states from the queue, as far as they are equal and still new."""
    promise = queue[0][0]
    some: list[bytes] = []
    while queue and queue[0][0] == promise and len(some) < _TOGETHER:
        _, key = heapq.heappop(queue)
        if expanded.get(key) != paid[key]:
            some.append(key)
    return promise, some
