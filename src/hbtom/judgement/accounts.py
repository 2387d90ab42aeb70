"""What happened in a test trial, and what was surprising about it: the content of a sentence.

Nothing is inferred here. An account is read off what a judgement already holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from hbtom.judgement.classifier import losses
from hbtom.judgement.company_accounts import CompanyAccount, company_account, likeliest_detour
from hbtom.judgement.mistakes import find_mistakes
from hbtom.judgement.surprises import shift
from hbtom.judgement.tracing import BaseJudgement
from hbtom.mind import Planned, Posterior
from hbtom.mind.beliefs import AgentBeliefs
from hbtom.mind.regret import KEY, NOTHING
from hbtom.observe import Identity, names
from hbtom.world.modes import UNIT

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
    chosen: tuple[int, ...]  # how often it chose each goal of the test trial


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
    company: CompanyAccount | None = None  # if there are others
    changed: int | None = None  # the frame after which its goal probably changed


def account(judgement: Judgement, called: Mapping[Identity, str] = MappingProxyType({})) -> Account:
    """Give an account of the test trial of an episode; ``called`` has names to use in company."""
    test, before = judgement.test, len(judgement.planned) - 1
    seen = any(one.agent == test.agent for one in judgement.planned[:-1])
    choices = _choices(beliefs.agents.get(test.agent) for beliefs in judgement.learnt)
    times = tuple(choices.count(goal) for goal in test.goals)
    told = _account(judgement, PastChoices(before, seen, len(choices), times))
    if judgement.planned[-1].company is not None:
        agent = called.get(test.agent, told.agent)
        told = replace(told, agent=agent, company=company_account(judgement, called))
    if told.surprising not in ("observation", "waste"):
        return told
    return replace(told, detour=detour(judgement.planned[-1], test))


def plan_account(judgement: PlanJudgement) -> Account:
    """Give an account of the last plan."""
    *before, test = judgement.posteriors
    earlier = [one for one in before if one.agent == test.agent]
    wanted = [one.goals[int(one.goal[-1].argmax())] for one in earlier if one.reachable.sum() > 1]
    times = tuple(wanted.count(goal) for goal in test.goals)
    return _account(judgement, PastChoices(len(before), bool(earlier), len(wanted), times))


def _choices(known: Iterable[AgentBeliefs | None]) -> list[Identity]:
    """Return what an agent chose in each trial, given what was known about it afterwards.

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


def detour(planned: Planned, posterior: Posterior) -> float:
    """Return the path to the likeliest goal, in multiples of the shortest one."""
    if planned.company is not None:
        return likeliest_detour(planned, posterior)
    walked = planned.seen.walked / UNIT
    wasted = float(planned.regret.step_regret[:, posterior.goal[-1].argmax()].sum())
    return walked / max(walked - wasted, 0.1)
