"""Bayes' rule in numbers: the sums behind :mod:`hbtom.mind.inference`.

h  history, a table of counts     g  goal     k  efficiency     j  preferred item     t  time
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part


@kernel
def bayes(
    counts: Annotated[Ints, "history preferred"],
    log_weight: Annotated[Floats, "history efficiency"],
    among: Annotated[Ints, "goal"],
    reachable: Annotated[Bools, "goal"],
    choice: bool,
    alpha: Annotated[Floats, "preferred"],
    log_evidence: Annotated[Floats, "step goal efficiency"],
) -> tuple[Floats, Floats, Floats, Ints, Floats]:
    """Return joint [t g k], E[theta] [t j], log P(o_t | o_<t) [step]; then counts and log-weights.

    ``among`` are the places of the goals among the preferred items; ``choice`` tells whether
    having had a goal counts.
    """
    log_history = _histories(counts, log_weight, among, reachable, alpha)
    log_prior = _summed_over_histories(log_history)
    log_joint, log_total = _joint(log_prior, log_evidence)
    mean = _mean_preference(counts, log_history, log_prior, among, choice, alpha)
    joint, preference = _normalised(log_joint, log_total, mean)
    seen = _seen(log_evidence)
    counts, weights = _learnt(counts, log_history, seen, log_total[-1], among, reachable, choice)
    return joint, preference, log_total[1:] - log_total[:-1], counts, weights


@kernel
def learn_counts(
    counts: Annotated[Ints, "history preferred"],
    log_weight: Annotated[Floats, "history efficiency"],
    among: Annotated[Ints, "goal"],
    reachable: Annotated[Bools, "goal"],
    choice: bool,
    alpha: Annotated[Floats, "preferred"],
    log_evidence: Annotated[Floats, "step goal efficiency"],
) -> tuple[Ints, Floats]:
    """Return the counts and log-weights that :func:`bayes` returns, without what leads to them."""
    log_history = _histories(counts, log_weight, among, reachable, alpha)
    seen = _seen(log_evidence)
    log_joint = _summed_over_histories(log_history) + seen
    log_total = log_sum(log_joint.reshape(log_joint.size))
    return _learnt(counts, log_history, seen, log_total, among, reachable, choice)


@part
def _histories(
    counts: Ints, log_weight: Floats, among: Ints, reachable: Bools, alpha: Floats
) -> Floats:
    """Return log W(h, k) + log P(g | h), P(g | h) = (alpha_g + c_g) / sum over reachable g'."""
    histories, goals, many = len(counts), len(among), log_weight.shape[1]
    log = np.full((histories, goals, many), -np.inf)
    for h in range(histories):
        whole = 0.0
        for g in range(goals):
            if reachable[g]:
                whole += alpha[among[g]] + counts[h, among[g]]
        for g in range(goals):
            if reachable[g]:
                share = math.log((alpha[among[g]] + counts[h, among[g]]) / whole)
                for k in range(many):
                    log[h, g, k] = log_weight[h, k] + share
    return log


@part
def _summed_over_histories(log: Floats) -> Floats:
    """Return log P(g, k) = log sum over h of exp."""
    _, goals, many = log.shape
    total = np.empty((goals, many))
    for g in range(goals):
        for k in range(many):
            total[g, k] = log_sum(log[:, g, k])
    return total


@part
def _summed_over_goals(log: Floats) -> Floats:
    histories, _, many = log.shape
    total = np.empty((histories, many))
    for h in range(histories):
        for k in range(many):
            total[h, k] = log_sum(log[h, :, k])
    return total


@part
def log_sum(log: Floats) -> float:
    """Return log sum exp; the sum of nothing but zeros is zero."""
    top = -np.inf
    for i in range(len(log)):
        top = max(top, log[i])
    if top == -np.inf:
        return top
    total = 0.0
    for i in range(len(log)):
        total += math.exp(log[i] - top)
    return top + math.log(total)


