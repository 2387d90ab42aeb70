"""Exact inference of goal and efficiency, step by step and from trial to trial.

    prior      P(g, beta)         = sum_c W(c, beta) P(g | c, reachable)
    posterior  P(g, beta | o_1:t) ~ P(g, beta) prod_{s <= t} P(o_s | g, beta)
    learning   W'(c + 1_g, beta)  ~ W(c, beta) P(g | c, reachable) prod_s P(o_s | g, beta)

Joint in goal history and efficiency, per agent; agents are independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.continuous import continuous_evidence
from hbtom.mind.evidence import UNIT, Evidence
from hbtom.mind.grid import grid_evidence
from hbtom.model import Efficiency, Grid, Model
from hbtom.observe import Look, Trial

MOST_COUNTS = 1 << 20  # numbers of counts kept; nine trials with nine goals have a fifth of it


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """What the observer believes during one trial; row 0 is before the first step."""

    agent: Look
    goals: tuple[Look, ...]
    reachable: Annotated[Bools, "goal"]
    efficiencies: Annotated[Floats, "efficiency"]
    joint: Annotated[Floats, "1+step goal efficiency"]  # P(g, beta | o_1:t)
    preferred: tuple[Look, ...]  # all that the agent could have wanted so far
    preference: Annotated[Floats, "1+step preferred"]  # E[theta | o_1:t]
    log_likelihood: Annotated[Floats, "step"]  # log P(o_t | o_<t)
    frame: Annotated[Ints, "1+step"]
    evidence: Evidence
    warnings: tuple[str, ...] = ()

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
    evidence = gather(model, beliefs, trial)
    agent = trial.agent.look
    known = beliefs.agents.get(agent) or AgentBeliefs.prior(efficiency_prior(model.efficiency)[1])
    known = known.knowing(evidence.goals)
    if known.counts.size > MOST_COUNTS:
        raise BadInput(
            "too many goals and trials to keep all histories",
            hint="inference is exact; leave out objects or trials",
        )
    posterior, learnt = update(model, known, evidence, agent)
    openings = (*beliefs.openings, *_waits(trial))
    return posterior, replace(beliefs.about(agent, learnt), openings=openings)


def gather(model: Model, beliefs: Beliefs, trial: Trial) -> Evidence:
    """Return the evidence of a trial under the model's motion."""
    efficiency, _ = efficiency_prior(model.efficiency)
    learnt = model.acts.learn_opening and len(beliefs.openings) > 0
    opening = float(np.mean(beliefs.openings)) if learnt else model.acts.cost
    if isinstance(model.motion, Grid):
        evidence = grid_evidence(model.motion, model.acts, efficiency, trial, opening)
    else:
        evidence = continuous_evidence(model.motion, model.acts, efficiency, trial, opening)
    if model.preference.keys or trial.key is None:
        return evidence
    wanted = slice(len(trial.objects))
    return replace(
        evidence,
        goals=evidence.goals[wanted],
        reachable=evidence.reachable[wanted],
        log=evidence.log[:, wanted],
        excess=evidence.excess[:, wanted],
        options=evidence.options[..., wanted],
    )


def efficiency_prior(
    prior: Efficiency,
) -> tuple[Annotated[Floats, "efficiency"], Annotated[Floats, "efficiency"]]:
    """Return the grid of efficiencies beta = 1 / T, and log P(beta), P ~ T^(a - 1) exp(-b T)."""
    temperature = np.array(prior.temperatures)
    log = (prior.shape - 1) * np.log(temperature) - prior.scale * temperature
    return 1.0 / temperature, log - _log_sum(log, axis=0)


