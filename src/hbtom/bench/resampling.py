"""How well two sets of numbers agree, and how much this varies between samples.

Scenarios and participants are both samples. With V the variance of a statistic over bootstrap
samples, its variance over new scenarios and new participants is (as for clusters in two ways)

    V = V(scenarios) + V(participants) - V(answers)

where V(answers) draws participants independently for every scenario: variance from answer to answer
is contained in both other terms, and should count once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints

STATISTICS = ("r", "rank", "error")
LEAST = 3  # fewest scenarios for an interval
_AT_ONCE = 500_000  # numbers per batch
_LIMIT, _FAR = 1 - 1e-12, 3.0  # largest correlation, and largest distance of z from the observed
_Z = NormalDist().inv_cdf(0.975)


class Estimate(NamedTuple):
    """A number with its 95 % interval, if there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Return it as plain values; null for NaN."""
        return {
            name: None if value is None or math.isnan(value) else value
            for name, value in self._asdict().items()
        }


@dataclass(frozen=True, eq=False)
class Sampled:
    """People's answers to items, and the scenario of each item."""

    values: Annotated[Floats, "participant item"]  # NaN where there is no answer
    scenario: Annotated[Ints, "item"]  # numbers without gaps
    several: bool  # whether the rows are participants, rather than means

    @property
    def means(self) -> Annotated[Floats, "item"]:
        """The mean answer to each item."""
        means: Floats = np.nanmean(self.values, axis=0)
        return means

    @property
    def scenarios(self) -> int:
        """The number of scenarios."""
        return int(self.scenario.max()) + 1

    def part(self, items: Annotated[Ints, "some"]) -> Sampled:
        """Return some of the items, with the participants who answered them."""
        values = self.values[:, items]
        answered = ~np.isnan(values).all(axis=1)
        scenario = np.unique(self.scenario[items], return_inverse=True)[1]
        return Sampled(values[answered], scenario, self.several)


Resampled = tuple[Annotated[Floats, "sample item"], Annotated[Floats, "sample item"]]


def resample(people: Sampled, samples: int, seed: int) -> Iterator[Resampled]:
    """Yield means and weights of items with resampled scenarios, participants and answers."""
    random = np.random.default_rng(seed)
    k, columns = people.scenarios, people.values.shape[1]
    drawn = random.multinomial(k, np.full(k, 1 / k), size=samples)
    yield people.means[None], drawn[:, people.scenario].astype(np.float64)
    if not people.several:
        return
    yield _drawn_means(people.values, samples, random)
    means, weights = np.empty((2, samples, columns))
    for number in range(k):
        inside = np.flatnonzero(people.scenario == number)
        part = people.part(inside).values
        means[:, inside], weights[:, inside] = _drawn_means(part, samples, random)
    yield means, weights


def _drawn_means(values: Floats, samples: int, random: np.random.Generator) -> Resampled:
    """Return means over participants drawn with replacement."""
    n = len(values)
    drawn = random.multinomial(n, np.full(n, 1 / n), size=samples)
    return _weighted_means(values, drawn.astype(np.float64))


def _weighted_means(values: Floats, weights: Annotated[Floats, "sample participant"]) -> Resampled:
    """Return the weighted mean of each item, and 1, or 0 if nobody has answered it."""
    there = ~np.isnan(values)
    answers = weights @ there
    sums = weights @ np.where(there, values, 0.0)
    return sums / np.maximum(answers, 1), (answers > 0).astype(np.float64)


