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
from hbtom.observe.video.regions import Region
from hbtom.observe.video.stage import Stage, stage_of
from hbtom.observe.video.things import Thing, things_in

BLOCK = 5.0  # pixels of the world: the finest lattice on which a barrier stands

_SAMPLE = 1500  # pixels at which one looks whether a barrier still stands
_NEARLY = 0.02  # of a barrier; less is nothing, and if no more is missing it is whole


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is seen at first: what may move, the lock, and the barrier."""

    view: View
    movable: tuple[Thing, ...]
    lock: Thing | None
    barrier: tuple[Thing, ...]  # its pieces
    blocks: Annotated[Floats, "block 4"]  # the same as rows x, y, width, height

    def lock_there(self, picture: Picture) -> bool:
        """Tell whether the lock is still there: more of it is seen than of what is behind it."""
        if self.lock is None:
            return False
        behind = [STAGE, *(piece.label for piece in self.barrier)]
        return self._missing(picture, self.lock.region, behind) < 0.5

    def barrier_left(self, picture: Picture) -> float:
        """Tell how much of the barrier is still there, from 1 to 0."""
        if not self.barrier:
            return 0.0
        pixels = np.concatenate([piece.region for piece in self.barrier])
        missing = self._missing(picture, pixels, [STAGE])
        return 1.0 if missing < _NEARLY else 0.0 if missing > 1.0 - _NEARLY else 1.0 - missing

    def _missing(self, picture: Picture, pixels: Region, behind: Sequence[int]) -> float:
        """Return at which share of some pixels one sees what is behind."""
        columns, rows = pixels[:: max(len(pixels) // _SAMPLE, 1)].T
        labels = self.view.palette.label(picture[rows, columns][None])
        return float(np.isin(labels, behind).mean())


def scene_of(
    picture: Picture, camera: Camera, before: Stage | None, known: Sequence[Thing]
) -> Scene:
    """Find out what a picture shows, given the stage of the trial before, and what was seen."""
    stage = stage_of(picture, camera, before)
    palette = palette_of(picture, is_dark(picture), shaded=not camera.flat)
    labels = palette.label(picture)
    things = things_in(labels, palette, camera, known)
    barrier = tuple(thing for thing in things if thing.role == "barrier")
    return Scene(
        View(stage, palette, labels.shape),
        tuple(thing for thing in things if thing.role in ("thing", "key")),
        next((thing for thing in things if thing.role == "lock"), None),
        barrier,
        _blocks(np.isin(labels, [piece.label for piece in barrier]), camera),
    )


def _blocks(mask: Annotated[Bools, "row column"], camera: Camera) -> Annotated[Floats, "block 4"]:
    """Return what a mask covers as blocks x, y, width, height, each a row of a fine lattice."""
    if not mask.any():
        return frozen(np.empty((0, 4)))
    middles = np.arange(BLOCK / 2, SIDE, BLOCK)
    x, y = (grid.ravel() for grid in np.meshgrid(middles, middles))
    columns, rows = camera.project(np.column_stack([x, y, np.zeros_like(x)])).astype(np.int64).T
    fine = mask[rows, columns].reshape(len(middles), -1)
    edges = np.diff(np.pad(fine.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    lines, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    return frozen(BLOCK * np.column_stack([starts, lines, ends - starts, np.ones_like(lines)]))