@part
def _joint(log_prior: Floats, log_evidence: Floats) -> tuple[Floats, Floats]:
    """Return log P(g, k, o_1:t) and log P(o_1:t) for every t from 0."""
    steps, goals, many = log_evidence.shape
    log, total = np.empty((steps + 1, goals, many)), np.empty(steps + 1)
    log[0] = log_prior
    so_far = np.zeros((goals, many))
    for t in range(1, steps + 1):
        so_far += log_evidence[t - 1]
        log[t] = log_prior + so_far
    for t in range(steps + 1):
        total[t] = log_sum(log[t].reshape(goals * many))
    return log, total


@part
def _mean_preference(
    counts: Ints, log_history: Floats, log_prior: Floats, among: Ints, choice: bool, alpha: Floats
) -> Floats:
    """Return E[theta_j | g, k] = sum over h of P(h | g, k) (alpha_j + c_j) / sum of (alpha + c).

    Counts include the goal of this trial, if it counts. No step of the trial changes P(h | g, k).
    """
    histories, goals, many = log_history.shape
    preferred = counts.shape[1]
    mean, share = np.zeros((goals, many, preferred)), np.zeros((goals, many, 1))
    chosen = np.zeros((goals, 1, preferred))
    if choice:
        for g in range(goals):
            chosen[g, 0, among[g]] = 1.0
    for h in range(histories):
        whole = 1.0 if choice else 0.0
        for j in range(preferred):
            whole += alpha[j] + counts[h, j]
        for g in range(goals):
            for k in range(many):
                log = log_history[h, g, k]
                share[g, k, 0] = math.exp(log - log_prior[g, k]) / whole if log > -np.inf else 0.0
        mean += share * (alpha + counts[h] + chosen)
    return mean


@part
def _normalised(log_joint: Floats, log_total: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Return P(g, k | o_1:t), and E[theta_j | o_1:t] as the mean over it."""
    times, goals, many = log_joint.shape
    preferred = mean.shape[2]
    joint, preference = np.empty(log_joint.shape), np.zeros((times, preferred))
    for t in range(times):
        for g in range(goals):
            for k in range(many):
                joint[t, g, k] = math.exp(log_joint[t, g, k] - log_total[t])
                for j in range(preferred):
                    preference[t, j] += joint[t, g, k] * mean[g, k, j]
    return joint, preference


# What is learnt


@part
def _seen(log_evidence: Floats) -> Floats:
    """Return log P(o_1:T | g, k)."""
    seen = np.zeros(log_evidence.shape[1:])
    for step in range(len(log_evidence)):
        seen += log_evidence[step]
    return seen


@part
def _learnt(
    counts: Ints,
    log_history: Floats,
    seen: Floats,
    log_total: float,
    among: Ints,
    reachable: Bools,
    choice: bool,
) -> tuple[Ints, Floats]:
    """Return counts and log-weights after the trial: of log P(h, g, k | all that was seen)."""
    final = log_history + seen - log_total
    if choice:
        return _counted(counts, final, among, reachable)
    return counts.copy(), _summed_over_goals(final)


@part
def _counted(counts: Ints, log_final: Floats, among: Ints, reachable: Bools) -> tuple[Ints, Floats]:
    """Add the goal to the counts, and merge the histories that come to the same counts.

    Histories are in lexical order, and stay so when the same goal is added to each: what is to be
    merged are as many sorted lists as there are goals.
    """
    histories, goals, many = log_final.shape
    merged = np.empty((histories * goals, counts.shape[1]), dtype=np.int64)
    weights = np.empty((histories * goals, many))
    at = np.zeros(goals, dtype=np.int64)  # the next of each list
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
                    same[:] = False
                same[g] = order <= 0
            else:
                same[g] = False
        if least < 0:
            return merged[:size].copy(), weights[:size].copy()
        merged[size] = counts[at[least]]
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
    """Return -1, 0 or 1 as the next history of one list comes before, with or after another's."""
    for j in range(counts.shape[1]):
        mine = counts[at[one], j] + (1 if among[one] == j else 0)
        theirs = counts[at[other], j] + (1 if among[other] == j else 0)
        if mine != theirs:
            return -1 if mine < theirs else 1
    return 0
