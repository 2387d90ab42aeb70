"""Ablation: which surprises and which assumptions do the work.

What the paper left as future work. Each surprise alone, each two, other ways to combine them; the
model's assumptions switched off one at a time; and a placebo, familiarization taken from another
pair of the same task, which shows which tasks need the agent's history at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec.structs import replace as changed

from hbtom.bench.dataset import Dataset, LeftOut, Pair
from hbtom.bench.evaluation import Progress, as_dataset, each_pair
from hbtom.bench.score import Score, pair_score, scores, total
from hbtom.errors import BadInput
from hbtom.judgement import Triple, judge
from hbtom.model import Grid, Model, find_model
from hbtom.observe import Episode

Combine = Callable[[Triple], float]
Watch = Callable[[Episode, Episode], Episode]  # the episode as judged, given another one


@dataclass(frozen=True)
class Variation:
    """One thing changed: the model, what is watched of an episode, or how parts are combined."""

    group: str
    name: str
    model: Callable[[Model], Model] = lambda model: model
    watch: Watch = lambda episode, other: episode
    combine: Combine = lambda parts: parts.goal * parts.efficiency * parts.observation


def _literal(model: Model) -> Model:
    """Take the temperatures for efficiencies, as the paper prints them."""
    inverse = tuple(1 / value for value in model.efficiency.temperatures)
    return changed(model, efficiency=changed(model.efficiency, temperatures=inverse))


def _preference(**changes: bool) -> Callable[[Model], Model]:
    return lambda model: changed(model, preference=changed(model.preference, **changes))


def _acts(**changes: bool) -> Callable[[Model], Model]:
    return lambda model: changed(model, acts=changed(model.acts, **changes))


def _test_only(episode: Episode, other: Episode) -> Episode:
    return replace(episode, trials=episode.trials[-1:])


def _placebo(episode: Episode, other: Episode) -> Episode:
    return replace(episode, trials=other.trials[:-1] + episode.trials[-1:])


VARIATIONS: tuple[Variation, ...] = (
    Variation("model", "as it is"),
    Variation("surprise", "goal", combine=lambda p: p.goal),
    Variation("surprise", "efficiency", combine=lambda p: p.efficiency),
    Variation("surprise", "observation", combine=lambda p: p.observation),
    Variation("surprise", "goal, efficiency", combine=lambda p: p.goal * p.efficiency),
    Variation("surprise", "goal, observation", combine=lambda p: p.goal * p.observation),
    Variation(
        "surprise", "efficiency, observation", combine=lambda p: p.efficiency * p.observation
    ),
    Variation("combination", "minimum", combine=lambda p: min(p.goal, p.efficiency, p.observation)),
    Variation("combination", "sum", combine=lambda p: p.goal + p.efficiency + p.observation),
    Variation("assumption", "no learning across trials", watch=_test_only),
    Variation("assumption", "no feasibilizing", model=_preference(feasible=False)),
    Variation("assumption", "no end-of-trial act", model=_acts(final=False)),
    Variation("assumption", "no opening time", model=_acts(learn_opening=False)),
    Variation("assumption", "keys are no goals", model=_preference(keys=False)),
    Variation("assumption", "temperatures taken for efficiencies", model=_literal),
    Variation(
        "assumption", "grid motion", model=lambda model: changed(model, motion=Grid(cell=10.0))
    ),
    Variation("placebo", "another pair's familiarization", watch=_placebo),
)


@dataclass(frozen=True)
class Ablation:
    """The scores of every variation."""

    dataset: str
    model: Model
    tasks: Mapping[str, tuple[Score, ...]]  # by the variation's name
    unreadable: tuple[LeftOut, ...]
    left_out: tuple[LeftOut, ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record a variation and task, and one for all tasks together."""
        records = []
        for variation in VARIATIONS:
            rated = self.tasks[variation.name]
            for score in (*rated, total("overall", rated)):
                plain = score.to_dict()
                low, high = plain.pop("interval")
                del plain["published"]
                where = {"group": variation.group, "variation": variation.name}
                records.append({**where, **plain, "low": low, "high": high})
        return records


def ablate(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: Model | str | os.PathLike[str] = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Ablation:
    """Judge every pair of a dataset under every variation of a model."""
    model = find_model(model)
    found = as_dataset(dataset, tasks)
    work = _Work(model, _donors(found.pairs))
    values: dict[str, dict[str, list[float]]] = {one.name: {} for one in VARIATIONS}
    unreadable: list[LeftOut] = []
    judged = each_pair(work, found.pairs, workers)
    for done, (pair, result) in enumerate(zip(found.pairs, judged, strict=True), start=1):
        if isinstance(result, LeftOut):
            unreadable.append(result)
        else:
            for name, value in result.items():
                values[name].setdefault(pair.task, []).append(value)
        if progress is not None:
            progress(done, len(found.pairs))
    rated = {name: scores(by_task) for name, by_task in values.items()}
    return Ablation(found.name, model, rated, tuple(unreadable), found.left_out)


def _donors(pairs: Sequence[Pair]) -> dict[Pair, Pair]:
    """Return for each pair the next one of its task, which gives the placebo's familiarization."""
    by_task: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_task.setdefault(pair.task, []).append(pair)
    return {
        pair: same[(index + 1) % len(same)]
        for same in by_task.values()
        for index, pair in enumerate(same)
    }


@dataclass(frozen=True)
class _Work:
    """Judges a pair under all variations; each distinct model and watching is inferred once."""

    model: Model
    donors: Mapping[Pair, Pair]

    def __call__(self, pair: Pair) -> dict[str, float] | LeftOut:
        donor = self.donors[pair]
        try:
            parts = [
                self._parts(own.load(), other.load())
                for own, other in (
                    (pair.expected, donor.expected),
                    (pair.unexpected, donor.unexpected),
                )
            ]
        except BadInput as error:
            return LeftOut(pair.expected.file, str(error))
        expected, unexpected = parts
        return {
            one.name: pair_score(one.combine(expected[one.name]), one.combine(unexpected[one.name]))
            for one in VARIATIONS
        }

    def _parts(self, episode: Episode, other: Episode) -> dict[str, Triple]:
        plain = judge(episode, self.model).parts
        same = VARIATIONS[0]
        return {
            one.name: plain
            if one.model is same.model and one.watch is same.watch
            else judge(one.watch(episode, other), one.model(self.model)).parts
            for one in VARIATIONS
        }
