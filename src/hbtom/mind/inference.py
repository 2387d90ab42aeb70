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
from functools import cached_property
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

import numpy as np
from msgspec import Struct

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.mind.bayes import Choice, History, NestedOffers, bayes, learn_counts
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.hypotheses import AXES, FORESIGHT, IN_COMPANY, Hypotheses, offered_goals
from hbtom.mind.likelihood import Likelihood
from hbtom.mind.preference_tree import PreferenceTree
from hbtom.mind.regret import NOTHING, Regret
from hbtom.mind.switching import bayes_switching, learn_switching
from hbtom.model import Model
from hbtom.observe import Identity
from hbtom.plottable import Plottable

if TYPE_CHECKING:
    from hbtom.mind.minds import CompanyPosterior

MOST_COUNTS = 1 << 18  # numbers of counts kept; nine trials with nine goals have most of it

OVERLAPPING = (
    "the agent has chosen from sets of goals that overlap without one containing the other; "
    "its preferences are approximate"
)

EQUALLY: Mapping[Identity, float] = MappingProxyType({})


class Posterior(Struct, Plottable, frozen=True, eq=False, dict=True):
    """What the observer believes during one trial; row 0 is before the first step."""

    agent: Identity
    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]
    full: Annotated[Floats, "1+step goal belief process efficiency"]  # P(g, x, beta | o_1:t), or
    # with an axis for foresight before efficiency, if there are several depths
    preferred: tuple[Identity, ...]  # all that the agent could have wanted so far
    preference: Annotated[Floats, "1+step preferred"]  # E[theta | o_1:t]
    log_likelihood: Annotated[Floats, "step"]  # log P(o_t | o_<t)
    likelihood: Likelihood
    warnings: tuple[str, ...] = ()
    company: CompanyPosterior | None = None  # what is believed of other minds, where there are any
    changed: Annotated[Floats, "step"] | None = None  # P(its goal changed before a step | o_1:T)

    @property
    def hypotheses(self) -> Hypotheses:
        """The beliefs and processes that may explain the trial."""
        return self.likelihood.hypotheses

    @cached_property
    def joint(self) -> Annotated[Floats, "1+step goal efficiency"]:
        """P(g, beta | o_1:t)."""
        single = len(self.hypotheses) == len(self.foresights) == 1
        return self.full[:, :, 0, 0] if single else self.margin("goal", "efficiency")

    @cached_property
    def aims(self) -> Annotated[Floats, "1+step aim efficiency"]:
        """P(aim, beta | o_1:t), an aim being a goal or, in company, a goal at some place."""
        if not self.hypotheses.by_goal:
            return self.joint
        steps, goals, places, _, many = self.full.shape
        return self.full.sum(axis=3).reshape(steps, goals * places, many)

    def margin(self, *axes: str) -> Annotated[Floats, "1+step ..."]:
        """Return the probability of each goal, belief, process or efficiency at every time.

        The axis ``foresight`` is there if the model has several depths.

        Of several axes it is the joint probability. The order of axes is always that of ``full``.
        In company, beliefs may be called ``place`` and processes ``manner``. There ``company`` has
        the cause of the agent's motion and the attitudes of others.
        """
        depths = () if len(self.foresights) == 1 else (FORESIGHT,)
        named = IN_COMPANY if self.hypotheses.by_goal else AXES
        known, plain = ((*names[:3], *depths, names[3]) for names in (named, AXES))
        for axis in axes:
            if axis not in (*known, *plain):
                raise BadInput(
                    f"there is no axis '{axis}'", hint=f"the axes are {', '.join(known)}"
                )
        both = enumerate(zip(plain, known, strict=True), start=1)
        return self.full.sum(axis=tuple(i for i, names in both if not {*names} & {*axes}))

    @property
    def belief(self) -> Annotated[Floats, "1+step belief"]:
        """P(belief | o_1:t)."""
        return self.margin("belief")

    @property
    def process(self) -> Annotated[Floats, "1+step process"]:
        """P(process | o_1:t)."""
        return self.margin("process")

    @property
    def efficiencies(self) -> Annotated[Floats, "efficiency"]:
        """The grid of efficiencies, beta."""
        return self.likelihood.efficiencies

    @property
    def foresights(self) -> tuple[float, ...]:
        """The depths of foresight; infinite where agents foresee everything."""
        return self.likelihood.foresights

    @property
    def foresight(self) -> Annotated[Floats, "1+step foresight"]:
        """P(foresight | o_1:t)."""
        if len(self.foresights) == 1:
            return np.ones((len(self.full), 1))
        return self.margin(FORESIGHT)

    @cached_property
    def frame(self) -> Annotated[Ints, "1+step"]:
        """The frame at which each step is complete; 0 before the first."""
        return np.concatenate([[0], self.likelihood.frame])

    @property
    def goal(self) -> Annotated[Floats, "1+step goal"]:
        """P(g | o_1:t)."""
        return self.joint.sum(axis=2)

    @property
    def efficiency(self) -> Annotated[Floats, "1+step efficiency"]:
        """P(beta | o_1:t)."""
        return self.joint.sum(axis=1)

    def __len__(self) -> int:
        return len(self.log_likelihood)

    def __repr__(self) -> str:
        wants = ", ".join(
            f"{goal} {belief:.3f}" for goal, belief in zip(self.goals, self.goal[-1], strict=True)
        )
        return f"<Posterior about {self.agent} after {len(self)} steps: {wants}>"


