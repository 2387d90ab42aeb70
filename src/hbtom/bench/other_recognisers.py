"""Other recognisers, in a few lines each, for comparison on the same problems.

completion      landmarks of each fact of a goal that were achieved, on average over these facts
uniqueness      landmarks of a goal that were achieved; those that few goals share count more
                (both by Pereira, Oren and Meneguzzi 2017)
hard-counting   a lower bound on the cost of satisfying all observations, by operator counting
                (Santos, Meneguzzi, Pereira and Pereira 2021)
cost-difference cost(G and observations) - cost(G without them), in plans of least cost
                (Ramírez and Geffner 2010); only where all states can be enumerated

Each takes a problem and returns a number for every goal; larger is better. These are not
probabilities, so goals count as found if no other goal has a larger number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.judgement.recognising import FEW_STATES
from hbtom.mind.cost_filter import sights
from hbtom.plan.operator_counting import observed_costs
from hbtom.plan.operators import Operators, find_operators
from hbtom.plan.transitions import Transitions, cheapest
from hbtom.world.pddl import StateGraph, explore
from hbtom.world.pddl.recognition_problem import Posed

_EQUAL = 1e-6  # differences below this are rounding errors
_HARD = 1000.0  # the price of an observation that is not explained, in mean costs of an action
Scores = Annotated[Floats, "goal"]
FactSet = Annotated[Bools, "fact"]


def completion(posed: Posed) -> Scores:
    """Return the mean over the facts of a goal of the share of their landmarks achieved."""
    operators, goals, achieved = _landmarks(posed)
    needed = operators.landmarks[0] | np.eye(len(operators.initial), dtype=np.bool_)
    share = (needed & achieved).sum(axis=1) / needed.sum(axis=1)
    return np.array([share[facts].mean() if len(facts) else 0.0 for facts in goals])


def uniqueness(posed: Posed) -> Scores:
    """Return the share of a goal's landmarks achieved, each weighed by how few goals have it."""
    operators, goals, achieved = _landmarks(posed)
    own = np.zeros((len(goals), len(operators.initial)), dtype=np.bool_)
    for goal, facts in enumerate(goals):
        own[goal] = operators.landmarks[0][facts].any(axis=0)
        own[goal, facts] = True
    weight = own / np.maximum(own.sum(axis=0), 1)
    return (weight * achieved).sum(axis=1) / np.maximum(weight.sum(axis=1), _EQUAL)


def hard_counting(posed: Posed) -> Scores:
    """Return a lower bound on the cost if all observations must be explained that can be."""
    operators = find_operators(posed.world, posed.goals)
    seen = [one for some in sights(operators, posed.seen) for one in some]
    goals = [operators.cases(goal) for goal in posed.goals]
    before, after = observed_costs(operators, goals, seen, [len(seen)], unexplained=_HARD)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(before), before - after, -np.inf)


def cost_difference(posed: Posed) -> Scores:
    """Return cost(G without observations) - cost(G and observations)."""
    graph = explore(posed.world, most=FEW_STATES)
    product = _with_progress(graph, posed.seen.actions)
    start, many = len(graph) * np.arange(len(posed.seen) + 1), len(posed.seen)
    difference = []
    for goal in posed.goals:
        there = np.flatnonzero(goal.holds(graph.states))
        both = [start[many] + there, (start[:many, None] + there).ravel()]
        costs = []
        for some in both:
            done = np.zeros(len(product), dtype=np.bool_)
            done[some] = True
            costs.append(float(cheapest(product, done)[0]))
        having, lacking = costs
        difference.append(-np.inf if having == np.inf else lacking - having)
    return np.array(difference)


PEERS: dict[str, Callable[[Posed], Scores]] = {
    "completion": completion,
    "uniqueness": uniqueness,
    "hard-counting": hard_counting,
    "cost-difference": cost_difference,
}


def ask(name: str, posed: Posed) -> dict[str, Any] | None:
    """Return the goals that a peer finds and the CPU time it takes; None if it cannot answer."""
    began = time.process_time()
    try:
        scores = PEERS[name](posed)
    except BadInput:
        return None
    most = scores.max()
    best = np.flatnonzero(scores >= most - _EQUAL if np.isfinite(most) else scores == most)
    return {"best": best.tolist(), "seconds": time.process_time() - began}


def _landmarks(posed: Posed) -> tuple[Operators, Sequence[Ints], FactSet]:
    """Return the facts of each goal, and the landmarks that were achieved.

    Achieved are facts that observed actions need or add, and all landmarks of these facts.
    """
    operators = find_operators(posed.world, posed.goals)
    goals = [(operators.cases(goal) or [np.empty(0, dtype=np.int64)])[0] for goal in posed.goals]
    seen = operators.initial.copy()
    for sight in (one for some in sights(operators, posed.seen) for one in some):
        seen[sight.facts] = True
        for operator in sight.operators.tolist()[:1]:
            seen[operators.add.of(operator)] = True
    return operators, goals, seen | operators.landmarks[0][seen].any(axis=0)


def _with_progress(graph: StateGraph, seen: Annotated[Ints, "step"]) -> Transitions:
    """Return a graph whose states also say how many observations were satisfied, in order."""
    looks = graph.world.looks_like[graph.action]
    layers = np.arange(len(seen) + 1)
    expected = np.append(seen, -1)
    onward = (looks == expected[:, None]).astype(np.int64)  # of each choice, in each layer
    which = np.repeat(np.arange(len(graph.action)), np.diff(graph.outcomes))
    target = graph.target + len(graph) * (layers[:, None] + onward[:, which])
    choices = graph.choices[:-1] + layers[:, None] * len(graph.action)
    outcomes = graph.outcomes[:-1] + layers[:, None] * len(graph.target)
    return Transitions(
        np.append(choices.ravel(), len(layers) * len(graph.action)),
        np.tile(graph.cost, len(layers)),
        np.append(outcomes.ravel(), len(layers) * len(graph.target)),
        target.ravel(),
        np.tile(graph.probability, len(layers)),
    )
