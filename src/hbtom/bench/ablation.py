"""Ablation: which surprises and which assumptions matter.

The paper left this as future work. Variations use a single surprise, two of them, or another way to
combine them; they switch off one of the model's assumptions; or they are a placebo: familiarization
from another pair of the same task, which shows which tasks need the agent's history at all.

Weights that were fitted to one model do not fit another. So every variation gets its own logistic
functions: they are fitted to the pairs of the other folds, and judge the pairs that were left out.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from msgspec.structs import replace as changed

from hbtom import __version__
from hbtom.assumptions import Grid
from hbtom.bench.calibration import FOLDS, Both, held_out, is_missing, parts_of, product
from hbtom.bench.checked_rater import CheckedRater
from hbtom.bench.evaluation import as_dataset
from hbtom.bench.judged import Problems, judge_by_all
from hbtom.bench.pairs import Dataset, LeftOut, Member, Pair, Result, load_pairs
from hbtom.bench.placebo import Job, placebo, with_donors
from hbtom.bench.score import Score, scores, total
from hbtom.bench.workers import Progress, counted, each
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.judgement import Surprise
from hbtom.judgement.fitting import optimiser
from hbtom.judgement.surprises import KINDS
from hbtom.judgement.warm_up import warm_up
from hbtom.model import AnyModel, Model, find_model
from hbtom.observe import Episode
from hbtom.observe.episode import Loaded

Watched = Literal["all", "test trial", "placebo"]


@dataclass(frozen=True)
class Variation:
    """One change: to the model, the trials it watches, the surprises, or how they combine."""

    group: str
    name: str
    model: Callable[[Model], Model] = lambda model: model
    watched: Watched = "all"
    kinds: tuple[str, ...] = KINDS
    combine: Callable[[Surprise], float] = product


def _literal(model: Model) -> Model:
    """Use the temperatures as efficiencies, as the paper prints them."""
    inverse = tuple(1 / value for value in model.efficiency.temperatures)
    return changed(model, efficiency=changed(model.efficiency, temperatures=inverse))


def _setting(part: str, parameter: str, value: float) -> Callable[[Model], Model]:
    """Set a parameter of a part of the model, if the part has it; grid motion lacks some."""

    def change(model: Model) -> Model:
        old = getattr(model, part)
        new = changed(old, **{parameter: value}) if hasattr(old, parameter) else old
        return changed(model, **{part: new})

    return change


def _all_but(kind: str) -> tuple[str, ...]:
    return tuple(other for other in KINDS if other != kind)


SHIPPED = Variation("model", "as it is, with its own weights")
VARIATIONS: tuple[Variation, ...] = (
    SHIPPED,
    Variation("model", "fitted again"),
    *(Variation("surprise", f"{kind} alone", kinds=(kind,)) for kind in KINDS),
    *(Variation("surprise", f"all but {kind}", kinds=_all_but(kind)) for kind in KINDS),
    Variation("combination", "minimum", combine=lambda parts: min(parts.to_dict().values())),
    Variation("combination", "sum", combine=lambda parts: sum(parts.to_dict().values())),
    Variation("assumption", "no learning across trials", watched="test trial"),
    Variation("assumption", "unreachable goals allowed", _setting("preference", "feasible", False)),
    Variation("assumption", "no end-of-trial act", model=_setting("acts", "final", False)),
    Variation("assumption", "no opening time", model=_setting("acts", "learn_opening", False)),
    Variation("assumption", "keys are not goals", model=_setting("preference", "keys", False)),
    Variation("assumption", "things are not in the way", model=_setting("motion", "berth", 0.0)),
    Variation(
        "assumption", "locks used away from walls only", model=_setting("motion", "contact", False)
    ),
    Variation("assumption", "reluctance to use tools", _setting("motion", "reluctance", 10.0)),
    Variation("assumption", "temperatures used as efficiencies", model=_literal),
    Variation("assumption", "grid motion", model=lambda m: changed(m, motion=Grid(cell=10.0))),
    Variation("placebo", "another pair's familiarization", watched="placebo"),
)


def variations(model: Model) -> tuple[Variation, ...]:
    """Return the variations that make sense for a model: those that change something it has."""
    without_waste = model.classifier.waste is None
    return tuple(
        one
        for one in VARIATIONS
        if not (without_waste and one.kinds in (("waste",), _all_but("waste")))
        and (one.group != "assumption" or one.watched != "all" or one.model(model) != model)
    )


@dataclass(frozen=True)
class Ablation(Result):
    """The scores of every variation."""

    dataset: str
    model: Model | CheckedRater
    tasks: Mapping[str, tuple[Score, ...]]  # by the variation's name
    left_out: tuple[LeftOut, ...]
    groups: Mapping[str, str]  # the kind of each variation, by its name

    @property
    def bounded(self) -> bool:
        """Whether the model without any variation rates between 0 and 1."""
        return all(score.bounded for score in next(iter(self.tasks.values())))

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per variation and task, and one for all tasks together."""
        run = {
            "model": self.model.name,
            "fingerprint": self.model.fingerprint,
            "dataset": self.dataset,
            "version": __version__,
        }
        return [
            {"group": self.groups[name], "variation": name, **score.to_record(), **run}
            for name, rated in self.tasks.items()
            for score in (*rated, total("overall", rated))
        ]


