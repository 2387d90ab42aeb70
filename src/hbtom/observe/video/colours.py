"""Colours: what is dark, what is floor, and which coloured things there are.

If the world is drawn flat, each thing has a single colour. If it is shown with depth, shading
changes the brightness of a thing but not its hue. Then colours are compared by hue alone, and
everything that is nearly grey belongs to the stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray

from hbtom.arrays import Bools, Floats
from hbtom.observe.video.pictures import Picture

Labels = Annotated[NDArray[np.int8], "row column"]
_Number = TypeVar("_Number", bound=np.number)

STAGE = -1  # the label of pixels that belong to no thing

_DARK, _GREY = 110, 31  # largest brightness of a wall, and largest difference of its channels
_HUE = 40  # least difference between the channels of a shaded thing
_BRIGHT = 200.0  # brightness to which colours are scaled before their hues are compared
_COARSE = 16  # side of the cubes in which colours are counted
_APART = 40.0, 18.0  # least distance of a thing's colour from those of floor and wall
_ONE = {False: 45.0, True: 75.0}  # largest distance between colours that count as one
_NEAR = {False: 70.0, True: 75.0}  # largest distance of a pixel from its thing's colour
_SHIFT = 3  # bits of a colour that are ignored
_FEW = 12  # fewest pixels in a class of colours


@dataclass(frozen=True, eq=False)
class PictureColours:
    """The colours of a picture: those of the stage, and one for each kind of thing."""

    shaded: bool
    stage: Annotated[Floats, "colour 3"]  # floor and wall; only used without shading
    things: Annotated[Floats, "class 3"]  # hues if things are shaded
    shown: Annotated[Floats, "class 3"]  # the same as red, green and blue

    def label(self, pixels: Picture) -> Labels:
        """Return the class of each pixel, or :data:`STAGE`."""
        if self.shaded:  # in the dark, a small difference in colour is a large one in hue
            return self._classes(pixels)
        red, green, blue = (pixels[..., channel] >> _SHIFT for channel in range(3))
        return self._table[red, green, blue]

    @cached_property
    def _table(self) -> Annotated[NDArray[np.int8], "red green blue"]:
        """The class of every colour, at a coarse resolution."""
        levels = np.arange(0, 256, 1 << _SHIFT, dtype=np.uint8) + (1 << _SHIFT) // 2
        return self._classes(np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1))

    def _classes(self, pixels: NDArray[np.uint8]) -> NDArray[np.int8]:
        """Return the class of the nearest colour, if it is near enough."""
        values = _values(pixels, shaded=self.shaded)
        known = self.things if self.shaded else np.concatenate([self.things, self.stage])
        if not len(known):
            return np.full(pixels.shape[:-1], STAGE, dtype=np.int8)
        gaps = np.stack([_gaps(values, one) for one in known])
        nearest = gaps.argmin(axis=0)
        near = (gaps.min(axis=0) <= _NEAR[self.shaded]) & (nearest < len(self.things))
        return np.where(near, nearest, STAGE).astype(np.int8)


def highest(pixels: NDArray[_Number]) -> NDArray[_Number]:
    """Return the highest value of each pixel: much faster than ``max`` along an axis of three."""
    return np.maximum(np.maximum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])


def lowest(pixels: NDArray[_Number]) -> NDArray[_Number]:
    """Return the lowest value of each pixel, likewise."""
    return np.minimum(np.minimum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])


def is_dark(picture: Picture) -> Annotated[Bools, "row column"]:
    """Return which pixels have the colour of walls, whether lit or in shade."""
    brightest, darkest = highest(picture), lowest(picture)
    return (brightest < _DARK) & (brightest - darkest < _GREY)


def is_grey(picture: Picture) -> Annotated[Bools, "row column"]:
    """Return which pixels have hardly any colour, like the stage."""
    return highest(picture) - lowest(picture) < _HUE


def palette_of(
    picture: Picture, dark: Annotated[Bools, "row column"], *, shaded: bool
) -> PictureColours:
    """Find the colours of a picture, the most frequent first."""
    stage = np.array([_most_frequent(picture[~dark]), _most_frequent(picture[dark])])
    values = _values(picture, shaded=shaded)
    apart = _inner(picture) & (
        ~is_grey(picture)
        if shaded
        else np.all(
            [_gaps(values, one) > far for one, far in zip(stage, _APART, strict=True)], axis=0
        )
    )
    rest, own = values[apart], picture[apart].astype(np.float64)
    things, shown = [], []
    while len(rest) >= _FEW:
        frequent = _most_frequent(rest)
        middle = np.median(rest[_gaps(rest, frequent) <= 1.5 * _COARSE], axis=0)
        taken = _gaps(rest, middle) <= _ONE[shaded]
        if taken.sum() >= _FEW:
            things.append(middle)
            lit = np.percentile(highest(own[taken]), 85) / _BRIGHT  # as it is in the light
            shown.append(middle * lit if shaded else np.median(own[taken], axis=0))
        left = ~(taken | (_gaps(rest, frequent) <= _COARSE))
        rest, own = rest[left], own[left]
    return PictureColours(
        shaded, stage, np.array(things).reshape(-1, 3), np.array(shown).reshape(-1, 3)
    )


def _values(pixels: Picture, *, shaded: bool) -> Floats:
    """Return the values by which colours are compared: all channels, or the hue if shaded."""
    values = pixels.astype(np.float64)
    if not shaded:
        return values
    values -= lowest(values)[..., np.newaxis]
    strongest = highest(values)[..., np.newaxis]
    return np.where(strongest >= _HUE, values * (_BRIGHT / np.maximum(strongest, 1.0)), -1000.0)


def _gaps(values: Floats, colour: Floats) -> Floats:
    red, green, blue = (values[..., channel] - colour[channel] for channel in range(3))
    return np.sqrt(red**2 + green**2 + blue**2)


def _inner(picture: Picture) -> Annotated[Bools, "row column"]:
    """Return which pixels resemble their neighbours, and so do not mix two colours."""
    inner = np.zeros(picture.shape[:2], dtype=bool)
    values = picture.astype(np.int16)
    middle = values[1:-1, 1:-1]
    sides = (values[:-2, 1:-1], values[2:, 1:-1], values[1:-1, :-2], values[1:-1, 2:])
    inner[1:-1, 1:-1] = np.all([highest(np.abs(side - middle)) < 32 for side in sides], axis=0)
    return inner


def _most_frequent(colours: Annotated[Floats, "pixel 3"] | Picture) -> Annotated[Floats, "3"]:
    """Return the median of the most frequent colours."""
    cubes = (colours // _COARSE).astype(np.int64) @ (1, 64, 4096)
    _, kind, counts = np.unique(cubes, return_inverse=True, return_counts=True)
    return np.median(colours[kind.ravel() == counts.argmax()], axis=0)
