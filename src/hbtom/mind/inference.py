"""Exact inference of goal and efficiency, step by step and from trial to trial.

    prior      P(g, beta)         = sum_c W(c, beta) P(g | c, reachable)
    posterior  P(g, beta | o_1:t) ~ P(g, beta) prod_{s <= t} P(o_s | g, beta)
    learning   W'(c + 1_g, beta)  ~ W(c, beta) P(g | c, reachable) prod_s P(o_s | g, beta)

Joint in goal history and efficiency, per agent; agents are independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel
from hbtom.errors import BadInput
from hbtom.mind.bayes import bayes, log_sum
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.continuous import continuous_effort
from hbtom.mind.effort import NOTHING, UNIT, Effort, aimless
from hbtom.mind.evidence import Evidence, weigh
from hbtom.mind.grid import grid_effort
from hbtom.model import Acts, Continuous, Efficiency, Grid, Model
from hbtom.observe import Look, Trial
from hbtom.shown import Shown

MOST_COUNTS = 1 << 18  # numbers of counts kept; nine trials with nine goals have most of it

EQUALLY: Mapping[Look, float] = MappingProxyType({})


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Shown):
    """What the observer believes during one trial; row 0 is before the first step."""

    agent: Look
    goals: tuple[Look, ...]
    reachable: Annotated[Bools, "goal"]
    joint: Annotated[Floats, "1+step goal efficiency"]  # P(g, beta | o_1:t)
    preferred: tuple[Look, ...]  # all that the agent could have wanted so far
    preference: Annotated[Floats, "1+step preferred"]  # E[theta | o_1:t]
    log_likelihood: Annotated[Floats, "step"]  # log P(o_t | o_<t)
    evidence: Evidence
    warnings: tuple[str, ...] = ()

    @property
    def efficiencies(self) -> Annotated[Floats, "efficiency"]:
        """The grid of efficiencies, beta."""
        return self.evidence.efficiencies

    @cached_property
    def frame(self) -> Annotated[Ints, "1+step"]:
        """The frame at which each step is complete; 0 before the first."""
        return np.concatenate([[0], self.evidence.frame])

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
    return consider(model, beliefs, trial, exert(model, beliefs.openings, trial))


def exert(model: Model, openings: tuple[float, ...], trial: Trial) -> Effort:
    """Return the effort of a trial under the model's motion: all that planning is needed for.

    ``openings`` is what waiting for barriers cost in the trials before. Of the model, the effort
    depends only on what :func:`dynamics` tells.
    """
    if not trial.items:
        return aimless()
    learnt = model.acts.learn_opening and len(openings) > 0
    opening = sum(openings) / len(openings) if learnt else model.acts.cost
    if isinstance(model.motion, Grid):
        effort = grid_effort(model.motion, model.acts, trial, opening)
    else:
        effort = continuous_effort(model.motion, model.acts, trial, opening)
    if model.preference.keys or trial.key is None:
        return effort
    return effort.among(slice(len(trial.objects)))


def dynamics(model: Model) -> tuple[Grid | Continuous, Acts, bool]:
    """Return what of a model planning depends on: models that share it share all effort."""
    return model.motion, model.acts, model.preference.keys


def consider(
    model: Model, beliefs: Beliefs, trial: Trial, effort: Effort
) -> tuple[Posterior, Beliefs]:
    """Weigh the effort of a trial: return what is believed during it, and after it."""
    return believe(model, beliefs, trial.agent.look, effort, waited=waits(trial))


def believe(
    model: Model,
    beliefs: Beliefs,
    agent: Look,
    effort: Effort,
    *,
    waited: tuple[float, ...] = (),
    weight: Mapping[Look, float] = EQUALLY,
) -> tuple[Posterior, Beliefs]:
    """Weigh an agent's effort: return what is believed meanwhile, and what is believed after it.

    ``waited`` is what waiting for a barrier cost; ``weight`` is as in :func:`update`.
    """
    evidence = weigh(effort, efficiencies(model.efficiency))
    known = beliefs.agents.get(agent) or AgentBeliefs.prior(log_prior(model.efficiency))
    known = known.knowing(evidence.goals)
    if known.counts.size > MOST_COUNTS:
        raise BadInput(
            "too many goals and trials to keep all histories",
            hint="inference is exact; leave out objects or trials",
        )
    posterior, learnt = update(model, known, evidence, agent, weight=weight)
    if NOTHING in evidence.goals:
        return _idle(posterior), beliefs  # nobody learns from nothing
    return posterior, beliefs.after(agent, learnt, waited)


def _idle(posterior: Posterior) -> Posterior:
    """Return what is believed where there is nothing to want: what is liked stays as it was."""
    real = [goal != NOTHING for goal in posterior.preferred]
    liked = posterior.preference[:, real]
    return replace(
        posterior,
        preferred=tuple(goal for goal in posterior.preferred if goal != NOTHING),
        preference=liked / liked.sum(axis=1, keepdims=True) if any(real) else liked,
    )


def efficiencies(prior: Efficiency) -> Annotated[Floats, "efficiency"]:
    """Return the grid of efficiencies, beta = 1 / T."""
    return np.array([1.0 / temperature for temperature in prior.temperatures])


def log_prior(prior: Efficiency) -> Annotated[Floats, "efficiency"]:
    """Return log P(beta), where P(beta = 1 / T) ~ T^(a - 1) exp(-b T)."""
    log = [(prior.shape - 1) * math.log(t) - prior.scale * t for t in prior.temperatures]
    return np.array(log) - log_sum(np.array(log))


def update(
    model: Model,
    known: AgentBeliefs,
    evidence: Evidence,
    agent: Look,
    *,
    weight: Mapping[Look, float] = EQUALLY,
) -> tuple[Posterior, AgentBeliefs]:
    """Update beliefs about one agent, who may want any of the evidence's goals.

    ``weight`` is how much more, or less, some goals are wanted a priori than the others: their
    share of the Dirichlet's concentration.
    """
    among = np.array([known.goals.index(goal) for goal in evidence.goals], dtype=np.int64)
    reachable, warnings = _choices(model, evidence)
    # A choice is a count only where there was one.
    choice = bool(np.count_nonzero(evidence.reachable) and np.count_nonzero(reachable) > 1)
    share = [weight.get(goal, 1.0) for goal in known.goals]
    alpha = model.preference.concentration * np.array(share, dtype=np.float64)
    joint, preference, log_likelihood, counts, log_weight = bayes(
        known.counts, known.log_weight, among, reachable, choice, alpha, evidence.log
    )
    posterior = Posterior(
        agent=agent,
        goals=evidence.goals,
        reachable=evidence.reachable,
        joint=joint,
        preferred=known.goals,
        preference=preference,
        log_likelihood=log_likelihood,
        evidence=evidence,
        warnings=evidence.effort.warnings + warnings,
    )
    return posterior, AgentBeliefs(known.goals, counts, log_weight)


def _choices(model: Model, evidence: Evidence) -> tuple[Bools, tuple[str, ...]]:
    """Tell among which goals the agent chooses: those it can reach, unless it can reach none."""
    if not np.count_nonzero(evidence.reachable):
        everything = np.ones_like(evidence.reachable)
        if NOTHING in evidence.goals:
            return everything, ("there is nothing to want; the trial says nothing about goals",)
        return everything, ("no goal can be reached; the trial says nothing about goals",)
    if not model.preference.feasible:
        return np.ones_like(evidence.reachable), ()
    return evidence.reachable, ()


def waits(trial: Trial) -> tuple[float, ...]:
    """Return what waiting for the barrier cost: the way the agent could have walked meanwhile.

    Only frames in which the barrier changes count, so that repeated frames change nothing.
    """
    reached, gone = trial.marks.reached, trial.marks.gone
    if reached < 0 or gone < 0:
        return ()
    cost = _waiting(trial.path, trial.barrier_left, reached, gone)
    return (cost,) if cost >= 0 else ()  # there may be a lock without a barrier


@kernel
def _waiting(
    path: Annotated[Floats, "frame 2"],
    barrier_left: Annotated[Floats, "frame"],
    reached: int,
    gone: int,
) -> float:
    """Return the frames in which the barrier changes times the agent's speed; -1 without such."""
    frames = 0
    for frame in range(1, gone + 1):
        frames += barrier_left[frame] != barrier_left[frame - 1]
    if frames == 0:
        return -1.0
    walked, moving = 0.0, 0
    for frame in range(1, reached + 1):
        across, down = path[frame, 0] - path[frame - 1, 0], path[frame, 1] - path[frame - 1, 1]
        length = math.sqrt(across * across + down * down)
        walked, moving = walked + length, moving + (length > 0)
    return frames * (walked / moving) / UNIT if moving > 0 else 0.0
