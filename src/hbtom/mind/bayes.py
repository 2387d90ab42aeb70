"""Bayes' rule in numbers: the sums behind :mod:`hbtom.mind.inference`.

The kernels take three values, :class:`History`, :class:`Choice` and :class:`NestedOffers`, and the
log-likelihood of the trial. Letters in the docstrings:

h  history, a table of counts     g  goal     k  efficiency     j  preferred item     t  time
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part, part_or, start_compiler
from hbtom.mind.histories import (
    Choice,
    History,
    NestedOffers,
    correction,
    goal_by_history,
    goal_weights,
    log_sum,
    summed_over_goals,
    summed_over_histories,
)

__all__ = ["Choice", "History", "NestedOffers", "bayes", "learn_counts", "learn_series", "log_sum"]

MANY = 1 << 18  # histories; summing over these in plain Python takes as long as compiling


@kernel
def bayes(
    history: History,
    choice: Choice,
    before: NestedOffers,
    after: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis efficiency"],
) -> tuple[Floats, Floats, Floats]:
    """Return P(hypothesis, k) [t hypothesis k], E[theta] [t j], and log P(o_1:t) [t].

    Hypotheses are ordered by goal; each goal has one for every explanation. ``before`` holds the
    offers nested in this trial's offer. ``after`` holds the offers nested in the set of all
    preferred items, including this trial's.
    """
    log_history = goal_by_history(history, choice, before)
    log_goal = summed_over_histories(log_history)
    log_joint, log_total = _joint(log_goal, choice.log_prior, log_likelihood)
    mean = mean_preference(history.counts, log_history, log_goal, choice, after)
    joint, preference = _normalised(log_joint, log_total, mean)
    return joint, preference, log_total


def learn_counts(
    history: History,
    choice: Choice,
    before: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis efficiency"],
) -> tuple[Ints, Floats, float]:
    """Return the counts and log-weights after the trial, and log P(o_1:T).

    Weights are log P(h, g, k | o_1:T).
    """
    only = np.array([0, len(log_likelihood)])
    counts, weights, _, log_total = learn_series(history, choice, before, log_likelihood, only)
    return counts, weights, float(log_total[0])


def most_histories(history: History, choice: Choice, trials: int) -> int:
    """Return how many histories there can be after so many trials with the same choice."""
    goals = len(choice.among)
    return len(history.counts) * math.comb(trials + goals - 1, trials)


def learn_series(
    history: History,
    choice: Choice,
    before: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis efficiency"],
    begin: Annotated[Ints, "1+trial"],
) -> tuple[Ints, Floats, Ints, Floats]:
    """Return counts and log-weights after each of several trials with the same choice.

    ``begin`` is the first step of each trial. The third array has the first history after each
    trial, the last one log P(o_1:T) of each.
    """
    room = sum(most_histories(history, choice, trial) for trial in range(1, len(begin)))
    if room > MANY:
        start_compiler()
    return _learn_series(history, choice, before, log_likelihood, begin, room)


@kernel
def _learn_series(
    history: History,
    choice: Choice,
    before: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis efficiency"],
    begin: Annotated[Ints, "1+trial"],
    room: int,
) -> tuple[Ints, Floats, Ints, Floats]:
    """Do the same, in arrays with room for so many histories."""
    many, preferred = len(begin) - 1, history.counts.shape[1]
    first, log_total = np.zeros(many + 1, dtype=np.int64), np.empty(many)
    counts = np.empty((room, preferred), dtype=np.int64)
    weights = np.empty((room, history.log_weight.shape[1]))
    for trial in range(many):
        log = log_likelihood[begin[trial] : begin[trial + 1]]
        new, weight, log_total[trial] = _learn(history, choice, before, log)
        history, row = History(new, weight), first[trial]
        for h in range(len(new)):
            for j in range(preferred):
                counts[row + h, j] = new[h, j]
            for k in range(weight.shape[1]):
                weights[row + h, k] = weight[h, k]
        first[trial + 1] = row + len(new)
    return counts[: first[many]], weights[: first[many]], first, log_total


@part
def _learn(
    history: History, choice: Choice, before: NestedOffers, log_likelihood: Floats
) -> tuple[Ints, Floats, float]:
    log_history = goal_by_history(history, choice, before)
    seen = _seen(len(choice.among), choice.log_prior, _summed_over_steps(log_likelihood))
    log_total = _log_total(log_history, seen)
    log_final = _final(log_history, seen, log_total)
    if choice.counts:
        counts, weights = add_goal_counts(history.counts, log_final, choice.among, choice.reachable)
        return counts, weights, log_total
    return history.counts.copy(), summed_over_goals(log_final), log_total


# During the trial


@part
def _joint(log_goal: Floats, log_prior: Floats, log_likelihood: Floats) -> tuple[Floats, Floats]:
    """Return log P(hypothesis, k, o_1:t) and log P(o_1:t) for every t from 0."""
    steps, hypotheses, many = log_likelihood.shape
    per_goal = hypotheses // len(log_goal)
    log, total = np.empty((steps + 1, hypotheses * many)), np.empty(steps + 1)
    for each in range(hypotheses):
        for k in range(many):
            prior = log_goal[each // per_goal, k] + log_prior[each % len(log_prior)]
            so_far = 0.0
            log[0, each * many + k] = prior
            for t in range(steps):
                so_far += log_likelihood[t, each, k]
                log[t + 1, each * many + k] = prior + so_far
    for t in range(steps + 1):
        total[t] = log_sum(log[t])
    return log, total


@part
def mean_preference(
    counts: Ints, log_history: Floats, log_goal: Floats, choice: Choice, after: NestedOffers
) -> Floats:
    """Return E[theta_j | g, k] = sum over h of P(h | g, k) (alpha_j + c_j) / sum of (alpha + c).

    Counts include this trial's goal, if it counts; shares are corrected where offers are nested.
    No step of the trial changes P(h | g, k).
    """
    histories, goals, many = log_history.shape
    preferred = counts.shape[1]
    mean, factor = np.zeros((goals, many, preferred)), np.ones(preferred)
    for h in range(histories):
        whole = 1.0 if choice.counts else 0.0
        for j in range(preferred):
            whole += choice.alpha[j] + counts[h, j]
        for g in range(goals):
            if choice.reachable[g]:
                weight = goal_weights(choice.alpha, counts, h)
                weight[choice.among[g]] += 1.0 if choice.counts else 0.0
                if len(after.times) > 0:
                    factor = correction(weight, whole, after)
                for k in range(many):
                    if log_history[h, g, k] > -np.inf:
                        share = math.exp(log_history[h, g, k] - log_goal[g, k]) / whole
                        for j in range(preferred):
                            mean[g, k, j] += share * (weight[j] * factor[j])
    return mean


@part
def _normalised(log_joint: Floats, log_total: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Return P(hypothesis, k | o_1:t), and E[theta_j | o_1:t] as the mean over it."""
    goals, many, preferred = mean.shape
    hypotheses = log_joint.shape[1] // many
    joint = np.empty((len(log_total), hypotheses, many))
    preference = np.zeros((len(log_total), preferred))
    for t in range(len(log_total)):
        for each in range(hypotheses):
            g = each // (hypotheses // goals)
            for k in range(many):
                joint[t, each, k] = math.exp(log_joint[t, each * many + k] - log_total[t])
                for j in range(preferred):
                    preference[t, j] += joint[t, each, k] * mean[g, k, j]
    return joint, preference


