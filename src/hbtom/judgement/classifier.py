"""From surprise to plausibility: a product of three logistics."""

from __future__ import annotations

import math

from hbtom.judgement.surprises import Triple
from hbtom.model import Classifier, Logistic


def plausibility(classifier: Classifier, surprise: Triple) -> tuple[float, Triple]:
    """Return p = p_goal p_efficiency p_observation, and these three parts."""
    parts = Triple(
        goal=logistic(classifier.goal, surprise.goal),
        efficiency=logistic(classifier.efficiency, surprise.efficiency),
        observation=logistic(classifier.observation, surprise.observation),
    )
    return parts.goal * parts.efficiency * parts.observation, parts


def logistic(curve: Logistic, x: float) -> float:
    """Return 1 / (1 + exp(-(w x + b))), without overflow."""
    z = curve.weight * x + curve.bias
    return 1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z))
