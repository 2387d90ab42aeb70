"""Watching a trial: what its first picture shows, and how that goes on.

A picture of one colour parts two trials. Where there is none, a thing that leaps does: nothing moves
farther than :data:`LEAP` from one picture to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.errors import BadInput
from hbtom.observe.video.camera import SIDE, Camera, calibrate
from hbtom.observe.video.colours import STAGE, Palette, is_dark, palette_of
from hbtom.observe.video.following import Sight, View, first_sight, follow
from hbtom.observe.video.pictures import Picture, is_plain
from hbtom.observe.video.regions import Region
from hbtom.observe.video.stage import Stage, stage_of
from hbtom.observe.video.things import Thing, things_in

LEAP = 40.0  # pixels of the world
BLOCK = 5.0  # the finest lattice on which a barrier stands

_SAMPLE = 1500  # pixels at which one looks whether a barrier still stands


@dataclass(frozen=True, eq=False)
class Watched:
    """What was seen in a trial."""

    plain: int  # pictures of one colour before it
    stage: Stage
    movable: tuple[Thing, ...]
    sights: tuple[tuple[Sight, ...], ...]  # of each picture, of each thing that is movable
    lock: Thing | None
    lock_there: Annotated[Bools, "frame"]
    barrier: Annotated[Floats, "block 4"]
    barrier_left: Annotated[Floats, "frame"]


def watch(pictures: Iterable[Picture]) -> list[Watched]:
    """Return what is seen in each trial of a video, of which two pictures at a time are held."""
    camera: Camera | None = None
    trials: list[Watched] = []
    before = 0
    for plain, shown in groupby(pictures, key=is_plain):
        if plain:
            before = sum(1 for _ in shown)
            continue
        following: Picture | None = next(shown)
        while following is not None:
            try:
                camera = camera or calibrate(is_dark(following))
                trial, following = _trial(following, shown, camera, trials, before)
            except BadInput as error:
                raise error.at(trial=len(trials) + 1) from None
            trials.append(trial)
            before = 0
    return trials


def _trial(
    first: Picture,
    shown: Iterator[Picture],
    camera: Camera,
    before: Sequence[Watched],
    plain: int,
) -> tuple[Watched, Picture | None]:
    """Watch a trial; return also the first picture of the next one, if that follows at once."""
    world = _part(first, camera)
    stage = stage_of(world, camera, before[-1].stage if before else None)
    known = [thing for trial in before for thing in trial.movable]
    palette = palette_of(world, is_dark(world), shaded=not camera.flat)
    labels = palette.label(world)
    things = list(things_in(labels, palette, camera, known))
    movable = tuple(thing for thing in things if thing.role in ("thing", "key"))
    lock = next((thing for thing in things if thing.role == "lock"), None)
    barrier = [thing for thing in things if thing.role == "barrier"]
    blocks = _blocks(np.isin(labels, [thing.label for thing in barrier]), camera)
    standing, locked = (
        _sample([thing.region for thing in some]) for some in (barrier, [lock] if lock else [])
    )
    view = View(stage, palette, labels.shape)
    sights = [tuple(map(first_sight, movable))]
    left, there = [1.0 if len(blocks) else 0.0], [lock is not None]
    last, following = world, None
    for picture in shown:
        now = _part(picture, camera)
        found = follow(view, movable, sights[-1], last, now)
        if any(_leaps(*both) for both in zip(sights[-1], found, strict=True)):
            following = picture
            break
        sights.append(tuple(found))
        left.append(min(left[-1], _share(palette, now, standing)))
        there.append(there[-1] and _share(palette, now, locked) > 0.5)
        last = now
    return (
        Watched(
            plain,
            stage,
            movable,
            tuple(sights),
            lock,
            np.array(there),
            blocks,
            _rounded(np.array(left)),
        ),
        following,
    )


def _part(picture: Picture, camera: Camera) -> Picture:
    """Return the part of a picture that may show the world; beside a flat one may be charts."""
    if not camera.flat:
        return picture
    right, bottom = np.ceil(camera.project(np.array([[SIDE, SIDE, 0.0]]))[0]).astype(int)
    return picture[:bottom, :right]


def _leaps(before: Sight, now: Sight) -> bool:
    return before.there and now.there and bool(np.hypot(*(now.place - before.place)) > LEAP)


def _sample(parts: Sequence[Region]) -> Region:
    """Return some pixels of some regions."""
    if not parts:
        return np.empty((0, 2), dtype=np.int64)
    pixels = np.concatenate(parts)
    return pixels[:: max(len(pixels) // _SAMPLE, 1)]


def _share(palette: Palette, picture: Picture, pixels: Region) -> float:
    """Return at which share of some pixels there is anything but floor."""
    if not len(pixels):
        return 0.0
    return float(np.mean(palette.label(picture[pixels[:, 1], pixels[:, 0]][None]) != STAGE))


def _rounded(left: Annotated[Floats, "frame"]) -> Annotated[Floats, "frame"]:
    """Return a share such that nearly all is all, and nearly nothing is nothing."""
    return np.where(left > 0.98, 1.0, np.where(left < 0.02, 0.0, left)) * (left[0] > 0)


def _blocks(mask: Annotated[Bools, "row column"], camera: Camera) -> Annotated[Floats, "block 4"]:
    """Return what a mask covers as blocks x, y, width, height, each a row of a fine lattice."""
    if not mask.any():
        return np.empty((0, 4))
    middles = np.arange(BLOCK / 2, SIDE, BLOCK)
    x, y = (grid.ravel() for grid in np.meshgrid(middles, middles))
    seen = camera.project(np.column_stack([x, y, np.zeros_like(x)])).astype(np.int64)
    fine = mask[seen[:, 1], seen[:, 0]].reshape(len(middles), -1)
    edges = np.diff(np.pad(fine.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    return BLOCK * np.column_stack([starts, rows, ends - starts, np.ones_like(rows)])
