"""Judging an episode: watch the familiarization, then say how plausible the test trial is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from hbtom.arrays import Ints
from hbtom.judgement.tracing import BaseJudgement, Trace
from hbtom.model import AnyModel, Model, find_model, suited
from hbtom.observe import Episode, load
from hbtom.observe.checks import checked

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from hbtom.judgement.pipeline import PlannedTrials
    from hbtom.mind import Beliefs, Posterior, Regret


@dataclass(frozen=True, eq=False)
class Judgement(BaseJudgement):
    """How plausible the last trial of an episode is, and everything that this rests on."""

    episode: Episode
    learnt: tuple[Beliefs, ...]  # what is believed at the end of each trial but the last
    planned: PlannedTrials  # before any of them is judged

    @property
    def frames(self) -> Annotated[Ints, "step"]:
        """The frames in which the steps of the last trial are complete."""
        return self.test.likelihood.frame

    @property
    def limits(self) -> tuple[tuple[str, ...], ...]:
        """What limits the meaning of each trial."""
        from hbtom.mind import caveats

        learnt = zip(self.planned, self.learnt, strict=False)
        known = ((one.regret, after.agents.get(one.agent)) for one, after in learnt)
        said = (caveats(regret, nested=not one or one.tree.nested) for regret, one in known)
        return (*said, self.test.warnings)

    @property
    def preferred(self) -> tuple[str, float]:
        """What the agent prefers before the last trial, and E[theta] of it."""
        from hbtom.observe import names

        shares = self.test.preference[0].tolist()
        share = max(shares, default=0.0)
        return names(self.test.preferred)[shares.index(share)] if shares else "", share

    @property
    def expected_efficiency(self) -> float:
        """The expected efficiency before the last trial."""
        return float(self.test.joint[0].sum(axis=0) @ self.test.efficiencies)

    @property
    def regrets(self) -> tuple[Regret, ...]:
        """The regret of each trial's steps."""
        return tuple(one.regret for one in self.planned)

    @cached_property
    def beliefs(self) -> tuple[Beliefs, ...]:
        """What is believed at the end of each trial; after the last, it is computed on demand."""
        from hbtom.mind import Beliefs
        from hbtom.mind.watching import learn_planned

        before = self.learnt[-1] if self.learnt else Beliefs()
        after = learn_planned(self.model, before, self.planned[-1], self.test.likelihood)
        return (*self.learnt, after)

    @cached_property
    def posteriors(self) -> tuple[Posterior, ...]:
        """What is believed during each trial; all but the last are computed on demand."""
        from hbtom.mind import Beliefs
        from hbtom.mind.watching import planned_posterior

        before = (Beliefs(), *self.learnt[:-1])
        watched = (
            planned_posterior(self.model, beliefs, one)
            for beliefs, one in zip(before, self.planned[:-1], strict=False)
        )
        return (*watched, self.test)

    def trace(self, trial: int = -1) -> Trace:
        """Return all values from a trial to its plausibility, by name; by default the last one's.

        Trials count from 0. Print it to see the whole chain.
        """
        self._check_number(trial, len(self.planned), "trial", self.episode.name)
        shown, one = self.episode.trials[trial], self.planned[trial]
        known = shown, one.seen.world, one.cost_to_go, one.seen.trajectory
        return self._traced(known, self.posteriors[trial])

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Everything that limits the meaning of the judgement."""
        from hbtom.judgement.judgement_warnings import judgement_warnings

        return tuple(judgement_warnings(self))

    @property
    def explanation(self) -> str:
        """What was surprising about the last trial, in a sentence; or that nothing was."""
        from hbtom.judgement.accounts import account
        from hbtom.plottable import sentence_of

        return sentence_of(account(self))

    def to_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """Return the judgement as plain values; ``trace`` adds the posteriors of every step."""
        from hbtom.judgement.tables import traced

        plain: dict[str, Any] = {
            "file": self.episode.name,
            **self._plain(),
            "model": self._named_model(),
            "explanation": self.explanation,
            "warnings": list(self.warnings),
        }
        return {**plain, "trace": traced(self.posteriors)} if trace else plain

    def to_pandas(self) -> pd.DataFrame:
        """Return every belief at every step as a tidy table (needs the extra ``tables``)."""
        from hbtom.judgement.tables import to_pandas

        return to_pandas(self.posteriors)

    def to_datatree(self) -> xr.DataTree:
        """Return all posteriors and the judgement as one labelled tree (needs ``tables``).

        Its groups are ``judgement``, ``trial_1``, ``trial_2`` and so on. Attributes say what made
        it. ArviZ opens it: ``arviz.InferenceData.from_datatree(tree)``.
        """
        from hbtom.judgement.tables import to_datatree

        return to_datatree(self, self.posteriors, self.episode.name)

    def __repr__(self) -> str:
        return f"<Judgement of {self.episode.name!r}: plausibility {self._told()}>"


def judge(
    episode: Episode | str | os.PathLike[str],
    model: AnyModel = "default",
    *,
    reuse: Judgement | None = None,
    planned: PlannedTrials | None = None,
) -> Judgement:
    """Judge how plausible the last trial of an episode is, given the trials before it.

    ``episode`` may be a file. ``model`` may be the name of a preset, a TOML file, or settings that
    differ from the preset ``default``, as in ``{"efficiency.scale": 2}``. Earlier work can be
    reused, for the same result in less time: ``reuse`` is a judgement by the same model of an
    episode that begins with the same trials, as the two of a pair often do; ``planned`` is what
    ``plan_trials`` returned for a model with the same dynamics.
    """
    episode = load(episode) if isinstance(episode, str | os.PathLike) else checked(episode)
    model = suited(find_model(model), episode.sight)
    if planned is None:
        from hbtom.judgement.from_core import is_plain, judge_plain

        if is_plain(model, episode):
            return judge_plain(model, episode)
    from hbtom.judgement.pipeline import judge_planned

    return judge_planned(model, episode, reuse, planned)


def watch(model: Model, episode: Episode) -> tuple[Posterior, ...]:
    """Watch all trials of an episode in order, carrying over what is learnt."""
    return judge(episode, model).posteriors
