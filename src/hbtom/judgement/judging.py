"""Judging an episode: watch the familiarization, then say how plausible the test trial is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from hbtom.errors import BadInput
from hbtom.judgement.classifier import plausibility
from hbtom.judgement.prediction import predictive
from hbtom.judgement.surprises import Surprise, surprise
from hbtom.mind import Beliefs, Effort, Posterior, caveats, consider, exert, learn, waits
from hbtom.model import Model, find_model
from hbtom.observe import Episode, load, same_trial
from hbtom.observe.episode import OtherKind
from hbtom.shown import Shown

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


Efforts = tuple[Effort, ...]  # one a trial


@dataclass(frozen=True, eq=False)
class Judgement(Shown):
    """How plausible the last trial of an episode is, and everything that this rests on."""

    episode: Episode
    model: Model
    plausibility: float  # between 0 and 1
    parts: Surprise  # the factors of the plausibility, one for each surprise
    surprise: Surprise
    test: Posterior  # what is believed during the test trial
    beliefs: tuple[Beliefs, ...]  # what is learnt by the end of each trial
    efforts: Efforts

    @cached_property
    def posteriors(self) -> tuple[Posterior, ...]:
        """What is believed during each trial; all but the last are worked out when asked for."""
        trials = zip(
            (Beliefs(), *self.beliefs), self.episode.familiarization, self.efforts, strict=False
        )
        watched = (consider(self.model, *each)[0] for each in trials)
        return (*watched, self.test)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """All that limits what the judgement means."""
        return _warnings(self.episode, self.efforts)

    @property
    def predictive(self) -> float:
        """A score without fitted weights: how often so much effort would be wasted, 0 to 1."""
        return predictive(self.test)

    def to_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """Return the judgement as plain values; ``trace`` adds the posteriors of every step."""
        from hbtom.judgement.tables import traced

        plain: dict[str, Any] = {
            "file": self.episode.name,
            "plausibility": self.plausibility,
            "parts": self.parts.to_dict(),
            "surprise": self.surprise.to_dict(),
            "model": {"name": self.model.name, "fingerprint": self.model.fingerprint},
            "warnings": list(self.warnings),
        }
        return {**plain, "trace": traced(self.posteriors)} if trace else plain

    def to_pandas(self) -> pd.DataFrame:
        """Return every belief at every step as a tidy table (needs the extra ``tables``)."""
        from hbtom.judgement.tables import to_pandas

        return to_pandas(self.posteriors)

    def to_xarray(self) -> xr.Dataset:
        """Return the test trial's posterior with labelled axes (needs the extra ``tables``)."""
        from hbtom.judgement.tables import to_xarray

        return to_xarray(self.test)

    def __repr__(self) -> str:
        return f"<Judgement of {self.episode.name!r}: plausibility {self.plausibility:.3f}>"


def judge(
    episode: Episode | str | os.PathLike[str],
    model: Model | str | os.PathLike[str] = "default",
    *,
    like: Judgement | None = None,
    efforts: Efforts | None = None,
) -> Judgement:
    """Judge how plausible the last trial of an episode is, given the trials before it.

    ``episode`` may be a file; ``model`` may be the name of a preset or a TOML file. What is known
    already may be given, for the same result in less time: ``like``, a judgement by the same model
    of an episode that begins with the same trials, as the two of a pair often do; ``efforts``, what
    :func:`plan_trials` returned for a model with the same dynamics.
    """
    model = find_model(model)
    episode = episode if isinstance(episode, Episode) else load(episode)
    learnt, planned = _familiar(model, episode, like, efforts)
    before = learnt[-1] if learnt else Beliefs()
    try:
        effort = efforts[-1] if efforts else exert(model, before.openings, episode.test)
        test, after = consider(model, before, episode.test, effort)
    except BadInput as error:
        raise error.at(file=episode.name, trial=len(episode)) from None
    surprises = surprise(test, waste=model.classifier.waste is not None)
    product, parts = plausibility(model.classifier, surprises)
    return Judgement(
        episode=episode,
        model=model,
        plausibility=product,
        parts=parts,
        surprise=surprises,
        test=test,
        beliefs=(*learnt, after),
        efforts=(*planned, effort),
    )


def _familiar(
    model: Model, episode: Episode, like: Judgement | None, efforts: Efforts | None
) -> tuple[list[Beliefs], list[Effort]]:
    """Return what is learnt in each trial of familiarization, and its effort.

    What is known already is not worked out again: trials that another judgement begins with.
    """
    learnt: list[Beliefs] = []
    planned: list[Effort] = []
    if like is not None and like.model == model:
        known = min(_alike(like.episode, episode), len(episode) - 1)
        learnt, planned = list(like.beliefs[:known]), list(like.efforts[:known])
    beliefs = learnt[-1] if learnt else Beliefs()
    for index in range(len(learnt), len(episode) - 1):
        trial = episode[index]
        try:
            effort = efforts[index] if efforts else exert(model, beliefs.openings, trial)
            beliefs = learn(model, beliefs, trial, effort)
        except BadInput as error:
            raise error.at(file=episode.name, trial=index + 1) from None
        learnt.append(beliefs)
        planned.append(effort)
    return learnt, planned


def plan_trials(
    model: Model, episode: Episode, *, like: tuple[Episode, Efforts] | None = None
) -> Efforts:
    """Return the effort of every trial, which all models with the same dynamics share.

    ``like`` is an episode that may begin with the same trials, and what is known of it.
    """
    known = like[1][: _alike(like[0], episode)] if like is not None else ()
    efforts: list[Effort] = []
    openings: tuple[float, ...] = ()
    for index, trial in enumerate(episode):
        shared = index < len(known)
        efforts.append(known[index] if shared else exert(model, openings, trial))
        openings += waits(model, trial)
    return tuple(efforts)


def watch(model: Model, episode: Episode) -> tuple[Posterior, ...]:
    """Watch all trials of an episode in order, carrying over what is learnt."""
    return judge(episode, model).posteriors


def _alike(one: Episode, other: Episode) -> int:
    """Return with how many of the same trials two episodes begin."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda both: same_trial(*both), pairs))


def _warnings(episode: Episode, efforts: Efforts) -> tuple[str, ...]:
    """Say all that limits what the judgement means."""
    warnings = []
    if len(episode) == 1:
        warnings.append("there is one trial only: it is judged without familiarization")
    if len(efforts[-1].frame) == 0 and episode.test.items:
        warnings.append("the agent does not move in the test trial: there is nothing to judge")
    if any(trial.others for trial in episode):
        warnings.append(f"{_others(episode)}: seen, but not modelled; nothing follows from them")
    unseen = sum(int(np.isnan(trial.path[:, 0]).sum()) for trial in episode)
    if unseen:
        frames = sum(len(trial.path) for trial in episode)
        warnings.append(f"the agent is not seen in {unseen} of {frames} frames")
    for number, (trial, effort) in enumerate(zip(episode, efforts, strict=True), start=1):
        for warning in (*trial.warnings, *caveats(effort)):
            warnings.append(f"trial {number}: {warning}")
    return tuple(warnings)


_CALLED: dict[OtherKind, str] = {
    "agent": "other agents",
    "door": "doors",
    "occluder": "occluders",
    "paddle": "paddles",
}


def _others(episode: Episode) -> str:
    """Name the kinds of other things that are seen in an episode."""
    kinds = {other.kind for trial in episode for other in trial.others}
    return ", ".join(_CALLED[kind] for kind in sorted(kinds))
