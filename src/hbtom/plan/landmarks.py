"""Lower bounds on the cost of a goal, in a world where nothing ever becomes false.

The quick estimate (h max) is the cost of the most expensive fact of the goal:

    h(fact) = 0 if it is true,    h(fact) = min over actions that add it of  cost + h(action),
    h(action) = h of the most expensive fact that it needs

The better estimate adds up landmarks: sets of actions such that every plan contains at least one
action of each set (LM-cut, Helmert and Domshlak 2009). If each action is traced back to the most
expensive fact that it needs, and only to that, the actions that enter the surroundings of the goal
are such a set. The cost of the cheapest one is added to the estimate and subtracted from all of
them, until the goal costs nothing.

Neither estimate is ever too high, even if actions may have several outcomes: all of these are
assumed to happen at once. Facts that must be false are ignored. Many states are computed together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import Kernel
from hbtom.errors import BadInput
from hbtom.plan.landmark_cuts import ROUNDING, least_costs
from hbtom.plan.operators import Operators, find_operators
from hbtom.plan.relaxed import relaxed_costs
from hbtom.world.pddl import Goal, World
from hbtom.world.pddl.grounded_world import ALWAYS, States, bits
from hbtom.world.pddl.states import keys

WORTH = 1.1  # the slower estimate is used if it is more than this many times the quick one
_AT_ONCE = 1 << 19  # costs of actions that are computed together
FactCosts = Annotated[Floats, "fact state"]
WayCosts = Annotated[Floats, "way state"]


def least_cost(
    world: World, goal: Goal, states: States, *, landmarks: bool
) -> Annotated[Floats, "state"]:
    """Return a lower bound on the cost of a goal from every state; infinite if out of reach."""
    size = max(_AT_ONCE // max(len(world.need), 1), 1)
    least = np.full(len(states), np.inf)
    for needed in bits(goal.need):
        towards = _towards(world, np.flatnonzero(needed))
        for start in range(0, len(states), size):
            some = slice(start, start + size)
            cost = _summed(towards, bits(states[some]).T, landmarks)
            least[some] = np.minimum(least[some], cost)
    return least


@dataclass
class Estimates:
    """Lower bounds on the cost of a goal, for at most ``most`` states."""

    world: World
    goal: Goal
    most: int
    ahead: dict[bytes, float] = field(default_factory=dict)
    guess: dict[bytes, float] = field(default_factory=dict)  # costs of relaxed plans: not bounds
    landmarks: bool | None = None  # whether to use them; None: to be decided

    def add(self, states: States) -> None:
        """Compute lower bounds for new states."""
        new = {key: row for row, key in enumerate(keys(states)) if key not in self.ahead}
        if not new:
            return
        if len(self.ahead) + len(new) > self.most:
            why = f"planning to the goal '{self.goal.name}' takes more than {self.most:,} states"
            hint = "make the problem smaller, leave out the goal, or allow more (--states, most=)"
            raise BadInput(why, hint=hint)
        if self.landmarks is None:
            quick, better = (
                float(least_cost(self.world, self.goal, states[:1], landmarks=one)[0])
                for one in (False, True)
            )
            self.landmarks = better > WORTH * quick
        some = states[list(new.values())]
        least = self._least(some)
        self.ahead.update(zip(new, least.tolist(), strict=True))
        if self.landmarks:
            (guess,) = relaxed_costs(self.operators, [self.goal], self.operators.true_in(some))
            self.guess.update(zip(new, guess.tolist(), strict=True))

    def _least(self, states: States) -> Annotated[Floats, "state"]:
        """Return lower bounds; if kernels are compiled, landmarks are found state by state."""
        if not (self.landmarks and Kernel.compiling):
            return least_cost(self.world, self.goal, states, landmarks=bool(self.landmarks))
        true = self.operators.true_in(states)
        cases = self.operators.cases(self.goal)
        each = [least_costs(self.operators, true, wanted) for wanted in cases]
        return np.min(each, axis=0, initial=np.inf)

    @cached_property
    def operators(self) -> Operators:
        """The operators that compiled landmarks work on."""
        return find_operators(self.world, [self.goal])


@dataclass(frozen=True, eq=False)
class _Relaxed:
    """Actions without delete effects, and a last one that needs the goal's facts and adds it."""

    need: Annotated[Ints, "way fact"]
    add: Annotated[Ints, "way fact"]  # padded with ALWAYS
    price: Annotated[Floats, "way"]
    way: Annotated[Ints, "pair"]  # the ways again, sorted by the fact that they add
    first: Annotated[Ints, "fact"]  # where the ways of each fact begin
    added: Annotated[Ints, "fact"]
    goal: int  # the number of the fact that stands for the goal


