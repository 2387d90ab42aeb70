"""Sweeping: a grid of models on one dataset.

Every pair is read once and judged by all models in turn. Models with the same motion share their
plans, so that a sweep over priors or weights costs little more than one evaluation.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from hbtom import __version__
from hbtom.bench.checked_rater import CheckedRater, as_rater, identity
from hbtom.bench.evaluation import as_dataset
from hbtom.bench.judged import RateWithAll
from hbtom.bench.pairs import Dataset, LeftOut, Result
from hbtom.bench.rater import Rater
from hbtom.bench.results import Compared
from hbtom.bench.score import Score, scores_of, total
from hbtom.bench.workers import Progress, counted, each, forks
from hbtom.errors import BadInput
from hbtom.judgement.tables import frame
from hbtom.model import AnyModel, Model

if TYPE_CHECKING:
    import pandas as pd

MOST_MODELS = 10_000
Settings = Mapping[str, Any]  # by the name of a parameter, like "efficiency.scale"


@dataclass(frozen=True)
class Swept:
    """One model or rater of a sweep: its settings, and how well it does."""

    settings: Settings
    model: Model | CheckedRater
    differences: Mapping[str, tuple[float, ...]]  # by task: the margin of each pair

    @property
    def tasks(self) -> tuple[Score, ...]:
        """The score of every task."""
        return scores_of(self.differences)

    @property
    def overall(self) -> Score:
        """The score of all pairs together."""
        return total("overall", self.tasks)

    def margin(self, task: str) -> float:
        """Return the mean margin of the pairs of a task, or of all tasks if it is 'overall'.

        Pairs with a missing rating have none.
        """
        everything = [one for values in self.differences.values() for one in values]
        values = [one for one in self.differences.get(task, everything) if not math.isnan(one)]
        return sum(values) / len(values) if values else math.nan


@dataclass(frozen=True)
class Sweep(Result):
    """The scores of a grid of models."""

    dataset: str
    score: str
    models: tuple[Swept, ...]
    left_out: tuple[LeftOut, ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per model and task, and one for all tasks together."""
        return [
            {
                **{name: plain_setting(value) for name, value in one.settings.items()},
                **score.to_record(),
                "margin": one.margin(score.task) if score.known else None,
                "score": self.score,
                "model": one.model.fingerprint,
                "dataset": self.dataset,
                "version": __version__,
            }
            for one in self.models
            for score in (*one.tasks, one.overall)
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return the records as a table (needs the extra ``tables``)."""
        return frame(self.to_records())


def plain_setting(value: Any) -> Any:
    """Return a value that fits into a cell of a table; the values of a list, with spaces."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value


def sweep(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    settings: Mapping[str, Sequence[Any]] | None = None,
    model: AnyModel | Rater = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    score: Compared = "plausibility",
    progress: Progress | None = None,
) -> Sweep:
    """Evaluate a model, or a rater that has settings, with every combination of them.

    >>> sweep("data", {"efficiency.scale": [0.5, 1, 2]}).to_records()  # doctest: +SKIP
    """
    grid = list(combinations(settings or {}))
    return sweep_over(
        dataset, grid, model, tasks=tasks, workers=workers, score=score, progress=progress
    )


def sweep_over(
    dataset: str | os.PathLike[str] | Dataset | None,
    grid: Sequence[Settings],
    model: AnyModel | Rater = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    score: Compared = "plausibility",
    progress: Progress | None = None,
) -> Sweep:
    """Evaluate a model, or a rater that has settings, with each of these settings."""
    rater = as_rater(model, score)
    raters = [rater.with_settings(chosen) for chosen in grid]
    found = as_dataset(dataset, tasks)
    left_out = list(found.left_out)
    differences: list[dict[str, list[float]]] = [{} for _ in raters]
    work = RateWithAll(raters, len(raters) * len(found.pairs))
    if forks(rater.start):
        work.warm_up()  # before this process is forked
    results = each(work, found.pairs, workers, weight=len(raters), start=rater.start)
    reported = counted(results, len(found.pairs), progress)
    for pair, result in zip(found.pairs, reported, strict=True):
        if isinstance(result, tuple):
            left_out.extend(result)
        else:
            for by_task, (expected, unexpected) in zip(differences, result, strict=True):
                by_task.setdefault(pair.task, []).append(expected - unexpected)
    swept = (
        Swept(chosen, identity(one), {task: tuple(values) for task, values in by_task.items()})
        for chosen, one, by_task in zip(grid, raters, differences, strict=True)
    )
    return Sweep(found.name, rater.score, tuple(swept), tuple(left_out))


def combinations(settings: Mapping[str, Sequence[Any]]) -> Iterator[Settings]:
    """Yield every combination of values, the last parameter varying fastest."""
    for name, values in settings.items():
        if not values:
            raise BadInput(f"'{name}' has no value", hint="give at least one")
    many = math.prod(map(len, settings.values()))
    if many > MOST_MODELS:
        hint = f"sweep at most {MOST_MODELS} at a time"
        raise BadInput(f"there are {many} combinations", hint=hint)
    for chosen in product(*settings.values()):
        yield dict(zip(settings, chosen, strict=True))
