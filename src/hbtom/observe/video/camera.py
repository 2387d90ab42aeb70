"""The camera: where a point of the world is seen in a picture.

A camera is a 3 x 4 matrix M: the point (x, y, z), in pixels of the world and z above the floor, is
seen at (u / w, v / w) with (u, v, w) = M (x, y, z, 1). A world that is drawn flat is the special
case whose third column is zero: a scale and a shift. A pinhole camera has a position, a point on
the floor that it looks at, and a focal length.

Either is found from the outline of the border, the walls around the world, which are known to be
200 pixels long and wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.errors import BadInput
from hbtom.observe.video.shapes import DIRECTIONS, least_squares, middles, outline, regions

SIDE = 200.0  # of the world, in pixels; 5 metres
RAISED = 5.0  # height of walls in a world with depth, in pixels of the world; 0.125 metres

_START = (260.0, -60.0, 120.0, 100.0, 100.0)  # initial position of a camera, and its target
_FOCUS = 0.85  # initial focal length, as a share of the picture's width
_CLOSE = 1.5  # root mean square difference of outlines, at most, in pixels of the picture
_LEAST = 60  # width of the border, at least, in pixels of the picture


@dataclass(frozen=True, eq=False)
class Camera:
    """How the world is seen."""

    matrix: Annotated[Floats, "3 4"]
    height: float  # of walls

    @property
    def flat(self) -> bool:
        """Whether the world is drawn flat, without depth or shading."""
        return not self.matrix[:, 2].any()

    @property
    def scale(self) -> float:
        """Pixels of the picture per pixel of the world, in its middle."""
        half = SIDE / 2
        here, there = self.project(np.array([[half, half, 0.0], [half + 1, half - 1, 0.0]]))
        return float(np.hypot(*(there - here)) / np.sqrt(2.0))

    @property
    def place(self) -> Annotated[Floats, "3"]:
        """The position of the camera; far above a flat world."""
        if self.flat:
            return np.array([SIDE / 2, SIDE / 2, 1e6])
        return np.asarray(np.linalg.solve(self.matrix[:, :3], -self.matrix[:, 3]), np.float64)

    @property
    def part(self) -> tuple[slice, slice]:
        """The part of a picture that shows the world; beside a flat world there may be charts."""
        if not self.flat:
            return slice(None), slice(None)
        left, top = np.floor(self.matrix[:2, 3] + 0.5).astype(int).tolist()
        right, bottom = np.ceil(self.matrix[:2, :2].sum(axis=1) * SIDE).astype(int).tolist()
        return slice(top, top + bottom), slice(left, left + right)

    @property
    def of_part(self) -> Camera:
        """The camera for that part alone."""
        if not self.flat:
            return self
        matrix = self.matrix.copy()
        matrix[:2, 3] -= np.floor(matrix[:2, 3] + 0.5)
        return Camera(frozen(matrix), self.height)

    def project(self, places: Annotated[Floats, "place 3"]) -> Annotated[Floats, "place 2"]:
        """Return where points are seen in the picture: column and row."""
        seen = places @ self.matrix[:, :3].T + self.matrix[:, 3]
        return seen[:, :2] / seen[:, 2:]

    def ground(
        self, points: Annotated[Floats, "point 2"], height: float = 0.0
    ) -> Annotated[Floats, "point 2"]:
        """Return which positions at this height are seen at these points of the picture."""
        plane = np.column_stack(
            [self.matrix[:, :2], height * self.matrix[:, 2] + self.matrix[:, 3]]
        )
        seen = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(plane).T
        return seen[:, :2] / seen[:, 2:]


def calibrate_camera(dark: Annotated[Bools, "row column"]) -> Camera:
    """Find the camera from the dark parts of a picture; the largest of them is the border."""
    pieces = regions(dark)
    if not pieces:
        raise _no_floor()
    border = max(pieces, key=len)
    left, top = border.min(axis=0)
    right, bottom = border.max(axis=0) + 1
    if min(right - left, bottom - top) < _LEAST:
        raise _no_floor()
    seen = outline(middles(border)) + np.abs(DIRECTIONS).sum(axis=1) / 2  # pixels are squares
    across, down = (right - left) / SIDE, (bottom - top) / SIDE
    matrix = [[across, 0.0, 0.0, left], [0.0, down, 0.0, top], [0.0, 0.0, 0.0, 1.0]]
    flat = Camera(frozen(matrix), 0.0)
    if _misfit(flat, seen) < _CLOSE:
        return flat
    rows, columns = dark.shape
    start = np.array([*_START, _FOCUS * columns])
    best, _ = least_squares(
        lambda values: outline(_border(_pinhole(values, columns, rows))) - seen, start
    )
    found = _pinhole(best, columns, rows)
    if _misfit(found, seen) > _CLOSE:
        raise _no_floor()
    return found


def _pinhole(values: Sequence[float] | Floats, columns: int, rows: int) -> Camera:
    """Return a camera, given its position (3), its target (2), and its focal length (1)."""
    stands, looks_at = np.array(values[:3]), np.array([values[3], values[4], 0.0])
    ahead = (looks_at - stands) / np.linalg.norm(looks_at - stands)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    middle = np.array([[1.0, 0.0, columns / 2], [0.0, 1.0, rows / 2], [0.0, 0.0, 1.0]])
    turned = middle @ np.stack([values[5] * right, values[5] * down, ahead])
    return Camera(frozen(np.column_stack([turned, -turned @ stands])), RAISED)


def _border(camera: Camera) -> Annotated[Floats, "corner 2"]:
    """Return where the corners of the border are seen, both bottom and top."""
    corners = product((0.0, SIDE), (0.0, SIDE), (0.0, camera.height))
    return camera.project(np.array(list(corners)))


def _misfit(camera: Camera, seen: Floats) -> float:
    """Return how much the outline of the border differs from the one in the picture."""
    gap = outline(_border(camera)) - seen
    return float(np.sqrt(np.mean(gap * gap)))


def _no_floor() -> BadInput:
    return BadInput(
        "the floor cannot be found in the pictures",
        hint="the pictures must show a bright floor with a complete dark border of walls",
    )
