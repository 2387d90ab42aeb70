"""Watching a sequence of trials: what is learnt from one carries over to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hbtom.errors import BadInput, located
from hbtom.mind.beliefs import Beliefs
from hbtom.mind.company_inference import infer_company, learn_company
from hbtom.mind.inference import Watched, find_posterior, infer_agent, learn, learn_trials
from hbtom.mind.likelihood import Likelihood, log_likelihoods
from hbtom.mind.planned_trials import Planned, plan_one
from hbtom.mind.posterior import Posterior
from hbtom.mind.regret import FilteredChoice
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.observe.checks import check_once

if TYPE_CHECKING:
    from hbtom.world.whereabouts import Whereabouts


def infer(
    model: Model, beliefs: Beliefs, trial: Trial, *, whereabouts: Whereabouts | None = None
) -> tuple[Posterior, Beliefs]:
    """Watch one trial: return what is believed during it, and what is believed after it.

    ``whereabouts`` says where things may be, if agents may not know that (``knowledge.plan``).
    """
    check_once(trial)
    one = plan_one(model, trial, beliefs.openings, beliefs.memory, whereabouts=whereabouts)
    posterior, after = infer_planned(model, beliefs, one)
    return posterior, after if one.memory is beliefs.memory else replace(after, memory=one.memory)


def infer_planned(
    model: Model, beliefs: Beliefs, one: Planned, likelihood: Likelihood | None = None
) -> tuple[Posterior, Beliefs]:
    """Return what is believed during a trial, and what is believed after it.

    ``likelihood`` is that of the trial, if it is known already.
    """
    known = one.likelihood(model) if likelihood is None else likelihood
    if one.company is None:
        return infer_agent(model, beliefs, one.agent, known, waited=one.waited)
    posterior, after = infer_company(model, beliefs, one.agent, known)
    return posterior, replace(after.after(one.waited, {}), memory=one.memory)


def planned_posterior(
    model: Model, beliefs: Beliefs, one: Planned, likelihood: Likelihood | None = None
) -> Posterior:
    """Return what is believed during a trial, as :func:`infer_planned` does."""
    known = one.likelihood(model) if likelihood is None else likelihood
    if one.company is None:
        return find_posterior(model, beliefs, one.agent, known)
    return infer_company(model, beliefs, one.agent, known)[0]


def learn_planned(
    model: Model, beliefs: Beliefs, one: Planned, likelihood: Likelihood | None = None
) -> Beliefs:
    """Return what is believed after a trial, as :func:`infer_planned` does."""
    known = one.likelihood(model) if likelihood is None else likelihood
    if one.company is None:
        return learn(model, beliefs, one.agent, known, one.waited)
    after = learn_company(model, beliefs, one.agent, known).after(one.waited, {})
    return replace(after, memory=one.memory)


def watch_trials(
    model: Model,
    trials: tuple[Planned, ...],
    learnt: tuple[Beliefs, ...] = (),
    likelihoods: Sequence[Likelihood] | None = None,
) -> tuple[Posterior, tuple[Beliefs, ...]]:
    """Return the posterior of the last trial, and what is believed at the end of each before it.

    ``learnt`` is what was believed at the end of the first trials, if that is known already, and
    ``likelihoods`` are those of all trials, if they are.
    """
    learnt = learnt[: len(trials) - 1]
    done, now = len(learnt), learnt[-1] if learnt else Beliefs()
    if likelihoods is None:
        *known, last = find_likelihoods(model, trials[done:], done)
    else:
        *known, last = likelihoods[done:]
    new = _learn(model, now, trials[done:-1], known, done)
    try:
        test = planned_posterior(model, new[-1] if new else now, trials[-1], last)
    except BadInput as error:
        raise error.at(trial=len(trials)) from None
    return test, (*learnt, *new)


def find_likelihoods(model: Model, trials: Sequence[Planned], earlier: int = 0) -> list[Likelihood]:
    """Return the likelihood of each trial; if possible, steps of all trials are weighed at once.

    ``earlier`` is how many trials of the episode come before these.
    """
    steps: Sequence[Likelihood | None] = [None] * len(trials)
    alone = [one.regret for one in trials if one.company is None]
    filtered = any(isinstance(one.choice, FilteredChoice) for one in alone)
    if len(alone) == len(trials) and not filtered:
        steps = log_likelihoods(alone, model.efficiency.values)
    simple, found = not model.fallible and model.hypotheses.random == 0, list[Likelihood]()
    try:
        for one, known in zip(trials, steps, strict=True):
            if known is None or not simple or one.outdated is not None or one.believed:
                known = one.likelihood(model, known)
            found.append(known)
    except BadInput as error:
        raise error.at(trial=earlier + len(found) + 1) from None
    return found


def _learn(
    model: Model,
    beliefs: Beliefs,
    trials: Sequence[Planned],
    likelihoods: Sequence[Likelihood],
    done: int,
) -> list[Beliefs]:
    """Return what is believed after each trial."""
    both = list(zip(trials, likelihoods, strict=True))
    if all(one.company is None for one in trials):
        watched = [Watched(one.agent, likelihood, one.waited) for one, likelihood in both]
        return learn_trials(model, beliefs, watched, done + 1)
    learnt = list[Beliefs]()
    for one, likelihood in both:
        with located(trial=done + len(learnt) + 1):
            beliefs = learn_planned(model, beliefs, one, likelihood)
        learnt.append(beliefs)
    return learnt
