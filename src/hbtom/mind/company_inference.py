"""Inference about an agent in company: whether it moves by itself, and who wishes it well.

An agent is of one kind throughout: it moves by itself or only when it is pushed (z), and each other
agent that has acted on its world wishes it ill, is indifferent or wishes it well (rho = -1, 0, 1).
Within a kind, inference is that of :mod:`hbtom.mind.inference`; kinds are weighted by their
probability. Everything is exact.

    theta | rho        ~ Dirichlet(alpha warmth^rho)
    P(goal | z moved)  = 1 / number on offer, and teaches nothing about theta
    P(onset | z)       = touched, 1         if it starts while it is touched
                         1, untouched       if it does not                (z = self, moved)
    P(deed | rho)      = sum_k P(beta_k) 2 sigma(beta_k clip(rho dV, -act, act))
    dV                 = sum_g P(the agent wants g) gain_g

Another agent has an attitude from its first deed on, which changes how much the agent likes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats
from hbtom.assumptions import Social
from hbtom.mind.bayes import bayes, learn_counts
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.company import Company
from hbtom.mind.deeds import Deed
from hbtom.mind.inference import Offer, TrialPrior, caveats, trial_prior
from hbtom.mind.kinds_of_minds import ATTITUDES, CompanyPosterior, Kind, Mixture, scaled
from hbtom.mind.likelihood import Likelihood
from hbtom.mind.posterior import Posterior
from hbtom.mind.preference_tree import NO_OFFERS, PreferenceTree
from hbtom.model import Model
from hbtom.observe import Identity


def infer_company(
    model: Model, beliefs: Beliefs, agent: Identity, likelihood: Likelihood
) -> tuple[Posterior, Beliefs]:
    """Update beliefs about an agent in company, as :func:`hbtom.mind.inference.infer_agent`."""
    company, social = _both(model, likelihood)
    before = _with_deeds(model, social, beliefs.about(agent), company)
    fulls, preferences, totals = [], [], []
    for kind, one, log in _by_kind(model, social, before, likelihood):
        full, preference, total = bayes(one.history, one.choice, one.before, one.after(), log)
        total[1:] += _log_onset(social, kind, company.touched)
        fulls.append(full.reshape(len(full), *likelihood.axes))
        preferences.append(preference)
        totals.append(total)
    total = np.logaddexp.reduce(totals, axis=0)
    share = np.exp(np.array(totals) - total)  # of each kind
    joint = share[:, :, None, None, None, None] * np.array(fulls)
    places = {
        goal: tuple((one.place, one.probability) for one in some)
        for goal, some in zip(company.goals, company.places, strict=True)
    }
    after = _after(model, social, before, likelihood)
    nested = after.average.tree.nested
    posterior = Posterior(
        agent=agent,
        goals=likelihood.goals,
        reachable=likelihood.reachable,
        full=joint.sum(axis=0),
        preferred=after.average.goals,
        preference=np.einsum("kt,ktj->tj", share, np.array(preferences)),
        log_likelihood=np.diff(total),
        likelihood=likelihood,
        warnings=(*caveats(likelihood.regret, nested=nested), *_left_out(before, company)),
        company=CompanyPosterior(before.kinds, before.actors, before.meant, joint, places),
    )
    return posterior, beliefs.knowing(agent, after)


def learn_company(
    model: Model, beliefs: Beliefs, agent: Identity, likelihood: Likelihood
) -> Beliefs:
    """Return what is believed after a trial in company, without a posterior."""
    company, social = _both(model, likelihood)
    before = _with_deeds(model, social, beliefs.about(agent), company)
    return beliefs.knowing(agent, _after(model, social, before, likelihood))


def _left_out(mixture: Mixture, company: Company) -> Iterator[str]:
    """Warn if more agents have acted than can have attitudes."""
    if any(deed.actor not in mixture.actors for deed in company.deeds):
        yield "so many agents move doors that the attitudes of some are left out"


def _both(model: Model, likelihood: Likelihood) -> tuple[Company, Social]:
    assert likelihood.company is not None
    assert model.social is not None
    return likelihood.company, model.social


def _by_kind(
    model: Model, social: Social, mixture: Mixture, likelihood: Likelihood
) -> Iterator[tuple[Kind, TrialPrior, Annotated[Floats, "step hypothesis efficiency"]]]:
    """Yield each kind with what it chooses from, and the likelihood of the trial for it."""
    for kind, one in _choosing(model, social, mixture, likelihood):
        yield (kind, *_pushed(one, likelihood)) if kind.moved else (kind, one, likelihood.log)


def _choosing(
    model: Model, social: Social, mixture: Mixture, offer: Offer
) -> Iterator[tuple[Kind, TrialPrior]]:
    """Yield what each kind chooses from. Kinds differ in what they like, and in their weights."""
    first = None
    for kind, known in zip(mixture.kinds, mixture.known, strict=True):
        weight = mixture.liking(kind, social)
        if first is None or kind.moved:
            one = trial_prior(model, known, offer, weight)
            first = one if first is None else first
            yield kind, one
            continue
        concentration = model.preference.concentration
        alpha = np.array([concentration * weight.get(goal, 1.0) for goal in first.preferred])
        history = first.history._replace(log_weight=known.log_weight)
        yield kind, first._replace(history=history, choice=first.choice._replace(alpha=alpha))


def _pushed(
    one: TrialPrior, likelihood: Likelihood
) -> tuple[TrialPrior, Annotated[Floats, "step hypothesis efficiency"]]:
    """Return the choice and likelihood of an agent that only moves when it is pushed.

    It may end up at any goal that it can reach, with equal probability.
    """
    log_prior, log = likelihood.hypotheses.pushed, likelihood.log
    can = np.array(np.isfinite(log_prior).any(axis=(1, 2)))
    choice = one.choice._replace(counts=False, reachable=can, log_prior=log_prior.flatten())
    if not can.any():  # then its steps carry no information
        choice, log = one.choice._replace(counts=False), np.zeros_like(log)
    return one._replace(choice=choice, before=NO_OFFERS, tree=PreferenceTree(), offer=None), log


def _after(model: Model, social: Social, before: Mixture, likelihood: Likelihood) -> Mixture:
    """Return beliefs after a trial, for each kind and about its probability."""
    assert likelihood.company is not None
    known, totals = [], []
    for kind, one, log in _by_kind(model, social, before, likelihood):
        counts, weight, total = learn_counts(one.history, one.choice, one.before, log)
        tree = one.with_offer(one.tree)
        known.append(AgentBeliefs(one.preferred, counts, weight, tree))
        totals.append(total + _log_onset(social, kind, likelihood.company.touched))
    every = float(np.logaddexp.reduce(totals))
    return replace(before, known=scaled(known, [total - every for total in totals]))


def _log_onset(social: Social, kind: Kind, touched: bool | None) -> float:
    """Return log P(the agent starts while it is touched, or while it is not | kind)."""
    if touched is None:
        return 0.0
    if touched:
        return 0.0 if kind.moved else math.log(social.touched)
    return math.log(social.untouched) if kind.moved else 0.0


# Deeds


def _with_deeds(
    model: Model, social: Social, known: AgentBeliefs | Mixture | None, company: Company
) -> Mixture:
    """Return beliefs before the agent sets off, which include what others have done by then."""
    if not isinstance(known, Mixture):
        alone = known or AgentBeliefs.prior(model.log_character)
        known = Mixture.of(alone, model, social)
    for deed in company.deeds:
        known = known.regarding(deed.actor)
        if deed.actor in known.actors:
            value = float(_wants(model, social, known, deed) @ deed.gain)
            known = known.seeing(deed.actor, _deed_chance(model, value))
    return known


def _wants(model: Model, social: Social, mixture: Mixture, deed: Deed) -> Annotated[Floats, "goal"]:
    """Return how probable it is that the agent wants each goal, if it moves by itself."""
    nothing = np.zeros((0, len(deed.goals), len(model.efficiency.values)))
    offer = _Offered(deed.goals, np.ones(len(deed.goals), dtype=np.bool_))
    wanted = np.zeros(len(deed.goals))
    for kind, one in _choosing(model, social, mixture, offer):
        if not kind.moved:
            full, _, total = bayes(one.history, one.choice, one.before, one.after(), nothing)
            wanted += math.exp(total[0]) * full[0].sum(axis=1)
    return wanted / wanted.sum()


def _deed_chance(model: Model, value: float) -> Annotated[Floats, "attitude"]:
    """Return P(deed | attitude) for a deed of the given value, relative to the toss of a coin."""
    act, prior = model.acts.cost, np.exp(model.efficiency.log_prior)
    steep = np.outer(np.clip(np.array(ATTITUDES) * value, -act, act), model.efficiency.values)
    return 2.0 / (1.0 + np.exp(-steep)) @ prior


class _Offered(NamedTuple):
    """Goals that are on offer before any step is seen."""

    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]

    @property
    def log_prior(self) -> Annotated[Floats, "explanation"]:
        return np.zeros(1)
