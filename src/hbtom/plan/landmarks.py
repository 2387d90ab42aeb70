"""What a goal costs at least, in a world where nothing ever becomes false.

The quick estimate (h max) is what the dearest fact of the goal costs:

    h(fact) = 0 if it is true,    h(fact) = min over actions that add it of  cost + h(action),
    h(action) = h of the dearest fact that it needs

The better one adds up landmarks, sets of actions of which every plan has one (LM-cut, Helmert and
Domshlak 2009). If each action is followed back to the dearest fact that it needs, and to that one
alone, the actions by which the goal's surroundings are entered are such a set. The cheapest of them
is added to the estimate and taken off the cost of all, until nothing is left to pay.

Neither overestimates, also where actions may have several outcomes: all of them are taken to come
about at once. What must be false is ignored. Many states are worked out together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.world.pddl import Goal, World
from hbtom.world.pddl.states import keys
from hbtom.world.pddl.world import ALWAYS, Words, bits

WORTH = 1.1  # times the quick estimate: so much better must one be that takes long
_AT_ONCE = 1 << 19  # costs of actions that are worked out together
_NOTHING = 1e-12  # below this, costs are rounding error


def least_cost(
    world: World, goal: Goal, states: Annotated[Words, "state word"], *, landmarks: bool
) -> Annotated[Floats, "state"]:
    """Return what a goal costs at least from every state; infinite where it is out of reach."""
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
    """What a goal costs at least from states that were met, of which at most so many are kept."""

    world: World
    goal: Goal
    most: int
    ahead: dict[bytes, float] = field(default_factory=dict)
    landmarks: bool | None = None  # whether to look for them: where they are worth the trouble

    def add(self, states: Annotated[Words, "state word"]) -> None:
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


@dataclass(frozen=True, eq=False)
class _Relaxed:
    """Actions without what they delete, and one more at the end, that needs and adds the goal."""

    need: Annotated[Ints, "way fact"]
    add: Annotated[Ints, "way fact"]  # padded with what is always true
    price: Annotated[Floats, "way"]
    way: Annotated[Ints, "pair"]  # the ways again, by the fact that they add
    first: Annotated[Ints, "fact"]  # where those of each fact begin
    added: Annotated[Ints, "fact"]
    goal: int  # the number of the fact that is the goal


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
    """Return lists of facts with one more."""
    wide = max(lists.shape[1], len(last), 1)
    stacked = np.full((len(lists) + 1, wide), ALWAYS)
    stacked[:-1, : lists.shape[1]] = lists
    stacked[-1, : len(last)] = last
    return stacked


def _summed(
    towards: _Relaxed, true: Annotated[Bools, "fact state"], landmarks: bool
) -> Annotated[Floats, "state"]:
    """Return the sum of landmarks for every state, or the quick estimate without them."""
    total = np.zeros(true.shape[1])
    fact = np.vstack([np.where(true, 0.0, np.inf), np.full((1, len(total)), np.inf)])
    price = np.repeat(towards.price[:, None], len(total), axis=1)
    still = np.arange(len(total))  # the states for which there is more to pay
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
        price[price < _NOTHING] = 0.0
    return total


def _cheapest(
    towards: _Relaxed, fact: Annotated[Floats, "fact state"], price: Annotated[Floats, "way state"]
) -> Annotated[Floats, "fact state"]:
    """Return what facts cost, given what they cost at most."""
    fact = fact.copy()
    while True:
        way = price + np.maximum.reduce([fact[column] for column in towards.need.T])
        least = np.minimum.reduceat(way[towards.way], towards.first)
        if (least >= fact[towards.added]).all():
            return fact
        fact[towards.added] = np.minimum(fact[towards.added], least)


def _cut(
    towards: _Relaxed, fact: Annotated[Floats, "fact state"], price: Annotated[Floats, "way state"]
) -> Annotated[Bools, "way state"]:
    """Return the actions by which the goal's surroundings are entered, for every state.

    Near the goal are facts from which it costs nothing more; outside are those that can be had
    without these.
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
