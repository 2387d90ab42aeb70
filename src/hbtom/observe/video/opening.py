"""What the first picture of a trial shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.observe.video.camera import SIDE, Camera
from hbtom.observe.video.colours import STAGE, is_dark, palette_of
from hbtom.observe.video.following import View
from hbtom.observe.video.pictures import Picture
from hbtom.observe.video.regions import Region, runs_in
from hbtom.observe.video.stage import VideoStage, stage_of
from hbtom.observe.video.things import VideoThing, things_in

BLOCK = 5.0  # side of the lattice for barriers, in pixels of the world

_SAMPLE = 1500  # number of pixels by which to decide how much of a barrier is left
_NEARLY = 0.02  # share of a barrier that may be missing from a whole one, or left of none


@dataclass(frozen=True, eq=False)
class VideoScene:
    """What the first picture shows: things that may move, the lock, and the barrier."""

    view: View
    movable: tuple[VideoThing, ...]
    lock: VideoThing | None
    barrier: tuple[VideoThing, ...]  # its pieces
    blocks: Annotated[Floats, "block 4"]  # the same as rows x, y, width, height

    def lock_there(self, picture: Picture) -> bool:
        """Return whether the lock is still there: more of it is seen than of what is behind it."""
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
        """Return the share of these pixels that show what is behind."""
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
    """Return what a mask covers as blocks x, y, width, height, each in a row of a fine lattice."""
    if not mask.any():
        return frozen(np.empty((0, 4)))
    middles = np.arange(BLOCK / 2, SIDE, BLOCK)
    x, y = (grid.ravel() for grid in np.meshgrid(middles, middles))
    columns, rows = camera.project(np.column_stack([x, y, np.zeros_like(x)])).astype(np.int64).T
    fine = mask[rows, columns].reshape(len(middles), -1)
    lines, starts, ends = runs_in(fine)
    return frozen(BLOCK * np.column_stack([starts, lines, ends - starts, np.ones_like(lines)]))
