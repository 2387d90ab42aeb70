"""Judging an episode: watch the familiarization, then say how plausible the test trial is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from hbtom.arrays import Ints
from hbtom.errors import BadInput
from hbtom.judgement.judgement_warnings import judgement_warnings
from hbtom.judgement.tracing import BaseJudgement, Trace, judge_posterior
from hbtom.mind import Beliefs, Likelihood, Planned, Posterior, Regret, caveats, plan_one
from hbtom.mind.believed_places import Memory
from hbtom.mind.planned_trials import plan_each
from hbtom.mind.watching import (
    find_likelihoods,
    learn_planned,
    planned_posterior,
    watch_trials,
)
from hbtom.model import AnyModel, Model, find_model, suited
from hbtom.observe import Episode, Trial, load, names, same_trial
from hbtom.observe.checks import checked
from hbtom.world.seeing import Earlier

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


PlannedTrials = tuple[Planned, ...]  # what is known about each trial of an episode


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
        learnt = zip(self.planned, self.learnt, strict=False)
        known = ((one.regret, after.agents.get(one.agent)) for one, after in learnt)
        said = (caveats(regret, nested=not one or one.tree.nested) for regret, one in known)
        return (*said, self.test.warnings)

    @property
    def preferred(self) -> tuple[str, float]:
        """What the agent prefers before the last trial, and E[theta] of it."""
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
        before = self.learnt[-1] if self.learnt else Beliefs()
        after = learn_planned(self.model, before, self.planned[-1], self.test.likelihood)
        return (*self.learnt, after)

    @cached_property
    def posteriors(self) -> tuple[Posterior, ...]:
        """What is believed during each trial; all but the last are computed on demand."""
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
    :func:`plan_trials` returned for a model with the same dynamics.
    """
    episode = load(episode) if isinstance(episode, str | os.PathLike) else checked(episode)
    model = suited(find_model(model), episode.sight)
    if planned is None:
        from hbtom.judgement.from_core import is_plain, judge_plain

        if is_plain(model, episode):
            return judge_plain(model, episode)
    reuse = reuse if reuse is not None and reuse.model == model else None
    if planned is None:
        known = None if reuse is None else (reuse.episode, reuse.planned)
        planned = plan_trials(model, episode, reuse=known)
    learnt = () if reuse is None else reuse.learnt[: _alike(reuse.planned, planned, is_)]
    return _judged(model, episode, planned, learnt)


def judge_pairs(
    model: Model, pairs: Sequence[tuple[Episode, Episode]]
) -> Iterator[tuple[Judgement, Judgement]]:
    """Do what :func:`judge` does for both episodes of each pair, in less time but more memory.

    Trials of all pairs are planned together, and their steps are weighed together. As long as any
    of the judgements is kept, what is known about all trials is kept, too.
    """
    if any(one.sight for pair in pairs for one in pair):  # each may have noise of its own
        for first, second in pairs:
            one = judge(first, model)
            yield one, judge(second, model, reuse=one)
        return
    from hbtom.judgement.from_core import is_plain

    if all(is_plain(model, checked(one)) for pair in pairs for one in pair):
        for first, second in pairs:
            yield judge(first, model), judge(second, model)
        return
    plans = plan_pairs(model, [(checked(first), checked(second)) for first, second in pairs])
    likelihoods = _likelihoods(model, plans)
    for (first, second), (before, after) in zip(pairs, plans, strict=True):
        one = _judged(model, first, before, (), likelihoods)
        learnt = one.learnt[: _alike(before, after, is_)]
        yield one, _judged(model, second, after, learnt, likelihoods)


def _likelihoods(
    model: Model, plans: Sequence[tuple[PlannedTrials, PlannedTrials]]
) -> Mapping[Planned, Likelihood]:
    """Return the likelihood of every trial; none if one cannot be found, as judging will show."""
    trials = {one: None for both in plans for planned in both for one in planned}
    try:
        return dict(zip(trials, find_likelihoods(model, [*trials]), strict=True))
    except BadInput:
        return {}


def _judged(
    model: Model,
    episode: Episode,
    planned: PlannedTrials,
    learnt: tuple[Beliefs, ...],
    likelihoods: Mapping[Planned, Likelihood] = MappingProxyType({}),
) -> Judgement:
    """Judge an episode, given what is learnt from its first trials, and perhaps likelihoods."""
    known = [likelihoods[one] for one in planned] if likelihoods else None
    try:
        test, learnt = watch_trials(model, planned, learnt, known)
    except BadInput as error:
        raise error.at(file=episode.name) from None
    return Judgement(model, *judge_posterior(model, test), test, episode, learnt, planned)


def plan_trials(
    model: Model,
    episode: Episode,
    *,
    reuse: tuple[Episode, PlannedTrials] | None = None,
) -> PlannedTrials:
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


def plan_pair(model: Model, first: Episode, second: Episode) -> tuple[PlannedTrials, PlannedTrials]:
    """Return what :func:`plan_trials` does for two episodes, which may begin alike."""
    return plan_pairs(model, [(first, second)])[0]


def plan_pairs(
    model: Model, pairs: Sequence[tuple[Episode, Episode]]
) -> list[tuple[PlannedTrials, PlannedTrials]]:
    """Return what :func:`plan_trials` does for both episodes of each pair, which may begin alike.

    All trials are planned together, unless more is remembered than what waiting for barriers cost.
    The episodes have no noise of their own.
    """
    if any(_remembers(model, one) for pair in pairs for one in pair):
        known = [plan_trials(model, first) for first, _ in pairs]
        both = zip(pairs, known, strict=True)
        return [(one, plan_trials(model, pair[1], reuse=(pair[0], one))) for pair, one in both]
    trials, earlier, cuts = list[Trial](), list[Earlier](), list[tuple[int, int, int, int]]()
    for first, second in pairs:
        begin = len(trials)  # the last trials nearly always differ
        shared = _alike(first.familiarization, second.familiarization, same_trial)
        middle, known_trials = begin + len(first), range(begin, begin + shared)
        trials += (*first, *second.trials[shared:])
        earlier += (Earlier((), range(begin, number)) for number in range(begin, middle))
        others = (range(middle, number) for number in range(middle, len(trials)))
        earlier += (Earlier((), (*known_trials, *own)) for own in others)
        cuts.append((begin, begin + shared, middle, len(trials)))
    every = tuple(plan_each(model, trials, earlier))
    return [
        (every[begin:middle], every[begin:shared] + every[middle:end])
        for begin, shared, middle, end in cuts
    ]


def _remembers(model: Model, episode: Episode) -> bool:
    """Return whether a trial depends on more of earlier trials than what waiting has cost."""
    company = (one.company for one in episode if one.others or one.unusual)
    return model.knowledge.plan or (model.minds is not None and any(company))


def watch(model: Model, episode: Episode) -> tuple[Posterior, ...]:
    """Watch all trials of an episode in order, carrying over what is learnt."""
    return judge(episode, model).posteriors


def _alike(one: Iterable[Any], other: Iterable[Any], same: Callable[[Any, Any], bool]) -> int:
    """Return the length of the common beginning of two series."""
    return sum(1 for _ in takewhile(bool, map(same, one, other)))
