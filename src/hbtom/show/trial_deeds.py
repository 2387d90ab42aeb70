"""Deeds in a trial with company: gestures, pushes, moving things, entering and leaving.

Actors are numbered as in ``Trial.actors``; 0 is the agent that is judged. Frames count from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from hbtom.observe import Trial
from hbtom.observe.contact import stretches
from hbtom.observe.social_events import (
    Moved,
    contacts,
    doors_moved,
    gestures,
    in_room,
    objects_moved,
    onset,
    passages,
)
from hbtom.world.sight_lines import in_view

DeedKind = Literal["gesture", "door", "carry", "push", "start", "comes", "leaves", "reach", "away"]


@dataclass(frozen=True, slots=True)
class TrialDeed:
    """Something that an actor does, or that happens to it, from one frame to another.

    ``thing`` is the index of a door among the panels, of an object, or of another actor.
    """

    kind: DeedKind
    actor: int | None  # None: no actor is near enough to have done it
    first: int
    last: int
    thing: int | None = None


def has_company(trial: Trial) -> bool:
    """Return whether a trial goes beyond the benchmark: others, absence, moving things."""
    changing = (trial.agent_there, trial.object_paths, trial.walls_there, trial.camera)
    return bool(trial.others) or any(one is not None for one in changing)


def deeds(trial: Trial) -> tuple[TrialDeed, ...]:
    """Return all deeds of a trial, in order; none if there is no company."""
    if not has_company(trial):
        return ()
    return tuple(sorted(_found(trial), key=lambda one: (one.first, one.last)))


def _found(trial: Trial) -> Iterator[TrialDeed]:
    for one in gestures(trial):
        yield TrialDeed("gesture", one.actor, one.first, one.last)
    yield from (_moving("door", one) for one in doors_moved(trial))
    yield from (_moving("carry", one) for one in objects_moved(trial))
    for passage in passages(trial):
        kind: DeedKind = "comes" if passage.comes else "leaves"
        yield TrialDeed(kind, passage.actor, passage.frame, passage.frame)
    yield from _start(trial)
    last = len(trial.path) - 1
    for contact in contacts(trial):
        if contact.target == "actor" and contact.last == last > contact.first > 0:
            yield TrialDeed("reach", 0, contact.first, contact.first, contact.index)
    for number, actor in enumerate(trial.actors):
        outside = ~(in_room(trial, actor.path) & trial.there(number))
        yield from (TrialDeed("away", number, *span) for span in stretches(outside))


def _moving(kind: DeedKind, moved: Moved) -> TrialDeed:
    return TrialDeed(kind, moved.actor, moved.first, moved.last, moved.index)


def _start(trial: Trial) -> Iterator[TrialDeed]:
    """Yield how the agent starts: pushed, or by itself if a paddle could have pushed it."""
    start = onset(trial)
    if start is None:
        return
    panels = [index for target, index in start.pushed_by if target == "panel"]
    if panels:
        yield TrialDeed("push", 0, start.frame, start.frame, panels[0])
    elif any(panel.kind == "paddle" for panel in trial.panels):
        yield TrialDeed("start", 0, start.frame, start.frame)


@dataclass(frozen=True, eq=False)
class Teller:
    """Puts deeds into words; ``who`` names an actor, and ``what`` an object."""

    trial: Trial
    who: Callable[[int], str]
    what: Callable[[int], str]

    def sentences(self, deed: TrialDeed) -> Iterator[tuple[int, str]]:
        """Yield sentences about a deed, with the frames from which they hold."""
        thing, kind = -1 if deed.thing is None else deed.thing, deed.kind
        whom = "" if deed.actor is None else self.who(deed.actor)
        if kind == "carry" and whom:
            yield deed.first, f"{whom} lifts {self.what(thing)}"
            yield deed.last, f"{whom} puts {self.what(thing)} down"
        elif not whom:
            yield deed.first, f"{'the door' if kind == 'door' else self.what(thing)} moves"
        elif kind in ("push", "start"):
            yield deed.first, f"{whom} starts to move{self._by(deed, thing)}"
        elif kind != "away":
            yield deed.first, f"{whom} {self.label(deed)}"

    def _is_hidden(self, deed: TrialDeed) -> bool:
        """Return whether a board hides the agent from the observer just before a deed."""
        return not in_view(self.trial, self.trial.whole_path)[max(deed.first - 1, 0)]

    def _by(self, deed: TrialDeed, thing: int) -> str:
        if self._is_hidden(deed):
            return ", hidden from the observer"
        pushed = deed.kind == "push"
        return f", pushed by the {self.trial.panels[thing].kind}" if pushed else " by itself"

    def label(self, deed: TrialDeed) -> str:
        """Return a deed in a few words, without the actor."""
        if deed.kind == "carry":
            return f"carries {self.what(deed.thing or 0)}"
        if deed.kind == "reach":
            return f"reaches {self.who(deed.thing or 0)}"
        hidden = deed.kind in ("push", "start") and self._is_hidden(deed)
        return "starts, hidden" if hidden else _LABELS[deed.kind]


_LABELS = {
    "gesture": "makes a gesture",
    "door": "moves the door",
    "push": "is pushed",
    "start": "starts by itself",
    "comes": "comes in",
    "leaves": "leaves",
    "away": "is away",
}
