"""Scoring ratings: pairwise accuracy with its interval, and the margins behind it.

A pair is correct if its expected member is rated higher. A tie counts one half and is reported; so
does a pair with a missing rating, because a member cannot be judged. The margin of a pair is how
much higher its expected member is rated: zero for a tie, negative for a wrong pair, and not a
number if a rating is missing. Margins say how near to failure a perfect score is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hbtom.bench.labels import ORDER, Levels
from hbtom.bench.published import published
from hbtom.bench.tasks import PAIRED_TASKS
from hbtom.errors import count

T = TypeVar("T")
_Z = 1.959963984540054  # two-sided 95 % of the normal distribution
NEAR = 0.05  # a pair with a smaller margin is nearly wrong, or wrong


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """How the pairs of a task, of a group of tasks, or of all tasks were judged."""

    task: str
    margins: tuple[float, ...]  # one per pair; NaN if a rating is missing
    bounded: bool = True  # whether ratings are between 0 and 1

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.margins)

    @property
    def correct(self) -> int:
        """The number of pairs judged correctly."""
        return sum(one > 0 for one in self.margins)

    @property
    def ties(self) -> int:
        """The number of ties."""
        return self.margins.count(0.0)

    @property
    def missing(self) -> int:
        """The number of pairs with a member whose rating is missing."""
        return self.pairs - len(self.known)

    @property
    def known(self) -> tuple[float, ...]:
        """The margins of the pairs of which both members are rated."""
        return tuple(one for one in self.margins if not math.isnan(one))

    @property
    def accuracy(self) -> float:
        """(correct + ties / 2 + missing / 2) / pairs; NaN if there are no pairs."""
        return self._right / self.pairs if self.pairs else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval of the accuracy, 95 %."""
        return wilson(self._right, self.pairs)

    @property
    def _right(self) -> float:
        return self.correct + (self.ties + self.missing) / 2

    @property
    def margin_5(self) -> float:
        """The 5 % quantile of the margins: at least 5 % of all pairs do not exceed it.

        Of n margins in ascending order, it is number n / 20, rounded up, so that it is always the
        margin of a pair. NaN if there are none.
        """
        known = sorted(self.known)
        return known[(len(known) - 1) // 20] if known else math.nan

    @property
    def margin_least(self) -> float:
        """The smallest margin; NaN if there are none."""
        return min(self.known, default=math.nan)

    @property
    def margin_below(self) -> float:
        """The share of margins below 0.05, which include those of all ties and wrong pairs."""
        known = self.known
        return sum(one < NEAR for one in known) / len(known) if known else math.nan

    def __repr__(self) -> str:
        return (
            f"<Score of {self.task!r}: {count(self.pairs, 'pair')}, {self.correct} correct, "
            f"{count(self.ties, 'tie')}{self._missing}, least margin {self.margin_least:.3g}>"
        )

    @property
    def _missing(self) -> str:
        return f", {self.missing} missing" if self.missing else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain values: fractions, and null if there are no pairs."""
        known, margins = self.pairs > 0, bool(self.known)
        return {
            "task": self.task,
            "pairs": self.pairs,
            "correct": self.correct,
            "ties": self.ties,
            "missing": self.missing,
            "accuracy": self.accuracy if known else None,
            "interval": list(self.interval) if known else [None, None],
            "margin_5": finite_or_text(self.margin_5) if margins else None,
            "margin_least": finite_or_text(self.margin_least) if margins else None,
            "margin_below": self.margin_below if margins else None,
            "published": published(self.task).get("HBToM"),
        }

    def to_record(self) -> dict[str, Any]:
        """Return the score as a row of a table: the interval in two cells, no published scores."""
        plain = self.to_dict()
        low, high = plain.pop("interval")
        del plain["published"]
        return {**plain, "low": low, "high": high}


def finite_or_text(value: float) -> float | str:
    """Return a number in a form that JSON can hold: infinity as text."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion, 95 %.

    (p + z^2 / 2n  +-  z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)
    """
    if trials == 0:
        return 0.0, 1.0
    p, z2 = successes / trials, _Z * _Z
    centre = p + z2 / (2 * trials)
    half = _Z * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def pair_score(expected: float, unexpected: float) -> float:
    """Return 1 if the expected member is rated higher, 1/2 for a tie or a missing rating, or 0."""
    tied = expected == unexpected or math.isnan(expected) or math.isnan(unexpected)
    return 1.0 if expected > unexpected else 0.5 if tied else 0.0


def margin(expected: float, unexpected: float) -> float:
    """Return how much higher the expected member is rated; ratings may be infinite."""
    return 0.0 if expected == unexpected else expected - unexpected


def paired(rated: Mapping[tuple[str, str, str], T]) -> dict[tuple[str, str], tuple[T, T]]:
    """Return the values of both members, e and u, by task and pair; skip incomplete pairs."""
    members: dict[tuple[str, str], dict[str, T]] = {}
    for (task, pair, member), value in rated.items():
        members.setdefault((task, pair), {})[member] = value
    return {name: (both["e"], both["u"]) for name, both in members.items() if set(both) == {*"eu"}}


def scores(ratings: Mapping[tuple[str, str], tuple[float, float]]) -> tuple[Score, ...]:
    """Return one score per task, given the ratings of both members, e and u, by task and pair."""
    margins: dict[str, list[float]] = {}
    for (task, _), both in ratings.items():
        margins.setdefault(task, []).append(margin(*both))
    bounded = not any(one < 0 or one > 1 for both in ratings.values() for one in both)
    return tuple(replace(one, bounded=bounded) for one in scores_of(margins))


def scores_of(margins: Mapping[str, Iterable[float]]) -> tuple[Score, ...]:
    """Return one score per task, given the margins of its pairs; in the benchmark's order."""
    return tuple(Score(task, tuple(margins[task])) for task in in_order(margins))


def mean_by_level(
    ratings: Mapping[tuple[str, str, str], float], levels: Levels
) -> dict[str, dict[str, float]]:
    """Return the mean rating of each level, by task; the most plausible level first."""
    rated: dict[str, dict[str, list[float]]] = {}
    for name, rating in ratings.items():
        if name in levels and not math.isnan(rating):
            rated.setdefault(name[0], {}).setdefault(levels[name], []).append(rating)
    return {
        task: {
            level: sum(rated[task][level]) / len(rated[task][level])
            for level in reversed(ORDER)
            if level in rated[task]
        }
        for task in in_order(rated)
    }


def in_order(tasks: Iterable[str]) -> list[str]:
    """Return each task once: those of the benchmark in its order, then others by name."""
    order = [one.folder for one in PAIRED_TASKS]
    known = set(tasks)
    return [*(task for task in order if task in known), *sorted(known - set(order))]


def total(task: str, parts: Iterable[Score]) -> Score:
    """Return the score of several tasks together, every pair counting the same."""
    parts = tuple(parts)
    bounded = all(part.bounded for part in parts)
    return Score(task, tuple(one for part in parts for one in part.margins), bounded)


def in_groups(rated: Sequence[Score]) -> list[tuple[str, tuple[Score, ...]]]:
    """Return the paper's rows: each group with its tasks; other tasks stand alone.

    A group with missing tasks gets another name, because its scores are not comparable.
    """
    group_of = {one.folder: one.group for one in PAIRED_TASKS}
    size, groups = Counter(group_of.values()), dict[str, list[Score]]()
    for score in rated:
        groups.setdefault(group_of.get(score.task, score.task), []).append(score)
    return [
        (
            group if len(parts) >= size[group] else f"{group}, {len(parts)} of {size[group]}",
            (*parts,),
        )
        for group, parts in groups.items()
    ]
