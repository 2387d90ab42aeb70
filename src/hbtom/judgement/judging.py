"""Judging an episode: watch the familiarization, then say how plausible the test trial is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hbtom.errors import BadInput
from hbtom.judgement.classifier import plausibility
from hbtom.judgement.prediction import predictive
from hbtom.judgement.surprises import Triple, surprise
from hbtom.mind import Beliefs, Posterior, infer
from hbtom.model import Model, find_model
from hbtom.observe import Episode, load

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True, eq=False)
class Judgement:
    """How plausible the last trial of an episode is, and everything that this rests on."""

    episode: Episode
    model: Model
    plausibility: float  # between 0 and 1
    parts: Triple  # the three factors of the plausibility
    surprise: Triple
    posteriors: tuple[Posterior, ...]  # one a trial; the last is the test trial's
    warnings: tuple[str, ...] = ()

    @property
    def test(self) -> Posterior:
        return self.posteriors[-1]

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
    episode: Episode | str | os.PathLike[str], model: Model | str | os.PathLike[str] = "default"
) -> Judgement:
    """Judge how plausible the last trial of an episode is, given the trials before it.

    ``episode`` may be a file; ``model`` may be the name of a preset or a TOML file.
    """
    model = find_model(model)
    episode = episode if isinstance(episode, Episode) else load(episode)
    posteriors = watch(model, episode)
    surprises = surprise(posteriors[-1])
    product, parts = plausibility(model.classifier, surprises)
    return Judgement(
        episode=episode,
        model=model,
        plausibility=product,
        parts=parts,
        surprise=surprises,
        posteriors=posteriors,
        warnings=_warnings(episode, posteriors),
    )


def watch(model: Model, episode: Episode) -> tuple[Posterior, ...]:
    """Watch all trials of an episode in order, carrying over what is learnt."""
    beliefs = Beliefs()
    posteriors = []
    for number, trial in enumerate(episode, start=1):
        try:
            posterior, beliefs = infer(model, beliefs, trial)
        except BadInput as error:
            raise error.at(file=episode.name, trial=number) from None
        posteriors.append(posterior)
    return tuple(posteriors)


def _warnings(episode: Episode, posteriors: tuple[Posterior, ...]) -> tuple[str, ...]:
    """Say all that limits what the judgement means."""
    warnings = []
    if len(episode) == 1:
        warnings.append("there is one trial only: it is judged without familiarization")
    if len(posteriors[-1]) == 0:
        warnings.append("the agent does not move in the test trial: there is nothing to judge")
    for number, (trial, posterior) in enumerate(zip(episode, posteriors, strict=True), start=1):
        for warning in (*trial.warnings, *posterior.warnings):
            warnings.append(f"trial {number}: {warning}")
    return tuple(warnings)
