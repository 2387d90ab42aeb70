"""The referee: score any ratings, and test whether two sets of ratings differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from hbtom.bench.pairs import Dataset, LeftOut, Result
from hbtom.bench.ratings import Ratings
from hbtom.bench.score import Score, in_order, pair_score, paired, scores, total
from hbtom.errors import count

PairName = tuple[str, str]  # task, pair


@dataclass(frozen=True)
class Refereed(Result):
    """The score of a set of ratings, and the pairs that could not be scored."""

    tasks: tuple[Score, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def reversed(self) -> bool:
        """Whether unexpected members are rated higher more often than by chance."""
        return total("overall", self.tasks).interval[1] < 0.5


def score_ratings(ratings: Ratings, dataset: Dataset | None = None) -> Refereed:
    """Score ratings pair by pair; with a dataset, also list its pairs that were not rated."""
    values, left_out = _pairs(ratings)
    if dataset is not None:
        known = {(pair.task, pair.name) for pair in dataset.pairs}
        left_out += _counted(known - set(values), "in the dataset, but not rated")
        left_out += _counted(set(values) - known, "rated, but not in the dataset")
        values = {name: value for name, value in values.items() if name in known}
    return Refereed(scores(values), tuple(left_out))


def _counted(pairs: set[PairName], why: str) -> list[LeftOut]:
    """Return one line per task; the first pair stands for all."""
    return [
        LeftOut(task, f"{count(len(names), 'pair')} (first {names[0]}): {why}", count=len(names))
        for task, group in groupby(sorted(pairs), key=itemgetter(0))
        for names in [[pair for _, pair in group]]
    ]


def _pairs(ratings: Ratings) -> tuple[dict[PairName, tuple[float, float]], list[LeftOut]]:
    pairs = paired(ratings.values)
    alone = {(task, pair) for task, pair, _ in ratings.values} - set(pairs)
    left_out = [LeftOut("/".join(name), "needs members e and u") for name in sorted(alone)]
    return pairs, left_out


@dataclass(frozen=True)
class Difference:
    """How two sets of ratings differ, on pairs of a task that both have rated."""

    task: str
    pairs: int
    first: float  # accuracy of the first set
    second: float  # and of the second
    first_better: int  # pairs on which the first set scores higher
    second_better: int  # and on which the second does
    missing: int  # pairs with a rating that is missing in either set; it counts one half there
    p: float  # of the exact sign test, two-sided
    p_adjusted: float  # after Holm, over all tasks


@dataclass(frozen=True)
class Comparison(Result):
    """How two sets of ratings differ, and the pairs that only one of them rates."""

    tasks: tuple[Difference, ...]
    left_out: tuple[LeftOut, ...]


def compare(first: Ratings, second: Ratings) -> Comparison:
    """Compare two sets of ratings task by task, with a paired test.

    The exact sign test ignores pairs with equal scores. Under the null hypothesis, either set wins
    half of the others. Without ties, this is McNemar's test.
    """
    (one, left), (two, right) = _pairs(first), _pairs(second)
    left_out = left + right
    left_out += _counted(set(one) - set(two), f"rated in {first.name} only")
    left_out += _counted(set(two) - set(one), f"rated in {second.name} only")
    common = sorted(set(one) & set(two))
    rated = {name: (pair_score(*one[name]), pair_score(*two[name])) for name in common}
    tasks = in_order(task for task, _ in common)
    gone = Counter(name[0] for name in common if any(map(math.isnan, (*one[name], *two[name]))))
    found = [
        _difference(task, [both for (of, _), both in rated.items() if of == task], gone[task])
        for task in tasks
    ]
    adjusted = holm([difference.p for difference in found])
    differences = (replace(d, p_adjusted=p) for d, p in zip(found, adjusted, strict=True))
    return Comparison(tuple(differences), tuple(left_out))


def _difference(task: str, values: Sequence[tuple[float, float]], missing: int) -> Difference:
    first, second = (sum(column) / len(values) for column in zip(*values, strict=True))
    wins, losses = sum(a > b for a, b in values), sum(a < b for a, b in values)
    p = sign_test(wins, losses)
    known = len(values), first, second, wins, losses, missing
    return Difference(task, *known, p, p_adjusted=p)


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p of the exact sign test: twice P(at most this many of the rarer)."""
    n, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, 2 * tail / 2**n)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for several tests by Holm's step-down method."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
