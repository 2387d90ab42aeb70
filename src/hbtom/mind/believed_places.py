"""Where an agent believes things to be when it sets off: where it saw or remembers them.

A thing may lie at one of a few places: where it rests at some time in the trial and, as long as the
agent has not seen it there, where it lay in earlier trials. With x the place where the agent last
saw the thing in this trial,

    b(p) ~ exp(-|x - p| / fade)                               once the agent has seen it,
    b(p) ~ alpha + earlier trials in which it lay nearest p   before.

What the agent sees on its way changes nothing: its belief is fixed when it sets off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct

from hbtom.arrays import Floats
from hbtom.assumptions import Social
from hbtom.observe import Identity, Trial
from hbtom.observe.social_events import Gesture, bouts
from hbtom.world.sight_lines import sees

SAME = 20.0  # pixels; places in a trial that are nearer to each other are the same
FAR = 40.0  # pixels; a place from an earlier trial must be farther away to be remembered

Point = tuple[float, float]
GesturePath = Annotated[Floats, "place 2"]  # of a gesture: displacement from where it begins


class Candidate(NamedTuple):
    """A place where an agent believes a thing to be."""

    place: Point
    probability: float


class Memory(Struct, frozen=True, eq=False):
    """What was seen in the trials so far that matters in later ones."""

    company: bool = False  # whether anything but the agent moved or barred its path
    lay: Mapping[tuple[Identity, Identity], tuple[Point, ...]] = {}  # last, by agent and object
    last_gestures: Mapping[Identity, GesturePath] = {}  # the last gesture of each agent

    def after(
        self, trial: Trial, things: Sequence[Identity], made: Mapping[Identity, GesturePath]
    ) -> Memory:
        """Return what is remembered after a trial, given its objects' names and its gestures."""
        last = trial.objects_at[-1].tolist()
        who = trial.agent.look
        places = {
            (who, name): (*self.lay.get((who, name), ()), (x, y))
            for name, (x, y) in zip(things, last, strict=True)
            if x == x  # not NaN: it is there
        }
        return Memory(True, {**self.lay, **places}, {**self.last_gestures, **made})


EMPTY_MEMORY = Memory()


def last_gestures(
    trial: Trial, made: Sequence[Gesture], before: int | None = None
) -> dict[Identity, GesturePath]:
    """Return the last gesture of each other agent, or the last that began before a frame."""
    return {
        trial.actors[one.actor].look: one.way
        for one in made
        if one.actor and (before is None or one.first < before)
    }


def place_beliefs(
    social: Social, trial: Trial, thing: int, until: int, lay: tuple[Point, ...], alpha: float
) -> tuple[Candidate, ...]:
    """Return where an agent believes an object to be in a frame; ``lay`` is where it lay before.

    The first candidate is where the object really is. There are none if it is absent.
    """
    path = trial.objects_at[: until + 1, thing]
    if np.isnan(path[-1, 0]):
        return ()
    last = _last_seen(social, trial, thing, until)
    places = _apart([], [path[-1], *reversed(_rests(path))], SAME)
    if last is None and social.sight == "seen":
        places = _apart(places, lay, FAR)
    if len(places) == 1:
        return (Candidate(places[0], 1.0),)
    if last is None:
        counts = np.zeros(len(places))
        for one in lay:
            counts[np.argmin(_distances(one, places))] += 1
        weight = alpha + counts
    else:
        weight = np.exp(-_distances(last, places) / social.fade)
    chances = (weight / weight.sum()).tolist()
    return tuple(map(Candidate, places, chances))


def _last_seen(social: Social, trial: Trial, thing: int, until: int) -> Point | None:
    """Return where the agent last saw an object, if it did."""
    if social.sight == "memory":
        return None
    whole = trial.objects_at[:, thing]
    seen = [until] if social.sight == "all" else np.flatnonzero(sees(trial, 0, whole)[: until + 1])
    if not len(seen):
        return None
    x, y = whole[seen[-1]].tolist()
    return x, y


def _rests(path: Annotated[Floats, "frame 2"]) -> list[Annotated[Floats, "2"]]:
    """Return where a thing rests: at first, and after each bout of motion."""
    return [path[0], *(path[last] for _, last in bouts(path))]


def _apart(known: list[Point], places: Sequence[Floats | Point], apart: float) -> list[Point]:
    """Return known places, and new ones (not NaN) that are apart from all those before them."""
    found = known.copy()
    for x, y in places:
        away = _distances((x, y), found)
        if not np.isnan(x) and (not found or away.min() > apart):
            found.append((float(x), float(y)))
    return found


def _distances(place: Point, places: Sequence[Point]) -> Annotated[Floats, "place"]:
    return np.hypot(*(np.array(places).reshape(-1, 2) - place).T)
