"""What happened in a test trial with company: the agent's goal, its manner, and what it could know.

Nothing is inferred here. Everything is read off what a judgement already holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from hbtom.judgement.approaches import approach, goal_item, touch_tolerance
from hbtom.judgement.moved_things import Transfer, transfer
from hbtom.mind import Planned, Posterior
from hbtom.mind.believed_places import last_gestures
from hbtom.mind.company import Company
from hbtom.mind.company_hypotheses import BY_WAY, COPY, REACH
from hbtom.mind.deeds import Deed
from hbtom.mind.regret import KEY
from hbtom.observe import Identity, names
from hbtom.observe.social_events import gestures
from hbtom.world.course import last_onset

if TYPE_CHECKING:
    from hbtom.judgement.judging import Judgement

TELLING = 0.5  # units of cost; a door that gives or takes less makes no difference to the agent

Manner = Literal["reach", "copy", "way"]


@dataclass(frozen=True)
class Aim:
    """What an agent seems to want, and how it pursues it."""

    goal: str
    manner: Manner
    maker: str = ""  # the agent whose gesture it made, if that agent was seen to make it
    there: bool = True  # whether it went where the goal is, rather than where the goal was before
    arrived: bool = True  # whether it got there
    gap: float = 0.0  # how far from it the agent ended, in pixels between outlines


@dataclass(frozen=True)
class Acquaintance:
    """How often an agent has dealt with another agent or a thing in earlier trials."""

    offered: int = 0  # trials in which it could have wanted it
    reached: int = 0
    copied: int = 0
    opened: int = 0  # how often the other agent opened its path
    closed: int = 0
    shortened: int = 0
    lengthened: int = 0

    @property
    def helped(self) -> bool:
        return self.opened + self.shortened > 0

    @property
    def hindered(self) -> bool:
        return self.closed + self.lengthened > 0


@dataclass(frozen=True)
class Onsets:
    """How the agent starts to move: while it is touched, or not."""

    passive: float  # the probability, before it starts, that it moves only when it is pushed
    now: bool | None  # whether it is touched in the test trial; None if that is not seen
    touched: int  # earlier trials in which it started while it was touched
    untouched: int
    paddle: bool  # whether there is a paddle in any trial


@dataclass(frozen=True)
class CompanyAccount:
    """What happened in a test trial with company; things and agents are given by their names."""

    did: Aim
    sure: float  # the probability of this goal in the end
    expected: str  # the likeliest goal before the first step
    chance: float  # its probability
    goals: frozenset[str]  # all goals on offer
    known: Mapping[str, Acquaintance]
    agents: frozenset[str]
    onsets: Onsets
    transfer: Transfer | None = None  # if where it went is more telling than what it wants


def company_account(
    judgement: Judgement, called: Mapping[Identity, str] = MappingProxyType({})
) -> CompanyAccount:
    """Give an account of a test trial with company; ``called`` has names of things and agents."""
    *before, planned = judgement.planned
    test, trial, social = judgement.test, judgement.episode[-1], judgement.model.social
    earlier = [one for one in before if one.agent == planned.agent and one.company is not None]
    named = {**_named(test, earlier), **called}
    first, last = test.goal[0], test.full[-1].sum(axis=-1)
    goal, place, manner = map(int, np.unravel_index(last.argmax(), last.shape))
    how, maker = _manner(named, test.hypotheses.processes[manner])
    if how == "copy" and test.goals[goal] in _gestured(judgement):
        maker = named[test.goals[goal]]
    tolerance = touch_tolerance(judgement.model)
    near = approach(planned, goal_item(planned, goal, place), tolerance, trial)
    did = Aim(
        named[test.goals[goal]],
        how,
        maker,
        there=place == 0,
        arrived=near.reached,
        gap=near.last,
    )
    where = test.full[0, goal].sum(axis=(1, 2))
    moot = np.count_nonzero(where) > 1 and where[place] <= first[goal] ** 2
    return CompanyAccount(
        did,
        float(test.goal[-1, goal]),
        named[test.goals[int(first.argmax())]],
        float(first.max()),
        frozenset(named[goal] for goal in test.goals),
        _known(judgement, earlier, named),
        frozenset(named[one.look] for one in trial.actors[1:] if one.look in named),
        _onsets(judgement, earlier),
        transfer(social, trial, test.goals[goal], named) if moot and social else None,
    )


def _named(test: Posterior, earlier: Sequence[Planned]) -> dict[Identity, str]:
    """Return distinct names for everything the agent could have wanted; the key is "the key"."""
    looks = {look: None for one in earlier for look in _company(one).goals}
    looks |= dict.fromkeys((*test.goals, *(test.company.attitudes if test.company else ())))
    looks |= dict.fromkeys(deed.actor for one in earlier for deed in _company(one).deeds)
    common = Counter(map(str, looks))
    rare = [look for look in looks if common[str(look)] > 1]
    found = {look: str(look) for look in looks} | dict(zip(rare, names(rare), strict=True))
    return {**found, KEY: "the key"}


def _gestured(judgement: Judgement) -> set[Identity]:
    """Return the agents that were seen to make a gesture before the judged agent set off."""
    trial, before = judgement.episode[-1], judgement.planned[:-1]
    now = last_gestures(trial, gestures(trial), before=last_onset(trial))
    return {*now, *(before[-1].memory.last_gestures if before else ())}


def _company(planned: Planned) -> Company:
    assert planned.company is not None
    return planned.company


def _manner(named: Mapping[Identity, str], process: str) -> tuple[Manner, str]:
    """Return how a goal is pursued, and whose gesture leads there."""
    if process.startswith(BY_WAY):
        maker = process.removeprefix(BY_WAY)
        return "way", next((name for look, name in named.items() if str(look) == maker), maker)
    return ("copy", "") if process == COPY else ("reach", "")


# Earlier trials


def _known(
    judgement: Judgement, earlier: Sequence[Planned], named: Mapping[Identity, str]
) -> dict[str, Acquaintance]:
    """Return the agent's earlier dealings with everything that it could have wanted."""
    counts = {name: Counter[str]() for name in named.values()}
    for one in (*earlier, judgement.planned[-1]):
        wanted = None
        if (
            one is not judgement.planned[-1]
            and len(one.regret.frame)
            and one.regret.reachable.any()
        ):
            wanted, manner = _wanted(judgement, one)
            if manner == COPY:
                counts[named[wanted]]["copied"] += 1
            elif _came_to(judgement, one, wanted):
                counts[named[wanted]]["reached"] += 1
            for goal in _company(one).goals:
                counts[named[goal]]["offered"] += 1
        for deed in _company(one).deeds:
            if effect := _effect(deed, wanted):
                counts[named[deed.actor]][effect] += 1
    return {name: Acquaintance(**count) for name, count in counts.items()}


