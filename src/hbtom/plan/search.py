"""Planning in the worlds of observed plans, by A* if there are too many states.

As in the paper, searches start only from states that were visited and from their successors.
Searches for one goal learn from each other: if the cheapest plan costs f, a state that the search
reached at cost g is at least f - g away from the goal. So all searches but the first are short.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.landmarks import Estimates
from hbtom.plan.rtdp import Trials, check_costs
from hbtom.world.pddl import (
    MOST_STATES,
    Goal,
    Plan,
    SeenPlan,
    StatePath,
    TooManyStates,
    World,
    around,
    explore,
    follow,
    make_goal,
)
from hbtom.world.pddl.grounded_world import State, States
from hbtom.world.pddl.states import expand, keys

_Queue = list[tuple[float, float, bytes]]  # a bound on the cost of a plan, a guess, and a state
_TOGETHER = 128  # equally promising states that are expanded at once
MOST_PLAIN = 1 << 23  # sums over goals that take half a minute without a compiler
MOST_COMPILED = 1 << 28  # and with one


def plan_by_search(
    world: World,
    goals: tuple[Goal, ...],
    visited: States,
    *,
    most: int = MOST_STATES,
) -> GraphCosts:
    """Plan from visited states and their successors to every goal.

    If actions may have several outcomes, A* finds the cost of a goal with the best outcomes, and
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

    def cost(self, start: State) -> float:
        """Return the cost of the cheapest plan from a state; infinite if there is none.

        If actions may have several outcomes, the best one is assumed.
        """
        first, ahead = start.tobytes(), self.estimates.ahead
        self.estimates.add(start[None])
        paid = {first: 0.0}
        expanded: dict[bytes, float] = {}  # with the cost at that time
        queue = [(ahead[first], 0.0, first)] if ahead[first] < math.inf else []
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
            ahead[key] = max(ahead[key], total - spent)
        return total

    def _expand(
        self,
        states: States,
        names: list[bytes],
        paid: dict[bytes, float],
        queue: _Queue,
    ) -> None:
        """Add the successors of states to the queue if this is the cheapest path to them so far."""
        steps, ahead = expand(self.world, states), self.estimates.ahead
        self.estimates.add(steps.after)
        state, action = (np.repeat(one, steps.outcomes) for one in (steps.state, steps.action))
        prices = self.world.cost[action].tolist()
        for before, price, after in zip(state.tolist(), prices, keys(steps.after), strict=True):
            spent = paid[names[before]] + price
            if spent < paid.get(after, math.inf) and ahead[after] < math.inf:
                paid[after] = spent
                guess = self.estimates.guess.get(after, 0.0)
                heapq.heappush(queue, (spent + ahead[after], guess, after))


def _best(
    queue: _Queue, paid: dict[bytes, float], expanded: dict[bytes, float]
) -> tuple[float, list[bytes]]:
    """Take the most promising states off the queue: equally promising, and not expanded yet."""
    promise, guess, _ = queue[0]
    some: list[bytes] = []
    while queue and queue[0][:2] == (promise, guess) and len(some) < _TOGETHER:
        *_, key = heapq.heappop(queue)
        if expanded.get(key) != paid[key]:
            some.append(key)
    return promise, some


def plan_worlds(
    goals: Sequence[Goal] | GraphCosts, plans: Sequence[SeenPlan], most: int
) -> tuple[tuple[GraphCosts, ...], tuple[StatePath | None, ...]]:
    """Return the cost-to-go in the world of each plan, and its path if it was fully observed."""
    _check_work(len(goals.goals if isinstance(goals, GraphCosts) else goals), plans)
    costs = tuple(_each(goals, plans, most))
    both = zip(costs, plans, strict=True)
    paths = (follow(cost.graph, plan) if isinstance(plan, Plan) else None for cost, plan in both)
    return costs, tuple(paths)


def _check_work(goals: int, plans: Sequence[SeenPlan]) -> None:
    """Start the compiler if there is much to do; reject what would take too long even so.

    Beliefs are sums over all pairs of goals, for every step and for every history. A history is how
    often an agent has had each goal.
    """
    longest, most = max(map(len, plans)), max(Counter(plan.agent for plan in plans).values())
    sums = max(longest, comb(goals + most - 2, most - 1)) * goals * goals
    if sums > MOST_PLAIN and (sums > MOST_COMPILED or not start_compiler()):
        problem = f"{goals} goals are too many for {len(plans)} plans of up to {longest} steps"
        raise BadInput(problem, hint="inference is exact; leave out goals, plans or steps")


def _each(
    goals: Sequence[Goal] | GraphCosts, plans: Sequence[SeenPlan], most: int
) -> Iterator[GraphCosts]:
    """Yield the cost-to-go to the goals in the world of every plan."""
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
    """Plan from all states of a world or, if there are too many, from those that were visited.

    If some actions were not observed, the visited states are unknown, and this is an error.
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
