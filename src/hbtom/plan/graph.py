"""Cost-to-go on a graph of states: the cheapest plan from every state to every goal.

    C(s) = 0 where the goal holds,      C(s) = min over a of  cost(a) + C(s')      elsewhere

Where an action may have several outcomes, C(s') is their average (:mod:`hbtom.plan.expected_cost`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.plan.expected_cost import expected_cost
from hbtom.plan.transitions import Transitions, cheapest
from hbtom.world.pddl import Goal, StateGraph, check_goals


@dataclass(frozen=True, eq=False)
class GraphCosts:
    """Cost-to-go of the states of a graph, for every goal; infinite if it cannot be reached."""

    graph: StateGraph
    goals: tuple[Goal, ...]
    cost: Annotated[Floats, "goal state"]

    def __repr__(self) -> str:
        return f"<GraphCosts of {len(self.goals)} goals in {self.graph!r}>"

    def prices(self, first: int, last: int) -> Annotated[Floats, "goal choice"]:
        """Return the total costs of the choices from first to last - 1, which are -Q.

        -Q(s, a) = cost(a) + sum over s' of P(s' | s, a) C(s')
        """
        graph = self.graph
        outcomes = graph.outcomes[first : last + 1]
        some = slice(outcomes[0], outcomes[-1])
        if len(graph.target) == len(graph.action):  # one outcome each
            return graph.cost[first:last] + self.cost[:, graph.target[some]]
        later = graph.probability[some] * self.cost[:, graph.target[some]]
        return graph.cost[first:last] + np.add.reduceat(later, outcomes[:-1] - outcomes[0], axis=1)


def plan_on_graph(graph: StateGraph, goals: tuple[Goal, ...]) -> GraphCosts:
    """Plan from every state of a whole graph to every goal."""
    goals = check_goals(goals)
    outcomes = graph.outcomes, graph.target, graph.probability
    price, done = graph.cost, [goal.holds(graph.states) for goal in goals]
    transitions = Transitions(graph.choices, price, *outcomes)
    solve = cheapest if transitions.certain else expected_cost
    cost = np.array([solve(transitions, one) for one in done])
    return GraphCosts(graph, goals, cost.reshape(len(goals), len(graph)))
