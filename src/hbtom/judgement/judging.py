"""Judging an episode: watch the familiarization, then say how plausible the test trial is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from operator import is_
from typing import TYPE_CHECKING, Any

from hbtom.errors import BadInput
from hbtom.judgement.judgement_warnings import judgement_warnings
from hbtom.judgement.tracing import BaseJudgement, Trace, judge_posterior
from hbtom.mind import Beliefs, Planned, Posterior, Regret, plan_one
from hbtom.mind.believed_places import Memory
from hbtom.mind.planned_trials import plan_each
from hbtom.mind.watching import infer_planned, watch_trials
from hbtom.model import AnyModel, Model, find_model, suited
from hbtom.observe import Episode, load, same_trial
from hbtom.observe.checks import checked
from hbtom.world.seeing import Earlier

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True, eq=False)
class Judgement(BaseJudgement):
    """How plausible the last trial of an episode is, and everything that this rests on."""

    episode: Episode
    beliefs: tuple[Beliefs, ...]  # what is learnt by the end of each trial
    planned: tuple[Planned, ...]  # what is known about each trial before it is judged

    @property
    def regrets(self) -> tuple[Regret, ...]:
        """The regret of each trial's steps."""
        return tuple(one.regret for one in self.planned)

    @cached_property
    def posteriors(self) -> tuple[Posterior, ...]:
        """What is believed during each trial; all but the last are computed on demand."""
        before = (Beliefs(), *self.beliefs)
        watched = (
            infer_planned(self.model, beliefs, one)[0]
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
        return f"<Judgement of {self.episode.name!r}: plausibility {self.plausibility:.3f}>"


def judge(
    episode: Episode | str | os.PathLike[str],
    model: AnyModel = "default",
    *,
    reuse: Judgement | None = None,
    planned: tuple[Planned, ...] | None = None,
) -> Judgement:
    """Judge how plausible the last trial of an episode is, given the trials before it.

    ``episode`` may be a file. ``model`` may be the name of a preset, a TOML file, or settings that
    differ from the preset ``default``, as in ``{"efficiency.scale": 2}``. Earlier work can be
    reused, for the same result in less time: ``reuse`` is a judgement by the same model of an
    episode that begins with the same trials, as the two of a pair often do; ``planned`` is what
    :func:`plan_trials` returned for a model with the same dynamics.
    """
    episode = load(episode) if isinstance(episode, str | os.PathLike) else checked(episode)
    model = suited(find_model(model), episode.sight)
    reuse = reuse if reuse is not None and reuse.model == model else None
    if planned is None:
        known = None if reuse is None else (reuse.episode, reuse.planned)
        planned = plan_trials(model, episode, reuse=known)
    learnt = () if reuse is None else reuse.beliefs[: _alike(reuse.planned, planned, is_)]
    try:
        test, beliefs = watch_trials(model, planned, learnt)
    except BadInput as error:
        raise error.at(file=episode.name) from None
    return Judgement(model, *judge_posterior(model, test), test, episode, beliefs, planned)


def plan_trials(
    model: Model,
    episode: Episode,
    *,
    reuse: tuple[Episode, tuple[Planned, ...]] | None = None,
) -> tuple[Planned, ...]:
    """Return the world, cost-to-go and regret of every trial.

    All models with the same dynamics share them. ``reuse`` is an episode that may begin with the
    same trials, and what is known about them.
    """
    model = suited(model, episode.sight)
    company = model.minds is not None and episode.company
    planned = list[Planned]()
    if reuse is not None and (model.minds is None or reuse[0].company == company):
        planned += reuse[1][: _alike(reuse[0], episode, same_trial)]
    openings = tuple(wait for one in planned for wait in one.waited)
    if not company and not model.knowledge.plan:  # nothing else is remembered
        new = episode.trials[len(planned) :]
        earlier = [Earlier(openings, range(number)) for number in range(len(new))]
        return *planned, *plan_each(model, new, earlier)
    for trial in episode.trials[len(planned) :]:
        memory = planned[-1].memory if planned else Memory(company)
        before = episode.trials[: len(planned)]
        planned.append(plan_one(model, trial, openings, memory, earlier=before))
        openings += planned[-1].waited
    return tuple(planned)


def plan_pair(
    model: Model, first: Episode, second: Episode
) -> tuple[tuple[Planned, ...], tuple[Planned, ...]]:
    """Return what :func:`plan_trials` does for two episodes, which may begin alike."""
    shared = _alike(first.familiarization, second.familiarization, same_trial)
    new = second.trials[shared:]  # the last trials nearly always differ
    many, trials = len(first), (*first.trials, *new)
    company = (one.company for one in trials if one.others or one.unusual)
    remembers = model.knowledge.plan or (model.minds and any(company))
    if remembers or first.sight or second.sight:
        known = plan_trials(model, first)
        return known, plan_trials(model, second, reuse=(first, known))
    earlier = [Earlier((), range(number)) for number in range(many)]
    earlier += [Earlier((), (*range(shared), *range(many, many + one))) for one in range(len(new))]
    planned = tuple(plan_each(model, trials, earlier))
    return planned[:many], planned[:shared] + planned[many:]


def watch(model: Model, episode: Episode) -> tuple[Posterior, ...]:
    """Watch all trials of an episode in order, carrying over what is learnt."""
    return judge(episode, model).posteriors


def _alike(one: Iterable[Any], other: Iterable[Any], same: Callable[[Any, Any], bool]) -> int:
    """Return the length of the common beginning of two series."""
    return sum(1 for _ in takewhile(bool, map(same, one, other)))
