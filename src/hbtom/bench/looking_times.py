"""Looking times in pairs: how much longer infants look at the unexpected episode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.bench.measures import Measures
from hbtom.bench.resampling import Estimate, student
from hbtom.bench.score import in_order, paired


@dataclass(frozen=True)
class Effect:
    """How participants differ between the two episodes of pairs of a task."""

    task: str
    pairs: int
    participants: int  # those who saw both episodes of a pair
    difference: Estimate  # unexpected minus expected, the mean over participants
    d: float  # Cohen's d of paired differences: their mean over their standard deviation
    share: float  # of participants with a positive difference; zero counts one half


def effects(people: Measures) -> tuple[Effect, ...]:
    """Return the effect in each task in which anyone saw both episodes of a pair."""
    if people.direction != "looking" or not people.participants:
        return ()
    members = people.members.items()
    pairs = paired({one: _looks(people, name) for name, one in members})
    found = []
    for task in in_order(task for task, _ in pairs):
        differences = [u - e for (of, _), (e, u) in pairs.items() if of == task]
        means = _means(np.array(differences).T)
        means = means[~np.isnan(means)]
        if len(means) > 1:
            mean, spread, n = float(means.mean()), float(means.std(ddof=1)), len(means)
            reach = student(n - 1) * spread / math.sqrt(n)
            d = mean / spread if spread > 0 else math.nan
            share = float((means > 0).mean() + (means == 0).mean() / 2)
            estimate = Estimate(mean, mean - reach, mean + reach)
            found.append(Effect(task, len(differences), n, estimate, d, share))
    return tuple(found)


def _looks(people: Measures, scenario: str) -> Annotated[Floats, "participant"]:
    """Return how long each participant looked at a scenario, on average over times."""
    return _means(people.values[:, [item.scenario == scenario for item in people.items]])


def _means(values: Annotated[Floats, "row column"]) -> Annotated[Floats, "row"]:
    """Return the mean of each row, ignoring NaN; NaN if the row has no numbers."""
    there = ~np.isnan(values)
    sums, many = np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1)
    return np.where(many > 0, sums / np.maximum(many, 1), np.nan)
