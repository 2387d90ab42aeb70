"""How probable it is that an agent that chooses headings wastes at least a given amount.

A move of length l wastes l (1 - cos psi), and psi is von Mises with concentration beta l. So the
total X over all moves belongs to an exponential family in beta. The agent that would waste x on
average has the efficiency b with

    D(b) = sum over moves of l (1 - A(b l)) = x,        A = I1 / I0,

and the distance of beta from b is the signed root of a likelihood ratio. With L(b) the sum over
moves of log(I0(b l) exp(-b l)),

    w^2 / 2 = (beta - b) x - L(b) + L(beta),        sign of w = sign of beta - b.

The distribution of w is close to normal, and closer with the saddlepoint correction
(Barndorff-Nielsen 1986, after Lugannani and Rice 1980):

    P(X >= x) = 1 - Phi(w + log(u / w) / w),        u = (beta - b) sqrt(V(b)),
    V(b) = sum over moves of l^2 (1 - A / (b l) - A^2).

Acts are few, and each is a choice between two options: the sum is over all combinations.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.compiled import kernel, part
from hbtom.mind.policy import log_choice, log_i0e

_NEARLY = 1e-9  # of the most that can be wasted; a value closer to a bound counts as the bound
_NORMAL = 1e-3  # below this, w is too small to divide by


@kernel
def waste_tails(
    step_regret: Annotated[Floats, "step goal"],
    length: Annotated[Floats, "step"],
    moves: Annotated[Bools, "step"],
    act: float,
    efficiency: Annotated[Floats, "efficiency"],
) -> Annotated[Floats, "goal efficiency"]:
    """Return P(X >= x): X is the waste of an agent of each efficiency, x the actual waste."""
    goals, many = step_regret.shape[1], len(efficiency)
    lengths, acts = length[moves], step_regret[~moves]
    best = np.zeros(many)
    for k in range(many):
        for step in range(len(lengths)):
            best[k] += log_i0e(efficiency[k] * lengths[step])
    tails = np.zeros((goals, many))
    chance = np.empty(many)
    for goal in range(goals):
        wasted = _sum(step_regret[:, goal])
        for done in range(1 << len(acts)):  # bits say which acts are chosen as they were
            chance[:] = 1.0
            left = wasted
            for step in range(len(acts)):
                other = act - acts[step, goal]
                mine = acts[step, goal] if done >> step & 1 else other
                left -= mine
                for k in range(many):
                    chance[k] *= 0.5 * math.exp(log_choice(mine, act, efficiency[k]))
            # what is left may be rounding error of the sum
            left = 0.0 if abs(left) <= _NEARLY * wasted else left
            _add_tails(tails[goal], chance, left, lengths, efficiency, best)
    return tails


@part
def _add_tails(
    tails: Annotated[Floats, "efficiency"],
    chance: Annotated[Floats, "efficiency"],
    x: float,
    lengths: Annotated[Floats, "move"],
    efficiency: Annotated[Floats, "efficiency"],
    best: Annotated[Floats, "efficiency"],
) -> None:
    """Add P(moves waste x or more) times ``chance`` to the tails, for each efficiency."""
    most = 2.0 * _sum(lengths)
    if x <= most * _NEARLY:
        tails += chance
        return
    if x >= most * (1.0 - _NEARLY):
        return
    b = _typical(x, lengths)
    level = spread = skew = 0.0
    for step in range(len(lengths)):
        one = lengths[step]
        z = b * one
        ratio = bessel_ratio(z)
        slope = _slope(z, ratio)
        level += log_i0e(abs(z)) + abs(z) - z
        spread += one * one * slope
        skew += one * one * one * _bend(z, ratio, slope)
    for k in range(len(efficiency)):
        away = efficiency[k] - b
        w = math.sqrt(max(2.0 * (away * x - level + best[k]), 0.0))
        w = w if away >= 0.0 else -w
        if abs(w) > _NORMAL:
            corrected = w + math.log(away * math.sqrt(spread) / w) / w
        else:
            corrected = w - skew / (6.0 * spread * math.sqrt(spread))
        tails[k] += chance[k] * 0.5 * math.erfc(corrected / math.sqrt(2.0))


@part
def _sum(values: Annotated[Floats, "value"]) -> float:
    """Return the sum, added up in order, so that compiled and plain code agree bit for bit."""
    total = 0.0
    for value in values:
        total += value
    return total


@part
def _typical(x: float, lengths: Annotated[Floats, "move"]) -> float:
    """Return the efficiency b that wastes x on average: D(b) = x, by Newton's method.

    D falls from twice the total length at minus infinity to 0 at infinity, so b is unique.
    """
    whole = _sum(lengths)
    low, high = -1e12, 1e12
    b = len(lengths) / (2.0 * x) if x < whole else -len(lengths) / (2.0 * (2.0 * whole - x))
    for _ in range(100):
        value = slope = 0.0
        for step in range(len(lengths)):
            z = b * lengths[step]
            ratio = bessel_ratio(z)
            value += lengths[step] * (1.0 - ratio)
            slope += lengths[step] * lengths[step] * _slope(z, ratio)
        if value > x:
            low = b
        else:
            high = b
        new = b + (value - x) / slope
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - b) <= 1e-10 * (1.0 + abs(b)):
            return new
        b = new
    return b


@part
def bessel_ratio(z: float) -> float:
    """Return A(z) = I1(z) / I0(z): a continued fraction, or the asymptotic series for large z."""
    size = abs(z)
    if size > 50.0:
        t = 1.0 / size
        value = 1.0 - t * (0.5 + t * (0.125 + t * (0.125 + t * (25.0 / 128.0 + t * 13.0 / 32.0))))
    else:
        value = 0.0
        for n in range(int(size) + 15, 0, -1):
            value = size / (2.0 * n + size * value)
    return value if z >= 0.0 else -value


@part
def _slope(z: float, ratio: float) -> float:
    """Return A'(z) = 1 - A / z - A^2, without loss of digits where z is small or large."""
    size = abs(z)
    if size < 1e-3:
        return 0.5 - 3.0 * z * z / 16.0
    if size > 50.0:
        t = 1.0 / size
        return t * t * (0.5 + t * (0.25 + t * (0.375 + t * 25.0 / 32.0)))
    return 1.0 - ratio / z - ratio * ratio


@part
def _bend(z: float, ratio: float, slope: float) -> float:
    """Return A''(z) = -A' / z + A / z^2 - 2 A A'."""
    if abs(z) < 1e-3:
        return -0.375 * z
    if abs(z) > 50.0:
        t = 1.0 / z
        return -t * t * t * (1.0 + 0.75 * t + 1.5 * t * t)
    return -slope / z + ratio / (z * z) - 2.0 * ratio * slope