def _towards(world: World, needed: Annotated[Ints, "fact"]) -> _Relaxed:
    goal = 64 * world.words
    need = _stacked(world.need, needed)
    add = _stacked(world.added, np.array([goal]))
    price = np.append(world.cost[world.action], 0.0)
    order = np.argsort(add, axis=None, kind="stable")
    order = order[add.ravel()[order] != ALWAYS]
    added, first = np.unique(add.ravel()[order], return_index=True)
    return _Relaxed(need, add, price, order // add.shape[1], first, added, goal)


def _stacked(
    lists: Annotated[Ints, "way fact"], last: Annotated[Ints, "fact"]
) -> Annotated[Ints, "1+way fact"]:
    """Return lists of facts with one more list at the end."""
    wide = max(lists.shape[1], len(last), 1)
    stacked = np.full((len(lists) + 1, wide), ALWAYS)
    stacked[:-1, : lists.shape[1]] = lists
    stacked[-1, : len(last)] = last
    return stacked


def _summed(
    towards: _Relaxed, true: Annotated[Bools, "fact state"], landmarks: bool
) -> Annotated[Floats, "state"]:
    """Return the sum of landmarks for every state, or the quick estimate."""
    total = np.zeros(true.shape[1])
    fact = np.vstack([np.where(true, 0.0, np.inf), np.full((1, len(total)), np.inf)])
    price = np.repeat(towards.price[:, None], len(total), axis=1)
    still = np.arange(len(total))  # the states from which the goal still costs something
    while len(still):
        fact = _cheapest(towards, fact, price)
        if not landmarks:
            return fact[-1]
        total[still[np.isinf(fact[-1])]] = np.inf
        more = (fact[-1] > 0) & (fact[-1] < np.inf)
        still, fact, price = still[more], fact[:, more], price[:, more]
        cut = _cut(towards, fact, price)
        least = np.where(cut, price, np.inf).min(axis=0, initial=np.inf)
        total[still] += least
        price = np.where(cut, price - least, price)
        price[price < ROUNDING] = 0.0
    return total


def _cheapest(towards: _Relaxed, fact: FactCosts, price: WayCosts) -> FactCosts:
    """Return the costs of facts, given upper bounds on them."""
    fact = fact.copy()
    while True:
        way = price + np.maximum.reduce([fact[column] for column in towards.need.T])
        least = np.minimum.reduceat(way[towards.way], towards.first)
        if (least >= fact[towards.added]).all():
            return fact
        fact[towards.added] = np.minimum(fact[towards.added], least)


def _cut(towards: _Relaxed, fact: FactCosts, price: WayCosts) -> Annotated[Bools, "way state"]:
    """Return the actions that enter the surroundings of the goal, for every state.

    Facts are near the goal if it costs nothing more from them, and outside if they can be reached
    without those.
    """
    state = np.arange(fact.shape[1])
    dearest = np.take_along_axis(
        towards.need[:, :, None], fact[towards.need].argmax(axis=1)[:, None], axis=1
    )[:, 0]
    near = np.zeros(fact.shape, dtype=np.bool_)
    near[towards.goal] = True
    while True:
        enters = np.logical_or.reduce([near[column] for column in towards.add.T])
        way, column = np.nonzero(enters & (price == 0) & ~near[dearest, state])
        if len(way) == 0:
            break
        near[dearest[way, column], column] = True
    outside = fact == 0
    while True:
        beyond = outside[dearest, state][:, None] & ~(near | outside)[towards.add]
        way, which, column = np.nonzero(beyond)
        if len(way) == 0:
            return enters & outside[dearest, state]
        outside[towards.add[way, which], column] = True
