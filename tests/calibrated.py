"""Simulation-based calibration: ranks of true values in posteriors."""

from __future__ import annotations

import numpy as np
from scipy.stats import chisquare

BINS = 10


def rank(belief: np.ndarray, true: int, rng: np.random.Generator) -> float:
    """Return the rank of the truth in a discrete belief, 0 to 1; ties are broken at random."""
    return float(belief[:true].sum() + rng.random() * belief[true])


def uniform(ranks: list[float]) -> float:
    """Return the p-value of the ranks under the hypothesis that they are uniform."""
    return float(chisquare(np.histogram(ranks, BINS, (0.0, 1.0))[0]).pvalue)
