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
from hbtom.mind import Beliefs, Posterior, Regret, caveats, consider, find_regret, learn, waits
from hbtom.model import Model, find_model
from hbtom.observe import Episode, load, same_trial
from hbtom.observe.episode import OtherKind
from hbtom.plottable import Plottable

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


Regrets = tuple[Regret, ...]  # one a trial


@dataclass(frozen=True, eq=False)
class Judgement(Plottable):
    """How plausible the last trial of an episode is, and everything that this rests on."""

    episode: Episode
    model: Model
    plausibility: float  # between 0 and 1
    parts: Surprise  # the factors of the plausibility, one for each surprise
    surprise: Surprise
    test: Posterior  # what is believed during the test trial
    beliefs: tuple[Beliefs, ...]  # what is learnt by the end of each trial
    regrets: Regrets

    @cached_property
    def posteriors(self) -> tuple[Posterior, ...]:
        """What is believed during each trial; all but the last are worked out when asked for."""
        trials = zip(
            (Beliefs(), *self.beliefs), self.episode.familiarization, self.regrets, strict=False
        )
        watched = (consider(self.model, *each)[0] for each in trials)
        return (*watched, self.test)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """All that limits what the judgement means."""
        return _warnings(self.episode, self.regrets)

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
    reuse: Judgement | None = None,
    regrets: Regrets | None = None,
) -> Judgement:
    """Judge how plausible the last trial of an episode is, given the trials before it.

    ``episode`` may be a file; ``model`` may be the name of a preset or a TOML file. What is known
    already may be given, for the same result in less time: ``reuse``, a judgement by the same model
    of an episode that begins with the same trials, as the two of a pair often do; ``efforts``, what
    :func:`plan_trials` returned for a model with the same dynamics.
    """
    model = find_model(model)
    episode = episode if isinstance(episode, Episode) else load(episode)
    learnt, planned = _familiar(model, episode, reuse, regrets)
    before = learnt[-1] if learnt else Beliefs()
    try:
        regret = regrets[-1] if regrets else find_regret(model, before.openings, episode.test)
        test, after = consider(model, before, episode.test, regret)
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
        regrets=(*planned, regret),
    )


def _familiar(
    model: Model, episode: Episode, reuse: Judgement | None, regrets: Regrets | None
) -> tuple[list[Beliefs], list[Regret]]:
    """Return what is learnt in each trial of familiarization, and its effort.

    What is known already is not worked out again: trials that another judgement begins with.
    """
    learnt: list[Beliefs] = []
    planned: list[Regret] = []
    if reuse is not None and reuse.model == model:
        known = min(_alike(reuse.episode, episode), len(episode) - 1)
        learnt, planned = list(reuse.beliefs[:known]), list(reuse.regrets[:known])
    beliefs = learnt[-1] if learnt else Beliefs()
    for index in range(len(learnt), len(episode) - 1):
        trial = episode[index]
        try:
            regret = regrets[index] if regrets else find_regret(model, beliefs.openings, trial)
            beliefs = learn(model, beliefs, trial, regret)
        except BadInput as error:
            raise error.at(file=episode.name, trial=index + 1) from None
        learnt.append(beliefs)
        planned.append(regret)
    return learnt, planned


def plan_trials(
    model: Model, episode: Episode, *, reuse: tuple[Episode, Regrets] | None = None
) -> Regrets:
    """Return the effort of every trial, which all models with the same dynamics share.

    ``reuse`` is an episode that may begin with the same trials, and what is known of it.
    """
    known = reuse[1][: _alike(reuse[0], episode)] if reuse is not None else ()
    regrets: list[Regret] = []
    openings: tuple[float, ...] = ()
    for index, trial in enumerate(episode):
        shared = index < len(known)
        regrets.append(known[index] if shared else find_regret(model, openings, trial))
        openings += waits(model, trial)
    return tuple(regrets)


def watch(model: Model, episode: Episode) -> tuple[Posterior, ...]:
    """Watch all trials of an episode in order, carrying over what is learnt."""
    return judge(episode, model).posteriors


def _alike(one: Episode, other: Episode) -> int:
    """Return with how many of the same trials two episodes begin."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda both: same_trial(*both), pairs))


def _warnings(episode: Episode, regrets: Regrets) -> tuple[str, ...]:
    """Say all that limits what the judgement means."""
    warnings = []
    if len(episode) == 1:
        warnings.append("there is one trial only: it is judged without familiarization")
    if len(regrets[-1].frame) == 0 and episode.test.items:
        warnings.append("the agent does not move in the test trial: there is nothing to judge")
    if any(trial.others for trial in episode):
        warnings.append(f"{_others(episode)}: seen, but not modelled; nothing follows from them")
    unseen = sum(int(np.isnan(trial.path[:, 0]).sum()) for trial in episode)
    if unseen:
        frames = sum(len(trial.path) for trial in episode)
        warnings.append(f"the agent is not seen in {unseen} of {frames} frames")
    for number, (trial, regret) in enumerate(zip(episode, regrets, strict=True), start=1):
        for warning in (*trial.warnings, *caveats(regret)):
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
