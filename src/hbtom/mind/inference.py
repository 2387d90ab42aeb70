"""Exact inference of goals, beliefs, processes and efficiency, step by step and across trials.

    prior      P(g, x, beta)         = P(x) sum_c W(c, beta) P(g | c, reachable)
    posterior  P(g, x, beta | o_1:t) ~ P(g, x, beta) prod_{s <= t} P(o_s | g, x, beta)
    learning   W'(c + 1_g, beta)     ~ W(c, beta) P(g | c, reachable)
                                       sum_x P(x) prod_s P(o_s | g, x, beta)

x = (belief, process) is drawn anew in each trial. Inference is joint in goal history and
efficiency; agents are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from types import MappingProxyType
from typing import Annotated, NamedTuple, Protocol

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.errors import BadInput
from hbtom.mind.bayes import Choice, History, NestedOffers, bayes, learn_counts
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.hypotheses import offered_goals
from hbtom.mind.likelihood import Likelihood
from hbtom.mind.posterior import Posterior
from hbtom.mind.preference_tree import PreferenceTree
from hbtom.mind.regret import NOTHING, Regret
from hbtom.mind.switching import bayes_switching, learn_switching
from hbtom.model import Model
from hbtom.observe import Identity

MOST_COUNTS = 1 << 18  # entries in the tables of counts; nine trials with nine goals come close

OVERLAPPING = (
    "the agent has chosen from sets of goals that overlap without one containing the other; "
    "its preferences are approximate"
)

UNIFORM_WEIGHTS: Mapping[Identity, float] = MappingProxyType({})


def infer_agent(
    model: Model,
    beliefs: Beliefs,
    agent: Identity,
    likelihood: Likelihood,
    *,
    waited: tuple[float, ...] = (),
    weight: Mapping[Identity, float] = UNIFORM_WEIGHTS,
) -> tuple[Posterior, Beliefs]:
    """Update beliefs about one agent: return what is believed at every step, and after the last.

    ``waited`` is what waiting for a barrier cost. ``weight`` says how much more, or less, some
    goals are wanted beforehand than others: it multiplies their Dirichlet parameters.
    """
    one = trial_prior(model, beliefs.agents.get(agent), likelihood, weight)
    known = one.history, one.choice, one.before, one.after(), likelihood.log
    changed = None
    if likelihood.switching is None:
        full, preference, log_total = bayes(*known)
    else:
        full, preference, log_total, changed = bayes_switching(*known, likelihood.switching)
    preferred, after = one.preferred, one.beliefs(beliefs, agent, likelihood, waited)
    if NOTHING in likelihood.goals:  # preferences stay as they were
        real = np.array([goal != NOTHING for goal in preferred])
        preferred = tuple(goal for goal in preferred if goal != NOTHING)
        preference = preference[:, real] / preference[:, real].sum(axis=1, keepdims=True)
    posterior = Posterior(
        agent=agent,
        goals=likelihood.goals,
        reachable=likelihood.reachable,
        full=full.reshape(len(full), *likelihood.axes),
        preferred=preferred,
        preference=preference,
        log_likelihood=log_total[1:] - log_total[:-1],
        likelihood=likelihood,
        warnings=caveats(likelihood.regret, after.agents.get(agent)),
        changed=changed,
    )
    return posterior, after


def learn(
    model: Model,
    beliefs: Beliefs,
    agent: Identity,
    likelihood: Likelihood,
    waited: tuple[float, ...] = (),
) -> Beliefs:
    """Return what is believed after a trial, as :func:`infer_agent` does, without a posterior."""
    one = trial_prior(model, beliefs.agents.get(agent), likelihood, UNIFORM_WEIGHTS)
    return one.beliefs(beliefs, agent, likelihood, waited)


class TrialPrior(NamedTuple):
    """Everything that Bayes' rule needs in a trial, apart from the likelihood."""

    preferred: tuple[Identity, ...]
    history: History
    choice: Choice
    before: NestedOffers  # earlier offers nested in this trial's
    tree: PreferenceTree  # the offers so far, including this trial's

    def after(self) -> NestedOffers:
        """Return all offers so far that lie within the set of all preferred items."""
        many = len(self.preferred)
        return self.tree.within(frozenset(range(many)), many)

    def beliefs(
        self, beliefs: Beliefs, agent: Identity, likelihood: Likelihood, waited: tuple[float, ...]
    ) -> Beliefs:
        """Return beliefs after the trial; about the agent, a trial without goals says nothing."""
        if NOTHING in likelihood.goals:
            return beliefs.after(waited, {})
        before = self.history, self.choice, self.before, likelihood.log
        if likelihood.switching is None:
            counts, weight, _ = learn_counts(*before)
        else:
            counts, weight = learn_switching(*before, likelihood.switching)
        known = AgentBeliefs(self.preferred, counts, weight, self.tree)
        return beliefs.after(waited, {agent: known})


class Offer(Protocol):
    """The goals of a trial, which of them are reachable, and what else may explain its steps."""

    @property
    def goals(self) -> tuple[Identity, ...]: ...
    @property
    def reachable(self) -> Annotated[Bools, "goal"]: ...
    @property
    def log_prior(self) -> Annotated[Floats, "explanation"]: ...


def trial_prior(
    model: Model, known: AgentBeliefs | None, offer: Offer, weight: Mapping[Identity, float]
) -> TrialPrior:
    """Return what is known about an agent, and what it chooses from."""
    goals = offer.goals
    known = (known or AgentBeliefs.prior(model.log_character)).knowing(goals)
    if known.counts.size > MOST_COUNTS:
        raise BadInput(
            "too many goals and trials to keep all histories",
            hint="inference is exact; leave out objects or trials",
        )
    same = goals == known.goals  # as nearly always
    among = [*range(len(goals))] if same else [*map(known.goals.index, goals)]
    reachable, counts = offered_goals(model, offer.reachable)
    concentration = model.preference.concentration
    alpha = np.array([concentration * weight.get(goal, 1.0) for goal in known.goals])
    choice = Choice(np.array(among), reachable, counts, alpha, offer.log_prior)
    chosen = frozenset(compress(among, reachable.tolist()))
    before = known.tree.within(chosen, len(known.goals))
    learns = counts and model.preference.nested
    tree = known.tree.offered(chosen) if learns else known.tree
    return TrialPrior(known.goals, History(known.counts, known.log_weight), choice, before, tree)


def caveats(regret: Regret, learnt: AgentBeliefs | None = None) -> tuple[str, ...]:
    """Return warnings about how far to trust a trial; ``learnt`` are the beliefs after it."""
    warnings = regret.warnings
    if not any(regret.reachable.tolist()):
        why = "there are no goals" if NOTHING in regret.goals else "no goal can be reached"
        warnings += (f"{why}; the trial says nothing about goals",)
    if learnt is not None and not learnt.tree.nested:
        warnings += (OVERLAPPING,)
    return warnings
