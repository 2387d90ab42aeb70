"""A grounded problem: facts that can change, and actions on them, as arrays.

A state is a set of facts, written as bits. Two facts are of no problem: number 0 is always true and
number 1 never; what actions need is padded with the one, what they must avoid with the other, so
that all lists of facts are equally long.

An action may be done in several ways, of which any will do: the cases of its precondition. What it
leads to are its outcomes, each with its probability; these are 1 as long as nothing is left to
chance.
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
ALWAYS, NEVER = 0, 1  # the facts that are of no problem


@dataclass(frozen=True, eq=False)
class World:
    """What can be, and what can be done."""

    problem: Problem
    facts: tuple[Ground, ...]  # fact number 2 is the first of them
    initial: Annotated[Words, "word"]
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
        return {action: number for number, action in enumerate(self.actions)}

    @cached_property
    def always(self) -> frozenset[Ground]:
        """What is true to begin with and stays so."""
        return frozenset(self.problem.true) - set(self.facts)

    @cached_property
    def listed(self) -> tuple[Annotated[Ints, "way"], Annotated[Ints, "fact+1"], Ints]:
        """Ways listed by the rarest fact that each needs; where each list begins; the facts."""
        often = np.bincount(self.need.ravel(), minlength=len(self.facts) + 2)
        often[ALWAYS] = often.max(initial=0) + 1  # what needs nothing is listed here
        rarest = np.take_along_axis(self.need, often[self.need].argmin(axis=1)[:, None], axis=1)
        facts, place = np.unique(rarest, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        return order, np.searchsorted(place.ravel()[order], np.arange(len(facts) + 1)), facts

    @cached_property
    def added(self) -> Annotated[Ints, "way fact"]:
        """What each way may add, whatever its outcome."""
        first, last = self.outcomes[self.action], self.outcomes[self.action + 1]
        many = int((last - first).max(initial=1))
        outcomes = np.minimum(first[:, None] + np.arange(many), last[:, None] - 1)
        return self.add[outcomes].reshape(len(self.action), many * self.add.shape[1])

    @property
    def certain(self) -> bool:
        """Whether every action has one outcome, so that nothing is left to chance."""
        return len(self.probability) == len(self.actions)

    @property
    def words(self) -> int:
        return len(self.initial)

    def true_in(self, state: Annotated[Words, "word"]) -> set[Ground]:
        """Return the facts of a state, without those that are always true."""
        numbers = np.flatnonzero(bits(state[None])[0, 2 : len(self.facts) + 2])
        return {self.facts[number] for number in numbers}

    def __repr__(self) -> str:
        what = f"{len(self.facts)} facts and {len(self.actions)} actions"
        return f"<World {self.problem.name!r} of {self.problem.domain.name!r}: {what}>"


def bits(states: Annotated[Words, "state word"]) -> Annotated[NDArray[np.bool_], "state bit"]:
    """Return the truth of every fact in every state."""
    little = states.astype("<u8", copy=False)
    return np.unpackbits(little.view(np.uint8), axis=1, bitorder="little").view(np.bool_)


def words_of(facts: Sequence[int] | Ints, words: int) -> Annotated[Words, "word"]:
    """Return a set of facts as words."""
    state = np.zeros(words, dtype=np.uint64)
    for fact in facts:
        state[fact // 64] |= np.uint64(1) << np.uint64(fact % 64)
    return state


def spoken(what: Ground) -> str:
    """Return a fact or an action as it is written."""
    return f"({' '.join(what)})"