# After the trial


def _step_by_step(log_likelihood: Floats) -> Floats:
    total = np.zeros(log_likelihood.shape[1:])
    for step in log_likelihood:  # the same order as when compiled, unlike numpy's sum
        total += step
    return total


@part_or(_step_by_step)
def _summed_over_steps(log_likelihood: Floats) -> Floats:
    steps, hypotheses, many = log_likelihood.shape
    total = np.zeros((hypotheses, many))
    for t in range(steps):
        for each in range(hypotheses):
            for k in range(many):
                total[each, k] += log_likelihood[t, each, k]
    return total


@part
def _seen(goals: int, log_prior: Floats, log_likelihood: Floats) -> Floats:
    """Return log P(o_1:T | g, k): the sum over all explanations of the steps."""
    hypotheses, many = log_likelihood.shape
    if len(log_prior) == 1:
        return log_likelihood
    per_goal = hypotheses // goals
    seen, log = np.empty((goals, many)), np.empty(per_goal)
    for g in range(goals):
        for k in range(many):
            for x in range(per_goal):
                each = g * per_goal + x
                log[x] = log_prior[each % len(log_prior)] + log_likelihood[each, k]
            seen[g, k] = log_sum(log)
    return seen


@part
def _log_total(log_history: Floats, seen: Floats) -> float:
    """Return log P(o_1:T)."""
    log_goal, (goals, many) = summed_over_histories(log_history), seen.shape
    log = np.empty(goals * many)
    for g in range(goals):
        for k in range(many):
            log[g * many + k] = log_goal[g, k] + seen[g, k]
    return log_sum(log)


@part_or(lambda log_history, seen, log_total: log_history + seen - log_total)
def _final(log_history: Floats, seen: Floats, log_total: float) -> Floats:
    """Return log P(h, g, k | o_1:T)."""
    histories, goals, many = log_history.shape
    final = np.empty(log_history.shape)
    for h in range(histories):
        for g in range(goals):
            for k in range(many):
                final[h, g, k] = log_history[h, g, k] + seen[g, k] - log_total
    return final


@part
def add_goal_counts(
    counts: Ints, log_final: Floats, among: Ints, reachable: Bools
) -> tuple[Ints, Floats]:
    """Add the goal to the counts, and merge the histories that end up with the same counts.

    Histories are in lexical order, and adding the same goal to each keeps that order. So this
    merges sorted lists, one for each goal.
    """
    histories, goals, many = log_final.shape
    merged = np.empty((histories * goals, counts.shape[1]), dtype=np.int64)
    weights = np.empty((histories * goals, many))
    at = np.zeros(goals, dtype=np.int64)  # the position in each list
    for g in range(goals):
        at[g] = 0 if reachable[g] else histories
    same, together = np.empty(goals, dtype=np.bool_), np.empty(goals)
    size = 0
    while True:
        least = -1
        for g in range(goals):
            if at[g] < histories:
                order = -1 if least < 0 else _compared(counts, at, among, g, least)
                if order < 0:
                    least = g
                    for other in range(g):
                        same[other] = False
                same[g] = order <= 0
            else:
                same[g] = False
        if least < 0:
            return merged[:size].copy(), weights[:size].copy()
        for j in range(counts.shape[1]):
            merged[size, j] = counts[at[least], j]
        merged[size, among[least]] += 1
        for k in range(many):
            for g in range(goals):
                together[g] = log_final[at[g], g, k] if same[g] else -np.inf
            weights[size, k] = log_sum(together)
        for g in range(goals):
            at[g] += 1 if same[g] else 0
        size += 1


@part
def _compared(counts: Ints, at: Ints, among: Ints, one: int, other: int) -> int:
    """Return -1, 0 or 1 if the next history of one list sorts before, with or after the other's."""
    for j in range(counts.shape[1]):
        mine = counts[at[one], j] + (1 if among[one] == j else 0)
        theirs = counts[at[other], j] + (1 if among[other] == j else 0)
        if mine != theirs:
            return -1 if mine < theirs else 1
    return 0
