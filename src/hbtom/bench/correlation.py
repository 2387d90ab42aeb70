"""Comparing people with models: looking times, ratings or choices against results."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.bench.agreements import ALL, Agreement, Ceiling, Correlation, Gap, sampled
from hbtom.bench.looking_times import effects
from hbtom.bench.measures import MeasureOptions, Measures, read_measures
from hbtom.bench.model_values import ModelValues, read_model
from hbtom.bench.ratings import at_row
from hbtom.bench.resampling import (
    STATISTICS,
    Sampled,
    agreement,
    estimate,
    resample,
    split_half,
)
from hbtom.errors import BadInput, located

SAMPLES, SPLITS = 2000, 200
MOST = 50_000_000  # samples times items


def correlate(
    measures: Any,
    results: Any,
    *,
    column: str | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    **reading: Any,
) -> Correlation:
    """Compare people's answers with the predictions of one or several models.

    ``measures`` is a file or a data frame. ``results`` is a file, a data frame, an evaluation or a
    judgement of plans, or several of these: a list, pairs of a name and a table, or a dict by the
    names of models. ``column`` of the results is compared, by default the probability or rating.
    ``reading`` are fields of :class:`hbtom.bench.measures.MeasureOptions`, such as ``direction``.

    >>> correlate("ratings.csv", {"paper": "paper.csv", "people": "people.csv"})  # doctest: +SKIP
    """
    models = _models(results, column)
    people = read_measures(measures, MeasureOptions(**reading), models[0].goals)
    said = {one.name: said_by(people, one, MeasureOptions(**reading).scale) for one in models}
    return compare_with(people, said, samples=samples, seed=seed)


def compare_with(
    people: Measures, said: Mapping[str, Floats], *, samples: int = SAMPLES, seed: int = 0
) -> Correlation:
    """Compare measures with models' predictions for the same items.

    Items that a model cannot judge are left out.
    """
    known: Bools = ~np.isnan(np.array([*said.values()])).any(axis=0)
    if known.sum() < 3:
        hint = "a correlation needs three or more"
        problem = f"there are too few items to compare: {known.sum()}"
        raise BadInput(problem, hint=hint, file=people.name)
    if len(people.items) * samples > MOST:
        hint = f"at most {MOST // len(people.items)} samples fit (--samples)"
        raise BadInput(
            f"{samples:,} samples of {len(people.items):,} items are too many", hint=hint
        )
    agreements: list[Agreement] = []
    gaps: list[Gap] = []
    ceilings = []
    for category, items in _categories(people, known):
        part = sampled(people).part(items)
        found = _statistics(part, [x[items] for x in said.values()], people, samples, seed)
        freedom = min(part.scenarios, len(part.values) if part.several else part.scenarios) - 1
        counted = category, part.scenarios, len(items)
        agreements += _agreements(list(said), counted, found, freedom)
        gaps += _gaps(list(said), category, found, freedom)
        reliability = split_half(part, SPLITS, seed)
        ceilings.append(Ceiling(category, reliability, math.sqrt(max(0.0, reliability))))
    known_ceilings = tuple(one for one in ceilings if not math.isnan(one.reliability))
    order = {name: number for number, name in enumerate(said)}
    agreements.sort(key=lambda one: order[one.model])
    return Correlation(
        people, said, tuple(agreements), tuple(gaps), known_ceilings, effects(people), samples, seed
    )


_Statistics = list[list[Annotated[Floats, "sample statistic"]]]  # by model: observed, then drawn


def _statistics(
    part: Sampled, models: Sequence[Floats], people: Measures, samples: int, seed: int
) -> _Statistics:
    """Return the statistics of each model: as observed, and in each kind of samples."""
    line = people.answer == "looking"
    observed = part.means[None], np.ones((1, len(part.means)))
    drawn = [observed, *resample(part, samples, seed)]
    return [[agreement(x, *one, line=line) for one in drawn] for x in models]


def _agreements(
    names: Sequence[str], counted: tuple[str, int, int], found: _Statistics, freedom: int
) -> Iterator[Agreement]:
    for name, (observed, *drawn) in zip(names, found, strict=True):
        estimates = [
            estimate(float(observed[0, s]), [one[:, s] for one in drawn], freedom, bounded=s < 2)
            for s in range(len(STATISTICS))
        ]
        estimates[2] = estimates[2]._replace(low=_floor(estimates[2].low))
        yield Agreement(name, *counted, *estimates)


def _floor(low: float | None) -> float | None:
    return None if low is None else max(0.0, low)


def _gaps(names: Sequence[str], category: str, found: _Statistics, freedom: int) -> Iterator[Gap]:
    """Yield differences between models, in the same samples."""
    for (one, first), (two, second) in combinations(zip(names, found, strict=True), 2):
        observed, *drawn = (a - b for a, b in zip(first, second, strict=True))
        yield Gap(
            one,
            two,
            category,
            *(
                estimate(float(observed[0, s]), [d[:, s] for d in drawn], freedom, bounded=False)
                for s in range(len(STATISTICS))
            ),
        )


def _categories(
    people: Measures, known: Annotated[Bools, "item"]
) -> Iterator[tuple[str, Annotated[Ints, "some"]]]:
    """Yield all items, then those of each variable and of each category if there are several.

    Only items that all models can judge are among them.
    """
    yield ALL, np.flatnonzero(known)
    for of in (
        [item.variable for item in people.items],
        [people.categories.get(item.scenario, "") for item in people.items],
    ):
        names = [name for name in dict.fromkeys(of) if name]
        for name in names if len(names) > 1 else ():
            items = np.flatnonzero(known & [one == name for one in of])
            if len(items) > 2:
                yield name, items


def _models(results: Any, column: str | None) -> list[ModelValues]:
    if isinstance(results, Mapping):
        results = list(results.items())
    elif isinstance(results, str | os.PathLike) or hasattr(results, "to_dict") or _records(results):
        results = [results]
    named = [one if isinstance(one, tuple) else ("", one) for one in results]
    models = [read_model(source, name, column) for name, source in named]
    names = [one.name for one in models]
    if twice := [name for name in names if names.count(name) > 1]:
        hint = "give them names: NAME=FILE, or a dict in Python"
        raise BadInput(f"two models are called '{twice[0]}'", hint=hint)
    if not models:
        raise BadInput("there are no results", hint="name at least one file of results")
    return models


def _records(results: Sequence[Any]) -> bool:
    """Return whether these are the rows of one table, rather than several tables."""
    return bool(results) and isinstance(results[0], Mapping)


def said_by(people: Measures, model: ModelValues, scale: tuple[float, float]) -> Floats:
    """Return a model's prediction for every item, in the direction of the people's answers."""
    values = np.empty(len(people.items))
    with located(file=people.name):
        for number, (item, row) in enumerate(zip(people.items, people.row, strict=True)):
            with at_row(row):
                values[number] = model.find(people.names[item.scenario], item)
    inside = not ((values < 0) | (values > 1)).any()
    if model.column.startswith("surprise") == (people.direction == "looking"):
        same = inside or people.direction == "looking"
        return values if same else (values - scale[0]) / (scale[1] - scale[0])
    return 1 - values if inside else -values
