"""A score without fitted weights: how often the total regret would be at least as large.

    score = sum over g, beta of P_0(g, beta) P(X_beta >= x_g)

x_g is the agent's total regret if g was its goal. X_beta is the total regret, over the same steps,
of an agent of efficiency beta that acts by its policy. Both are sums over steps. Under several
hypotheses the sum is over all of them: x_g is the regret in the world that the agent believes in,
and an agent that moves at random has an efficiency of 0. Where agents choose headings, the tail of
X has a closed form (:mod:`hbtom.judgement.waste_tail`). Where they choose among actions, the
distribution of X is the convolution of those of the steps, on a fine lattice of costs.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement.waste_tail import waste_tails
from hbtom.mind import Actions, Posterior
from hbtom.mind.hypotheses import PLAN, RANDOM
from hbtom.mind.regret import NOTHING, Headings, Regret

BINS_PER_UNIT = 50
MOST_BINS = 1 << 22  # if large costs would need more, bins are wider
LEAST = 1e-12  # smaller sums are rounding error: such scores are ties


def why_missing(posterior: Posterior) -> str:
    """Return why a trial cannot be judged; an empty text if it can."""
    likelihood = posterior.likelihood
    if NOTHING in posterior.goals:
        return "there are no goals"
    if len(likelihood) == 0:
        return "the agent does nothing"
    if posterior.company is None and not posterior.reachable.any():
        return "no goal can be reached"
    if likelihood.regret.warnings and not likelihood.log.any():
        return "every step is left out"
    return ""


def predictive(posterior: Posterior) -> float:
    """Return the posterior predictive probability of a total regret at least as large, 0 to 1.

    It is not a number if the trial cannot be judged.
    """
    if why_missing(posterior):
        return math.nan
    likelihood = posterior.likelihood
    if likelihood.foreseen:
        prior = posterior.full[0].sum(axis=(1, 2))
        some = [_tails(one, posterior.efficiencies) for one in likelihood.foreseen]
        tails = np.stack(some, axis=1).reshape(prior.shape)
    elif len(posterior.hypotheses) == 1:
        prior, tails = posterior.joint[0], _tails(likelihood.regret, posterior.efficiencies)
    elif likelihood.company is not None:
        prior, tails = posterior.full[0], _in_company(posterior, likelihood.company.regret)
    else:
        prior = posterior.full[0]
        tails = np.stack([_by_process(posterior, one) for one in likelihood.believed], axis=1)
    return min(max(float((prior * tails).sum()), LEAST), 1.0)


def _by_process(
    posterior: Posterior, regret: Regret
) -> Annotated[Floats, "goal process efficiency"]:
    """Return P(X >= x_g) for agents that plan and agents that move at random, under one belief."""
    plan = _tails(regret, posterior.efficiencies)
    by_name = {PLAN: plan}
    if RANDOM in posterior.hypotheses.processes:
        by_name[RANDOM] = np.broadcast_to(_tails(regret, np.zeros(1)), plan.shape)
    return np.stack([by_name[name] for name in posterior.hypotheses.processes], axis=1)


def _in_company(
    posterior: Posterior, regret: Regret
) -> Annotated[Floats, "goal place manner efficiency"]:
    """Return P(X >= x) for every goal, place and manner."""
    goals, places, manners, many = posterior.likelihood.axes
    random = RANDOM in posterior.hypotheses.processes
    shape = goals, places, manners - random, many
    tails = _tails(regret, posterior.efficiencies).reshape(shape)
    if not random:
        return tails
    aimless = _tails(regret, np.zeros(1)).reshape(*shape[:3], 1)[:, :, :1]
    return np.concatenate([tails, np.broadcast_to(aimless, (goals, places, 1, many))], axis=2)


def can_predict(posterior: Posterior) -> bool:
    """Return whether the total regret is known.

    It is not if some actions were not seen, if goals may have changed, or if it depends on the
    agent's depth of foresight.
    """
    seen = posterior.likelihood
    return seen.regret.nearest is not None and seen.switching is None and not seen.foreseen


def _tails(
    regret: Regret, efficiencies: Annotated[Floats, "efficiency"]
) -> Annotated[Floats, "goal efficiency"]:
    """Return P(X_beta >= x_g) for every goal and efficiency."""
    nearest = regret.nearest
    if isinstance(nearest, Headings):
        made = nearest.length, nearest.moves, nearest.act
        return waste_tails(regret.step_regret, *made, efficiencies)
    goals = range(len(regret.goals))
    return np.array([[tail(regret, goal, one) for one in efficiencies] for goal in goals])


def tail(regret: Regret, goal: int, efficiency: float) -> float:
    """Return P(X_beta >= x_g) for one goal and efficiency; 0 if a step made it impossible."""
    nearest, step_regret = regret.nearest, regret.step_regret[:, goal]
    options = regret.choice.action_regret[:, :, goal]
    if np.isinf(step_regret).any():
        return 0.0
    possible = np.where(np.isfinite(options), options, 0.0)
    scale = min(BINS_PER_UNIT, MOST_BINS / max(float(possible.max(axis=1).sum()), 1.0))
    bins = np.rint(possible * scale).astype(np.int64)
    above = possible - options.min(axis=1, keepdims=True)
    weight = np.where(np.isfinite(options), np.exp(-efficiency * above), 0.0)
    if isinstance(nearest, Actions) and nearest.noise is not None:
        # The distribution of what is seen, not of what was intended
        weight = (weight[:, None] @ nearest.noise.chance)[:, 0]
    weight = weight / weight.sum(axis=1, keepdims=True)
    wasted = np.rint(step_regret * scale).astype(np.int64).sum()
    distribution = _convolved(bins, weight)
    return float(distribution[wasted:].sum())


def _convolved(
    bins: Annotated[np.ndarray, "step option"], weight: Annotated[Floats, "step option"]
) -> Annotated[Floats, "bin"]:
    """Return the distribution of a sum with one option from every step."""
    size = 1 << int(bins.max(axis=1).sum()).bit_length()  # at least the size of the support
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    for step_bins, step_weight in zip(bins, weight, strict=True):
        spectrum = spectrum * np.fft.rfft(np.bincount(step_bins, step_weight, minlength=size))
    return np.clip(np.fft.irfft(spectrum, size), 0.0, None)
