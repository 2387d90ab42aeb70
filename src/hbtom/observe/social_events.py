"""Events between agents and things: pushes, gestures, doors, carrying, entering and leaving.

As in :mod:`hbtom.observe.events`, everything is read off positions, never off what a file says
about itself. Actors are numbered as in ``Trial.actors``; 0 is the agent that is judged. Frames
count from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.observe.contact import (
    Contact,
    Disc,
    Onset,
    Places,
    Target,
    contacts,
    gap_to_panel,
    gaps,
    in_room,
    moving,
    onset,
    present_paths,
    stretches,
    touches_in_passing,
)
from hbtom.observe.trial import Trial

__all__ = [
    "Contact",
    "Gesture",
    "Moved",
    "Onset",
    "Passage",
    "bouts",
    "contacts",
    "doors_moved",
    "gestures",
    "in_room",
    "is_out_and_back",
    "objects_moved",
    "onset",
    "passages",
    "touches_in_passing",
]

NEAR = 4.0  # largest gap between a mover and the thing it moves, in pixels
SAME_WAY = 3.0  # largest distance between the ways out and back, in pixels
SHORTEST = 10.0  # shortest gesture, out and back, in pixels
PAUSE = 6  # most still frames within one bout of motion


@dataclass(frozen=True, eq=False)
class Gesture:
    """An actor moves out and back along the same way."""

    actor: int
    first: int  # the last frame at rest
    last: int  # the first frame at rest again
    way: Annotated[Floats, "place 2"]  # displacement from the start


@dataclass(frozen=True, slots=True)
class Moved:
    """A door or an object is moved; ``actor`` is None if no actor was near enough to move it."""

    target: Target
    index: int  # of the panel or object
    actor: int | None
    first: int  # the last frame in which it rests at ``start``
    last: int  # the first frame in which it rests at ``stop``
    start: tuple[float, float]
    stop: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Passage:
    """An actor enters the room or leaves it."""

    actor: int
    frame: int
    comes: bool


# Entering and leaving


def passages(trial: Trial) -> tuple[Passage, ...]:
    """Return when actors enter or leave, in order; being inside at first is not entering."""
    found = []
    for number, actor in enumerate(trial.actors):
        inside = in_room(trial, actor.path) & trial.there(number)
        for frame in np.flatnonzero(inside[1:] != inside[:-1]) + 1:
            found.append(Passage(number, int(frame), bool(inside[frame])))
    return tuple(sorted(found, key=lambda one: (one.frame, one.actor)))


# Motion


def bouts(path: Places, pause: int = PAUSE) -> list[tuple[int, int]]:
    """Return the stretches of motion, each from the last frame at rest to the first at rest again.

    Still frames of up to ``pause`` in a row do not end a stretch.
    """
    found: list[tuple[int, int]] = []
    for first, last in stretches(moving(path)):
        if found and first - 1 - found[-1][1] <= pause:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first - 1, last))
    return found


def gestures(trial: Trial) -> tuple[Gesture, ...]:
    """Return the gestures of all actors, in order: out and back along the same way.

    Moving a door, carrying an object, entering and leaving are not gestures. Some scenes shift an
    agent for a step when it touches another one, so frames in contact are skipped.
    """
    found, busy = [], (*doors_moved(trial), *objects_moved(trial))
    for number, actor in enumerate(trial.actors):
        inside = in_room(trial, actor.path) & trial.there(number)
        apart = _apart(trial, number)
        for first, last in bouts(actor.path):
            at_work = any(
                one.actor == number and one.first < last and first < one.last for one in busy
            )
            span, kept = slice(first, last + 1), apart[first : last + 1].copy()
            kept[[0, -1]] = True
            way = actor.path[span][kept]
            if inside[span].all() and not at_work and is_out_and_back(way):
                found.append(Gesture(number, first, last, frozen(way - way[0])))
    return tuple(sorted(found, key=lambda one: (one.first, one.actor)))


def _apart(trial: Trial, actor: int) -> Annotated[Bools, "frame"]:
    """Return in which frames, with the ones before and after, an actor touches no other actor."""
    touched = np.zeros(len(trial.path) + 2, dtype=np.bool_)
    for target, _, gap in gaps(trial, actor):
        if target == "actor":
            touched[1:-1] |= gap <= 0
    return ~(touched[:-2] | touched[1:-1] | touched[2:])


def is_out_and_back(way: Places) -> bool:
    """Return whether a way is the same backwards, as a function of the distance covered."""
    length = np.append(0.0, np.cumsum(np.hypot(*np.diff(way, axis=0).T)))
    if length[-1] < SHORTEST:
        return False
    back = [np.interp(length[-1] - length, length, ordinate) for ordinate in way.T]
    return bool((np.hypot(*(way.T - back)) <= SAME_WAY).all())


# Moving things


def doors_moved(trial: Trial) -> tuple[Moved, ...]:
    """Return all motions of doors, in order, with the actor that moves along with the door."""
    return _moved(
        trial,
        [
            ("panel", index, panel.path)
            for index, panel in enumerate(trial.panels)
            if panel.kind == "door"
        ],
    )


def objects_moved(trial: Trial) -> tuple[Moved, ...]:
    """Return all motions of objects, in order, with the actor that carries or pushes them."""
    if trial.object_paths is None:
        return ()
    paths = trial.object_paths
    return _moved(trial, [("object", i, paths[:, i]) for i in range(len(trial.objects))])


def _moved(trial: Trial, things: list[tuple[Target, int, Places]]) -> tuple[Moved, ...]:
    found, actors = [], present_paths(trial)
    for target, index, path in things:
        for first, last in bouts(path):
            span = slice(first, last + 1)
            near = [
                (place[span], _gap(trial, target, index, Disc(place[span], radius), span))
                for place, radius in actors
            ]
            start, stop = path[first].tolist(), path[last].tolist()
            moved = Moved(target, index, _mover(near), first, last, tuple(start), tuple(stop))
            found.append(moved)
    return tuple(sorted(found, key=lambda one: (one.first, one.target, one.index)))


def _gap(
    trial: Trial, target: Target, index: int, disc: Disc, span: slice
) -> Annotated[Floats, "frame"]:
    """Return the gap between a disc and a door or an object, in these frames."""
    if target == "panel":
        return gap_to_panel(disc.path, disc.radius, trial.panels[index].during(span))
    away = np.hypot(*(disc.path - trial.objects_at[span, index]).T)
    return away - disc.radius - trial.objects[index].radius


def _mover(near: list[tuple[Places, Annotated[Floats, "frame"]]]) -> int | None:
    """Return the actor that moves a thing, given each actor's path and its gap to the thing.

    The actor must move while the thing moves, and be near it in most frames. Of several actors,
    the one that keeps its distance best is returned; if there is none, None.
    """
    found = []
    for number, (path, gap) in enumerate(near):
        close = gap <= NEAR  # false where either is absent
        if moving(path).any() and close.mean() > 0.5:
            found.append((float(np.ptp(gap[close])), float(gap[close].min()), number))
    return min(found)[2] if found else None
