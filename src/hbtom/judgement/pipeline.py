"""Judging company, noise and worlds that change: plan all trials, then watch them in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from operator import is_
from types import MappingProxyType
from typing import Any

from hbtom.errors import BadInput
from hbtom.judgement.from_core import is_plain
from hbtom.judgement.judging import Judgement, judge
from hbtom.judgement.tracing import judge_posterior
from hbtom.mind import Beliefs, Likelihood, Planned, plan_one
from hbtom.mind.believed_places import Memory
from hbtom.mind.planned_trials import plan_each
from hbtom.mind.watching import find_likelihoods, watch_trials
from hbtom.model import Model, suited
from hbtom.observe import Episode, Trial, same_trial
from hbtom.observe.checks import checked
from hbtom.world.seeing import Earlier

PlannedTrials = tuple[Planned, ...]  # what is known about each trial of an episode


def judge_planned(
    model: Model, episode: Episode, reuse: Judgement | None, planned: PlannedTrials | None
) -> Judgement:
    """Judge an episode, with what an earlier judgement or its plans have in common with it."""
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


def _alike(one: Iterable[Any], other: Iterable[Any], same: Callable[[Any, Any], bool]) -> int:
    """Return the length of the common beginning of two series."""
    return sum(1 for _ in takewhile(bool, map(same, one, other)))