def update(
    model: Model, known: AgentBeliefs, evidence: Evidence, agent: Look
) -> tuple[Posterior, AgentBeliefs]:
    """Update beliefs about one agent, who may want any of the evidence's goals."""
    alpha = model.preference.concentration
    among = np.array([known.goals.index(goal) for goal in evidence.goals])
    reachable, warnings = _choices(model, evidence)
    predictive = known.predictive(among, reachable, alpha)
    with np.errstate(divide="ignore"):  # what cannot be wanted has log-probability -inf
        log_history = known.log_weight[:, None] + np.log(predictive)[:, :, None]
    log_prior = _log_sum(log_history, axis=0)[0]
    log_evidence = np.cumsum(np.pad(evidence.log, ((1, 0), (0, 0), (0, 0))), axis=0)
    log_joint = log_prior + log_evidence
    log_total = _log_sum(log_joint, axis=(1, 2))
    joint = np.exp(log_joint - log_total)

    # A choice is a count only where there was one.
    choice = evidence.reachable.any() and reachable.sum() > 1
    counted = np.eye(len(known.goals), dtype=np.int64)[among] * int(choice)
    counts = known.counts[:, None] + counted  # [history goal preferred]
    given_goal = np.exp(log_history - np.where(np.isfinite(log_prior), log_prior, 0.0))
    posterior = Posterior(
        agent=agent,
        goals=evidence.goals,
        reachable=evidence.reachable,
        efficiencies=efficiency_prior(model.efficiency)[0],
        joint=joint,
        preferred=known.goals,
        preference=_preference(alpha + counts, given_goal, joint),
        log_likelihood=np.diff(log_total.ravel()),
        frame=np.concatenate([[0], evidence.frame]),
        evidence=evidence,
        warnings=evidence.warnings + warnings,
    )
    return posterior, _learnt(known.goals, counts, log_history + log_evidence[-1])


def _choices(model: Model, evidence: Evidence) -> tuple[Bools, tuple[str, ...]]:
    """Tell among which goals the agent chooses: those it can reach, unless it can reach none."""
    if not evidence.reachable.any():
        everything = np.ones_like(evidence.reachable)
        return everything, ("no goal can be reached; the trial says nothing about goals",)
    if not model.preference.feasible:
        return np.ones_like(evidence.reachable), ()
    return evidence.reachable, ()


def _learnt(
    goals: tuple[Look, ...],
    counts: Annotated[Ints, "history goal preferred"],
    log_weight: Annotated[Floats, "history goal efficiency"],
) -> AgentBeliefs:
    """Merge the histories that have come to the same counts."""
    counts = counts.reshape(-1, len(goals))
    log_weight = log_weight.reshape(len(counts), -1)
    log_weight = log_weight - _log_sum(log_weight, axis=(0, 1))
    histories, where = np.unique(counts, axis=0, return_inverse=True)
    merged = np.full((len(histories), log_weight.shape[1]), -np.inf)
    np.logaddexp.at(merged, where.ravel(), log_weight)
    return AgentBeliefs(goals, histories, merged)


def _preference(
    share: Annotated[Floats, "history goal preferred"],
    given_goal: Annotated[Floats, "history goal efficiency"],
    joint: Annotated[Floats, "time goal efficiency"],
) -> Annotated[Floats, "time preferred"]:
    """Return E[theta] at each time: (alpha + c) / sum (alpha + c), averaged over what is believed.

    ``given_goal`` is P(c | g, beta), which no step of the trial changes.
    """
    mean = share / share.sum(axis=2, keepdims=True)
    return np.einsum("tgk,cgk,cgj->tj", joint, given_goal, mean)


def _log_sum(log: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Return log sum exp along axes that are kept; the sum of nothing but zeros is zero."""
    top = log.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return top + np.log(np.exp(log - top).sum(axis=axis, keepdims=True))


def _waits(trial: Trial) -> tuple[float, ...]:
    """Return what waiting for the barrier cost: the way the agent could have walked meanwhile.

    Only frames in which the barrier changes count, so that repeated frames change nothing.
    """
    reached, gone = trial.event("reach lock"), trial.event("barrier gone")
    if reached is None or gone is None:
        return ()
    frames = np.count_nonzero(np.diff(trial.barrier_left[: gone.frame + 1]))
    if frames == 0:  # a lock without a barrier
        return ()
    steps = np.hypot(*np.diff(trial.path[: reached.frame + 1], axis=0).T)
    moving = steps[steps > 0]
    speed = float(moving.mean()) if len(moving) else 0.0
    return (frames * speed / UNIT,)
