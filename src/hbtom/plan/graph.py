"""Cost-to-go on a graph of states: the cheapest plan from every state to every goal.

    C(s) = 0 where the goal holds,      C(s) = min over a of  cost(a) + C(s')      elsewhere

Costs flow backwards from where a goal holds, as long as they still improve a state. Since rounding
is monotone, that fixed point is the same number, bit for bit, whichever way it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.world.pddl import Goal, StateGraph
from hbtom.world.pddl.joining import spread


@dataclass(frozen=True, eq=False)
class GraphPlans:
    """Cost-to-go of the states of a graph, for every goal; infinite where there is no way."""

    graph: StateGraph
    goals: tuple[Goal, ...]
    cost: Annotated[Floats, "goal state"]

    def prices(self, first: int, last: int) -> Annotated[Floats, "goal choice"]:
        """Return what some choices, first to last - 1, cost in all: it is -Q.

        -Q(s, a) = cost(a) + sum over s' of P(s' | s, a) C(s')
        """
        graph = self.graph
        outcomes = graph.outcomes[first : last + 1]
        some = slice(outcomes[0], outcomes[-1])
        later = graph.probability[some] * self.cost[:, graph.target[some]]
        return graph.cost[first:last] + np.add.reduceat(later, outcomes[:-1] - outcomes[0], axis=1)


def plan_on_graph(graph: StateGraph, goals: tuple[Goal, ...]) -> GraphPlans:
    """Plan from every state of a whole graph to every goal."""
    into = _Into.all(graph)
    cost = np.array([_flow(graph, into, goal.holds(graph.states)) for goal in goals])
    return GraphPlans(graph, goals, cost.reshape(len(goals), len(graph)))


@dataclass(frozen=True, eq=False)
class _Into:
    """The choices of a graph by the state that they lead to."""

    first: Annotated[Ints, "state+1"]
    state: Annotated[Ints, "choice"]  # in which they are made
    cost: Annotated[Floats, "choice"]

    @staticmethod
    def all(graph: StateGraph) -> _Into:
        state = np.repeat(np.arange(len(graph)), np.diff(graph.choices))
        order = np.argsort(graph.target, kind="stable")
        first = np.searchsorted(graph.target[order], np.arange(len(graph) + 1))
        return _Into(first, state[order], graph.cost[order])


def _flow(
    graph: StateGraph, into: _Into, done: Annotated[Bools, "state"]
) -> Annotated[Floats, "state"]:
    cost = np.where(done, 0.0, np.inf)
    improved = np.flatnonzero(done)
    while len(improved):
        count = into.first[improved + 1] - into.first[improved]
        choice = spread(into.first[improved], count)
        value = into.cost[choice] + np.repeat(cost[improved], count)
        better = value < cost[into.state[choice]]
        state, value = into.state[choice][better], value[better]
        np.minimum.at(cost, state, value)
        improved = np.unique(state)
    return cost
