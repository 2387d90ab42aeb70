"""How an agent of a given efficiency acts: Boltzmann policies, as log-probabilities.

The regret of an action is its cost plus the cost-to-go after it, less the cost-to-go before it. It
equals -Q up to a constant of the state, so Boltzmann in Q is Boltzmann in the regret.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.compiled import kernel, kernel_or, part


@kernel
def log_boltzmann(
    step_regret: Annotated[Floats, "step goal"],
    options: Annotated[Floats, "step option goal"],
    efficiency: Annotated[Floats, "efficiency"],
) -> Annotated[Floats, "step goal efficiency"]:
    """Return log pi = -beta regret - log sum over options of exp(-beta option).

    ``options`` is the regret of each action: 0 for the best, infinite for impossible ones.
    """
    steps, actions, goals = options.shape
    log = np.empty((steps, goals, len(efficiency)))
    log_total, possible = np.empty((goals, len(efficiency))), np.empty(actions)
    for step in range(steps):
        for goal in range(goals):
            if step == 0 or _differs(options, step, goal):
                many = 0
                for action in range(actions):
                    if options[step, action, goal] < np.inf:
                        possible[many] = options[step, action, goal]
                        many += 1
                for k in range(len(efficiency)):
                    beta, total = efficiency[k], 0.0
                    for i in range(many):  # the best needs no exponential
                        total += 1.0 if possible[i] == 0.0 else math.exp(-beta * possible[i])
                    log_total[goal, k] = math.log(total)
            for k in range(len(efficiency)):
                log[step, goal, k] = -efficiency[k] * step_regret[step, goal] - log_total[goal, k]
    return log


@part
def _differs(options: Floats, step: int, goal: int) -> bool:
    """Return whether the options differ from those of the step before; straight on, few do."""
    for action in range(options.shape[1]):
        if options[step, action, goal] != options[step - 1, action, goal]:
            return True
    return False


def log_seen(
    options: Annotated[Floats, "step option goal"],
    likelihood: Annotated[Floats, "step option"],
    visible: Annotated[Floats, "step option"],
    efficiency: Annotated[Floats, "efficiency"],
) -> Annotated[Floats, "step goal efficiency"]:
    """Return the log-probability of what was seen, given that something was seen.

    With pi(a) ~ exp(-beta option), whose normaliser cancels out:

        log P = log sum over a of pi(a) P(seen | a)  -  log sum over a of pi(a) P(anything | a)
    """
    possible = np.isfinite(options)
    log = np.where(possible, -options, 0.0)[..., None] * efficiency
    log[~possible] = -np.inf
    with np.errstate(divide="ignore"):
        seen, anything = (np.log(one)[..., None, None] for one in (likelihood, visible))
    return np.logaddexp.reduce(seen + log, axis=1) - np.logaddexp.reduce(anything + log, axis=1)


def _all_headings(
    step_regret: Floats,
    length: Floats,
    moves: Bools,
    act: float,
    efficiency: Floats,
) -> Floats:
    """Return the log-densities of all moves at once, which is faster in plain Python."""
    log = np.zeros((*step_regret.shape, len(efficiency)))
    best = -all_log_i0e(length[moves, None] * efficiency)  # the same for every goal
    log[moves] = best[:, None] - efficiency * step_regret[moves][..., None]
    for step in np.flatnonzero(~moves):
        for goal, wasted in enumerate(step_regret[step].tolist()):
            log[step, goal] = [log_choice(wasted, act, beta) for beta in efficiency.tolist()]
    return log


@kernel_or(_all_headings)
def log_headings(
    step_regret: Annotated[Floats, "step goal"],
    length: Annotated[Floats, "step"],
    moves: Annotated[Bools, "step"],
    act: float,
    efficiency: Annotated[Floats, "efficiency"],
) -> Annotated[Floats, "step goal efficiency"]:
    """Return the log-density of every heading or act, relative to one chosen at random."""
    steps, goals = step_regret.shape
    log = np.zeros((steps, goals, len(efficiency)))
    for step in range(steps):
        for k in range(len(efficiency)):
            beta = efficiency[k]
            best = log_heading(0.0, length[step], beta)  # the same for every goal
            for goal in range(goals):
                if moves[step]:
                    log[step, goal, k] = best - beta * step_regret[step, goal]
                else:
                    log[step, goal, k] = log_choice(step_regret[step, goal], act, beta)
    return log


@part
def log_heading(step_regret: float, length: float, beta: float) -> float:
    """Return the log-density of a heading, relative to a heading chosen at random.

    A move of length l at an angle phi from the best heading wastes l (1 - cos phi). Boltzmann over
    headings is therefore von Mises with concentration beta l:

        log pi = -beta regret - log(I0(beta l) exp(-beta l))
    """
    return -beta * step_regret - log_i0e(beta * length)


@part
def log_choice(step_regret: float, act: float, beta: float) -> float:
    """Return the log-probability of doing an act rather than not, relative to tossing a coin.

    Doing it wastes the regret (between 0 and the act's cost), not doing it wastes the rest:

        log pi = log 2 - log(1 + exp(-beta (act - 2 regret)))
    """
    return math.log(2.0) - _log_one_plus_exp(-beta * (act - 2.0 * step_regret))


@part
def _log_one_plus_exp(x: float) -> float:
    """Return log(1 + exp(x)), without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@part
def log_i0e(x: float) -> float:
    """Return log(I0(x) exp(-x)) for x >= 0, I0 the modified Bessel function of order zero.

    Up to 30 this is the power series, whose terms are all positive. Beyond, where that would take
    many terms, it is the asymptotic series, which is accurate to the last digits there.
    """
    if x <= 30.0:
        quarter, term, total, n = x * x / 4.0, 1.0, 1.0, 1.0
        while term > 1e-17 * total:
            term *= quarter / (n * n)
            total += term
            n += 1.0
        return math.log(total) - x
    term = total = n = 1.0
    while term > 1e-17 and n < 30.0:
        term *= (2.0 * n - 1.0) * (2.0 * n - 1.0) / (8.0 * x * n)
        total += term
        n += 1.0
    return math.log(total) - 0.5 * math.log(2.0 * math.pi * x)


def all_log_i0e(x: Floats) -> Floats:
    """Return :func:`log_i0e` of all numbers in an array, bit for bit the same."""
    near = x <= 30.0
    quarter, total = np.where(near, x, 0.0) ** 2 / 4.0, np.ones_like(x)
    term, n = np.ones_like(x), 1.0
    while (term > 1e-17 * total).any():
        term *= quarter / (n * n)
        total += term
        n += 1.0
    log = np.array([math.log(one) for one in total.ravel().tolist()]).reshape(x.shape) - x
    log[~near] = [log_i0e(one) for one in x[~near].tolist()]
    return log
