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


def losses(classifier: Classifier, parts: Triple) -> Triple:
    """Return which share of each part its surprise costs: 1 - p(x) / p(0), at least 0."""

    def loss(curve: Logistic, part: float) -> float:
        return max(1.0 - part / logistic(curve, 0.0), 0.0)

    return Triple(
        goal=loss(classifier.goal, parts.goal),
        efficiency=loss(classifier.efficiency, parts.efficiency),
        observation=loss(classifier.observation, parts.observation),
    )


def logistic(curve: Logistic, x: float) -> float:
    """Return 1 / (1 + exp(-(w x + b))), without overflow."""
    z = curve.weight * x + curve.bias
    return 1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z))
