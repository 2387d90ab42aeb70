"""Many models on the same pair: what they have in common is computed once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from hbtom.errors import BadInput
from hbtom.judgement.classifier import plausibility
from hbtom.judgement.from_core import is_plain
from hbtom.judgement.judging import Judgement, judge
from hbtom.judgement.pipeline import plan_pair
from hbtom.mind import Planned
from hbtom.model import Model
from hbtom.observe import Episode

Pair = tuple[Judgement, Judgement]


def judge_pair(models: Sequence[Model], first: Episode, second: Episode) -> Iterator[Pair]:
    """Judge two episodes by each model, in order; the results are the same as one by one.

    Models with the same dynamics share all plans; models that differ only in the classifier share
    all beliefs. Shared results are dropped after the last model that needs them.
    """
    plain = all(is_plain(model, one) for model in models for one in (first, second))
    if plain or first.sight or second.sight:  # the core shares; each may have noise of its own
        for model in models:
            one = judge(first, model)
            yield one, judge(second, model, reuse=one)
        return
    plans: dict[Any, tuple[tuple[Planned, ...], tuple[Planned, ...]]] = {}
    minds: dict[Any, Pair] = {}
    shared = [_shared(model, models[0]) for model in models]
    last = {key: index for index, both in enumerate(shared) for key in both}
    for index, (model, (moves, mind)) in enumerate(zip(models, shared, strict=True)):
        if moves not in plans:
            plans[moves] = plan_pair(model, first, second)
        if mind not in minds:
            one = judge(first, model, planned=plans[moves][0])
            minds[mind] = one, judge(second, model, reuse=one, planned=plans[moves][1])
        one, other = minds[mind]
        if last[moves] == index:
            del plans[moves]
        if last[mind] == index:
            del minds[mind]
        yield _classified(one, model), _classified(other, model)


def judge_members(
    model: Model, episodes: Iterable[Episode | BadInput]
) -> Iterator[Judgement | BadInput]:
    """Judge the members of a pair, or yield why one cannot be judged; shared work is done once."""
    judgement = None
    for episode in episodes:
        try:
            if isinstance(episode, BadInput):
                raise episode
            judgement = judge(episode, model, reuse=judgement)
            yield judgement
        except BadInput as error:
            yield error


def sharing_order(models: Sequence[Model]) -> list[int]:
    """Return the order of models that keeps the least in memory: models that share are adjacent."""
    shared = [_shared(model, models[0]) for model in models]
    first: dict[Any, int] = {}
    for index, both in enumerate(shared):
        for key in both:
            first.setdefault(key, index)
    return sorted(range(len(models)), key=lambda index: [first[key] for key in shared[index]])


def _shared(model: Model, example: Model) -> tuple[Any, Any]:
    """Return what models must share to have the same plans, and to have the same surprises."""
    mind = changed(model, name="", classifier=example.classifier)
    company = None if model.social is None else (model.preference, model.social)
    outdated = model.hypotheses.outdated > 0
    planning = model.observation, model.knowledge, company, model.goals, model.fallible, outdated
    dynamics = model.motion, model.acts, model.preference.keys, *planning
    return dynamics, (mind, model.classifier.waste is None)


def _classified(judgement: Judgement, model: Model) -> Judgement:
    """Return the judgement with the same surprises, but the classifier of a model."""
    if judgement.model == model:
        return judgement
    product, parts = plausibility(model.classifier, judgement.surprise)
    return replace(judgement, model=model, plausibility=product, parts=parts)
