"""Trials as pictures of coloured pixels, drawn without smoothing, so that positions are exact.

The pixel (x, y) of the benchmark's world is the square of ``scale`` x ``scale`` pixels whose top
left corner is (scale x, scale y): x to the right, y downwards. A thing fills its bounding square
from side to side. From back to front: floor, home, walls, barrier, lock, objects, other things,
key, agent.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from hbtom.arrays import Bools, Floats
from hbtom.observe import Trial
from hbtom.show.plots.cast import (
    BARRIER,
    FLOOR,
    HOME,
    WALL,
    Cast,
    Colour,
    DrawnThing,
    Paints,
    paler,
)
from hbtom.show.plots.glyphs import SQUARE, mask, seen_at, shape, turned

Pixels = Annotated[NDArray[np.uint8], "row column"]  # numbers of colours
Place = tuple[float, float]  # a centre, in the world's pixels

SLOT = 0.6  # of a lock's radius


@dataclass(frozen=True, eq=False)
class Painter:
    """Draws the frames of one trial."""

    trial: Trial
    cast: Cast
    paints: Paints
    scale: int
    size: tuple[int, int]  # of pictures, in pixels: width and height

    def frames(self, shown: Iterable[int]) -> Iterator[Pixels]:
        """Yield a picture of each frame; while nothing changes, it is the same object."""
        scene = places = None
        stage = picture = np.empty((0, 0), dtype=np.uint8)
        for frame in shown:
            there = seen_at(self.trial, frame)
            still = there.walls.tobytes(), there.places.tobytes()
            now = *still, self.trial.barrier_left[frame], self._lock_there(frame), self._pale(frame)
            if now != scene:
                scene, stage, places = now, self._stage(there, frame), None
            agent = _place(self.trial.whole_path[frame])
            place = agent if self._agent_there(frame) else None
            here = (*self._others(frame), self._key_place(frame), place, self._marks(frame))
            if here != places:
                places, picture = here, self._with_movers(stage, frame)
            yield picture

    def _pale(self, frame: int) -> frozenset[int]:
        """Return the objects that are drawn pale in a frame."""
        return frozenset()

    def _marks(self, frame: int) -> Hashable:
        """Return a key of the marks drawn in a frame: equal keys mean equal marks."""
        return None

    def _draw_below(self, picture: Pixels, frame: int) -> None:
        """Draw the marks below the other things, the key and the agent."""

    def _draw_above(self, picture: Pixels, frame: int) -> None:
        """Draw the marks above everything."""

    def _agent_there(self, frame: int) -> bool:
        there = self.trial.agent_there
        return there is None or bool(there[frame])

    def _lock_there(self, frame: int) -> bool:
        there = self.trial.lock_there
        return there is not None and bool(there[frame])

    def _key_place(self, frame: int) -> Place | None:
        """Return where the key is; None if there is no key, or it is gone."""
        path = self.trial.key_path
        return None if path is None or np.isnan(path[frame]).any() else _place(path[frame])

    def _others(self, frame: int) -> list[tuple[float, float, float] | None]:
        """Return the position and angle of each other thing; None where it is absent."""
        return [
            None if np.isnan(one.angle[frame]) else (*_place(one.path[frame]), one.angle[frame])
            for one in self.trial.others
        ]

    def _stage(self, there: Trial, frame: int) -> Pixels:
        """Draw walls, barrier, lock and objects, given the trial with its world as in a frame."""
        width, height = self.size
        picture = np.full((height, width), self.paints[FLOOR], dtype=np.uint8)
        start, radius = _place(self.trial.whole_path[0]), self.trial.agent.radius
        self._stamp(picture, start, mask(SQUARE, self._side(radius)), HOME)
        self._fill(picture, there.walls, WALL)
        self._fill(picture, standing(self.trial, frame), BARRIER)
        lock = self.cast.lock
        if lock is not None and self._lock_there(frame):
            self._stamp(picture, lock.body.centre, self._shape(lock), lock.colour)
            slot = mask(turned(lock.body.look.image), self._side(SLOT * lock.body.radius))
            self._stamp(picture, lock.body.centre, slot, FLOOR)
        pale = self._pale(frame)
        for index, (actor, body) in enumerate(zip(self.cast.objects, there.objects, strict=True)):
            colour = paler(actor.colour) if index in pale else actor.colour
            if not np.isnan(body.centre).any():
                self._stamp(picture, body.centre, self._shape(actor), colour)
        return picture

    def _with_movers(self, stage: Pixels, frame: int) -> Pixels:
        """Draw the other things, the key and the agent on a stage."""
        picture, key = stage.copy(), self.cast.key
        key_place, place = self._key_place(frame), _place(self.trial.whole_path[frame])
        self._draw_below(picture, frame)
        for other, colour in zip(self.trial.others, self.cast.others, strict=True):
            if not np.isnan(other.angle[frame]):
                outline = shape(other, frame)
                half = float(np.abs(outline).max())
                covered = mask(outline / half, self._side(half))
                self._stamp(picture, _place(other.path[frame]), covered, colour)
        if key is not None and key_place is not None:
            self._stamp(picture, key_place, self._shape(key), key.colour)
        if self._agent_there(frame):
            self._stamp(picture, place, self._agent_shape, self.cast.agent.colour)
        self._draw_above(picture, frame)
        return picture

    @cached_property
    def _agent_shape(self) -> Bools:
        return self._shape(self.cast.agent)

    def _shape(self, actor: DrawnThing) -> Bools:
        return mask(actor.glyph, self._side(actor.body.radius))

    def _fill(self, picture: Pixels, blocks: Annotated[Floats, "block 4"], colour: Colour) -> None:
        for x, y, width, height in blocks:
            left, right = (max(self._pixel(side), 0) for side in (x, x + width))
            top, bottom = (max(self._pixel(side), 0) for side in (y, y + height))
            picture[top:bottom, left:right] = self.paints[colour]

    def _stamp(self, picture: Pixels, place: Place, shape: Bools, colour: Colour) -> None:
        """Draw a shape around a point, clipped to the picture."""
        half = len(shape) / self.scale / 2
        left, top = (self._pixel(middle - half) for middle in place)
        shape = shape[max(-top, 0) :, max(-left, 0) :]
        part = picture[max(top, 0) :, max(left, 0) :][: shape.shape[0], : shape.shape[1]]
        part[shape[: part.shape[0], : part.shape[1]]] = self.paints[colour]

    def _side(self, radius: float) -> int:
        return max(self._pixel(2 * radius), 1)

    def _pixel(self, length: float) -> int:
        return int(np.floor(self.scale * length + 0.5))


def standing(trial: Trial, frame: int) -> Annotated[Floats, "block 4"]:
    """Return the blocks of the barrier that are still there in a frame.

    Only the share of the barrier that is left is known. The blocks nearest to the lock vanish
    first.
    """
    blocks = trial.barrier
    if not len(blocks) or trial.barrier_left[frame] >= 1:
        return blocks
    middles = blocks[:, :2] + blocks[:, 2:] / 2
    lock = trial.whole_path[frame] if trial.lock is None else np.array(trial.lock.centre)
    far_first = np.argsort(-np.hypot(*(middles - lock).T), kind="stable")
    areas = blocks[far_first, 2] * blocks[far_first, 3]
    left = trial.barrier_left[frame] * areas.sum()
    return blocks[far_first[areas.cumsum() <= left + 1e-6]]


def _place(place: Annotated[Floats, "2"]) -> Place:
    return float(place[0]), float(place[1])
