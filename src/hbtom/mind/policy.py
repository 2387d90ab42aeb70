"""How an agent of a given efficiency acts: Boltzmann policies, as log-probabilities.

``excess`` is what an action wastes: its cost plus the cost-to-go after it, less the cost-to-go
before it. It is -Q up to a constant of the state, so Boltzmann in Q is Boltzmann in the excess.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Floats


def log_boltzmann(
    q: Annotated[Floats, "step action goal"], efficiency: Annotated[Floats, "efficiency"]
) -> Annotated[Floats, "step action goal efficiency"]:
    """Return log pi(a | s) = beta Q(s, a) - log sum_a' exp(beta Q(s, a')).

    Illegal actions have Q = -inf; in every state at least one action has a finite Q.
    """
    scores = (q - q.max(axis=1, keepdims=True))[..., None] * efficiency
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def log_heading(
    excess: Annotated[Floats, "... goal"],
    length: Annotated[Floats, "..."],
    efficiency: Annotated[Floats, "efficiency"],
) -> Annotated[Floats, "... goal efficiency"]:
    """Return the log-density of a heading, relative to a heading chosen at random.

    A move of length l at an angle phi from the best heading wastes l (1 - cos phi). Boltzmann over
    headings is therefore von Mises with concentration beta l:

        log pi = -beta excess - log(I0(beta l) exp(-beta l))
    """
    concentration = length[..., None, None] * efficiency
    return -excess[..., None] * efficiency - log_i0e(concentration)


def log_choice(
    excess: Annotated[Floats, "... goal"], act: float, efficiency: Annotated[Floats, "efficiency"]
) -> Annotated[Floats, "... goal efficiency"]:
    """Return the log-probability of doing an act rather than not, relative to a coin's toss.

    Doing it wastes ``excess`` (between 0 and the act's cost), not doing it wastes the rest:

        log pi = log 2 - log(1 + exp(-beta (act - 2 excess)))
    """
    advantage = (act - 2.0 * excess)[..., None] * efficiency
    return np.log(2.0) - np.logaddexp(0.0, -advantage)


def log_i0e(x: Floats) -> Floats:
    """Return log(I0(x) exp(-x)) for x >= 0, I0 the modified Bessel function of order zero.

    Beyond 500, where I0 would soon overflow, the asymptotic series is good to 1e-13.
    """
    small = np.minimum(x, 500.0)
    y = 1 / np.maximum(x, 500.0)
    terms = y * (1 / 8 + y * (9 / 128 + y * (225 / 3072 + y * 11025 / 98304)))
    series = np.log1p(terms) + 0.5 * np.log(y / (2 * np.pi))
    return np.where(x <= 500.0, np.log(np.i0(small)) - small, series)
