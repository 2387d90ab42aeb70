"""What happened in a test trial, and what was surprising about it: all that a sentence needs.

Nothing is inferred here. An account is read off what a judgement already holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hbtom.judgement.classifier import losses
from hbtom.judgement.surprises import shift
from hbtom.mind import Posterior
from hbtom.mind.beliefs import AgentBeliefs
from hbtom.mind.regret import UNIT
from hbtom.model import Observation
from hbtom.observe import Identity, Trial
from hbtom.world.steady import way_length

if TYPE_CHECKING:
    from hbtom.judgement.judging import Judgement
    from hbtom.judgement.plan_judging import PlanJudgement

SURPRISING = 0.25  # a part that loses more than this share to its surprise is worth a sentence


@dataclass(frozen=True)
class History:
    """What an agent chose in earlier trials, as far as it had a choice."""

    seen: bool = False  # whether the agent was seen before
    choices: int = 0  # trials in which it had a choice
    chosen: tuple[int, ...] = ()  # how often it chose each goal of the test trial


@dataclass(frozen=True)
class Account:
    """What happened in a test trial. Goals are given by their index; "first" is before any step."""

    agent: Identity
    goals: tuple[Identity, ...]
    reachable: int  # how many of the goals
    steps: int
    surprising: str  # the kind of surprise that costs the most plausibility; "" if none costs much
    goal: tuple[int, int, int]  # the likeliest: first, when belief shifted most, last
    chance: tuple[float, float]  # the probability of the likeliest goal, first and last
    efficiency: tuple[float, float]  # on average: first, and when belief shifted most
    unlikely: int  # the least likely step, counted from 0
    history: History


def account(judgement: Judgement) -> Account:
    """Give an account of the test trial of an episode."""
    test = judgement.test
    seen = any(trial.agent.look == test.agent for trial in judgement.episode.trials[:-1])
    known = [beliefs.agents.get(test.agent) for beliefs in judgement.beliefs[:-1]]
    return _account(judgement, _history(seen, _choices(known), test.goals))


def plan_account(judgement: PlanJudgement) -> Account:
    """Give an account of the last of some plans."""
    test = judgement.test
    earlier = [one for one in judgement.posteriors[:-1] if one.agent == test.agent]
    wanted = [one.goals[int(one.goal[-1].argmax())] for one in earlier if one.reachable.sum() > 1]
    return _account(judgement, _history(bool(earlier), wanted, test.goals))


def _history(seen: bool, choices: Sequence[Identity], goals: Sequence[Identity]) -> History:
    return History(seen, len(choices), tuple(choices.count(goal) for goal in goals))


def _choices(known: Iterable[AgentBeliefs | None]) -> list[Identity]:
    """Return what an agent chose, given what was known of it after each trial.

    It is the goal whose expected count grew most. Where the agent had no choice, no count grows.
    """
    chosen: list[Identity] = []
    before: dict[Identity, float] = {}
    for beliefs in known:
        after = before if beliefs is None else _mean_counts(beliefs)
        growth = {goal: count - before.get(goal, 0.0) for goal, count in after.items()}
        if sum(growth.values()) > 0.5:
            chosen.append(max(growth, key=growth.__getitem__))
        before = after
    return chosen


def _mean_counts(beliefs: AgentBeliefs) -> dict[Identity, float]:
    """Return how often an agent wanted each goal, on average over all possible histories."""
    log = np.logaddexp.reduce(beliefs.log_weight, axis=1)
    weight = np.exp(log - log.max())
    mean = weight @ beliefs.counts / weight.sum()
    return dict(zip(beliefs.goals, mean.tolist(), strict=True))


def _account(judgement: Judgement | PlanJudgement, history: History) -> Account:
    test = judgement.test
    goal, efficiency = test.goal, test.efficiency
    mean = efficiency @ test.efficiencies
    times = 0, int(shift(goal).argmax()), -1
    first, turned, last = (int(goal[time].argmax()) for time in times)
    steps = len(test.log_likelihood)
    return Account(
        agent=test.agent,
        goals=test.goals,
        reachable=int(np.count_nonzero(test.reachable)),
        steps=steps,
        surprising=surprising(judgement),
        goal=(first, turned, last),
        chance=(float(goal[0].max()), float(goal[-1].max())),
        efficiency=(float(mean[0]), float(mean[shift(efficiency).argmax()])),
        unlikely=int(test.log_likelihood.argmin()) if steps else 0,
        history=history,
    )


def surprising(judgement: Judgement | PlanJudgement) -> str:
    """Return the part of the plausibility that loses most to its surprise; "" if all lose little.

    Each part is compared with its value without surprise, because these values differ.
    """
    lost = losses(judgement.model.classifier, judgement.parts)
    most = max(lost, key=lost.__getitem__)
    return most if lost[most] > SURPRISING else ""


def detour(trial: Trial, posterior: Posterior, sight: Observation) -> float:
    """Return how many times longer than necessary the way to the likeliest goal was."""
    walked = way_length(trial, sight) / UNIT
    wasted = float(posterior.likelihood.regret.step_regret[:, posterior.goal[-1].argmax()].sum())
    return walked / max(walked - wasted, UNIT / 100)
