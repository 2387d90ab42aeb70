"""Judging episodes by a theory of one's own: any agent, in the benchmark's worlds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

from hbtom.compiled import start_compiler
from hbtom.core.agent import Agent
from hbtom.core.axes import GOAL
from hbtom.core.memo import fingerprint
from hbtom.core.policy import boltzmann
from hbtom.core.posterior import Posterior
from hbtom.errors import BadInput
from hbtom.judgement.classifier import logistic
from hbtom.judgement.warm_up import WORTH_COMPILING
from hbtom.model import AnyModel, Model, find_model
from hbtom.observe import Episode, load
from hbtom.places.surprise import shift, waste, why_missing, worst_step
from hbtom.places.watching import Watcher


@dataclass(frozen=True, eq=False)
class Judged:
    """How plausible the last trial of an episode is, under a theory of one's own."""

    episode: Episode
    posteriors: tuple[Posterior, ...]  # what was believed in each trial
    surprise: Mapping[str, float]
    parts: Mapping[str, float]  # the plausibility of each surprise

    @property
    def plausibility(self) -> float:
        """The product of all parts; NaN if the trial cannot be judged."""
        return math.prod(self.parts.values()) if not self.missing else math.nan

    @property
    def missing(self) -> str:
        """Why there is no plausibility; empty if there is one."""
        return why_missing(self.test)

    @property
    def test(self) -> Posterior:
        """What was believed in the last trial."""
        return self.posteriors[-1]

    def __repr__(self) -> str:
        told = f"missing, {self.missing}" if self.missing else f"{self.plausibility:.3f}"
        return f"<Judged {self.episode.name!r}: plausibility {told}>"


@dataclass(frozen=True, eq=False)
class Theory:
    """An agent, judged as a model judges: in its worlds, with its classifier of surprises.

    It rates pairs of episodes, so ``hbtom evaluate --rater file:theory`` evaluates it. Its
    fingerprint changes with the model, and with any code and any number in the agent's functions.
    Goals are what is to be seen in a trial. A shift of beliefs about the efficiency counts if there
    is such a trait, and the waste if the policy is Boltzmann's.
    """

    agent: Agent
    model: AnyModel = "default"
    name: str = "theory"

    columns = {"missing": str}  # noqa: RUF012

    def __post_init__(self) -> None:
        if not isinstance(self.agent, Agent):
            raise BadInput(f"{self.agent!r} is no agent", hint="give hb.Theory(hb.Agent(...))")
        if self.agent.goals is not None:
            hint = "leave 'goals' out; a goal rule (choose) may name V, offer and counts"
            raise BadInput("goals are the things of each trial", hint=hint)

    @cached_property
    def assumed(self) -> Model:
        """The model that interprets trials and weighs surprises."""
        return find_model(self.model)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen digits that change when the theory changes."""
        agent = {name: getattr(self.agent, name) for name in self.agent.__dataclass_fields__}
        return fingerprint(agent, self.assumed.fingerprint)

    @cached_property
    def _watcher(self) -> Watcher:
        return Watcher(self.assumed, self.agent)

    def judge(self, episode: Episode | str | PathLike[str]) -> Judged:
        """Judge how plausible the last trial of an episode is, given the trials before it."""
        seen = load(episode) if isinstance(episode, str | PathLike) else episode
        for number, trial in enumerate(seen, 1):
            if trial.changes or not trial.items:
                hint = "theories judge trials with things to want, in worlds that stay as they are"
                raise BadInput("this trial cannot be judged", hint=hint).at(
                    file=seen.name, trial=number
                )
        try:
            posteriors = self._watcher.watch(seen.trials).posteriors
        except BadInput as error:
            raise error.at(file=seen.name) from None
        surprise = self._surprise(posteriors[-1])
        curves = self.assumed.classifier
        parts = {name: logistic(getattr(curves, name), x) for name, x in surprise.items()}
        return Judged(seen, posteriors, surprise, parts)

    def _surprise(self, p: Posterior) -> dict[str, float]:
        """Return the surprises of a trial that the classifier counts."""
        found = {"goal": shift(p, GOAL), "observation": worst_step(p)}
        if "efficiency" in p.names:
            found["efficiency"] = shift(p, "efficiency")
        wasted = waste(p) if self.agent.policy is boltzmann else None
        found |= {} if wasted is None else {"waste": wasted}
        return {
            name: x for name, x in found.items()
            if getattr(self.assumed.classifier, name, None) is not None
        }  # fmt: skip

    def warm_up(self, pairs: int) -> None:
        """Start the compiler if there are enough pairs to make it pay."""
        if pairs >= WORTH_COMPILING:
            start_compiler()

    def rate_one(self, episode: Episode) -> Any:
        """Return the rating of one episode."""
        from hbtom.bench.rater import Rating

        judged = self.judge(episode)
        return Rating(judged.plausibility, {"missing": judged.missing})

    def rate(self, expected: Episode, unexpected: Episode) -> tuple[Any, Any]:
        """Return the ratings of the two episodes of a pair."""
        return self.rate_one(expected), self.rate_one(unexpected)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is remembered."""
        kept = self.__dataclass_fields__
        return {name: value for name, value in vars(self).items() if name in kept}
