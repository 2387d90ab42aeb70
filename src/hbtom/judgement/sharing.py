"""Many models on the same pair: what they have in common is worked out once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from hbtom.judgement.classifier import plausibility
from hbtom.judgement.judging import Efforts, Judgement, judge, plan_trials
from hbtom.mind import dynamics
from hbtom.model import Model
from hbtom.observe import Episode

Pair = tuple[Judgement, Judgement]


def judge_pair(models: Sequence[Model], first: Episode, second: Episode) -> Iterator[Pair]:
    """Judge two episodes by each model, in order: the same as judging each by itself.

    Models with the same dynamics share all plans; those that differ in nothing but the classifier
    share all beliefs.
    """
    plans: dict[Any, tuple[Efforts, Efforts]] = {}
    minds: dict[Model, Pair] = {}
    for model in models:
        moves = dynamics(model)
        if moves not in plans:
            efforts = plan_trials(model, first)
            plans[moves] = efforts, plan_trials(model, second, like=(first, efforts))
        mind = changed(model, name="", classifier=models[0].classifier)
        if mind not in minds:
            one = judge(first, model, efforts=plans[moves][0])
            minds[mind] = one, judge(second, model, like=one, efforts=plans[moves][1])
        one, other = minds[mind]
        yield _classified(one, model), _classified(other, model)


def _classified(judgement: Judgement, model: Model) -> Judgement:
    """Return what another classifier makes of the same surprises."""
    if judgement.model == model:
        return judgement
    product, parts = plausibility(model.classifier, judgement.surprise)
    return replace(judgement, model=model, plausibility=product, parts=parts)
