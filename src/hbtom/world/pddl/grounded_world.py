"""A grounded problem: facts that can change, and actions that change them, as arrays.

A state is a set of facts, stored as bits. Two facts belong to no problem: number 0 is always true
and number 1 is never true. They pad the lists of facts that actions need or must avoid, so that all
lists have the same length.

An action can be done in one or more ways: the cases of its precondition. It has one or more
outcomes, each with a probability; a single outcome has probability 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from hbtom.arrays import Floats, Ints
from hbtom.world.pddl.problem import Ground, Problem

Words = NDArray[np.uint64]  # sets of facts, 64 to a word
State = Annotated[Words, "word"]
States = Annotated[Words, "state word"]
ALWAYS, NEVER = 0, 1  # the two facts that belong to no problem


@dataclass(frozen=True, eq=False)
class World:
    """The facts that can change, the actions, and the initial state."""

    problem: Problem
    facts: tuple[Ground, ...]  # fact number 2 is the first of them
    initial: State
    actions: tuple[Ground, ...]
    cost: Annotated[Floats, "action"]
    need: Annotated[Ints, "way fact"]  # true before, in each way to do an action
    avoid: Annotated[Ints, "way fact"]  # false before
    action: Annotated[Ints, "way"]
    outcomes: Annotated[Ints, "action+1"]  # where the outcomes of each action begin
    add: Annotated[Ints, "outcome fact"]  # true after
    delete: Annotated[Ints, "outcome fact"]  # false after, unless it is added
    probability: Annotated[Floats, "outcome"]
    warnings: tuple[str, ...] = ()

    @cached_property
    def number(self) -> dict[Ground, int]:
        """The number of each fact that can change."""
        return {fact: number for number, fact in enumerate(self.facts, start=2)}

    @cached_property
    def action_number(self) -> dict[Ground, int]:
        """The number of each action: the first one, if several are written the same way."""
        return {action: number for number, action in reversed([*enumerate(self.actions)])}

    @cached_property
    def looks_like(self) -> Annotated[Ints, "action"]:
        """The first action that is written the same way as each action: usually itself."""
        return np.array([self.action_number[one] for one in self.actions], dtype=np.int64)

    @cached_property
    def always(self) -> frozenset[Ground]:
        """The facts that are always true."""
        return frozenset(self.problem.true) - set(self.facts)

    @cached_property
    def listed(self) -> tuple[Annotated[Ints, "way"], Annotated[Ints, "fact+1"], Ints]:
        """The ways sorted by the rarest fact that each needs; where each list begins; the facts."""
        often = np.bincount(self.need.ravel(), minlength=len(self.facts) + 2)
        often[ALWAYS] = often.max(initial=0) + 1  # ways without needs are listed here
        rarest = np.take_along_axis(self.need, often[self.need].argmin(axis=1)[:, None], axis=1)
        facts, place = np.unique(rarest, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        return order, np.searchsorted(place.ravel()[order], np.arange(len(facts) + 1)), facts

    @cached_property
    def added(self) -> Annotated[Ints, "way fact"]:
        """The facts that each way may add, over all outcomes."""
        first, last = self.outcomes[self.action], self.outcomes[self.action + 1]
        many = int((last - first).max(initial=1))
        outcomes = np.minimum(first[:, None] + np.arange(many), last[:, None] - 1)
        return self.add[outcomes].reshape(len(self.action), many * self.add.shape[1])

    @property
    def certain(self) -> bool:
        """Whether every action has only one outcome."""
        return len(self.probability) == len(self.actions)

    @property
    def words(self) -> int:
        return len(self.initial)

    def true_in(self, state: State) -> set[Ground]:
        """Return the facts of a state, except those that are always true."""
        numbers = np.flatnonzero(bits(state[None])[0, 2 : len(self.facts) + 2])
        return {self.facts[number] for number in numbers}

    def __repr__(self) -> str:
        what = f"{len(self.facts)} facts and {len(self.actions)} actions"
        return f"<World {self.problem.name!r} of {self.problem.domain.name!r}: {what}>"


def bits(states: States) -> Annotated[NDArray[np.bool_], "state bit"]:
    """Return the truth of every fact in every state."""
    little = states.astype("<u8", copy=False)
    return np.unpackbits(little.view(np.uint8), axis=1, bitorder="little").view(np.bool_)


def words_of(facts: Sequence[int] | Ints, words: int) -> State:
    """Return a set of facts as words."""
    state = np.zeros(words, dtype=np.uint64)
    for fact in facts:
        state[fact // 64] |= np.uint64(1) << np.uint64(fact % 64)
    return state


def spoken(what: Ground) -> str:
    """Return a fact or an action as it is written."""
    return f"({' '.join(what)})"
