"""How measures are distributed over expected and unexpected episodes, and margins over pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from hbtom.bench.score import pair_score

BINS = 25
SIDE = 20  # bins of margins on either side of zero
_WITHIN = (0.01, 0.99)  # quantiles that bound a range without natural bounds
_LARGEST = 1e300  # largest value that does not overflow in computations
_FINE = 1e-9  # least range, relative to its values, that can be divided into bins

Both = Sequence[tuple[float, float]]  # of the expected and the unexpected member of each pair


@dataclass(frozen=True)
class Measure:
    """A number that is known for every episode."""

    name: str  # of the column
    label: str
    bounded: bool  # between 0 and 1
    rises: bool  # larger for expected episodes; surprises are smaller


MEASURES = (
    Measure("surprise_goal", "Goal surprise", bounded=True, rises=False),
    Measure("surprise_efficiency", "Efficiency surprise", bounded=True, rises=False),
    Measure("surprise_observation", "Observation surprise", bounded=False, rises=False),
    Measure("surprise_waste", "Surprise of waste", bounded=False, rises=False),
    Measure("plausibility", "Plausibility", bounded=True, rises=True),
)
PREDICTIVE = Measure("rating", "Predictive score", bounded=True, rises=True)
RATING = Measure("rating", "Rating", bounded=False, rises=True)


@dataclass(frozen=True)
class Spread:
    """How many episodes have values in each part of a range; the outermost parts are unbounded."""

    expected: tuple[int, ...]
    unexpected: tuple[int, ...]
    right: float  # share of pairs that the measure alone gets right; ties and missing count 1/2


def range_of(measure: Measure, values: Both) -> tuple[float, float]:
    """Return the range of a measure: [0, 1], or one that contains nearly all values."""
    if measure.bounded:
        return 0.0, 1.0
    known = np.array([value for both in values for value in both])
    known = known[np.isfinite(known)]
    if not len(known):
        return 0.0, 1.0
    known = np.clip(known, -_LARGEST, _LARGEST)
    low, high = (float(bound) for bound in np.quantile(known, _WITHIN))
    least = _FINE * max(abs(low), abs(high))
    if high - low > max(least, 1 / _LARGEST):
        return low, high
    half = max(0.5, least)
    return low - half, low + half


def spread(measure: Measure, values: Both, bounds: tuple[float, float]) -> Spread:
    """Count the values of a measure, for both members of each pair."""
    right = [pair_score(e, u) if measure.rises else pair_score(u, e) for e, u in values]
    expected, unexpected = np.array(values, dtype=np.float64).T
    edges = np.linspace(*bounds, BINS + 1)
    return Spread(count(expected, edges), count(unexpected, edges), sum(right) / len(right))


def margin_edges(ratings: Both) -> tuple[float, ...]:
    """Return the edges of the bins of margins, symmetric about zero; from -1 to 1 if possible."""
    reach = 1.0
    if any(one < 0 or one > 1 for both in ratings for one in both):
        sizes = [abs(e - u) for e, u in ratings if math.isfinite(e - u)]
        reach = (float(np.quantile(sizes, _WITHIN[1])) if sizes else 0.0) or 1.0
    return tuple(reach * (step / SIDE) for step in range(-SIDE, SIDE + 1))


def count(values: ArrayLike, edges: Annotated[ArrayLike, "edge"]) -> tuple[int, ...]:
    """Return the number of values in each bin; the outermost bins are unbounded.

    Values that are not numbers are missing.
    """
    known, ends = np.asarray(values, dtype=np.float64), np.asarray(edges)
    known = known[~np.isnan(known)]
    return tuple(np.histogram(np.clip(known, ends[0], ends[-1]), ends)[0].tolist())
