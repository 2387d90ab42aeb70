"""What is known before a trial: tables of counts, and which goals they make likely.

The letters are those of :mod:`hbtom.mind.bayes`.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part


class History(NamedTuple):
    """What is known about an agent: each possible table of counts, and its probability."""

    counts: Annotated[Ints, "history preferred"]  # how often the agent chose each item
    log_weight: Annotated[Floats, "history efficiency"]  # log P(counts, efficiency)


class Choice(NamedTuple):
    """What the agent can choose from in a trial, and what else may explain its steps."""

    among: Annotated[Ints, "goal"]  # the place of each goal among the preferred items
    reachable: Annotated[Bools, "goal"]  # which goals are on offer
    counts: bool  # whether this choice is added to the counts
    alpha: Annotated[Floats, "preferred"]  # the parameters of the Dirichlet prior
    log_prior: Annotated[Floats, "explanation"]  # log P(belief, process), or for each goal in turn


class NestedOffers(NamedTuple):
    """Earlier offers that lie within a larger one; see :mod:`hbtom.mind.preference_tree`.

    There are none where all choices were among the same goals.
    """

    inside: Annotated[Bools, "offer preferred"]  # the goals of each offer
    times: Annotated[Ints, "offer"]  # how many choices were among exactly these goals
    within: Annotated[Ints, "offer"]  # how many were among these goals or a subset of them


@part
def goal_by_history(history: History, choice: Choice, before: NestedOffers) -> Floats:
    """Return log W(h, k) + log P(g | h) [h g k].

    P(g | h) = (alpha_g + c_g) / sum over reachable g', corrected where offers are nested.
    """
    counts, alpha, among, reachable = history.counts, choice.alpha, choice.among, choice.reachable
    histories, goals, many = len(counts), len(among), history.log_weight.shape[1]
    log, factor = np.full((histories, goals, many), -np.inf), np.ones(counts.shape[1])
    for h in range(histories):
        whole = 0.0
        for g in range(goals):
            if reachable[g]:
                whole += alpha[among[g]] + counts[h, among[g]]
        if len(before.times) > 0:
            factor = correction(goal_weights(alpha, counts, h), whole, before)
        for g in range(goals):
            if reachable[g]:
                j = among[g]
                share = math.log((alpha[j] + counts[h, j]) / whole * factor[j])
                for k in range(many):
                    log[h, g, k] = history.log_weight[h, k] + share
    return log


@part
def goal_weights(alpha: Floats, counts: Ints, h: int) -> Floats:
    """Return alpha_j + c_j."""
    weight = np.empty(len(alpha))
    for j in range(len(alpha)):
        weight[j] = alpha[j] + counts[h, j]
    return weight


@part
def correction(weight: Floats, whole: float, nested: NestedOffers) -> Floats:
    """Return the correction factor of weight / whole, for choices that were among fewer goals.

    With n_N choices among exactly the goals N, w_N = sum of weights in N - choices within N:

        whole / (whole - sum of n_N)  *  product over N that contain j of  w_N / (w_N + n_N)
    """
    factor, left = np.ones(len(weight)), whole
    for offer in range(len(nested.times)):
        own = -float(nested.within[offer])
        for j in range(len(weight)):
            if nested.inside[offer, j]:
                own += weight[j]
        for j in range(len(weight)):
            if nested.inside[offer, j]:
                factor[j] *= own / (own + nested.times[offer])
        left -= nested.times[offer]
    for j in range(len(weight)):
        factor[j] *= whole / left
    return factor


@part
def summed_over_histories(log: Floats) -> Floats:
    """Return log P(g, k) = log sum over h of exp."""
    _, goals, many = log.shape
    total = np.empty((goals, many))
    for g in range(goals):
        for k in range(many):
            total[g, k] = log_sum(log[:, g, k])
    return total


@part
def summed_over_goals(log: Floats) -> Floats:
    """Return log P(h, k) = log sum over g of exp."""
    histories, _, many = log.shape
    total = np.empty((histories, many))
    for h in range(histories):
        for k in range(many):
            total[h, k] = log_sum(log[h, :, k])
    return total


@part
def log_sum(log: Floats) -> float:
    """Return log sum exp; it is -inf if all terms are zero."""
    top = -np.inf
    for i in range(len(log)):
        top = max(top, log[i])
    if top == -np.inf:
        return top
    total = 0.0
    for i in range(len(log)):
        total += math.exp(log[i] - top)
    return top + math.log(total)
