"""Following things from picture to picture, by analysis and synthesis.

A thing is searched for near where it was. The position that explains the picture best is the one at
which the pixels T that the thing would cover differ least from the pixels L that have its colour.
Pixels H that something else may hide do not count:

    |L \\ T| + |T \\ L \\ H|  =  |L| + |T| - 2 |T and L| - |T and H|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe.video.camera import Camera
from hbtom.observe.video.colours import STAGE, PictureColours
from hbtom.observe.video.pictures import Picture
from hbtom.observe.video.solids import Place, ThingForm, Window, shared_part
from hbtom.observe.video.stage import VideoStage
from hbtom.observe.video.things import VideoThing

_NEAR = 10.0  # radius of the first search, in pixels of the world
_SAME = 14  # largest change of colours where nothing moves
_GONE = 0.15  # a thing with less than this share of its first pixels is gone
_STILL = 0.25  # a thing at rest moves at most this far, in pixels of the picture
_STEPS = (2.0, 1.0, 0.5, 0.25)  # pixels of the world
_AROUND = [way for way in product((-1.0, 0.0, 1.0), repeat=2) if any(way)]


@dataclass(frozen=True, eq=False)
class View:
    """Everything needed to find things in the pictures of a trial."""

    stage: VideoStage
    palette: PictureColours
    shape: tuple[int, int]  # rows and columns of pictures


@dataclass(frozen=True, eq=False)
class ThingInPicture:
    """What is seen of a thing: its position, how many pixels, and their middle."""

    place: Place
    count: int  # 0 if it is hidden or gone
    middle: Annotated[Floats, "2"]


def follow_things(
    view: View,
    things: Sequence[VideoThing],
    sights: Sequence[ThingInPicture],
    before: Picture,
    now: Picture,
) -> tuple[ThingInPicture, ...]:
    """Return what is seen of each thing in a picture, given the picture before and its sights."""
    found = list(sights)
    for index, thing in enumerate(things):
        window = thing.form.window(view.stage.camera, found[index].place)
        window = window.grown(_NEAR * view.stage.camera.scale).within(view.shape)
        old, new = before[window.part], now[window.part]
        if (np.maximum(old, new) - np.minimum(old, new) > _SAME).any():
            others = [
                (other, sight)
                for other, sight in zip(things, found, strict=True)
                if other is not thing and other.label == thing.label and sight.count > 0
            ]
            found[index] = _Search(view, thing, found[index], others, now).sight(window)
    return tuple(found)


class _Search(NamedTuple):
    """A thing to be found in a picture, and the other things of its colour."""

    view: View
    thing: VideoThing
    last: ThingInPicture
    others: Sequence[tuple[VideoThing, ThingInPicture]]
    picture: Picture

    def sight(self, window: Window) -> ThingInPicture:
        """Search for the thing within a window and, if it is not there, in the whole picture."""
        view, last, gone = self.view, self.last, _GONE * len(self.thing.region)
        own, hidden = self._pixels(window)
        at_edge = own[[0, -1]].any() or own[:, [0, -1]].any()  # it may extend beyond the window
        if own.sum() < gone or at_edge:
            window = Window(0, 0, view.shape[1], view.shape[0])
            own, hidden = self._pixels(window)
            if own.sum() < gone:
                return ThingInPicture(last.place, 0, last.middle)
        rows, columns = np.nonzero(own)
        count = len(rows)
        middle = np.array([columns.mean() + window.left, rows.mean() + window.top])
        moved = middle - last.middle
        similar = last.count > 0 and abs(count - last.count) < 0.05 * last.count
        if similar and np.hypot(*moved) < _STILL:
            return last
        camera = view.stage.camera
        seen = camera.project(np.array([[*last.place, 0.0]]))
        start = last.place + (camera.ground(seen + moved) - camera.ground(seen))[0]
        worth = np.where(own, 2.0, np.where(hidden, 1.0, 0.0))
        return ThingInPicture(
            _explained(self.thing.form, camera, start, worth, window), count, middle
        )

    def _pixels(self, window: Window) -> tuple[Bools, Bools]:
        """Return which pixels have the thing's colour, and where it may be hidden."""
        stage, label = self.view.stage, self.thing.label
        labels = self.view.palette.label(self.picture[window.part])
        own, hidden = labels == label, (labels != STAGE) & (labels != label)
        for other, sight in self.others:
            box, covered = other.form.covered(stage.camera, sight.place)
            here, there = shared_part(window, box)
            hidden[here] |= own[here] & covered[there]
            own[here] &= ~covered[there]
        if not stage.camera.flat:
            away = np.hypot(*(self.last.place - stage.camera.place[:2]))
            nearer = stage.distance[window.part] < away
            hidden |= (labels == STAGE) & stage.is_wall[window.part] & nearer
        return own, hidden


def _explained(
    form: ThingForm,
    camera: Camera,
    start: Place,
    worth: Annotated[Floats, "row column"],
    window: Window,
) -> Place:
    """Return the position near ``start`` that explains the pixels of a window best."""

    @cache
    def unexplained(x: float, y: float) -> float:
        box, covered = form.covered(camera, np.array([x, y]))
        here, there = shared_part(window, box)
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
