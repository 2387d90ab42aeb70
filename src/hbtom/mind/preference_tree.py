"""Choices among different sets of goals, as a Dirichlet tree.

Let theta ~ Dirichlet(alpha) be an agent's preferences, and let it choose a goal g from the offered
set S with probability theta_g / sum over S of theta. If all sets on offer are nested or disjoint,
they are the nodes of a tree, and the shares at each node are Dirichlet and independent of those at
the others. A choice from S then counts at S and at every node on the way from S down to g.

No counts beyond those of the goals are needed. The choices that passed through a node N are all
choices of goals in N, except those that started at N or below it, whose number is known: it is how
often these sets were on offer. That number is all that a tree stores.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hbtom.mind.bayes import NestedOffers

NO_OFFERS = NestedOffers(
    np.zeros((0, 0), dtype=bool), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
)


class PreferenceTree(Struct, frozen=True):
    """The sets of goals among which an agent has chosen. A goal is its index among known goals."""

    times: tuple[tuple[frozenset[int], int], ...] = ()  # how often each set was on offer
    nested: bool = True  # whether any two sets are nested or disjoint

    def offered(self, goals: frozenset[int]) -> PreferenceTree:
        """Return the tree after one more choice, among the given goals."""
        if len(self.times) == 1 and self.times[0][0] == goals:  # as nearly always
            return PreferenceTree(((goals, self.times[0][1] + 1),), self.nested)
        times = dict(self.times)
        nested = self.nested if goals in times else self.fits(goals)
        times[goals] = times.get(goals, 0) + 1
        return PreferenceTree(tuple(times.items()), nested)

    def fits(self, goals: frozenset[int]) -> bool:
        """Return whether a choice among the given goals can be handled exactly."""
        return self.nested and all(
            goals <= each or goals >= each or goals.isdisjoint(each) for each, _ in self.times
        )

    def within(self, goals: frozenset[int], preferred: int) -> NestedOffers:
        """Return all proper subsets of the goals that were on offer, given how many are known.

        There are none if the sets overlap: then all choices count alike, as an approximation.
        """
        smaller = [(each, many) for each, many in self.times if each < goals]
        if not smaller or not self.fits(goals):
            return NO_OFFERS
        inside = [[j in each for j in range(preferred)] for each, _ in smaller]
        times = [many for _, many in smaller]
        below = [sum(many for other, many in smaller if other <= each) for each, _ in smaller]
        return NestedOffers(np.array(inside), np.array(times), np.array(below))
