"""What happened in a test trial, and what was surprising about it: the content of a sentence.

Nothing is inferred here. An account is read off what a judgement already holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from hbtom.judgement.approaches import Approach, approach, goal_item, touch_tolerance
from hbtom.judgement.classifier import losses
from hbtom.judgement.company_accounts import CompanyAccount, company_account
from hbtom.judgement.detours import detour
from hbtom.judgement.mistakes import find_mistakes
from hbtom.judgement.surprises import shift
from hbtom.judgement.tracing import BaseJudgement
from hbtom.mind import Planned, Posterior
from hbtom.mind.beliefs import AgentBeliefs
from hbtom.mind.regret import KEY, NOTHING
from hbtom.observe import Identity, names

if TYPE_CHECKING:
    from hbtom.judgement.judging import Judgement
    from hbtom.judgement.plan_judging import PlanJudgement

SURPRISING = 0.25  # a part that loses more than this share to its surprise is worth a sentence


@dataclass(frozen=True)
class PastChoices:
    """What an agent chose in earlier trials, where it had a choice."""

    trials: int  # before the test trial, with any agent
    seen: bool  # whether the agent was seen in one of them
    choices: int  # trials in which it had a choice
    reached: int  # trials of these in which it reached what it seemed to choose
    chosen: tuple[int, ...]  # how often it chose, and reached, each goal of the test trial


@dataclass(frozen=True)
class Account:
    """What happened in a test trial. Goals are given by their index; "first" is before any step."""

    agent: str
    goals: tuple[str, ...]  # their names; empty if there is nothing to want
    reachable: int  # how many of the goals
    steps: int
    surprising: str  # the kind of surprise that costs the most plausibility; "" if none costs much
    goal: tuple[int, int, int]  # the likeliest: first, when belief shifted most, last
    chance: tuple[float, float]  # the probability of the likeliest goal, first and last
    efficiency: tuple[float, float]  # on average: first, and when belief shifted most
    unlikely: tuple[int, int]  # the least likely step, counted from 0, and its last frame
    history: PastChoices
    detour: float = 1.0  # the path in multiples of the shortest; measured if it was surprising
    approaches: tuple[Approach, ...] = ()  # how near it came to each goal; not known of plans
    company: CompanyAccount | None = None  # if there are others
    changed: int | None = None  # the frame after which its goal probably changed


def account(judgement: Judgement, called: Mapping[Identity, str] = MappingProxyType({})) -> Account:
    """Give an account of the test trial of an episode; ``called`` has names to use in company."""
    test, before = judgement.test, len(judgement.planned) - 1
    seen = any(one.agent == test.agent for one in judgement.planned[:-1])
    choices = _choices(judgement)
    times = tuple(choices.count(goal) for goal in test.goals)
    reached = len(choices) - choices.count(None)
    told = _account(judgement, PastChoices(before, seen, len(choices), reached, times))
    if judgement.planned[-1].company is not None:
        agent = called.get(test.agent, told.agent)
        told = replace(told, agent=agent, company=company_account(judgement, called))
    else:
        told = replace(told, approaches=_approaches(judgement))
    if told.surprising not in ("observation", "waste"):
        return told
    return replace(told, detour=find_detour(judgement.planned[-1], test))


def _approaches(judgement: Judgement) -> tuple[Approach, ...]:
    """Return how near the agent came to each goal in the test trial; none if there are none."""
    if NOTHING in judgement.test.goals:
        return ()
    planned, tolerance = judgement.planned[-1], touch_tolerance(judgement.model)
    return tuple(approach(planned, goal, tolerance) for goal in range(len(judgement.test.goals)))


def plan_account(judgement: PlanJudgement) -> Account:
    """Give an account of the last plan."""
    *before, test = judgement.posteriors
    earlier = [one for one in before if one.agent == test.agent]
    wanted = [one.goals[int(one.goal[-1].argmax())] for one in earlier if one.reachable.sum() > 1]
    times = tuple(wanted.count(goal) for goal in test.goals)
    return _account(
        judgement, PastChoices(len(before), bool(earlier), len(wanted), len(wanted), times)
    )


def _choices(judgement: Judgement) -> list[Identity | None]:
    """Return what the test trial's agent chose in earlier trials; None where it did not reach it.

    It is the goal whose expected count grew most. Where the agent had no choice, no count grows.
    """
    chosen: list[Identity | None] = []
    before: dict[Identity, float] = {}
    tolerance = touch_tolerance(judgement.model)
    for planned, learnt in zip(judgement.planned, judgement.learnt, strict=False):
        beliefs = learnt.agents.get(judgement.test.agent)
        after = before if beliefs is None else _mean_counts(beliefs)
        growth = {goal: count - before.get(goal, 0.0) for goal, count in after.items()}
        if sum(growth.values()) > 0.5:
            goal = max(growth, key=growth.__getitem__)
            item = goal_item(planned, planned.regret.goals.index(goal))
            chosen.append(goal if approach(planned, item, tolerance).reached else None)
        before = after
    return chosen


def _mean_counts(beliefs: AgentBeliefs) -> dict[Identity, float]:
    """Return how often an agent wanted each goal, on average over all possible histories."""
    log = np.logaddexp.reduce(beliefs.log_weight, axis=1)
    weight = np.exp(log - log.max())
    mean = weight @ beliefs.counts / weight.sum()
    return dict(zip(beliefs.goals, mean.tolist(), strict=True))


def _account(judgement: BaseJudgement, history: PastChoices) -> Account:
    test = judgement.test
    goal, efficiency, steps = test.goal, test.efficiency, len(test)
    mean = efficiency @ test.efficiencies
    first, turned, last = (int(goal[time].argmax()) for time in (0, shift(goal).argmax(), -1))
    step = int(test.log_likelihood.argmin()) if steps else -1
    changed = find_mistakes(test).changed
    return Account(
        reachable=int(np.count_nonzero(test.reachable)),
        steps=steps,
        surprising=surprising(judgement),
        goal=(first, turned, last),
        chance=(float(goal[0].max()), float(goal[-1].max())),
        efficiency=(float(mean[0]), float(mean[shift(efficiency).argmax()])),
        unlikely=(step, int(test.frame[step + 1])),
        history=history,
        goals=_named(test.goals),
        agent=str(test.agent),
        changed=None if changed is None else int(test.frame[changed]),
    )


def _named(goals: tuple[Identity, ...]) -> tuple[str, ...]:
    """Return distinct names; the key is "the key"."""
    if NOTHING in goals:
        return ()
    short = tuple("the key" if goal == KEY else str(goal) for goal in goals)
    return short if len(set(short)) == len(short) else tuple(names(goals))


def surprising(judgement: BaseJudgement) -> str:
    """Return the part of the plausibility that loses most to its surprise; "" if all lose little.

    Each part is compared with its value without surprise, because these values differ. In company,
    a surprising goal comes first: it says more than how efficiently the agent pursued it.
    """
    lost = losses(judgement.model.classifier, judgement.parts)
    if judgement.test.company is not None and lost["goal"] > SURPRISING:
        return "goal"
    most = max(lost, key=lost.__getitem__)
    return most if lost[most] > SURPRISING else ""


def find_detour(planned: Planned, posterior: Posterior) -> float:
    """Return the path to the likeliest goal, in multiples of the shortest one; 1 if undefined."""
    goal, place = int(posterior.goal[-1].argmax()), 0
    if planned.company is not None:
        last = posterior.full[-1].sum(axis=-1)
        goal, place, _ = map(int, np.unravel_index(last.argmax(), last.shape))
    elif NOTHING in posterior.goals:
        return 1.0
    return detour(planned.steady, goal_item(planned, goal, place)) or 1.0
