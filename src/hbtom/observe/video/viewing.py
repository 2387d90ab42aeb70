"""Watching a video trial by trial: what the first picture shows, and where things go.

A picture of a single colour separates two trials. Where there is none, a new trial begins when
something moves farther than :data:`LEAP` from one picture to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, dropwhile
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.errors import located
from hbtom.observe.video.camera import SIDE, Camera, calibrate_camera
from hbtom.observe.video.colours import STAGE, is_dark, palette_of
from hbtom.observe.video.following import ThingInPicture, View, follow_things
from hbtom.observe.video.pictures import Picture, is_plain
from hbtom.observe.video.shapes import Region, runs_in
from hbtom.observe.video.stage import VideoStage, stage_of
from hbtom.observe.video.things import VideoThing, things_in

BLOCK = 5.0  # side of the lattice for barriers, in pixels of the world

_SAMPLE = 1500  # number of pixels that decide how much of a barrier is left
_NEARLY = 0.02  # share that may be missing from a whole barrier, or left of a vanished one
LEAP = 40.0  # pixels of the world


@dataclass(frozen=True, eq=False)
class VideoScene:
    """What the first picture shows: things that may move, the lock, and the barrier."""

    view: View
    movable: tuple[VideoThing, ...]
    lock: VideoThing | None
    barrier: tuple[VideoThing, ...]  # its pieces
    blocks: Annotated[Floats, "block 4"]  # the same as rows x, y, width, height

    def lock_there(self, picture: Picture) -> bool:
        """Return whether the lock is still there: more of it shows than of its background."""
        if self.lock is None:
            return False
        behind = [STAGE, *(piece.label for piece in self.barrier)]
        return self._missing(picture, self.lock.region, behind) < 0.5

    def barrier_left(self, picture: Picture) -> float:
        """Return the share of the barrier that is left."""
        if not self.barrier:
            return 0.0
        pixels = np.concatenate([piece.region for piece in self.barrier])
        missing = self._missing(picture, pixels, [STAGE])
        return 1.0 if missing < _NEARLY else 0.0 if missing > 1.0 - _NEARLY else 1.0 - missing

    def _missing(self, picture: Picture, pixels: Region, behind: Sequence[int]) -> float:
        """Return the share of these pixels that show the background."""
        columns, rows = pixels[:: max(len(pixels) // _SAMPLE, 1)].T
        labels = self.view.palette.label(picture[rows, columns][None])
        return float(np.isin(labels, behind).mean())


def scene_of(
    picture: Picture, camera: Camera, before: VideoStage | None, known: Sequence[VideoThing]
) -> VideoScene:
    """Find out what a picture shows, given the stage of the trial before and the known things."""
    stage = stage_of(picture, camera, before)
    palette = palette_of(picture, is_dark(picture), shaded=not camera.flat)
    labels = palette.label(picture)
    things = things_in(labels, palette, camera, known)
    barrier = tuple(thing for thing in things if thing.role == "barrier")
    return VideoScene(
        View(stage, palette, labels.shape),
        tuple(thing for thing in things if thing.role in ("thing", "key")),
        next((thing for thing in things if thing.role == "lock"), None),
        barrier,
        _blocks(np.isin(labels, [piece.label for piece in barrier]), camera),
    )


def _blocks(mask: Annotated[Bools, "row column"], camera: Camera) -> Annotated[Floats, "block 4"]:
    """Return a mask as blocks x, y, width, height, each within one row of a fine lattice."""
    if not mask.any():
        return frozen(np.empty((0, 4)))
    middles = np.arange(BLOCK / 2, SIDE, BLOCK)
    x, y = (grid.ravel() for grid in np.meshgrid(middles, middles))
    columns, rows = camera.project(np.column_stack([x, y, np.zeros_like(x)])).astype(np.int64).T
    fine = mask[rows, columns].reshape(len(middles), -1)
    lines, starts, ends = runs_in(fine)
    return frozen(BLOCK * np.column_stack([starts, lines, ends - starts, np.ones_like(lines)]))


@dataclass(frozen=True, eq=False)
class WatchedTrial:
    """What was seen in a trial."""

    plain: bool  # whether a picture of one colour comes before it
    scene: VideoScene
    sights: tuple[tuple[ThingInPicture, ...], ...]  # in each picture, of each thing that may move
    lock_there: Annotated[Bools, "picture"]
    barrier_left: Annotated[Floats, "picture"]

    def path(self, index: int) -> Annotated[Floats, "picture 2"]:
        """Return where a thing is in each picture; while hidden, it is where it was last seen."""
        return np.array([sights[index].place for sights in self.sights])

    def there(self, index: int) -> Annotated[Bools, "picture"]:
        """Return in which pictures a thing is seen."""
        return np.array([sights[index].count > 0 for sights in self.sights])


def watch_trials(pictures: Iterable[Picture]) -> list[WatchedTrial]:
    """Return what is seen in each trial of a video, with two pictures in memory at a time."""
    trials: list[WatchedTrial] = []
    shown = dropwhile(is_plain, pictures)
    first = next(shown, None)
    if first is None:
        return trials
    camera = calibrate_camera(is_dark(first))
    worlds = (picture[camera.part] for picture in chain([first], shown))
    picture, plain = next(worlds, None), False
    while picture is not None:
        if is_plain(picture):
            picture, plain = next(worlds, None), True
            continue
        with located(trial=len(trials) + 1):
            trial, picture = _watched(picture, worlds, camera.of_part, trials, plain=plain)
        trials.append(trial)
        plain = False
    return trials


def _watched(
    first: Picture,
    shown: Iterator[Picture],
    camera: Camera,
    before: list[WatchedTrial],
    *,
    plain: bool,
) -> tuple[WatchedTrial, Picture | None]:
    """Watch a trial, given its first picture; also return the picture that comes after it."""
    known = [thing for trial in before for thing in trial.scene.movable]
    scene = scene_of(first, camera, before[-1].scene.view.stage if before else None, known)
    seen = ((one.place, len(one.region), one.region.mean(axis=0)) for one in scene.movable)
    sights = [tuple(ThingInPicture(*one) for one in seen)]
    there, left = [scene.lock is not None], [scene.barrier_left(first)]
    last, following = first, None
    for picture in shown:
        if is_plain(picture):
            following = picture
            break
        found = follow_things(scene.view, scene.movable, sights[-1], last, picture)
        if any(map(_leaps, sights[-1], found)):
            following = picture
            break
        sights.append(found)
        there.append(there[-1] and scene.lock_there(picture))
        left.append(min(left[-1], scene.barrier_left(picture)))
        last = picture
    return WatchedTrial(plain, scene, tuple(sights), np.array(there), np.array(left)), following


def _leaps(before: ThingInPicture, now: ThingInPicture) -> bool:
    far = float(np.hypot(*(now.place - before.place)))
    return before.count > 0 and now.count > 0 and far > LEAP