def agreement(
    model: Annotated[Floats, "item"], means: Floats, weights: Floats, *, line: bool
) -> Annotated[Floats, "sample statistic"]:
    """Return Pearson's r, the rank correlation and the root mean square error of each sample.

    With ``line``, the error is that of the best line, for numbers that have different units.
    """
    size = max(len(means), len(weights)), len(model)
    means, weights = np.broadcast_to(means, size), np.broadcast_to(weights, size)
    chunk = max(1, _AT_ONCE // len(model))
    parts = (slice(at, at + chunk) for at in range(0, len(means), chunk))
    return np.concatenate([_agreement(model, means[at], weights[at], line) for at in parts])


def _agreement(model: Floats, means: Floats, weights: Floats, line: bool) -> Floats:
    said = np.broadcast_to(model, means.shape)
    r = correlation(said, means, weights)
    rank = correlation(ranks(said, weights), ranks(means, weights), weights)
    if line:
        error = np.sqrt(_moments(means, weights)[1] * (1 - r**2))
    else:
        error = np.sqrt(np.average((means - said) ** 2, axis=1, weights=weights))
    return np.stack([r, rank, error], axis=1)


def correlation(x: Floats, y: Floats, weights: Floats) -> Annotated[Floats, "sample"]:
    """Return the weighted correlation of each sample; NaN where nothing varies."""
    (x, vx), (y, vy) = _moments(x, weights), _moments(y, weights)
    both = (weights * x * y).sum(axis=1) / weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = both / np.sqrt(vx * vy)
    return np.where((vx > 1e-24) & (vy > 1e-24), np.clip(found, -1, 1), np.nan)


def _moments(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return values minus their weighted mean, and their weighted variance."""
    total = weights.sum(axis=1)
    centred = values - ((weights * values).sum(axis=1) / total)[:, None]
    return centred, (weights * centred**2).sum(axis=1) / total


def ranks(values: Floats, weights: Floats) -> Annotated[Floats, "sample item"]:
    """Return the rank of each value in samples where its weight is its number of copies."""
    order = np.argsort(np.round(values, 12), axis=1)
    rising = np.take_along_axis(np.round(values, 12), order, axis=1)
    new = np.diff(rising, axis=1, prepend=-np.inf) > 0
    group = np.cumsum(new, axis=1) - 1  # of equal values
    number = group + np.arange(len(values))[:, None] * values.shape[1]
    heavy = np.take_along_axis(weights, order, axis=1)
    mass = np.bincount(number.ravel(), heavy.ravel(), values.size).reshape(values.shape)
    middle = np.take_along_axis(np.cumsum(mass, axis=1) - mass / 2, group, axis=1)
    ranked = np.empty(values.shape)
    np.put_along_axis(ranked, order, middle, axis=1)
    return ranked


def estimate(value: float, drawn: list[Floats], freedom: int, *, bounded: bool) -> Estimate:
    """Return a statistic with its interval, given its values in each kind of sample.

    Correlations are ``bounded``: their interval is found with Fisher's z, so that it is within
    -1 and 1.
    """
    if math.isnan(value) or freedom + 1 < LEAST or any(np.isnan(one).all() for one in drawn):
        return Estimate(value)
    centre = math.atanh(max(-_LIMIT, min(_LIMIT, value))) if bounded else value
    spreads = [_spread(_fisher(one, centre) if bounded else one) ** 2 for one in drawn]
    variance = spreads[0]
    if len(spreads) == 3:
        variance = max(*spreads[:2], spreads[0] + spreads[1] - spreads[2])
    reach = student(freedom) * math.sqrt(variance * (freedom + 1) / freedom)
    ends = centre - reach, centre + reach
    low, high = map(math.tanh, ends) if bounded else ends
    return Estimate(value, low, high)


def _fisher(r: Floats, centre: float) -> Floats:
    """Return Fisher's z, limited because a few items may agree perfectly by chance."""
    z = np.arctanh(np.clip(r, -_LIMIT, _LIMIT))
    return np.clip(z, centre - _FAR, centre + _FAR)


def _spread(values: Floats) -> float:
    """Return the standard deviation, from quantiles, so that a few odd samples do not matter."""
    low, high = np.nanquantile(values, [0.1587, 0.8413])
    return float(high - low) / 2


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t; Hill's expansion, within 0.2 % from 3 on."""
    z, n = _Z, freedom
    exact = {1: 12.706204736, 2: 4.302652730}
    if n in exact:
        return exact[n]
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3


def split_half(people: Sampled, splits: int, seed: int) -> float:
    """Return the split-half reliability of all participants (Spearman-Brown).

    2 r / (1 + |r|), where r is the mean correlation between the means of two random halves; |r|
    keeps the result bounded if the halves disagree. NaN if there are no participants, or no items
    that both halves answered.
    """
    n = len(people.values)
    if not people.several or n < 2:
        return math.nan
    random, found = np.random.default_rng(seed), []
    for _ in range(splits):
        half = np.isin(np.arange(n), random.permutation(n)[: n // 2]).astype(np.float64)
        means, weights = _weighted_means(people.values, np.stack([half, 1 - half]))
        both = weights.prod(axis=0)[None]
        if both.sum() > 2:
            found.append(float(correlation(means[:1], means[1:], both)[0]))
    r = float(np.nanmean(found)) if np.isfinite(found).any() else math.nan
    return 2 * r / (1 + abs(r))
