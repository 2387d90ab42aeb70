"""An episode told in sentences: what happens, and what is believed at that time.

A story has a chapter for each trial, and a chapter has a sentence for each moment that matters.
Everything is read off a judgement; frames count from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hbtom.mind.regret import NOTHING
from hbtom.show.company_beliefs import asks_where, by_itself
from hbtom.show.page.endings import history, peak, summary
from hbtom.show.page.scenes import TrialScene, listed, per_cent
from hbtom.show.words import SURE

Kind = Literal[
    "start",
    "motion",
    "deed",
    "goal",
    "certain",
    "key",
    "lock",
    "barrier",
    "touch",
    "peak",
    "end",
]


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A sentence, and the frame from which it is true."""

    frame: int
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A trial in words: its moments in order."""

    moments: tuple[StoryLine, ...]

    @property
    def summary(self) -> str:
        """The sentence about how the trial went."""
        return next(moment.text for moment in self.moments if moment.kind == "end")


def in_order(moments: Iterable[StoryLine]) -> Chapter:
    """Return a chapter of moments, one of which is the end."""
    return Chapter(tuple(sorted(moments, key=lambda moment: moment.frame)))


def chapter(scene: TrialScene) -> Chapter:
    """Tell one trial."""
    return in_order(_moments(scene))


def _moments(scene: TrialScene) -> Iterator[StoryLine]:
    yield StoryLine(0, "start", _expectation(scene))
    yield from _deeds(scene)
    yield from _events(scene)
    yield from _goals(scene)
    if scene.is_test and len(scene.posterior) > 1:
        frame, sentence = peak(scene)
        yield StoryLine(frame, "peak", sentence)
    end = scene.steady.event("end of motion")
    last = len(scene.trial.path) - 1
    yield StoryLine(last if end is None else end.frame, "end", summary(scene))


# Before the first step


def _expectation(scene: TrialScene) -> str:
    """Return what is expected, and why, in words."""
    if NOTHING in scene.posterior.goals:
        return f"{_choice(scene)}."
    if not scene.earlier:
        known = "Nothing is known yet about" if scene.index == 0 else "This is a new agent:"
        return f"{known} {scene.agent}. {_choice(scene)}."
    reachable = scene.posterior.reachable
    if reachable.sum() == 1 and not asks_where(scene.posterior):
        return f"{_choice(scene)}{_manner(scene)}."
    leader = scene.leaders[0]
    if leader is None:
        return f"{_choice(scene)}: there is no clear preference so far."
    aim = scene.aims[leader]
    chance, past = per_cent(float(aim.chance[0])), history(scene, aim.goal)
    look = "look for" if aim.where else "go to"
    return f"It is expected to {look} {scene.aim(leader)} ({chance}){past}."


def _choice(scene: TrialScene) -> str:
    """Return the agent's choices, in words."""
    goals = range(len(scene.posterior.goals))
    if NOTHING in scene.posterior.goals:
        return "There is nothing it could want"
    within = [scene.the(goal) for goal in goals if scene.posterior.reachable[goal]]
    if not within:
        return "There is nothing it can reach"
    if len(within) > 1:
        return f"It may want {listed(within, 'or')}"
    only = "There is only" if len(goals) == 1 else "It can reach only"
    return f"{only} {within[0]}"


def _manner(scene: TrialScene) -> str:
    """Return how efficient the agent has been, in words, if it stands out."""
    if not scene.found and not scene.in_company:
        return ". So far it has reached nothing"
    prior = scene.judgement.model.efficiency
    usual = float(np.exp(prior.log_prior) @ prior.values)
    now = float(scene.posterior.efficiency[0] @ scene.posterior.efficiencies)
    if now > 1.2 * usual:
        return ". So far it has gone straight to its goals"
    return ". So far it has wasted effort" if now < 0.8 * usual else ""


# Events


def _deeds(scene: TrialScene) -> Iterator[StoryLine]:
    """Yield the deeds of agents to the world and to each other."""
    for deed in scene.deeds:
        for frame, sentence in scene.teller.sentences(deed):
            yield StoryLine(frame, "deed", f"{sentence[0].upper()}{sentence[1:]}.")


def _events(scene: TrialScene) -> Iterator[StoryLine]:
    """Yield the events: motion, touches, key, lock and barrier."""
    trial = scene.steady
    starts = {deed.first for deed in scene.deeds if deed.actor == 0}  # told already
    touched: set[int | None] = set()
    if trial.event("pick up key") is not None:
        touched.add(len(trial.objects))  # picking it up includes touching it
    opening = trial.event("barrier starts to vanish")
    for event in trial.events:
        if event.kind == "first motion" and not {event.frame, event.frame - 1} & starts:
            yield StoryLine(event.frame, "motion", "It starts to move.")
        elif event.kind == "pick up key":
            yield StoryLine(event.frame, "key", "It picks up the key.")
        elif event.kind == "barrier starts to vanish":
            rest = " The barrier begins to vanish." if len(trial.barrier) else ""
            yield StoryLine(event.frame, "lock", f"It opens the lock.{rest}")
        elif event.kind == "barrier gone" and opening and event.frame > opening.frame:
            yield StoryLine(event.frame, "barrier", "The barrier is gone.")
        elif event.kind == "touch" and event.item is not None and event.item not in touched:
            touched.add(event.item)
            yield StoryLine(event.frame, "touch", f"It touches {scene.item(event.item)}.")


# Beliefs


def _goals(scene: TrialScene) -> Iterator[StoryLine]:
    """Yield the moments at which another aim leads, or becomes almost certain."""
    leaders = scene.leaders
    if len(scene.aims) == 1:
        return
    for step in range(1, len(leaders)):
        frame, leader = int(scene.posterior.frame[step]), leaders[step]
        if leader is None:
            continue
        belief = scene.aims[leader].chance
        chance = float(belief[step])
        passes = chance >= SURE > belief[:step].max()
        if leader != leaders[step - 1]:
            yield StoryLine(frame, "goal", _change(scene, leaders[:step], leader, chance))
        elif passes:
            goal = f"{_verbs(scene, step, leader)[0]} {scene.aim(leader)} ({per_cent(chance)})"
            yield StoryLine(frame, "certain", f"By now it is almost certain that it {goal}.")


def _verbs(scene: TrialScene, step: int, aim: int) -> tuple[str, str]:
    """Return verbs for wanting or looking for a goal; a pushed agent only moves there."""
    if by_itself(scene.posterior, step) < 0.5:
        return "moves towards", "move towards"
    return ("looks for", "look for") if scene.aims[aim].where else ("wants", "want")


def _change(scene: TrialScene, before: tuple[int | None, ...], leader: int, chance: float) -> str:
    """Return a sentence that another goal leads now, and which one led before."""
    last = before[-1]
    does, do = _verbs(scene, len(before), leader)
    much = f"clearly {does}" if chance >= SURE else f"seems to {do}"
    sentence = f"It now {much} {scene.aim(leader)} ({per_cent(chance)})"
    if last is None:
        return f"{sentence}."
    if leader in before:
        return f"{sentence} after all."
    led, leads = scene.aims[last].goal, scene.aims[leader].goal
    if led == leads:
        return f"{sentence} rather than {scene.aims[last].where}."
    if scene.choices and scene.times(led) == len(scene.choices):
        taken = "chosen" if scene.is_agent(led) else "taken"
        return f"{sentence}; until now it had always {taken} {scene.the(led)}."
    return f"{sentence} rather than {scene.aim(last)}."
