"""A world as operators without negative conditions, and the landmarks of its facts.

An operator is one way to do an action, with one outcome. If an action or a goal needs a fact to be
false, the fact has an opposite, which is true whenever the fact is false. So operators only need,
add and delete facts.

A fact is a landmark of another one if it must be true first, even if nothing ever became false:

    LM(f) = {f} and the intersection over all operators o that add f of LM(o)
    LM(o) = union over all facts p that o needs of LM(p)

Facts that are true initially have no landmarks. Sets of facts are stored as bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import FROZEN, Bools, Floats, Ints, concat_ranges, read_only
from hbtom.world.pddl import Goal, World
from hbtom.world.pddl.grounded_world import ALWAYS, NEVER, States, Words, bits

Facts = Annotated[Ints, "some"]  # the numbers of facts that are all wanted


class Lists(NamedTuple):
    """A list of numbers for every owner: where each list begins, and all numbers."""

    first: Annotated[Ints, "owner+1", FROZEN]
    item: Annotated[Ints, "pair", FROZEN]

    def of(self, owner: int) -> Annotated[Ints, "some"]:
        """Return the list of one owner."""
        return self.item[self.first[owner] : self.first[owner + 1]]

    @property
    def owner(self) -> Annotated[Ints, "pair"]:
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


@dataclass(frozen=True, eq=False)
class Operators:
    """All operators of a world. The first facts are those of the world, then come opposites."""

    world: World
    action: Annotated[Ints, "operator"]
    cost: Annotated[Floats, "operator"]
    need: Lists
    add: Lists  # these facts may be true already
    delete: Lists
    initial: Annotated[Bools, "fact"]
    opposite: Annotated[Ints, "fact"]  # of each fact of the world; NEVER if it is not needed

    def __len__(self) -> int:
        return len(self.action)

    def true_in(self, states: States) -> Annotated[Bools, "state fact"]:
        """Return which facts are true in each state, opposites included."""
        true = bits(states)[:, : len(self.opposite)]
        return np.concatenate([true, ~true[:, self.opposite != NEVER]], axis=1)

    @cached_property
    def needed_by(self) -> Lists:
        return turned(self.need.owner, self.need.item, len(self.initial))

    @cached_property
    def added_by(self) -> Lists:
        return turned(self.add.owner, self.add.item, len(self.initial))

    @cached_property
    def unit(self) -> float:
        """The unit of costs: the mean cost of an operator."""
        return mean_cost(self.cost)

    def cases(self, goal: Goal) -> list[Facts]:
        """Return the facts that each case of a goal needs."""
        wanted, avoided = bits(goal.need), bits(goal.avoid)
        both = zip(map(np.flatnonzero, wanted), map(np.flatnonzero, avoided), strict=True)
        whole = (np.concatenate([need, self.opposite[avoid]]) for need, avoid in both)
        return [facts[facts != ALWAYS] for facts in whole]

    @cached_property
    def landmarks(self) -> tuple[Annotated[Bools, "fact fact"], Annotated[Bools, "operator fact"]]:
        """The landmarks of each fact, and of the facts that each operator needs."""
        facts = len(self.initial)
        words = (facts + 63) // 64
        own = np.zeros((facts, 64 * words), dtype=np.bool_)
        own[np.arange(facts), np.arange(facts)] = ~self.initial
        mine = _packed(own)
        late = np.flatnonzero(~self.initial & (np.diff(self.added_by.first) > 0))
        count = np.diff(self.added_by.first)[late]
        adders = self.added_by.item[concat_ranges(self.added_by.first[late], count)]
        begin = np.cumsum(count) - count
        every = np.where(self.initial[:, None], np.uint64(0), ~np.uint64(0))
        every = np.repeat(every, words, axis=1)
        while True:
            needs = np.bitwise_or.reduceat(every[self.need.item], self.need.first[:-1])
            shared = every.copy()
            if len(late):
                shared[late] = np.bitwise_and.reduceat(needs[adders], begin) | mine[late]
            if (shared == every).all():
                return bits(every)[:, :facts], bits(needs)[:, :facts]
            every = shared

    @cached_property
    def first_adders(self) -> Lists:
        """The operators that can make each fact true for the first time."""
        adders = self.added_by
        first = ~self.landmarks[1][adders.item, adders.owner]
        before = np.append(0, np.cumsum(first))
        return Lists(before[adders.first], adders.item[first])


def mean_cost(cost: Floats) -> float:
    """Return the mean of all positive costs; 1 if there are none."""
    positive = cost[cost > 0]
    return float(positive.mean()) if len(positive) else 1.0


def find_operators(world: World, goals: Sequence[Goal]) -> Operators:
    """Return the operators of a world; facts that actions or goals avoid have opposites."""
    facts = len(world.facts) + 2
    avoided = np.zeros(64 * world.words, dtype=np.bool_)
    avoided[world.avoid.ravel()] = True
    for goal in goals:
        avoided |= bits(goal.avoid).any(axis=0)
    avoided[[ALWAYS, NEVER]] = False
    some = np.flatnonzero(avoided[:facts])
    opposite = np.full(facts, NEVER)
    opposite[some] = facts + np.arange(len(some))
    count = np.diff(world.outcomes)[world.action]
    way = np.repeat(np.arange(len(world.action)), count)
    outcome = concat_ranges(world.outcomes[world.action], count)
    whole = facts + len(some)
    add, delete = (_codes(lists[outcome], whole) for lists in (world.add, world.delete))
    add, delete = add[add % whole != ALWAYS], delete[delete % whole != NEVER]
    delete = np.setdiff1d(delete, add)
    needs = [_codes(world.need[way], whole), _opposites(_codes(world.avoid[way], whole), opposite)]
    initial = bits(world.initial[None])[0, :facts]
    return Operators(
        world,
        world.action[way],
        world.cost[world.action[way]],
        _lists(np.concatenate(needs), len(way), whole, ALWAYS),
        _lists(np.concatenate([add, _opposites(delete, opposite)]), len(way), whole),
        _lists(np.concatenate([delete, _opposites(add, opposite)]), len(way), whole),
        np.concatenate([initial, ~initial[some]]),
        opposite,
    )


def _codes(lists: Annotated[Ints, "operator fact"], whole: int) -> Annotated[Ints, "pair"]:
    """Return pairs of an operator and a fact as single numbers."""
    return (np.arange(len(lists))[:, None] * whole + lists).ravel()


def _opposites(codes: Annotated[Ints, "pair"], opposite: Ints) -> Annotated[Ints, "pair"]:
    whole = len(opposite) + int((opposite != NEVER).sum())
    operator, fact = codes // whole, codes % whole
    known = opposite[fact] != NEVER
    return operator[known] * whole + opposite[fact[known]]


def _lists(
    codes: Annotated[Ints, "pair"], owners: int, whole: int, padding: int | None = None
) -> Lists:
    """Return the facts of each operator; one without facts gets the padding, if there is any."""
    codes = np.unique(codes)
    if padding is not None:
        codes = codes[codes % whole != padding]
        empty = np.setdiff1d(np.arange(owners), codes // whole)
        codes = np.sort(np.concatenate([codes, empty * whole + padding]))
    first = np.searchsorted(codes, np.arange(owners + 1) * whole)
    return Lists(read_only(first), read_only(codes % whole))


def turned(owner: Annotated[Ints, "pair"], item: Annotated[Ints, "pair"], items: int) -> Lists:
    """Return pairs as lists of the owners of each item."""
    order = np.argsort(item, kind="stable")
    first = np.searchsorted(item[order], np.arange(items + 1))
    return Lists(read_only(first), read_only(owner[order]))


def _packed(rows: Annotated[Bools, "row bit"]) -> Annotated[Words, "row word"]:
    return np.packbits(rows, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)
