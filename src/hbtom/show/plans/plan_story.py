"""A plan told in sentences: beliefs over time, goals attained, and mistakes.

Everything is read off a judgement. A moment's frame is the number of actions done by then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement.accounts import plan_account
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.mind import Posterior
from hbtom.show.page.scenes import leaders, listed, per_cent
from hbtom.show.page.story import Chapter, StoryLine, in_order
from hbtom.show.terminal import explain_plan
from hbtom.show.words import SURE, plain
from hbtom.world.pddl import Goal, Plan, SeenPlan

UNLIKELY = 0.3  # an action that is less probable is worth a sentence


@dataclass(frozen=True, eq=False)
class PlanScene:
    """One plan of a judgement, with everything that sentences about it need."""

    judgement: PlanJudgement
    index: int

    @property
    def plan(self) -> SeenPlan:
        return self.judgement.plans[self.index]

    @property
    def posterior(self) -> Posterior:
        return self.judgement.posteriors[self.index]

    @property
    def is_judged(self) -> bool:
        """Whether it is the last of several plans, whose plausibility is judged."""
        return 0 < self.index == len(self.judgement.plans) - 1

    @property
    def wanted(self) -> tuple[Goal, ...]:
        """The goals of the world, without "something else"."""
        return self.judgement.costs[self.index].goals

    @cached_property
    def goals(self) -> tuple[str, ...]:
        return tuple(plain(str(goal)) for goal in self.posterior.goals)

    @cached_property
    def leaders(self) -> tuple[int | None, ...]:
        """The likeliest goal before the first action and after each action; None until one is."""
        return leaders(self.posterior.goal)

    @cached_property
    def to_go(self) -> Floats:
        """The cost-to-go of each goal in each state; empty if not all actions were seen."""
        path = self.judgement.paths[self.index]
        costs = self.judgement.costs[self.index].cost
        return np.empty((0, 0)) if path is None else costs[:, path.state]

    @cached_property
    def attained(self) -> tuple[int | None, ...]:
        """The number of actions after which each goal is first attained; None if it never is."""
        if not isinstance(self.plan, Plan):
            return (None,) * len(self.goals)
        done = [goal.holds(self.plan.states) for goal in self.wanted]
        first = (int(one.argmax()) if one.any() else None for one in done)
        never = (None,) * (len(self.goals) - len(done))  # for "something else"
        return (*first, *never)

    @cached_property
    def wanted_before(self) -> tuple[str, ...]:
        """The most probable goal of the same agent each time that it had a choice."""
        earlier = self.judgement.posteriors[: self.index]
        return tuple(
            plain(str(one.goals[int(one.goal[-1].argmax())]))
            for one in earlier
            if one.agent == self.posterior.agent and one.reachable.sum() > 1
        )


def plan_chapter(scene: PlanScene) -> Chapter:
    """Tell one plan."""
    return in_order(_moments(scene))


def _moments(scene: PlanScene) -> Iterator[StoryLine]:
    yield StoryLine(0, "start", _expectation(scene))
    yield from _beliefs(scene)
    yield from _lost(scene)
    for goal, name in enumerate(scene.goals):
        if frame := scene.attained[goal]:
            yield StoryLine(frame, "touch", f"Now {name} is attained.")
    yield from _mistakes(scene)
    step = int(scene.posterior.log_likelihood.argmin())
    chance = math.exp(float(scene.posterior.log_likelihood[step]))
    if chance < UNLIKELY:
        sentence = f"This is its least likely action: {per_cent(chance)} probable."
        yield StoryLine(step + 1, "peak", sentence)
    yield StoryLine(len(scene.plan), "end", summary(scene))


def _expectation(scene: PlanScene) -> str:
    """Return what is expected before the first action, in words."""
    within = [name for name, can in zip(scene.goals, scene.posterior.reachable, strict=True) if can]
    leader = scene.leaders[0]
    if not within:
        return "None of the goals can be attained."
    if leader is None or len(within) == 1:
        return (
            f"It may want {listed(within, 'or')}." if len(within) > 1 else f"It wants {within[0]}."
        )
    name, chance = scene.goals[leader], per_cent(float(scene.posterior.goal[0, leader]))
    past = scene.wanted_before
    times = f", as it did {past.count(name)} of {len(past)} times" if name in past else ""
    return f"It is expected to want {name} ({chance}){times}."


def _beliefs(scene: PlanScene) -> Iterator[StoryLine]:
    """Yield the moments at which another goal leads, or becomes almost certain."""
    found, belief = scene.leaders, scene.posterior.goal
    for step in range(1, len(found)):
        leader = found[step]
        if leader is None or len(scene.goals) == 1:
            continue
        chance, name = float(belief[step, leader]), scene.goals[leader]
        goal = f"{name} ({per_cent(chance)})"
        if leader != found[step - 1]:
            does = "clearly wants" if chance >= SURE else "seems to want"
            yield StoryLine(step, "goal", f"It now {does} {goal}{_instead(scene, step, leader)}.")
        elif chance >= SURE > belief[:step, leader].max():
            yield StoryLine(step, "certain", f"By now it is almost certain that it wants {goal}.")


def _instead(scene: PlanScene, step: int, leader: int) -> str:
    before = scene.leaders[:step]
    if leader in before:
        return " after all"
    return "" if before[-1] is None else f" rather than {scene.goals[before[-1]]}"


def _lost(scene: PlanScene) -> Iterator[StoryLine]:
    """Yield the moments from which a goal can no longer be attained."""
    for goal, cost in enumerate(scene.to_go):
        lost = np.flatnonzero(np.isfinite(cost[:-1]) & np.isinf(cost[1:]))
        for step in lost[:1].tolist():
            sentence = f"From now on, {scene.goals[goal]} can no longer be attained."
            yield StoryLine(step + 1, "barrier", sentence)


def _mistakes(scene: PlanScene) -> Iterator[StoryLine]:
    """Yield what the agent probably did not foresee, and where it probably changed its mind."""
    found = scene.judgement.mistakes[scene.index]
    if (one := found.oversight) is not None:
        goal = plain(one.goal)
        what = f"puts {goal} out of reach" if math.isinf(one.cost) else f"takes it away from {goal}"
        yield StoryLine(one.step + 1, "deed", f"It probably did not foresee that this {what}.")
    if found.changed is not None:
        yield StoryLine(found.changed, "deed", "Here it probably changes its mind.")


def summary(scene: PlanScene) -> str:
    """Return what the agent probably wanted, and whether it attained it, in words."""
    last = scene.posterior.goal[-1]
    goal = int(last.argmax())
    alike = [
        name for name, chance in zip(scene.goals, last, strict=True) if chance > last[goal] - 0.05
    ]
    if len(alike) > 1:
        sentence = f"It may have wanted {listed(alike, 'or')}: it is not clear which."
    else:
        sure = "It wanted" if last[goal] >= SURE else "It probably wanted"
        done = ", and attained it" if scene.attained[goal] is not None else ""
        sentence = f"{sure} {scene.goals[goal]} ({per_cent(float(last[goal]))}){done}."
    if not scene.is_judged:
        return sentence
    why = plain(explain_plan(plan_account(scene.judgement), scene.plan.steps))
    return f"{sentence} Compared with the plans before: {why}."
