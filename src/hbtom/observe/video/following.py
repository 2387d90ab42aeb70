"""Following things from picture to picture, by analysis and synthesis.

A thing is looked for near where it was. Of all places, the one explains the picture best at which
the pixels that the thing would cover, T, differ least from those L that have its colour. Pixels H
that something else may hide count for neither:

    |L \\ T| + |T \\ L \\ H|  =  |L| + |T| - 2 |T and L| - |T and H|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe.video.colours import STAGE, Palette
from hbtom.observe.video.pictures import Picture
from hbtom.observe.video.solids import Place, Window, overlap
from hbtom.observe.video.stage import Stage
from hbtom.observe.video.things import Thing

_NEAR = 10.0  # pixels of the world within which one looks first
_SAME = 14  # by how much colours of a picture may change where nothing moves
_GONE = 0.15  # of what a thing covered at first; with less of it, it is not there
_STILL = 0.25  # pixels of the picture that the middle of a thing at rest may wander
_STEPS = (2.0, 1.0, 0.5, 0.25)  # pixels of the world
_AROUND = [way for way in product((-1.0, 0.0, 1.0), repeat=2) if any(way)]


@dataclass(frozen=True, eq=False)
class View:
    """All that is needed to find things in pictures of one trial."""

    stage: Stage
    palette: Palette
    shape: tuple[int, int]  # rows and columns of pictures


@dataclass(frozen=True, eq=False)
class Sight:
    """What is seen of a thing: where it is, in how many pixels, and the middle of these."""

    place: Place
    count: int  # none if it is hidden, or not there any more
    middle: Annotated[Floats, "2"]


def first_sight(thing: Thing) -> Sight:
    """Return what is seen of a thing at first."""
    return Sight(thing.place, len(thing.region), thing.region.mean(axis=0))


def follow(
    view: View, things: Sequence[Thing], sights: Sequence[Sight], before: Picture, now: Picture
) -> tuple[Sight, ...]:
    """Return what is seen of each thing in a picture, given the picture before and its sights."""
    found = list(sights)
    for index, thing in enumerate(things):
        window = thing.form.window(view.stage.camera, found[index].place)
        window = window.grown(_NEAR * view.stage.camera.scale).within(view.shape)
        if _changed(before[window.part], now[window.part]):
            others = [
                (other, sight)
                for other, sight in zip(things, found, strict=True)
                if other is not thing and other.label == thing.label and sight.count > 0
            ]
            found[index] = _sought(view, thing, found[index], others, window, now)
    return tuple(found)


def _changed(before: Picture, now: Picture) -> bool:
    gap = np.maximum(before, now) - np.minimum(before, now)
    return bool((gap > _SAME).any())


def _sought(
    view: View,
    thing: Thing,
    last: Sight,
    others: Sequence[tuple[Thing, Sight]],
    window: Window,
    picture: Picture,
) -> Sight:
    """Look for a thing within a window, and if it is not there anywhere."""
    own, hidden = _pixels(view, thing, last, others, window, picture)
    if own.sum() < _GONE * len(thing.region) or _at_edge(own):
        window = Window(0, 0, view.shape[1], view.shape[0])
        own, hidden = _pixels(view, thing, last, others, window, picture)
        if own.sum() < _GONE * len(thing.region):
            return Sight(last.place, 0, last.middle)
    count, middle = int(own.sum()), _middle(own, window)
    moved = middle - last.middle
    if last.count > 0 and np.hypot(*moved) < _STILL and abs(count - last.count) < 0.05 * last.count:
        return last
    worth = np.where(own, 2.0, np.where(hidden, 1.0, 0.0))
    place = _explained(view, thing, _start(view, last, moved), worth, window)
    return Sight(place, count, middle)


def _at_edge(own: Bools) -> bool:
    """Tell whether a thing may reach beyond a window."""
    return bool(own[[0, -1]].any() or own[:, [0, -1]].any())


def _start(view: View, last: Sight, moved: Annotated[Floats, "2"]) -> Place:
    """Return where a thing is if it moved as the middle of its pixels did."""
    camera = view.stage.camera
    seen = camera.project(np.array([[*last.place, 0.0]]))
    return last.place + (camera.ground(seen + moved) - camera.ground(seen))[0]


def _pixels(
    view: View,
    thing: Thing,
    last: Sight,
    others: Sequence[tuple[Thing, Sight]],
    window: Window,
    picture: Picture,
) -> tuple[Bools, Bools]:
    """Tell which pixels have a thing's colour, and at which it may be hidden."""
    camera, labels = view.stage.camera, view.palette.label(picture[window.part])
    own, hidden = labels == thing.label, (labels != STAGE) & (labels != thing.label)
    for other, sight in others:
        box, covered = other.form.covered(camera, sight.place)
        here, there = overlap(window, box)
        hidden[here] |= own[here] & covered[there]
        own[here] &= ~covered[there]
    if not camera.flat:
        away = np.hypot(*(last.place - camera.place[:2]))
        nearer = view.stage.distance[window.part] < away
        hidden |= (labels == STAGE) & view.stage.is_wall[window.part] & nearer
    return own, hidden


def _middle(own: Bools, window: Window) -> Annotated[Floats, "2"]:
    rows, columns = np.nonzero(own)
    return np.array([columns.mean() + window.left, rows.mean() + window.top])


def _explained(
    view: View, thing: Thing, start: Place, worth: Annotated[Floats, "row column"], window: Window
) -> Place:
    """Return the place that explains the pixels of a window best, near some place."""
    camera, form = view.stage.camera, thing.form

    @cache
    def unexplained(x: float, y: float) -> float:
        box, covered = form.covered(camera, np.array([x, y]))
        here, there = overlap(window, box)
        return float(covered.sum() - worth[here][covered[there]].sum())

    x, y = start.tolist()
    least = unexplained(x, y)
    for step in _STEPS:
        better = True
        while better:
            tried = [(unexplained(x + step * i, y + step * j), i, j) for i, j in _AROUND]
            now, i, j = min(tried)
            better = now < least
            if better:
                least, x, y = now, x + step * i, y + step * j
    return form.settled(camera, np.array([x, y]))
