"""How each network is trained, by default and in a hurry."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from hbtom.neural.nets import NETWORKS


@dataclass(frozen=True)
class Recipe:
    """How weights are found with Adam."""

    steps: int
    batch: int
    rate: float  # of learning
    falls: bool = False  # whether the rate falls to zero, along a cosine
    clip: float = 10.0  # largest norm of the gradient
    averaged: float = 0.25  # weights are averaged over this share of steps, the last ones
    follow: float | None = None  # alternatively, the share of new weights in a moving average
    seconds: float | None = None  # if all steps would take longer, do fewer

    @property
    def stride(self) -> int:
        """The number of steps done at a time."""
        most = max(1, min(200, self.steps // 20))
        return next(some for some in range(most, 0, -1) if self.steps % some == 0)


@dataclass(frozen=True)
class TrainingPlan:
    """How a network is trained: on how many episodes, and by which recipes."""

    episodes: int  # number to generate
    network: Recipe
    encoder: Recipe | None = None  # for networks that look at encoded pictures
    shown: int = 6000  # most episodes that the encoder learns from

    def progress(self, stage: str, step: int) -> tuple[int, int]:
        """Return the number of steps done after a step of a stage, and of all steps."""
        first = 0 if self.encoder is None else self.encoder.steps
        return (step if stage == "encoder" else first + step), first + self.network.steps


def asked(network: str, plan: TrainingPlan, seed: int, data: str) -> dict[str, Any]:
    """Return everything that determines the weights, except the device; ``data`` is in words."""
    card = {"network": network, "version": NETWORKS[network].version, "seed": seed, "data": data}
    return card | {"plan": json.loads(json.dumps(asdict(plan)))}


_ENCODER = Recipe(steps=4000, batch=512, rate=1e-3, falls=True, follow=0.01)
_SMALL_ENCODER = Recipe(steps=60, batch=32, rate=1e-3, falls=True, follow=0.01)

PLANS = {
    "bc-mlp": TrainingPlan(28_000, Recipe(steps=40_000, batch=256, rate=1e-4), _ENCODER),
    "bc-rnn": TrainingPlan(28_000, Recipe(steps=20_000, batch=256, rate=1e-4), _ENCODER),
    "video-rnn": TrainingPlan(8_000, Recipe(steps=10_000, batch=32, rate=1e-3, falls=True)),
    "set-transformer": TrainingPlan(
        28_000, Recipe(steps=40_000, batch=512, rate=6e-4, falls=True, clip=1.0)
    ),
}
QUICK = {
    "bc-mlp": TrainingPlan(140, Recipe(steps=600, batch=32, rate=1e-3), _SMALL_ENCODER),
    "bc-rnn": TrainingPlan(140, Recipe(steps=300, batch=32, rate=1e-3), _SMALL_ENCODER),
    "video-rnn": TrainingPlan(28, Recipe(steps=40, batch=1, rate=2e-3, falls=True)),
    "set-transformer": TrainingPlan(140, Recipe(steps=150, batch=16, rate=1e-3, falls=True)),
}
