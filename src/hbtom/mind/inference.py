"""Exact inference of goal and efficiency, step by step and from trial to trial.

    prior      P(g, beta)         = sum_c W(c, beta) P(g | c, reachable)
    posterior  P(g, beta | o_1:t) ~ P(g, beta) prod_{s <= t} P(o_s | g, beta)
    learning   W'(c + 1_g, beta)  ~ W(c, beta) P(g | c, reachable) prod_s P(o_s | g, beta)

Joint in goal history and efficiency, per agent; agents are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Annotated

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.mind.bayes import bayes, learn_counts
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.likelihood import Likelihood, log_likelihood
from hbtom.mind.motions import find_regret
from hbtom.mind.regret import NOTHING, Regret
from hbtom.model import Acts, Continuous, Grid, Model, Observation
from hbtom.observe import Identity, Trial
from hbtom.plan.planning import plan_trial
from hbtom.plottable import Plottable
from hbtom.world.seeing import see

MOST_COUNTS = 1 << 18  # numbers of counts kept; nine trials with nine goals have most of it

EQUALLY: Mapping[Identity, float] = MappingProxyType({})


class Posterior(Struct, Plottable, frozen=True, eq=False, dict=True):
    """What the observer believes during one trial; row 0 is before the first step."""

    agent: Identity
    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]
    joint: Annotated[Floats, "1+step goal efficiency"]  # P(g, beta | o_1:t)
    preferred: tuple[Identity, ...]  # all that the agent could have wanted so far
    preference: Annotated[Floats, "1+step preferred"]  # E[theta | o_1:t]
    log_likelihood: Annotated[Floats, "step"]  # log P(o_t | o_<t)
    likelihood: Likelihood
    warnings: tuple[str, ...] = ()

    @property
    def efficiencies(self) -> Annotated[Floats, "efficiency"]:
        """The grid of efficiencies, beta."""
        return self.likelihood.efficiencies

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


def infer(model: Model, beliefs: Beliefs, trial: Trial) -> tuple[Posterior, Beliefs]:
    """Watch one trial: return what is believed during it, and what is believed after it."""
    seen = see(model, trial, beliefs.openings)
    regret = find_regret(model, trial, seen, plan_trial(model, seen))
    return believe(model, beliefs, trial.agent.look, regret, waited=seen.waited)


def dynamics(model: Model) -> tuple[Grid | Continuous, Acts, bool, Observation]:
    """Return what of a model planning depends on: models that share it share all effort."""
    return model.motion, model.acts, model.preference.keys, model.observation


def learn(
    model: Model, beliefs: Beliefs, agent: Identity, regret: Regret, waited: tuple[float, ...] = ()
) -> Beliefs:
    """Return what is believed after a trial, as :func:`believe` does, but nothing of its steps."""
    if NOTHING in regret.goals:
        return beliefs  # nobody learns from nothing
    likelihood = log_likelihood(regret, model.efficiency.values)
    known = _known(model, beliefs, agent, regret.goals)
    counts, log_weight = learn_counts(*_given(model, known, regret, EQUALLY), likelihood.log)
    return beliefs.after(agent, AgentBeliefs(known.goals, counts, log_weight), waited)


def believe(
    model: Model,
    beliefs: Beliefs,
    agent: Identity,
    regret: Regret,
    *,
    waited: tuple[float, ...] = (),
    weight: Mapping[Identity, float] = EQUALLY,
) -> tuple[Posterior, Beliefs]:
    """Weigh an agent's effort: return what is believed meanwhile, and what is believed after it.

    ``waited`` is what waiting for a barrier cost; ``weight`` is as in :func:`update`.
    """
    likelihood = log_likelihood(regret, model.efficiency.values)
    known = _known(model, beliefs, agent, regret.goals)
    posterior, learnt = update(model, known, likelihood, agent, weight=weight)
    if NOTHING in regret.goals:
        return _idle(posterior), beliefs
    return posterior, beliefs.after(agent, learnt, waited)


def _known(
    model: Model, beliefs: Beliefs, agent: Identity, goals: tuple[Identity, ...]
) -> AgentBeliefs:
    """Return what is known of an agent that may want some goals."""
    known = beliefs.agents.get(agent) or AgentBeliefs.prior(model.efficiency.log_prior)
    known = known.knowing(goals)
    if known.counts.size > MOST_COUNTS:
        raise BadInput(
            "too many goals and trials to keep all histories",
            hint="inference is exact; leave out objects or trials",
        )
    return known


def _idle(posterior: Posterior) -> Posterior:
    """Return what is believed where there is nothing to want: what is liked stays as it was."""
    real = [goal != NOTHING for goal in posterior.preferred]
    liked = posterior.preference[:, real]
    return replace(
        posterior,
        preferred=tuple(goal for goal in posterior.preferred if goal != NOTHING),
        preference=liked / liked.sum(axis=1, keepdims=True) if any(real) else liked,
    )


def update(
    model: Model,
    known: AgentBeliefs,
    likelihood: Likelihood,
    agent: Identity,
    *,
    weight: Mapping[Identity, float] = EQUALLY,
) -> tuple[Posterior, AgentBeliefs]:
    """Update beliefs about one agent, who may want any of the evidence's goals.

    ``weight`` is how much more, or less, some goals are wanted a priori than the others: their
    share of the Dirichlet's concentration.
    """
    joint, preference, log_likelihood, counts, log_weight = bayes(
        *_given(model, known, likelihood.regret, weight), likelihood.log
    )
    posterior = Posterior(
        agent=agent,
        goals=likelihood.goals,
        reachable=likelihood.reachable,
        joint=joint,
        preferred=known.goals,
        preference=preference,
        log_likelihood=log_likelihood,
        likelihood=likelihood,
        warnings=caveats(likelihood.regret),
    )
    return posterior, AgentBeliefs(known.goals, counts, log_weight)


def _given(
    model: Model, known: AgentBeliefs, regret: Regret, weight: Mapping[Identity, float]
) -> tuple[Ints, Floats, Ints, Bools, bool, Floats]:
    """Return all that Bayes' rule needs beside the evidence: what is known, and what is wanted."""
    same = regret.goals == known.goals  # as nearly always
    places = range(len(regret.goals)) if same else map(known.goals.index, regret.goals)
    among = np.fromiter(places, dtype=np.int64)
    concentration = model.preference.concentration
    alpha = np.array([concentration * weight.get(goal, 1.0) for goal in known.goals])
    return known.counts, known.log_weight, among, *_choices(model, regret.reachable), alpha


def _choices(
    model: Model, reachable: Annotated[Bools, "goal"]
) -> tuple[Annotated[Bools, "goal"], bool]:
    """Tell among which goals the agent chooses, and whether its choice counts as one.

    Those are the goals it can reach, unless it can reach none. A choice counts where there was one.
    """
    many = int(np.count_nonzero(reachable))
    if many and model.preference.feasible:
        return reachable, many > 1
    return np.ones_like(reachable), many > 0 and len(reachable) > 1


def caveats(regret: Regret) -> tuple[str, ...]:
    """Say what limits what a trial means."""
    if np.count_nonzero(regret.reachable):
        return regret.warnings
    why = "there is nothing to want" if NOTHING in regret.goals else "no goal can be reached"
    return (*regret.warnings, f"{why}; the trial says nothing about goals")
