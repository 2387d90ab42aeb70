"""Which pixels of a picture a thing covers, depending on its position.

In a world that is drawn flat, a thing is a stamp, the same everywhere. In a world with depth, a
thing is the solid that fits its pixels best: a cylinder, a ball or a cube.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe.video.camera import Camera
from hbtom.observe.video.shapes import Mask, Region, least_squares, middles, outline, within

Place = Annotated[Floats, "2"]
Part = tuple[slice, slice]


class Window(NamedTuple):
    """A part of a picture."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def part(self) -> Part:
        """The corresponding part of an array [row column]."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def points(self) -> Annotated[Floats, "pixel 2"]:
        """The centres of its pixels, row by row."""
        across, down = np.arange(self.left, self.right), np.arange(self.top, self.bottom)
        return middles(np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2))

    @property
    def middle(self) -> Annotated[Floats, "1 2"]:
        """Its centre, as the only point of an array."""
        return np.array([[self.left + self.right, self.top + self.bottom]]) / 2

    def grown(self, margin: float) -> Window:
        """Return the window enlarged by a margin."""
        more = int(np.ceil(margin))
        return Window(self.left - more, self.top - more, self.right + more, self.bottom + more)

    def meets(self, other: Window) -> bool:
        """Return whether two windows overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def within(self, shape: tuple[int, ...]) -> Window:
        """Return the part of the window that is inside a picture."""
        rows, columns = shape[:2]
        left, right = (min(max(side, 0), columns) for side in (self.left, self.right))
        top, bottom = (min(max(side, 0), rows) for side in (self.top, self.bottom))
        return Window(left, top, right, bottom)


def window_round(region: Region) -> Window:
    """Return the smallest window that contains a region."""
    (left, top), (right, bottom) = region.min(axis=0), region.max(axis=0) + 1
    return Window(int(left), int(top), int(right), int(bottom))


def shared_part(outer: Window, inner: Window) -> tuple[Part, Part]:
    """Return the overlap of two windows, as a part of each."""
    left, right = max(outer.left, inner.left), min(outer.right, inner.right)
    top, bottom = max(outer.top, inner.top), min(outer.bottom, inner.bottom)
    rows, columns = (top, max(top, bottom)), (left, max(left, right))
    first, second = (
        (slice(*(row - one.top for row in rows)), slice(*(column - one.left for column in columns)))
        for one in (outer, inner)
    )
    return first, second


@dataclass(frozen=True, eq=False)
class Stamp:
    """A flat thing: the pixels that it covers in the smallest box around it."""

    pixels: Mask
    name: str = "stamp"

    def window(self, camera: Camera, place: Place) -> Window:
        """Return a window that contains all covered pixels."""
        rows, columns = self.pixels.shape
        x, y = camera.project(np.array([[*place, 0.0]]))[0]
        left, top = int(np.floor(x - columns / 2 + 0.5)), int(np.floor(y - rows / 2 + 0.5))
        return Window(left, top, left + columns, top + rows)

    def covered(self, camera: Camera, place: Place) -> tuple[Window, Mask]:
        """Return that window, and which of its pixels are covered."""
        return self.window(camera, place), self.pixels

    def settled(self, camera: Camera, place: Place) -> Place:
        """Return a canonical position among those at which the same pixels are covered."""
        return camera.ground(self.window(camera, place).middle)[0]


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex thing with height, given by points on its surface relative to its position."""

    surface: Annotated[Floats, "point 3"]
    name: str

    def outline(self, camera: Camera, place: Place) -> Annotated[Floats, "direction"]:
        """Return how far it extends in a picture, in each direction."""
        return outline(camera.project(self.surface + np.append(place, 0.0)))

    def window(self, camera: Camera, place: Place) -> Window:
        return _box(self.outline(camera, place))

    def covered(self, camera: Camera, place: Place) -> tuple[Window, Mask]:
        reach = self.outline(camera, place)
        window = _box(reach)
        inside = within(reach, window.points)
        return window, inside.reshape(window.bottom - window.top, window.right - window.left)

    def settled(self, camera: Camera, place: Place) -> Place:
        return place


ThingForm = Stamp | Solid


def _box(reach: Annotated[Floats, "direction"]) -> Window:
    """Return the smallest window around an outline; directions go right, down, left, up."""
    right, bottom, left, top = reach[:: len(reach) // 4].tolist()
    return Window(floor(-left), floor(-top), ceil(right), ceil(bottom))


_TURN = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
_CIRCLE = np.stack([np.cos(_TURN), np.sin(_TURN), np.zeros_like(_TURN)], axis=1)
_SQUARE = np.array([(x, y, 0.0) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])


def _upright(base: Annotated[Floats, "corner 3"], half: float, height: float) -> Floats:
    """Return the corners of a prism, at its base and at its top."""
    return np.concatenate([half * base, half * base + (0.0, 0.0, height)])


def _ball(half: float) -> Annotated[Floats, "point 3"]:
    """Return points on horizontal circles around a ball that lies on the floor."""
    levels = np.linspace(-np.pi / 2, np.pi / 2, 13)
    rings = [np.cos(up) * _CIRCLE + (0.0, 0.0, 1.0 + np.sin(up)) for up in levels]
    return half * np.concatenate(rings)


# The kinds of solids: how to make one from its measures, and the measures to start with
SOLIDS: dict[str, tuple[Callable[..., Floats], tuple[float, ...]]] = {
    "ball": (_ball, (5.0,)),
    "cube": (lambda half: _upright(_SQUARE, half, 2.0 * half), (5.0,)),
    "cylinder": (lambda half, height: _upright(_CIRCLE, half, height), (5.0, 10.0)),
}
_FREEDOM = 0.3  # gain in fit that justifies one more measure, in pixels of the picture


def stamp_of(region: Region, camera: Camera) -> tuple[Stamp, Place]:
    """Return the stamp for a region of a flat picture, and the position of its middle."""
    window = window_round(region)
    mask = np.zeros((window.bottom - window.top, window.right - window.left), dtype=bool)
    mask[region[:, 1] - window.top, region[:, 0] - window.left] = True
    return Stamp(mask), camera.ground(window.middle)[0]


def solid_of(region: Region, camera: Camera) -> tuple[Solid, Place, float]:
    """Return the solid that fits a region best, its position, and its misfit."""
    foot, seen = _foot(region, camera), outline(middles(region))
    found = [_fitted(name, seen, camera, foot) for name in SOLIDS]
    return min(found, key=lambda one: one[2] + _FREEDOM * len(SOLIDS[one[0].name][1]))


def _fitted(name: str, seen: Floats, camera: Camera, foot: Place) -> tuple[Solid, Place, float]:
    """Fit the position and the measures of a solid."""
    make, usual = SOLIDS[name]

    def made(values: Floats) -> Solid:
        return Solid(make(*values[2:]), name)

    values, misfit = least_squares(
        lambda values: made(values).outline(camera, values[:2]) - seen,
        np.array([*foot, *usual]),
        rounds=30,
    )
    return made(values), values[:2], misfit


def placed(solid: Solid, region: Region, camera: Camera) -> tuple[Place, float]:
    """Return the position at which a solid fits a region best, and its misfit."""
    seen = outline(middles(region))
    return least_squares(
        lambda place: solid.outline(camera, place) - seen, _foot(region, camera), rounds=30
    )


def _foot(region: Region, camera: Camera) -> Place:
    """Return roughly where a thing stands: at the lower end of its region."""
    window = window_round(region)
    end = np.array([[(window.left + window.right) / 2, window.bottom]])
    return camera.ground(end)[0]
