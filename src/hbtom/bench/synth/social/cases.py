"""Cases: the content of a pair and how plausible its members are, drawn before its geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from hbtom.bench.synth.geometry import Rng
from hbtom.observe import Episode

Level = Literal["expected", "no expectation", "unexpected"]
EXPECTED: Level = "expected"
NEITHER: Level = "no expectation"
UNEXPECTED: Level = "unexpected"
TRIES = 1000  # draws of an arrangement on one court
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told:
    """How plausible an episode is, and why."""

    level: Level
    why: str


Pair = tuple[Episode, Episode]  # the more plausible member first


def pick(rng: Rng, options: Sequence[T], weights: Sequence[float] | None = None) -> T:
    """Draw one of these options."""
    total = None if weights is None else [one / sum(weights) for one in weights]
    return options[int(rng.choice(len(options), p=total))]


def chance(rng: Rng, probability: float) -> bool:
    """Draw whether something happens."""
    return bool(rng.random() < probability)


def consistent(rng: Rng, many: int = 8, odd: float = 0.25) -> tuple[bool, ...]:
    """Draw in which trials an agent does the usual thing: in all, or in all but two."""
    if not chance(rng, odd):
        return (True,) * many
    strays = set(rng.choice(many, size=2, replace=False).tolist())
    return tuple(number not in strays for number in range(many))
