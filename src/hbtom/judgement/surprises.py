"""How a trial can surprise: in the three ways of the paper, and in one more."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.compiled import kernel_or
from hbtom.judgement.classifier import FURTHER, KINDS, Surprise, missing_surprise
from hbtom.judgement.prediction import can_predict, predictive, why_missing
from hbtom.mind import Posterior

__all__ = [
    "FURTHER",
    "KINDS",
    "Surprise",
    "largest_shifts",
    "missing_surprise",
    "shift",
    "surprise",
]

_DIGITS = 12  # of a shift; the rest is rounding error, so that beliefs that do not shift are ties


def surprise(posterior: Posterior, *, waste: bool = False) -> Surprise:
    """Return the surprises of a trial; ``waste`` adds that of the total regret, if it is known.

    They are not numbers if the trial cannot be judged.

        goal         max_t TV(P_t(g), P_0(g))
        efficiency   max_t TV(P_t(beta), P_0(beta))
        observation  max_t [log P(o_0) - log P(o_t | o_<t)]
        waste        -log P_0(X >= x), x the total regret of all steps

    The first observation sets the scene and is certain, so log P(o_0) = 0.
    """
    known = waste and can_predict(posterior)
    if why_missing(posterior):
        return missing_surprise(waste=known)
    goal, efficiency = largest_shifts(posterior.aims)
    return Surprise(
        round(goal, _DIGITS),
        round(efficiency, _DIGITS),
        -min(posterior.log_likelihood.tolist()),
        0.0 - math.log(predictive(posterior)) if known else None,
        **{name: further(posterior) for name, further in FURTHER.items()},
    )


def _all_shifts(belief: Floats) -> tuple[float, float]:
    """Return the shifts of all times at once, adding up numbers in order."""
    change = belief[1:] - belief[0]
    margins = change.cumsum(axis=2)[:, :, -1], change.cumsum(axis=1)[:, -1]
    total = (np.abs(one).cumsum(axis=1)[:, -1].max(initial=0.0) for one in margins)
    return 0.5 * float(next(total)), 0.5 * float(next(total))


@kernel_or(_all_shifts)
def largest_shifts(belief: Annotated[Floats, "time goal efficiency"]) -> tuple[float, float]:
    """Return the largest total variation from the first belief, of goals and of efficiencies."""
    times, goals, many = belief.shape
    most = most_efficiency = 0.0
    for t in range(1, times):
        total = total_efficiency = 0.0
        for g in range(goals):
            change = 0.0
            for k in range(many):
                change += belief[t, g, k] - belief[0, g, k]
            total += abs(change)
        for k in range(many):
            change = 0.0
            for g in range(goals):
                change += belief[t, g, k] - belief[0, g, k]
            total_efficiency += abs(change)
        most, most_efficiency = max(most, total), max(most_efficiency, total_efficiency)
    return 0.5 * most, 0.5 * most_efficiency


def shift(belief: Annotated[Floats, "time value"]) -> Annotated[Floats, "time"]:
    """Return the total variation between the belief at each time and the first one.

    It is rounded to remove rounding error, so that beliefs that do not shift at all are ties.
    """
    return np.round(0.5 * np.abs(belief - belief[0]).sum(axis=1), _DIGITS)
