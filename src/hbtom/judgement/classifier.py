"""From surprise to plausibility: a product of logistics, one for each kind of surprise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

from hbtom.assumptions import Classifier, Logistic

if TYPE_CHECKING:
    from hbtom.mind import Posterior


class Surprise(Struct, frozen=True):
    """One number for each kind of surprise; ``waste`` is None if the model leaves it out.

    None of them is a number (NaN) if the trial cannot be judged.
    """

    goal: float
    efficiency: float
    observation: float
    waste: float | None = None

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name, except those that are left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}


KINDS = Surprise.__struct_fields__
FURTHER: dict[str, Callable[[Posterior], float]] = {}  # surprises of every posterior, by name


def missing_surprise(*, waste: bool = False) -> Surprise:
    """Return the surprises of a trial that cannot be judged."""
    numbers = dict.fromkeys(("goal", "efficiency", "observation", *FURTHER), math.nan)
    return Surprise(**numbers, waste=math.nan if waste else None)


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
