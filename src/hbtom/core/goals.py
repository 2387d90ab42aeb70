"""What an agent wants: log P(goal | what was learnt, what is on offer, what each goal is worth).

A goal rule is a function of what it names. It returns log P(goal) up to a constant, an array that
broadcasts to ``[history, *traits, goal]``:

    V        what each goal is worth from where the agent starts [*traits, goal]
    counts   how often each goal was chosen in earlier trials [history, ..., goal]
    offer    an :class:`Offer`: the goals, which of them are in reach, earlier offers
    traits   arrays that broadcast with V

A rule that names ``counts`` learns from choices: each trial adds its goal to the tables of counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.core.axes import Axis
from hbtom.errors import BadInput

Offers = Mapping[frozenset[Any], int]  # the sets of goals chosen from, and how often each


@dataclass(frozen=True, eq=False)
class Offer:
    """The goals of a trial, which of them are in reach, and what was on offer in earlier trials.

    ``known`` are all goals seen so far, in the order of the tables of counts, and ``weight`` how
    much each is wanted beforehand, 1 on average.
    """

    goals: tuple[Any, ...]
    reachable: Annotated[Bools, "goal"]
    known: tuple[Any, ...] = ()
    earlier: Offers = field(default_factory=dict)
    counts: Annotated[Floats, "history known"] | None = None
    weight: Annotated[Floats, "known"] | float = 1.0


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each goal was chosen, by one agent, in every possible history."""

    goals: tuple[Any, ...] = ()
    table: Annotated[Ints, "history goal"] = field(default_factory=lambda: np.zeros((1, 0), int))
    offers: Offers = field(default_factory=dict)
    weight: tuple[float, ...] = ()  # of each goal beforehand, 1 on average

    def knowing(self, axis: Axis) -> Counts:
        """Return the same counts with the goals added that were not on offer so far."""
        prior = np.exp(axis.log_prior) * len(axis) if not axis.given else np.ones(len(axis))
        both = zip(axis.labels, prior.tolist(), strict=True)
        new = {goal: weight for goal, weight in both if goal not in self.goals}
        if not new:
            return self
        table = np.pad(self.table, ((0, 0), (0, len(new))))
        return Counts((*self.goals, *new), table, self.offers, (*self.weight, *new.values()))


@dataclass(frozen=True)
class Dirichlet:
    """theta ~ Dirichlet(alpha weight); the goal is drawn from theta among those on offer.

        P(g | c) = (alpha w + c_g) / sum over g' on offer of (alpha w + c_g')

    This is exact if all sets on offer are the same. It stays exact if they are nested or disjoint:
    then they are the nodes of a Dirichlet tree, a choice from S counts at every node from S down to
    g, and with n_N choices from exactly the set N and w_N = sum in N of (alpha w + c) - choices
    within N,

        P(g | c) = (alpha w + c_g) / (sum_S (alpha w + c) - sum of n_M, M within S)
                   * product over N within S that contain g of  w_N / (w_N + n_N).

    Sets that overlap otherwise are treated as if all choices were from the same set; ``caveat``
    says so.
    """

    alpha: float = 1.0
    feasible: bool = True  # agents choose only goals that they can reach

    needs = ("counts", "offer")

    def __call__(self, counts: Any, offer: Offer) -> Any:
        assert offer.counts is not None
        known = offer.known
        among = np.array([known.index(goal) for goal in offer.goals])
        weight = self.alpha * offer.weight + offer.counts  # [history, known goal]
        open_ = self.open(offer)
        on_offer = _named(offer, open_)
        whole = weight[:, among[open_]].sum(axis=1, keepdims=True)
        share = weight[:, among] / whole
        smaller = {goals: n for goals, n in offer.earlier.items() if goals < on_offer}
        if smaller and _is_tree(on_offer, offer.earlier):
            share *= whole / (whole - sum(smaller.values()))
            for goals, times in smaller.items():
                inside = np.array([goal in goals for goal in known])
                below = sum(n for other, n in smaller.items() if other <= goals)
                own = weight[:, inside].sum(axis=1, keepdims=True) - below
                share[:, inside[among]] *= own / (own + times)
        with np.errstate(divide="ignore"):
            log = np.log(np.where(open_, share, 0.0))
        return log.reshape(counts.shape[0], *counts.shape[1:-1], -1)

    def counted(self, offer: Offer) -> frozenset[Any]:
        """Return the goals among which the agent has made a choice that counts; maybe none."""
        open_ = self.open(offer)
        choice = offer.reachable.any() and open_.sum() > 1
        return _named(offer, open_) if choice else frozenset()

    def open(self, offer: Offer) -> Annotated[Bools, "goal"]:
        """Return which goals can be chosen: those in reach, or all if none is."""
        some = self.feasible and offer.reachable.any()
        return offer.reachable if some else np.ones_like(offer.reachable)

    def caveat(self, offer: Offer) -> str:
        """Return what makes learning from these offers approximate, or an empty string."""
        if _is_tree(_named(offer, self.open(offer)), offer.earlier):
            return ""
        return "the goals on offer overlap those of earlier trials, so preferences are approximate"

    def expected(self, counts: Counts, log_weight: Annotated[Floats, "history"]) -> Floats:
        """Return E[theta] over all goals known so far [goal]."""
        there = np.ones(len(counts.goals), dtype=bool)
        table = counts.table.astype(float)
        prior = np.array(counts.weight)
        offer = Offer(counts.goals, there, counts.goals, counts.offers, table, prior)
        weight = np.exp(log_weight - log_weight.max())
        expected: Floats = weight @ np.exp(self(table, offer)) / weight.sum()
        return expected


def dirichlet(alpha: float = 1.0, *, feasible: bool = True) -> Dirichlet:
    """Return the goal rule of soft preferences, theta ~ Dirichlet(alpha), learnt over trials."""
    if not 0 < alpha < np.inf:
        raise BadInput(f"the concentration of preferences is {alpha}", hint="give a number above 0")
    return Dirichlet(alpha, feasible)


def inverse_gamma(
    shape: float = 1.0,
    scale: float = 1.0,
    temperatures: tuple[float, ...] = (0.2, 0.2 * 2**0.5, 0.4, 0.4 * 2**0.5, 0.8),
) -> dict[float, float]:
    """Return a prior of efficiencies 1 / T, for T ~ Gamma(shape, rate = scale) on a grid."""
    t = np.array(temperatures, dtype=float)
    log = (shape - 1) * np.log(t) - scale * t
    weights = np.exp(log - log.max())  # which cannot all be too small for a number
    return dict(zip((1 / t).tolist(), (weights / weights.sum()).tolist(), strict=True))


def _named(offer: Offer, some: Bools) -> frozenset[Any]:
    return frozenset(goal for goal, there in zip(offer.goals, some, strict=True) if there)


def _is_tree(goals: frozenset[Any], offers: Offers) -> bool:
    """Return whether all sets are nested or disjoint."""
    sets = [goals, *offers]
    return all(
        one <= other or one >= other or one.isdisjoint(other) for one in sets for other in sets
    )
