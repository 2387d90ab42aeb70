"""From surprise to plausibility: a product of logistics, one for each kind of surprise."""

from __future__ import annotations

import math

from hbtom.assumptions import Classifier, Logistic
from hbtom.judgement.surprises import KINDS, Surprise


def plausibility(classifier: Classifier, surprise: Surprise) -> tuple[float, Surprise]:
    """Return p = p_goal p_efficiency p_observation p_waste, and these parts.

    A surprise for which the classifier has no curve does not count.
    """
    parts = dict[str, float]()
    for kind in KINDS:
        curve, x = getattr(classifier, kind), getattr(surprise, kind)
        if curve is not None and x is not None:
            parts[kind] = logistic(curve, x)
    return math.prod(parts.values()), Surprise(**parts)


def losses(classifier: Classifier, parts: Surprise) -> dict[str, float]:
    """Return the share of each part that its surprise costs: 1 - p(x) / p(0), at least 0."""
    return {
        kind: max(1.0 - part / logistic(getattr(classifier, kind), 0.0), 0.0)
        for kind, part in parts.to_dict().items()
    }


def logistic(curve: Logistic, x: float) -> float:
    """Return 1 / (1 + exp(-(w x + b))), without overflow."""
    z = curve.weight * x + curve.bias
    return 1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z))