def _came_to(judgement: Judgement, planned: Planned, wanted: Identity) -> bool:
    """Return whether the agent reached a thing, or came nearer to another agent."""
    company, trial = _company(planned), judgement.episode[judgement.planned.index(planned)]
    goal, tolerance = company.goals.index(wanted), touch_tolerance(judgement.model)
    ways = [
        approach(planned, goal_item(planned, goal, place), tolerance, trial)
        for place in range(len(company.places[goal]))
    ]
    agent = wanted in {one.look for one in trial.actors[1:]}
    return any(one.reached or (agent and one.last < one.first) for one in ways)


def _wanted(judgement: Judgement, planned: Planned) -> tuple[Identity, str]:
    """Return the goal and the manner that explain an earlier trial best."""
    model, likelihood = judgement.model, planned.likelihood(judgement.model)
    log = np.logaddexp.reduce(likelihood.log.sum(axis=0) + model.efficiency.log_prior, axis=-1)
    log = (log + likelihood.log_prior).reshape(likelihood.axes[:3])
    goal, _, manner = map(int, np.unravel_index(log.argmax(), log.shape))
    return likelihood.goals[goal], (*likelihood.hypotheses.processes, REACH)[manner]


def _effect(deed: Deed, wanted: Identity | None) -> str:
    """Return what a deed does to the path to ``wanted``; if that is unknown, the largest effect."""
    known = wanted in deed.goals
    goal = deed.goals.index(wanted) if known else int(np.abs(deed.gain).argmax())
    gain, barred = deed.gain[goal], deed.barred[goal]
    if abs(gain) <= TELLING:
        return ""
    helps, hinders = ("opened", "closed") if barred else ("shortened", "lengthened")
    return helps if gain > 0 else hinders


def _onsets(judgement: Judgement, earlier: Sequence[Planned]) -> Onsets:
    test = judgement.test.company
    touched = [_company(one).touched for one in earlier]
    return Onsets(
        passive=float(test.cause[0, 1]) if test else 0.0,
        now=_company(judgement.planned[-1]).touched,
        touched=touched.count(True),
        untouched=touched.count(False),
        paddle=any(one.kind == "paddle" for trial in judgement.episode for one in trial.panels),
    )
