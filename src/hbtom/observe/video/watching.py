"""Watching a video trial by trial: what the first picture shows, and where things go.

A picture of a single colour separates two trials. Where there is none, a new trial begins when
something moves farther than :data:`LEAP` from one picture to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, dropwhile
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.errors import located
from hbtom.observe.video.camera import Camera, calibrate_camera
from hbtom.observe.video.colours import is_dark
from hbtom.observe.video.following import Sight, first_sight, follow_things
from hbtom.observe.video.opening import VideoScene, scene_of
from hbtom.observe.video.pictures import Picture, is_plain

LEAP = 40.0  # pixels of the world


@dataclass(frozen=True, eq=False)
class WatchedTrial:
    """What was seen in a trial."""

    plain: bool  # whether a picture of one colour comes before it
    scene: VideoScene
    sights: tuple[tuple[Sight, ...], ...]  # in each picture, of each thing that may move
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
    sights = [tuple(map(first_sight, scene.movable))]
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


def _leaps(before: Sight, now: Sight) -> bool:
    far = float(np.hypot(*(now.place - before.place)))
    return before.count > 0 and now.count > 0 and far > LEAP
