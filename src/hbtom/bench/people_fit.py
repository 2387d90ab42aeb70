"""Choose the parameters with which a model agrees best with people, with cross-validation.

Each scenario in turn is left out, and predicted with the parameters that agree best with people on
all others. The agreement of these predictions with people is an estimate for new scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.bench.agreements import Correlation, sampled
from hbtom.bench.correlation import compare_with, said_by
from hbtom.bench.evaluation import as_dataset
from hbtom.bench.judged import RateWithAll
from hbtom.bench.measures import MeasureOptions, read_measures
from hbtom.bench.model_values import ModelValues, read_model
from hbtom.bench.pairs import Dataset, Pair
from hbtom.bench.rater import ModelRater
from hbtom.bench.resampling import correlation
from hbtom.bench.scenarios import PROBLEM, Scenario, find_scenarios, judge_scenarios, posterior_rows
from hbtom.bench.sweep import Settings, combinations, plain_setting
from hbtom.bench.workers import Progress, counted, each
from hbtom.errors import BadInput
from hbtom.model import Model, find_model, with_settings

LEAST = 3  # scenarios
LEFT_OUT, FITTED = "left out", "fitted"


@dataclass(frozen=True, eq=False)
class PeopleFit:
    """A model whose parameters agree best with people, and its agreement on new scenarios."""

    model: Model
    settings: Settings  # the best ones on all scenarios
    found: Correlation  # of predictions for scenarios left out, and of the fitted model
    chosen: Mapping[str, Settings]  # by the scenario that was left out
    grid: tuple[tuple[Settings, float], ...]  # r of all settings, on all scenarios

    def to_dict(self) -> dict[str, Any]:
        """Return all statistics as plain values, those for scenarios left out first."""
        found = self.found.to_dict()
        by_name = {
            name: [one for one in found["agreement"] if one["model"] == name]
            for name in (LEFT_OUT, FITTED)
        }
        return {
            "left_out": by_name[LEFT_OUT],
            "fitted": by_name[FITTED],
            "settings": _plain_settings(self.settings),
            "chosen": {name: _plain_settings(one) for name, one in self.chosen.items()},
            "grid": [
                {**_plain_settings(one), "r": None if np.isnan(r) else r} for one, r in self.grid
            ],
            "fingerprint": self.model.fingerprint,
        }


def _plain_settings(settings: Settings) -> dict[str, Any]:
    return {name: plain_setting(value) for name, value in settings.items()}


@dataclass(frozen=True)
class PredictPlans:
    """The work of inferring what agents want, by several models."""

    models: Sequence[Model]

    def __call__(self, scenarios: Sequence[Scenario]) -> Iterator[list[list[dict[str, Any]]]]:
        """Yield the rows of each scenario, by each model."""
        for judgements in judge_scenarios(scenarios, self.models):
            yield [posterior_rows(one) for one in judgements]


@dataclass(frozen=True)
class PredictPairs:
    """The work of rating episodes, by several models."""

    models: Sequence[Model]

    def __call__(self, pairs: Sequence[Pair]) -> Iterator[list[list[dict[str, Any]]]]:
        """Yield the rows of each pair, by each model; none if an episode cannot be judged."""
        work = RateWithAll([ModelRater(model) for model in self.models], len(pairs))
        for pair, rated in zip(pairs, work(pairs), strict=True):
            both = [] if isinstance(rated, tuple) else rated
            yield [
                [
                    {"file": one.file, "task": one.task, "pair": one.pair, "member": one.member}
                    | {"plausibility": value, "missing": "not judged" if value != value else ""}
                    for one, value in zip(pair.members, values, strict=True)
                ]
                for values in both
            ]


def fit_to_people(
    seen: Path | Dataset,
    measures: Any,
    settings: Mapping[str, Sequence[Any]],
    model: Model | str = "default",
    *,
    reading: MeasureOptions | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PeopleFit:
    """Choose the parameters with which the model agrees best with people on the same scenarios.

    ``seen`` is a folder of worlds with plans, or a dataset of episodes; ``measures`` are as in
    :func:`hbtom.correlate`; ``settings`` has the values of each parameter to choose from.
    """
    reading = reading or MeasureOptions()
    base, grid = find_model(model), list(combinations(settings))
    models = [with_settings(base, one) for one in grid]
    first, *_ = predictions(seen, models[:1])  # so that bad measures are noticed early
    people = read_measures(measures, reading, first.goals)
    said_by(people, first, reading.scale)
    found = predictions(seen, models, workers, progress)
    said = np.array([said_by(people, one, reading.scale) for one in found])
    scenario = sampled(people).scenario
    best, by_scenario = choose(people.means, said, scenario)
    left_out = said[by_scenario[scenario], np.arange(len(scenario))]
    names = np.unique([item.scenario for item in people.items]).tolist()
    return PeopleFit(
        models[best],
        grid[best],
        replace(compare_with(people, {LEFT_OUT: left_out, FITTED: said[best]}), gaps=()),
        {name: grid[place] for name, place in zip(names, by_scenario, strict=True)},
        tuple(zip(grid, _agreement(people.means, said).tolist(), strict=True)),
    )


def choose(
    people: Annotated[Floats, "item"],
    said: Annotated[Floats, "model item"],
    scenario: Annotated[Ints, "item"],
) -> tuple[int, Annotated[Ints, "scenario"]]:
    """Return the model that agrees best on all scenarios, and on all but each of them."""
    many = int(scenario.max()) + 1
    if many < LEAST:
        hint = f"it needs {LEAST} or more"
        raise BadInput(f"there are {many} scenarios, too few to leave one out", hint=hint)
    others = (scenario != one for one in range(many))
    best = [_best(_agreement(people[rest], said[:, rest])) for rest in others]
    return _best(_agreement(people, said)), np.array(best)


def _agreement(people: Floats, said: Floats) -> Annotated[Floats, "model"]:
    known = ~np.isnan(said).any(axis=0)
    people, said = people[known], said[:, known]
    return correlation(said, np.broadcast_to(people, said.shape), np.ones(said.shape))


def _best(r: Annotated[Floats, "model"]) -> int:
    return int(np.where(np.isnan(r), -2.0, r).argmax())


def predictions(
    seen: Path | Dataset,
    models: Sequence[Model],
    workers: int | None = 1,
    progress: Progress | None = None,
) -> list[ModelValues]:
    """Return each model's predictions for all scenarios."""
    worlds = isinstance(seen, Path) and next(seen.rglob(PROBLEM), None) is not None
    items: Sequence[Any] = find_scenarios([str(seen)]) if worlds else as_dataset(seen, None).pairs
    work: Any = PredictPlans(models) if worlds else PredictPairs(models)
    rows: list[list[dict[str, Any]]] = [[] for _ in models]
    results = each(work, items, workers, weight=len(models))
    for result in counted(results, len(items), progress):
        for mine, more in zip(rows, result, strict=False):
            mine += more
    return [read_model(one, name=model.name) for one, model in zip(rows, models, strict=True)]
