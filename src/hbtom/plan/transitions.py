"""Choices in states and their outcomes as arrays, and searching backwards through them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges

StateSet = Annotated[Bools, "state"]
ChoiceSet = Annotated[Bools, "choice"]
StateCosts = Annotated[Floats, "state"]


@dataclass(frozen=True, eq=False)
class Transitions:
    """The choices of states, their costs and outcomes: a graph over any kind of states."""

    choices: Annotated[Ints, "state+1"]  # where the choices of each state begin
    cost: Annotated[Floats, "choice"]
    outcomes: Annotated[Ints, "choice+1"]  # where the outcomes of each choice begin
    target: Annotated[Ints, "outcome"]
    probability: Annotated[Floats, "outcome"]

    def __len__(self) -> int:
        return len(self.choices) - 1

    @property
    def certain(self) -> bool:
        """Whether every choice has only one outcome."""
        return len(self.target) == len(self.cost)

    @cached_property
    def state(self) -> Annotated[Ints, "choice"]:
        """The state of each choice."""
        return np.repeat(np.arange(len(self)), np.diff(self.choices))

    @cached_property
    def choice(self) -> Annotated[Ints, "outcome"]:
        """The choice of each outcome."""
        return np.repeat(np.arange(len(self.cost)), np.diff(self.outcomes))

    @cached_property
    def into(self) -> tuple[Annotated[Ints, "state+1"], Annotated[Ints, "outcome"]]:
        """The choices that may lead to each state: where their list begins, and all lists."""
        order = np.argsort(self.target, kind="stable")
        first = np.searchsorted(self.target[order], np.arange(len(self) + 1))
        return first, self.choice[order]

    def leading_to(
        self, states: Annotated[Ints, "some"]
    ) -> tuple[Annotated[Ints, "some"], Annotated[Ints, "choice"]]:
        """Return how many choices may lead to each of these states, and the choices."""
        first, choice = self.into
        count = first[states + 1] - first[states]
        return count, choice[concat_ranges(first[states], count)]


def cheapest(transitions: Transitions, done: StateSet) -> StateCosts:
    """Return the cost of reaching a ``done`` state, assuming the best outcomes.

        C(s) = 0 if it is done,      C(s) = min over a and s' of  cost(a) + C(s')      otherwise

    Costs propagate backwards as long as they improve a state. Since rounding is monotone, the fixed
    point is the same number, bit for bit, in whatever order it is reached.
    """
    cost = np.where(done, 0.0, np.inf)
    improved = np.flatnonzero(done)
    while len(improved):
        count, choice = transitions.leading_to(improved)
        value = transitions.cost[choice] + np.repeat(cost[improved], count)
        better = value < cost[transitions.state[choice]]
        state, value = transitions.state[choice][better], value[better]
        np.minimum.at(cost, state, value)
        improved = np.unique(state)
    return cost


def reaching(
    transitions: Transitions, there: StateSet, usable: ChoiceSet
) -> tuple[StateSet, Annotated[Ints, "state"]]:
    """Return which states may get ``there`` by usable choices, and a choice that leads closer.

    The choice is -1 in states that are there already or cannot get there.
    """
    reached, by = there.copy(), np.full(len(transitions), -1)
    newest = np.flatnonzero(there)
    while len(newest):
        _, choice = transitions.leading_to(newest)
        choice = choice[usable[choice]]
        state = transitions.state[choice]
        fresh = ~reached[state]
        by[state[fresh]] = choice[fresh]
        newest = np.unique(state[fresh])
        reached[newest] = True
    return reached, by


def almost_surely(transitions: Transitions, done: StateSet) -> tuple[StateSet, ChoiceSet]:
    """Return the states that can reach a ``done`` state with probability 1, and their choices.

    These are the choices that never leave such states. Both are the largest such sets: choices that
    lead elsewhere are removed until all remaining states can reach a done state.
    """
    usable = np.ones(len(transitions.cost), dtype=np.bool_)
    while True:
        sure, _ = reaching(transitions, done, usable)
        leaves = np.bincount(transitions.choice, ~sure[transitions.target], len(usable)) > 0
        if not (leaves & usable).any():
            return sure, usable
        usable &= ~leaves