def ablate(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: AnyModel = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Ablation:
    """Judge every pair of a dataset under every variation of a model."""
    optimiser()
    model = find_model(model)
    found = as_dataset(dataset, tasks)
    jobs = with_donors(found.pairs)
    left_out = list(found.left_out)
    judged: list[tuple[Pair, dict[str, Both]]] = []
    models = [one.model(model) for one in variations(model)]
    work = partial(_surprises, model, warm_up(models, len(models) * len(jobs)))
    results = counted(each(work, jobs, workers, weight=len(models)), len(jobs), progress)
    for (pair, _), result in zip(jobs, results, strict=True):
        if isinstance(result, tuple):
            left_out.extend(result)
        else:
            judged.append((pair, result))
    rated = {one.name: _scores(one, model, judged) for one in variations(model)}
    groups = {one.name: one.group for one in variations(model)}
    return Ablation(found.name, model, rated, tuple(left_out), groups)


def _scores(
    variation: Variation, model: Model, judged: Sequence[tuple[Pair, dict[str, Both]]]
) -> tuple[Score, ...]:
    """Score a variation; only the unchanged model keeps its own weights."""
    seen = [(pair, both[variation.name]) for pair, both in judged if variation.name in both]
    if variation.watched == "placebo" and len(seen) < FOLDS:
        return ()  # too few pairs have another one in their task
    surprises = [_only(variation.kinds, both) for _, both in seen]
    if variation is SHIPPED:
        parts = [parts_of(model.classifier, both) for both in surprises]
    else:  # missing surprises have missing parts
        fitted = iter(held_out([both for both in surprises if not is_missing(both)]))
        parts = [both if is_missing(both) else next(fitted) for both in surprises]
    return scores(
        {
            (pair.task, pair.name): (variation.combine(expected), variation.combine(unexpected))
            for (pair, _), (expected, unexpected) in zip(seen, parts, strict=True)
        }
    )


def _only(kinds: Sequence[str], both: Both) -> Both:
    """Return surprises of these kinds only; the others are constant, so that they say nothing.

    Missing ones stay so.
    """
    expected, unexpected = (
        Surprise(
            **{
                kind: value if kind in kinds or math.isnan(value) else 0.0
                for kind, value in one.to_dict().items()
            }
        )
        for one in both
    )
    return expected, unexpected


# Judging one pair under all variations


def _surprises(
    model: Model, compiled: bool, jobs: Sequence[Job]
) -> Iterator[dict[str, Both] | Problems]:
    if compiled:
        start_compiler()
    loaded = load_pairs(pair for pair, _ in jobs)
    for (_, donor), (pair, expected, unexpected) in zip(jobs, loaded, strict=True):
        yield _varied(model, pair, (expected, unexpected), donor)


def _varied(
    model: Model, pair: Pair, members: tuple[Loaded, Loaded], donor: Member | None
) -> dict[str, Both] | Problems:
    """Return the surprises of both members by variation, or why the pair cannot be judged.

    Variations that would give the same judgement share it. If only the placebo cannot be judged,
    the pair still counts.
    """
    other = None
    with suppress(BadInput):  # errors of the donor are reported with its own pair
        other = None if donor is None else donor.load()
    found: dict[str, Both] = {}
    for watched in get_args(Watched):
        if watched == "placebo" and other is None:
            continue
        varied = [one for one in variations(model) if one.watched == watched]
        models = [one.model(model) for one in varied]
        expected, unexpected = (_watch(watched, member, other) for member in members)
        both = expected, unexpected
        result = judge_by_all(models, pair, both, lambda _, e, u: (e.surprise, u.surprise))
        if isinstance(result, list):
            found.update(zip((one.name for one in varied), result, strict=True))
        elif watched != "placebo":
            return result
    return found


def _watch(watched: Watched, episode: Loaded, other: Episode | None) -> Loaded:
    """Return an episode with the trials that the observer gets to see."""
    if watched == "all" or isinstance(episode, BadInput):
        return episode
    if watched == "test trial" or other is None:
        return replace(episode, trials=episode.trials[-1:])
    return placebo(episode, other)
