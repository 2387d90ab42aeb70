"""Planning with bounded foresight: a few real steps, and a relaxed plan from there on.

    H(s)        = cost of a relaxed plan, in which nothing is ever used up (hbtom.plan.relaxed)
    V_0(s)      = H(s)
    V_j(s)      = 0 where the goal holds,   min over a of  cost(a) + V_{j-1}(s')   elsewhere
    -Q^0(s, a)  = cost(a) + H(s and everything that a makes true)
    -Q^d(s, a)  = cost(a) + V_{d-1}(s')     for depths d of 1 and more
    -Q^inf(s, a) = cost(a) + C(s')          (hbtom.plan.graph)

An agent of depth 0 does not even foresee what its own action uses up. If an action may have several
outcomes, the costs after it are averages. Planning starts only from states that can be reached from
the visited ones within the depth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.plan.graph import GraphCosts
from hbtom.plan.operators import Operators, find_operators
from hbtom.plan.relaxed import relaxed_costs
from hbtom.world.pddl import MOST_STATES, Goal, SeenPlan, StateGraph, StatePath, around
from hbtom.world.pddl.grounded_world import States
from hbtom.world.pddl.states import MOST_CHOICES, expand

MOST_PLAIN = 1 << 28  # facts to look at in all states: half a minute without a compiler
MOST_COMPILED = 1 << 31  # and with one
_MUCH = 1 << 24  # from here on, it is worth starting the compiler
_AT_ONCE = 1 << 14  # states whose facts are unpacked together
_TOO_LARGE = "leave out large depths of foresight, as in foresight.depths = [0, 1, inf]"
Depths = Sequence[float]


def plan_ahead(
    plans: GraphCosts,
    depths: Depths,
    visited: Annotated[Ints, "state"],
    *,
    most: int = MOST_STATES,
) -> tuple[GraphCosts, ...]:
    """Return the costs that an agent of each depth of foresight expects from visited states on.

    The costs of other states must not be used. For infinite depth, the costs are ``plans``. If
    ``plans`` are of visited states only, at most ``most`` states are explored. Results of
    :func:`foresee` are used again.
    """
    if isinstance(plans, Foreseen) and plans.covers(depths, visited):
        return tuple(plans.ahead[depth] for depth in depths)
    finite = [int(depth) for depth in depths if depth < math.inf]
    if not finite:
        return (plans,) * len(depths)
    graph, visited = plans.graph, np.unique(visited)
    relaxed = _Relaxed(find_operators(graph.world, plans.goals), plans.goals)
    known: dict[float, GraphCosts] = {math.inf: plans}
    if 0 in finite:
        known[0] = NoForesight(graph, plans.goals, plans.cost, _prices(relaxed, graph, visited))
    for depth, value in enumerate(_values(relaxed, graph, visited, max(finite), most), start=1):
        known[depth] = GraphCosts(graph, plans.goals, value)
    return tuple(known[depth] for depth in depths)


def plan_worlds_ahead(
    costs: Sequence[GraphCosts],
    plans: Sequence[SeenPlan],
    paths: Sequence[StatePath | None],
    depths: Depths,
    most: int,
) -> dict[int, tuple[GraphCosts, ...]]:
    """Return the costs that agents of each depth expect in each world, by the id of its costs."""
    visited: dict[int, Ints] = {}
    for planned, plan, path in zip(costs, plans, paths, strict=True):
        if path is None:
            hint = "use a model without foresight, goals.switching and acts.lapse, such as 'paper'"
            raise BadInput(f"not all actions of {plan.name} were seen", hint=hint)
        before = visited.get(id(planned), path.state[:0])
        visited[id(planned)] = np.concatenate([before, path.state[:-1]])
    worlds = {id(one): one for one in costs}
    return {key: plan_ahead(one, depths, visited[key], most=most) for key, one in worlds.items()}


@dataclass(frozen=True, eq=False)
class Foreseen(GraphCosts):
    """Costs-to-go, and the costs that agents of several depths expect from visited states on."""

    visited: Annotated[Ints, "state"]
    ahead: Mapping[float, GraphCosts]

    def covers(self, depths: Depths, visited: Annotated[Ints, "state"]) -> bool:
        """Return whether the expected costs are known for these depths and visited states."""
        return set(depths) <= set(self.ahead) and bool(np.isin(visited, self.visited).all())


def foresee(
    plans: GraphCosts, depths: Depths, visited: Annotated[Ints, "state"] | None = None
) -> Foreseen:
    """Find the costs that agents of several depths expect, to use them for many plans or models.

    Without ``visited``, they are found for all states.
    """
    visited = np.arange(len(plans.graph)) if visited is None else visited
    ahead = dict(zip(depths, plan_ahead(plans, depths, visited), strict=True))
    return Foreseen(plans.graph, plans.goals, plans.cost, visited, ahead)


@dataclass(frozen=True, eq=False)
class NoForesight(GraphCosts):
    """The total costs of actions for an agent that foresees nothing, not even what it uses up."""

    price: Annotated[Floats, "goal choice"]  # of visited states; NaN in others

    def prices(self, first: int, last: int) -> Annotated[Floats, "goal choice"]:
        """Return -Q^0 of the choices from first to last - 1."""
        return self.price[:, first:last]


@dataclass(frozen=True, eq=False)
class _Relaxed:
    """Relaxed plans to several goals."""

    operators: Operators
    goals: tuple[Goal, ...]

    def costs(self, true: Annotated[Bools, "state fact"]) -> Annotated[Floats, "goal state"]:
        """Return the cost of a relaxed plan from each state, given the facts true in it."""
        self._check(len(true))
        return relaxed_costs(self.operators, self.goals, true)

    def from_states(self, states: States) -> Annotated[Floats, "goal state"]:
        """Return the cost of a relaxed plan from each state."""
        self._check(len(states))
        chunks = (states[first : first + _AT_ONCE] for first in range(0, len(states), _AT_ONCE))
        costs = [self.costs(self.operators.true_in(some)) for some in chunks]
        return np.concatenate([np.zeros((len(self.goals), 0)), *costs], axis=1)

    def _check(self, states: int) -> None:
        """Reject work that takes too long; start the compiler if that is worthwhile."""
        work = states * (len(self.operators.need.item) + len(self.operators.add.item))
        most = MOST_COMPILED if work > _MUCH and start_compiler() else MOST_PLAIN
        if work > most:
            problem = f"relaxed plans from {states:,} states take too long"
            raise BadInput(problem, hint=f"{_TOO_LARGE}, or leave out goals")


def _prices(
    relaxed: _Relaxed, graph: StateGraph, visited: Annotated[Ints, "state"]
) -> Annotated[Floats, "goal choice"]:
    """Return -Q^0 of all choices in visited states."""
    world, operators = graph.world, relaxed.operators
    count = np.diff(graph.choices)[visited]
    choice = concat_ranges(graph.choices[visited], count)
    many = np.diff(graph.outcomes)[choice]
    true = operators.true_in(graph.states[np.repeat(np.repeat(visited, count), many)])
    ways = np.diff(world.outcomes)[world.action]
    operator = np.zeros(len(world.probability), dtype=np.int64)  # any operator with each outcome
    operator[concat_ranges(world.outcomes[world.action], ways)] = np.arange(ways.sum())
    made = operator[concat_ranges(world.outcomes[graph.action[choice]], many)]
    for row, one in zip(true, made, strict=True):
        row[operators.add.of(one)] = True
    later = relaxed.costs(true) * graph.probability[concat_ranges(graph.outcomes[choice], many)]
    price = np.full((len(relaxed.goals), len(graph.action)), np.nan)
    average = np.add.reduceat(later, np.cumsum(many) - many, axis=1)
    price[:, choice] = graph.cost[choice] + average
    return price


def _values(
    relaxed: _Relaxed, graph: StateGraph, visited: Annotated[Ints, "state"], deepest: int, most: int
) -> list[Annotated[Floats, "goal state"]]:
    """Return V_0, V_1 and so on, as far as the deepest foresight needs them."""
    if deepest == 0:
        return []
    whole, after = graph, np.unique(graph.target[_outcomes(graph, visited)])
    bare = after[np.diff(graph.choices)[after] == 0]
    if len(expand(graph.world, graph.states[bare]).state):  # their choices were left out
        whole = _grown(graph, deepest - 1, most)
    near = _near(whole, visited, deepest - 1)
    value = np.full((len(relaxed.goals), len(whole)), np.inf)
    value[:, near] = relaxed.from_states(whole.states[near])
    done = np.array([goal.holds(whole.states) for goal in relaxed.goals])
    values = [value]
    for _ in range(deepest - 1):
        values.append(np.where(done, 0.0, _step(whole, values[-1])))
    return [one[:, : len(graph)] for one in values]


def _step(
    graph: StateGraph, value: Annotated[Floats, "goal state"]
) -> Annotated[Floats, "goal state"]:
    """Return min over a of cost(a) + the value after it on average; infinite without choices."""
    price = GraphCosts(graph, (), value).prices(0, len(graph.action))
    able = np.flatnonzero(np.diff(graph.choices))
    best = np.full(value.shape, np.inf)
    best[:, able] = np.minimum.reduceat(price, graph.choices[able], axis=1)
    return best


def _near(graph: StateGraph, visited: Annotated[Ints, "state"], steps: int) -> Ints:
    """Return the successors of visited states, and all states within ``steps`` of these."""
    seen = np.zeros(len(graph), dtype=np.bool_)
    newest = np.unique(graph.target[_outcomes(graph, visited)])
    seen[newest] = True
    for _ in range(steps):
        after = np.unique(graph.target[_outcomes(graph, newest)])
        newest = after[~seen[after]]
        seen[newest] = True
    return np.flatnonzero(seen)


def _outcomes(graph: StateGraph, states: Annotated[Ints, "state"]) -> Annotated[Ints, "outcome"]:
    """Return the outcomes of all choices in the given states."""
    first, last = graph.outcomes[graph.choices[states]], graph.outcomes[graph.choices[states + 1]]
    return concat_ranges(first, last - first)


def _grown(graph: StateGraph, steps: int, most: int) -> StateGraph:
    """Return a graph of visited states with all states within ``steps`` of their successors.

    Known states keep their numbers.
    """
    for _ in range(steps):
        expanded = max(int(np.count_nonzero(np.diff(graph.choices))), 1)
        outcomes = len(graph) * len(graph.target) / expanded  # an estimate for the next graph
        if max(len(graph), outcomes * MOST_STATES / MOST_CHOICES) > most:
            problem = f"there are more than {most:,} states within the depth of foresight"
            raise BadInput(problem, hint=f"{_TOO_LARGE}, or allow more (--states, most=)")
        graph = around(graph.world, graph.states)
    return graph
