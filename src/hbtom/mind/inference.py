"""Exact inference of goals, beliefs, processes and efficiency, step by step and across trials.

    prior      P(g, x, beta)         = P(x) sum_c W(c, beta) P(g | c, reachable)
    posterior  P(g, x, beta | o_1:t) ~ P(g, x, beta) prod_{s <= t} P(o_s | g, x, beta)
    learning   W'(c + 1_g, beta)     ~ W(c, beta) P(g | c, reachable)
                                       sum_x P(x) prod_s P(o_s | g, x, beta)

x = (belief, process) is drawn anew in each trial. Inference is joint in goal history and
efficiency; agents are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, compress, takewhile
from types import MappingProxyType
from typing import Annotated, NamedTuple, Protocol

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.mind.bayes import Choice, History, NestedOffers, bayes, learn_series, most_histories
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


class Watched(NamedTuple):
    """A trial that was watched: the agent, the likelihood, and what waiting for a barrier cost."""

    agent: Identity
    likelihood: Likelihood
    waited: tuple[float, ...] = ()

    def repeats(self, other: Watched) -> bool:
        """Return whether the agent makes the same choice as in another trial, once and for all."""
        mine, theirs = self.likelihood, other.likelihood
        return (
            self.agent == other.agent
            and mine.goals == theirs.goals
            and mine.hypotheses is theirs.hypotheses
            and mine.switching is None
            and mine.reachable.tolist() == theirs.reachable.tolist()
            and NOTHING not in mine.goals
        )


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
    (after,) = one.beliefs(beliefs, [Watched(agent, likelihood, waited)])
    return one.posterior(agent, likelihood), after


def find_posterior(
    model: Model, beliefs: Beliefs, agent: Identity, likelihood: Likelihood
) -> Posterior:
    """Return what is believed at every step, as :func:`infer_agent` does."""
    known = beliefs.agents.get(agent)
    return trial_prior(model, known, likelihood, UNIFORM_WEIGHTS).posterior(agent, likelihood)


def learn(
    model: Model,
    beliefs: Beliefs,
    agent: Identity,
    likelihood: Likelihood,
    waited: tuple[float, ...] = (),
) -> Beliefs:
    """Return what is believed after the last step, as :func:`infer_agent` does."""
    return learn_trials(model, beliefs, [Watched(agent, likelihood, waited)])[0]


def learn_trials(
    model: Model, beliefs: Beliefs, trials: Sequence[Watched], number: int = 1
) -> list[Beliefs]:
    """Return what is believed after each of several trials; ``number`` is that of the first.

    Successive trials in which an agent makes the same choice are learnt from together.
    """
    learnt, begin = list[Beliefs](), 0
    while begin < len(trials):
        now, first = learnt[-1] if learnt else beliefs, trials[begin]
        try:
            one = trial_prior(model, now.agents.get(first.agent), first.likelihood, UNIFORM_WEIGHTS)
        except BadInput as error:
            raise error.at(trial=number + begin) from None
        together = [first, *takewhile(first.repeats, trials[begin + 1 :])]
        while len(together) > 1 and not one.fits(len(together)):
            together.pop()
        learnt += one.beliefs(now, together)
        begin += len(together)
    return learnt


class TrialPrior(NamedTuple):
    """Everything that Bayes' rule needs in a trial, apart from the likelihood."""

    preferred: tuple[Identity, ...]
    history: History
    choice: Choice
    before: NestedOffers  # earlier offers nested in this trial's
    tree: PreferenceTree  # the offers so far
    offer: frozenset[int] | None  # this trial's, if it is added to them

    def after(self) -> NestedOffers:
        """Return all offers that lie within the set of all preferred items, with this trial's."""
        many = len(self.preferred)
        return self.with_offer(self.tree).within(frozenset(range(many)), many)

    def posterior(self, agent: Identity, likelihood: Likelihood) -> Posterior:
        """Return what is believed at every step of the trial."""
        known = self.history, self.choice, self.before, self.after(), likelihood.log
        tree, preferred, changed = self.with_offer(self.tree), self.preferred, None
        if likelihood.switching is None:
            full, preference, log_total = bayes(*known)
        else:
            full, preference, log_total, changed = bayes_switching(*known, likelihood.switching)
        if NOTHING in likelihood.goals:  # preferences stay as they were
            tree, real = self.tree, np.array([goal != NOTHING for goal in preferred])
            preferred = tuple(goal for goal in preferred if goal != NOTHING)
            preference = preference[:, real] / preference[:, real].sum(axis=1, keepdims=True)
        return Posterior(
            agent=agent,
            goals=likelihood.goals,
            reachable=likelihood.reachable,
            full=full.reshape(len(full), *likelihood.axes),
            preferred=preferred,
            preference=preference,
            log_likelihood=log_total[1:] - log_total[:-1],
            likelihood=likelihood,
            warnings=caveats(likelihood.regret, nested=tree.nested),
            changed=changed,
        )

    def fits(self, trials: int) -> bool:
        """Return whether the tables of counts stay small in so many trials with this choice."""
        histories = most_histories(self.history, self.choice, trials)
        return histories * len(self.preferred) <= MOST_COUNTS

    def beliefs(self, beliefs: Beliefs, trials: Sequence[Watched]) -> list[Beliefs]:
        """Return beliefs after each of several trials with this choice."""
        agent, likelihood, waited = trials[0]
        if NOTHING in likelihood.goals:  # about the agent, a trial without goals says nothing
            return [beliefs.after(waited, {})]
        learnt, tree, (counts, weights, first) = list[Beliefs](), self.tree, self._learnt(trials)
        for trial, one in enumerate(trials):
            some, tree = slice(first[trial], first[trial + 1]), self.with_offer(tree)
            known = AgentBeliefs(self.preferred, counts[some], weights[some], tree)
            beliefs = beliefs.after(one.waited, {agent: known})
            learnt.append(beliefs)
        return learnt

    def _learnt(self, trials: Sequence[Watched]) -> tuple[Ints, Floats, list[int]]:
        """Return counts and log-weights after each trial, and the first history of each."""
        logs, switching = [one.likelihood.log for one in trials], trials[0].likelihood.switching
        known = self.history, self.choice, self.before, np.concatenate(logs)
        if switching is not None:
            counts, weights = learn_switching(*known, switching)
            return counts, weights, [0, len(counts)]
        begin = np.array([*accumulate(map(len, logs), initial=0)])
        counts, weights, first, _ = learn_series(*known, begin)
        return counts, weights, first.tolist()

    def with_offer(self, tree: PreferenceTree) -> PreferenceTree:
        """Return offers so far with this trial's."""
        return tree if self.offer is None else tree.offered(self.offer)


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
    alpha = np.full(len(known.goals), model.preference.concentration)
    if weight:
        alpha *= [weight.get(goal, 1.0) for goal in known.goals]
    choice = Choice(np.array(among), reachable, counts, alpha, offer.log_prior)
    chosen = frozenset(compress(among, reachable.tolist()))
    before = known.tree.within(chosen, len(known.goals))
    new = chosen if counts and model.preference.nested else None
    history = History(known.counts, known.log_weight)
    return TrialPrior(known.goals, history, choice, before, known.tree, new)


def caveats(regret: Regret, *, nested: bool = True) -> tuple[str, ...]:
    """Return warnings about how far to trust a trial.

    ``nested`` says whether the sets of goals from which the agent has chosen by the end of the
    trial are nested or disjoint.
    """
    warnings = regret.warnings
    if not any(regret.reachable.tolist()):
        why = "there are no goals" if NOTHING in regret.goals else "no goal can be reached"
        warnings += (f"{why}; the trial says nothing about goals",)
    if not nested:
        warnings += (OVERLAPPING,)
    return warnings