def infer_agent(
    model: Model,
    beliefs: Beliefs,
    agent: Identity,
    likelihood: Likelihood,
    *,
    waited: tuple[float, ...] = (),
    weight: Mapping[Identity, float] = EQUALLY,
) -> tuple[Posterior, Beliefs]:
    """Update beliefs about one agent: return what is believed at every step, and after the last.

    ``waited`` is what waiting for a barrier cost. ``weight`` says how much more, or less, some
    goals are wanted beforehand than others: it multiplies their Dirichlet parameters.
    """
    one = given(model, beliefs.agents.get(agent), likelihood, weight)
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
    one = given(model, beliefs.agents.get(agent), likelihood, EQUALLY)
    return one.beliefs(beliefs, agent, likelihood, waited)


class Given(NamedTuple):
    """All that Bayes' rule needs in a trial, apart from the likelihood."""

    preferred: tuple[Identity, ...]
    history: History
    choice: Choice
    before: NestedOffers  # earlier offers nested in this trial's
    tree: PreferenceTree  # the offers so far, this trial's among them

    def after(self) -> NestedOffers:
        """Return all offers so far that lie within the set of all preferred items."""
        many = len(self.preferred)
        return self.tree.within(frozenset(range(many)), many)

    def beliefs(
        self, beliefs: Beliefs, agent: Identity, likelihood: Likelihood, waited: tuple[float, ...]
    ) -> Beliefs:
        """Return what is believed after the trial. It tells nothing if there is nothing to want."""
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
    """The goals of a trial: which there are, which can be reached, and what else explains steps."""

    @property
    def goals(self) -> tuple[Identity, ...]: ...
    @property
    def reachable(self) -> Annotated[Bools, "goal"]: ...
    @property
    def log_prior(self) -> Annotated[Floats, "explanation"]: ...


def given(
    model: Model, known: AgentBeliefs | None, offer: Offer, weight: Mapping[Identity, float]
) -> Given:
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
    return Given(known.goals, History(known.counts, known.log_weight), choice, before, tree)


def caveats(regret: Regret, learnt: AgentBeliefs | None = None) -> tuple[str, ...]:
    """Say what limits what a trial means; ``learnt`` is what is believed of its agent after it."""
    warnings = regret.warnings
    if not any(regret.reachable.tolist()):
        why = "there are no goals" if NOTHING in regret.goals else "no goal can be reached"
        warnings += (f"{why}; the trial says nothing about goals",)
    if learnt is not None and not learnt.tree.nested:
        warnings += (OVERLAPPING,)
    return warnings
