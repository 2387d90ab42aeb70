"""Simulation-based calibration: ranks of what is true in what is believed."""

from __future__ import annotations

import numpy as np
from scipy.stats import chisquare

BINS = 10


def rank(belief: np.ndarray, true: int, rng: np.random.Generator) -> float:
    """Return where the truth is in a discrete belief, 0 to 1; ties are broken by chance."""
    return float(belief[:true].sum() + rng.random() * belief[true])


def uniform(ranks: list[float]) -> float:
    """Return the probability of ranks at least as uneven as these, if they are uniform."""
    return float(chisquare(np.histogram(ranks, BINS, (0.0, 1.0))[0]).pvalue)
