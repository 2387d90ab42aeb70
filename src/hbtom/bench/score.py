"""Scoring: pairwise accuracy with its interval, whoever made the ratings.

A pair is correct if its expected member is rated higher. A tie counts one half and is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hbtom.bench.published import published
from hbtom.bench.tasks import EVALUATION_TASKS

T = TypeVar("T")
_Z = 1.959963984540054  # two-sided 95 % of the normal distribution


@dataclass(frozen=True, slots=True)
class Score:
    """How many pairs of a task, of a group of tasks, or of all, were judged right."""

    task: str
    pairs: int
    correct: int
    ties: int

    @property
    def accuracy(self) -> float:
        """(correct + ties / 2) / pairs; not a number if there are no pairs."""
        return (self.correct + self.ties / 2) / self.pairs if self.pairs else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval of the accuracy, 95 %."""
        return wilson(self.correct + self.ties / 2, self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain values; fractions, with null where there is no pair."""
        known = self.pairs > 0
        return {
            "task": self.task,
            "pairs": self.pairs,
            "correct": self.correct,
            "ties": self.ties,
            "accuracy": self.accuracy if known else None,
            "interval": list(self.interval) if known else [None, None],
            "published": published(self.task).get("HBToM"),
        }

    def to_record(self) -> dict[str, Any]:
        """Return the score as a row of a table: the interval in two cells, nothing published."""
        plain = self.to_dict()
        low, high = plain.pop("interval")
        del plain["published"]
        return {**plain, "low": low, "high": high}


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
    """Return 1 if the expected member is rated higher, 1/2 for a tie, 0 otherwise."""
    return 1.0 if expected > unexpected else 0.5 if expected == unexpected else 0.0


def paired(rated: Mapping[tuple[str, str, str], T]) -> dict[tuple[str, str], tuple[T, T]]:
    """Return what is known of both members, e and u, by task and pair; what has no mate is not."""
    members: dict[tuple[str, str], dict[str, T]] = {}
    for (task, pair, member), value in rated.items():
        members.setdefault((task, pair), {})[member] = value
    return {name: (both["e"], both["u"]) for name, both in members.items() if set(both) == {*"eu"}}


def scores(pairs: Mapping[str, Iterable[float]]) -> tuple[Score, ...]:
    """Return one score a task, given its pairs' scores; in the benchmark's order."""
    order = [one.folder for one in EVALUATION_TASKS]
    names = [*(name for name in order if name in pairs), *sorted(set(pairs) - set(order))]
    return tuple(_counted(name, list(pairs[name])) for name in names)


def _counted(task: str, values: Sequence[float]) -> Score:
    return Score(task, len(values), values.count(1.0), values.count(0.5))


def total(task: str, parts: Iterable[Score]) -> Score:
    """Return the score of several tasks together, every pair counting the same."""
    parts = tuple(parts)
    return Score(
        task,
        sum(part.pairs for part in parts),
        sum(part.correct for part in parts),
        sum(part.ties for part in parts),
    )


def in_groups(rated: Sequence[Score]) -> list[tuple[str, tuple[Score, ...]]]:
    """Return the paper's rows: each group of tasks with its tasks; other tasks stand alone."""
    group_of = {one.folder: one.group for one in EVALUATION_TASKS}
    groups: dict[str, list[Score]] = {}
    for score in rated:
        groups.setdefault(group_of.get(score.task, score.task), []).append(score)
    return [(group, tuple(parts)) for group, parts in groups.items()]
