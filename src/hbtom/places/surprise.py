"""How a trial can surprise: measures of what was believed during it."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.core.axes import GOAL
from hbtom.core.policy import Headings, Options, act_log_odds
from hbtom.core.posterior import Posterior
from hbtom.kernels import log_i0e

_DIGITS = 12  # of a shift; the rest is rounding error, so that beliefs that do not shift are ties
_LEAST = 1e-12  # smaller probabilities are rounding error
_NEARLY = 1e-9  # of the most that can be wasted


def why_missing(p: Posterior) -> str:
    """Return why a trial cannot be judged; an empty text if it can."""
    choices: Any = next(iter(p.choices.values()))
    if not len(p.steps):
        return "the agent does nothing"
    if not choices.reachable.any():
        return "no goal can be reached"
    left_out = isinstance(choices, Options) and not np.any(choices.known)
    return "every step is left out" if left_out else ""


def shift(p: Posterior, name: str) -> float:
    """Return  max_t TV(P_t, P_0)  of an axis,  TV(p, q) = sum |p - q| / 2."""
    belief = p.margin(name)
    change = 0.5 * np.abs(belief - belief[0]).sum(axis=1)
    return round(float(change.max()), _DIGITS)


def worst_step(p: Posterior) -> float:
    """Return  max_t -log P(o_t | o_<t);  0 if there are no steps."""
    return float(-p.log_likelihood.min()) if len(p.log_likelihood) else 0.0


def waste(p: Posterior, who: str = "") -> float | None:
    """Return  -log sum_{g, k} P_0(g, k) P(X_gk >= x_g),  x the total regret of all steps.

    None if the steps have no headings.
    """
    headings, mine = p.choices[who], p.own[who]
    if not isinstance(headings, Headings) or "efficiency" not in mine:
        return None
    prior = p.margin(mine[GOAL], mine["efficiency"])[0]
    chance = 1.0
    if len(headings.moves):
        efficiencies = np.array(p.axis(mine["efficiency"]).labels, dtype=float)
        chance = float((prior * waste_tail(headings, efficiencies)).sum())
    return 0.0 - math.log(min(max(chance, _LEAST), 1.0))


def waste_tail(headings: Headings, efficiencies: Floats) -> Annotated[Floats, "goal efficiency"]:
    """Return P(X >= x) that an agent wastes at least as much over these steps.

    Acts are few, so the sum over whether each was done or not is exact. A move of length l wastes
    l (1 - cos psi), and psi is von Mises with concentration beta l.
    """
    regret = headings.regret.reshape(-1, *headings.regret.shape[-2:])[0]  # [goal, step]
    acts = regret[:, ~headings.moves]  # [goal, act]
    lengths, cost = headings.length[headings.moves], headings.act_cost
    total = _sum(regret)
    tails = np.zeros((len(regret), len(efficiencies)))
    for done in np.ndindex(*(2 for _ in range(acts.shape[1]))):
        mine = np.where(done, acts, cost - acts) if done else acts
        odds = act_log_odds(mine[..., None], cost, efficiencies) - math.log(2.0)
        chance = np.exp(odds).prod(axis=1)
        left = total - mine.sum(axis=1)  # may be rounding error of the sum
        left = np.where(abs(left) <= _NEARLY * total, 0.0, left)
        tails += chance * moves_tail(left, lengths, efficiencies)
    return tails


def moves_tail(
    x: Floats, lengths: Floats, efficiencies: Floats
) -> Annotated[Floats, "x efficiency"]:
    """Return P(X >= x) for moves alone.

    The total waste belongs to an exponential family in beta. Let b be the efficiency that wastes x
    on average, and L(b) the sum over moves of log(I0(b l) exp(-b l)). The signed root of the
    likelihood ratio between beta and b,

        w^2 / 2 = (beta - b) x - L(b) + L(beta),        sign of w = sign of beta - b,

    is close to normal, and closer with the correction of Lugannani and Rice (1980):

        P(X >= x) = 1 - Phi(w + log(u / w) / w),        u = (beta - b) sqrt(V(b)),

    V the variance of the waste. If w is close to 0, the second term is replaced by its limit.
    """
    most = 2.0 * _sum(lengths)
    tails = np.repeat((x <= most * _NEARLY)[:, None] * 1.0, len(efficiencies), axis=1)
    some = (x > most * _NEARLY) & (x < most * (1.0 - _NEARLY))
    if not some.any():
        return tails
    x = x[some, None]
    b = typical_efficiency(x[:, 0], lengths)[:, None]
    _, slope, bend = mean_heading(b * lengths)
    variance = _sum(lengths**2 * slope)[:, None]
    skew = _sum(lengths**3 * bend)[:, None]
    size = abs(b) * lengths
    level = _sum(log_i0e(size) + size - b * lengths)[:, None]
    away = efficiencies - b
    ratio = away * x - level + _sum(log_i0e(np.outer(efficiencies, lengths)))
    w = np.copysign(np.sqrt(np.maximum(2.0 * ratio, 0.0)), away)
    far = np.abs(w) > 1e-3
    root = np.where(far, w, 1.0)
    limit = np.broadcast_to(-skew / (6.0 * variance**1.5), w.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected = np.log(away * np.sqrt(variance) / root) / root
    z = w + np.where(far, corrected, limit)
    tails[some] = [[0.5 * math.erfc(one / math.sqrt(2.0)) for one in row] for row in z.tolist()]
    return tails


def _sum(values: Any) -> Any:
    """Return the sum along the last axis, added up in order: if w is small, every digit counts."""
    return values.cumsum(axis=-1)[..., -1] if values.shape[-1] else values.sum(axis=-1)


def mean_heading(z: Any) -> tuple[Any, Any, Any]:
    """Return A(z) = I1(z) / I0(z), the mean cosine of a von Mises heading, and A', A''."""
    size = np.abs(z)
    near = np.minimum(size, 50.0)
    ratio = np.zeros_like(near)
    for n in range(int(near.max(initial=0.0)) + 15, 0, -1):  # a continued fraction
        ratio = near / (2.0 * n + near * ratio)
    t = 1.0 / np.maximum(size, 50.0)
    far = size > 50.0
    series = 1.0 - t * (0.5 + t * (0.125 + t * (0.125 + t * (25.0 / 128.0 + t * 13.0 / 32.0))))
    ratio = np.copysign(np.where(far, series, ratio), z)
    small = size < 1e-3
    safe = np.where(small, 1.0, z)
    slope = np.where(small, 0.5 - 3.0 * z * z / 16.0, 1.0 - ratio / safe - ratio * ratio)
    slope = np.where(far, t * t * (0.5 + t * (0.25 + t * (0.375 + t * 25.0 / 32.0))), slope)
    bend = -slope / safe + ratio / (safe * safe) - 2.0 * ratio * slope
    bend = np.where(far, -(t * t / safe) * (1.0 + 0.75 * t + 1.5 * t * t), bend)
    return ratio, slope, np.where(small, -0.375 * z, bend)


def typical_efficiency(waste: Annotated[Floats, "x"], lengths: Floats) -> Annotated[Floats, "x"]:
    """Return the efficiency b that wastes so much on average, by Newton's method.

    sum over moves of l (1 - A(b l)) = waste. The left side falls from 2 sum(l) to 0.
    """
    whole, many = _sum(lengths), len(lengths)
    low, high = np.full(len(waste), -1e12), np.full(len(waste), 1e12)
    with np.errstate(divide="ignore"):
        b = np.where(waste >= whole, -many / (2 * (2 * whole - waste)), many / (2 * waste))
    for _ in range(100):
        ratio, slope, _ = mean_heading(b[:, None] * lengths)
        value = _sum(lengths * (1.0 - ratio))
        low, high = np.where(value > waste, b, low), np.where(value > waste, high, b)
        new = b + (value - waste) / _sum(lengths**2 * slope)
        new = np.where((low < new) & (new < high), new, 0.5 * (low + high))
        done = np.abs(new - b) <= 1e-10 * (1.0 + np.abs(b))
        b = new
        if done.all():
            break
    return b
