"""Scripts seen with noise: agents' positions jitter, and in some frames they are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from hbtom.bench.synth.geometry import WORLD, Rng
from hbtom.bench.synth.script import Script, Take

_DIGITS = 2  # after the decimal point: positions are exact to a hundredth of a pixel


@dataclass(frozen=True, slots=True)
class Jitter:
    """How badly agents are seen: noise (standard deviation in pixels) and missing frames."""

    noise: float = 0.0
    missing: float = 0.0  # share of the frames in which the agent is not seen

    def __bool__(self) -> bool:
        return self.noise > 0 or self.missing > 0


def jittered(script: Script, jitter: Jitter, seed: tuple[int, ...]) -> Script:
    """The same episode seen with noise; trials that two episodes share are still shared."""
    if not jitter:
        return script
    trials = (
        replace(take, sight=tuple(_sight(take, jitter, np.random.default_rng([*seed, number]))))
        for number, take in enumerate(script.trials)
    )
    return replace(script, trials=tuple(trials))


def _sight(take: Take, jitter: Jitter, rng: Rng) -> Iterator[tuple[float, float] | None]:
    """Where the agent is seen in each frame, always inside the world; None where it is missing."""
    off = rng.standard_normal((len(take.moments), 2)) * jitter.noise
    missing = rng.random(len(take.moments)) < jitter.missing
    if missing.all():
        missing[0] = False  # the agent must be seen at least once
    places = np.array([moment.agent for moment in take.moments]) + off
    for place, gone in zip(np.clip(places, 0, WORLD).tolist(), missing.tolist(), strict=True):
        yield None if gone else (round(place[0], _DIGITS), round(place[1], _DIGITS))
