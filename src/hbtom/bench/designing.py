"""Designing stimuli: episodes on which two models disagree, with as few trials as possible.

Candidates are generated pairs. Both models judge both episodes of each, and the episodes are ranked
by how much the two plausibilities differ. For the top ones, familiarization is cut short: only as
many of the first trials remain as it takes to keep a given share of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hbtom.bench.ablation import variations
from hbtom.bench.social_ablation import PARTS, WHOLE
from hbtom.bench.synth.jobs import Job
from hbtom.bench.table_files import encode_records
from hbtom.bench.tasks import SUITES, task
from hbtom.bench.workers import Progress, counted, each
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.judgement import judge
from hbtom.judgement.shared_work import judge_pair
from hbtom.judgement.warm_up import warm_up
from hbtom.model import Model, find_model, with_settings
from hbtom.observe import Episode
from hbtom.observe.writing import write

Models = tuple[Model, Model]
Values = tuple[float, float]  # the plausibilities of an episode under both models


@dataclass(frozen=True)
class Search:
    """Which candidates are generated, and how many are kept."""

    tasks: tuple[str, ...] = tuple(one.folder for one in SUITES["bib"])
    pairs: int = 20  # of each task
    seed: int = 0
    top: int = 10  # episodes that are kept
    share: float = 0.8  # of the difference that a shorter familiarization must keep

    def jobs(self) -> list[Job]:
        """Return all candidates."""
        found = [task(name) for name in self.tasks]
        for one in found:
            if one.background:
                hint = "choose tasks of the benchmark or social ones"
                raise BadInput(f"there are no pairs of the task '{one.folder}'", hint=hint)
        return [
            Job(Path(), one, number, self.seed) for one in found for number in range(self.pairs)
        ]


@dataclass(frozen=True)
class Finding:
    """An episode on which two models disagree, and how many trials that takes."""

    job: Job
    member: int  # 0 is the expected episode of its pair, 1 the unexpected one
    values: Values
    trials: int  # of familiarization
    enough: int  # of these, counted from the first
    short: Values  # the plausibilities with these trials only

    @property
    def name(self) -> str:
        return f"{self.job.task.folder}-{self.job.name}{'eu'[self.member]}".replace("/", "-")

    @property
    def episode(self) -> Episode:
        """The episode, generated again."""
        return self.job.episodes()[self.member]


@dataclass(frozen=True)
class Design:
    """The episodes on which two models disagree most, largest difference first."""

    models: Models
    search: Search
    findings: tuple[Finding, ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per episode."""
        names = [f"{one.name} ({one.fingerprint})" for one in self.models]
        return [
            {
                "rank": rank,
                "task": one.job.task.folder,
                "episode": one.name,
                "first": one.values[0],
                "second": one.values[1],
                "difference": difference(one.values),
                "trials": one.trials,
                "enough": one.enough,
                "short_first": one.short[0],
                "short_second": one.short[1],
                "short_difference": difference(one.short),
                "first_model": names[0],
                "second_model": names[1],
                "seed": self.search.seed,
            }
            for rank, one in enumerate(self.findings, start=1)
        ]

    def files(self) -> dict[str, bytes]:
        """Return a table and all episodes, whole and cut short, by file name."""
        records = self.to_records()
        files = {"design.csv": encode_records(records, ".csv", list(records[0]))}
        for rank, one in enumerate(self.findings, start=1):
            stem = f"{rank:0{len(str(len(self.findings)))}d}-{one.name}"
            files[f"{stem}.json"] = write(one.episode)
            if one.enough < one.trials:
                files[f"{stem}-short.json"] = write(shortened(one.episode, one.enough))
        return files


def difference(values: Values) -> float:
    """Return how much more plausible the first model finds an episode."""
    return values[0] - values[1]


def shortened(episode: Episode, trials: int) -> Episode:
    """Return an episode with only the first trials of its familiarization."""
    return replace(episode, trials=(*episode.familiarization[:trials], episode.test))


def ablated(model: Model, name: str) -> Model:
    """Return a model without one of its assumptions, given its name in ``hbtom ablate``."""
    changes = {
        one.name: one.model
        for one in variations(model)
        if one.group == "assumption" and one.watched == "all"
    }
    parts = [part for part in PARTS if part != WHOLE] if model.social is not None else []
    if name in changes:
        return changes[name](model)
    if name in parts:
        return with_settings(model, PARTS[name])
    hint = f"choose from {', '.join(map(repr, (*changes, *parts)))}"
    raise BadInput(f"model {model.name} has no ablation called '{name}'", hint=hint)


def design(
    first: Model | str,
    second: Model | str,
    search: Search | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    shortening: Progress | None = None,
) -> Design:
    """Find episodes on which two models disagree, and the fewest trials with which they still do.

    The result depends only on the models and the search, not on the number of workers.
    ``progress`` counts the candidates that are judged, ``shortening`` the episodes that are cut.
    """
    search = search or Search()
    models = find_model(first), find_model(second)
    if models[0] == models[1]:
        raise BadInput("both models are the same", hint="name two models, or change one of them")
    jobs = search.jobs()
    compiled = warm_up(models, 2 * len(jobs))
    work = each(partial(_judge, models, compiled), jobs, workers, weight=4)
    judged = [
        (job, member, values)
        for job, both in zip(jobs, counted(work, len(jobs), progress), strict=True)
        for member, values in enumerate(both)
        if not math.isnan(difference(values))
    ]
    best = sorted(judged, key=lambda one: -abs(difference(one[2])))[: search.top]
    short = each(partial(_shorten, models, search.share, compiled), best, workers, weight=8)
    return Design(models, search, tuple(counted(short, len(best), shortening)))


def _judge(models: Models, compiled: bool, jobs: Sequence[Job]) -> Iterator[tuple[Values, Values]]:
    """Yield the plausibilities of both members of each pair under both models."""
    if compiled:
        start_compiler()
    for job in jobs:
        one, other = judge_pair(models, *job.episodes())
        yield (
            (one[0].plausibility, other[0].plausibility),
            (one[1].plausibility, other[1].plausibility),
        )


def _shorten(
    models: Models, share: float, compiled: bool, items: Sequence[tuple[Job, int, Values]]
) -> Iterator[Finding]:
    """Yield findings with the fewest trials that keep this share of the difference."""
    if compiled:
        start_compiler()
    for job, member, values in items:
        episode = job.episodes()[member]
        trials, wanted = len(episode.familiarization), share * difference(values)
        enough, short = trials, values
        for number in range(trials):
            tried = _values(models, shortened(episode, number))
            if abs(wanted) <= difference(tried) * (1 if wanted > 0 else -1):
                enough, short = number, tried
                break
        yield Finding(job, member, values, trials, enough, short)


def _values(models: Models, episode: Episode) -> Values:
    first, second = (judge(episode, model).plausibility for model in models)
    return first, second
