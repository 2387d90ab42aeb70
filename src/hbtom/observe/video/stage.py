"""The stage: floor and walls, on a lattice of cells 20 pixels wide.

A cell is a wall if its top looks dark. To check the result, the stage is drawn and compared with
the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.errors import BadInput
from hbtom.observe.video.camera import SIDE, Camera
from hbtom.observe.video.colours import is_dark, is_grey, lowest
from hbtom.observe.video.pictures import Picture
from hbtom.observe.video.solids import Window, window_round

CELL = 20.0
CELLS = int(SIDE / CELL)

_BRIGHT = 180  # least brightness of floor; anything between wall and floor is edge or shadow
_PERHAPS = 0.6  # least share of a wall's top that is dark
_ALIKE = 0.95  # least share of a picture's pixels that look as expected
_INNER = (np.arange(7) + 1.0) / 8.0 * CELL  # sample points within a cell
_STEPS = 12  # along a ray of light from the top of a wall to the floor


@dataclass(frozen=True, eq=False)
class VideoStage:
    """Everything that does not move: the walls, and the distance to the point at each pixel."""

    camera: Camera
    walls: Annotated[Bools, "row column"]  # of cells
    is_wall: Annotated[Bools, "row column"]  # of pixels of the picture
    is_floor: Annotated[Bools, "row column"]
    distance: Annotated[Floats, "row column"]  # of pixels; along the floor

    @property
    def blocks(self) -> Annotated[Floats, "wall 4"]:
        """The walls as rows x, y, width, height, sorted."""
        rows, columns = np.nonzero(self.walls)
        blocks = np.column_stack([columns, rows, np.ones_like(rows), np.ones_like(rows)])
        return frozen(CELL * blocks[np.lexsort((rows, columns))])


def stage_of(picture: Picture, camera: Camera, before: VideoStage | None = None) -> VideoStage:
    """Find floor and walls in a picture; if they are as before, return the same stage."""
    dark, plain = is_dark(picture), is_grey(picture)
    walls = _walls(dark, dark | plain, camera)
    if before is not None and np.array_equal(walls, before.walls):
        stage = before
    else:
        stage = _drawn(walls, camera, dark.shape)
    bright = lowest(picture) > _BRIGHT
    judged = (stage.is_wall | stage.is_floor) & (dark | (plain & bright))
    alike = np.mean(dark[judged] == stage.is_wall[judged]) if judged.any() else 0.0
    if alike < _ALIKE or not stage.is_floor.any() or dark.all() or not dark.any():
        raise BadInput(
            "floor and walls cannot be recognised",
            hint="walls must be dark squares on a bright floor, on a lattice of 10 x 10",
        )
    return stage


def _walls(dark: Bools, plain: Bools, camera: Camera) -> Annotated[Bools, "row column"]:
    """Return which cells are walls, according to their tops; things in front do not count.

    Where a cell has no wall, the side of a wall behind it may be seen. So a cell that is not
    entirely dark is drawn both with and without a wall, and the better drawing counts.
    """
    votes = np.array(
        [[_vote(dark, plain, camera, x, y) for x in range(CELLS)] for y in range(CELLS)]
    )
    walls = votes >= _PERHAPS
    walls[[0, -1], :] = walls[:, [0, -1]] = True  # the border, by which the camera was found
    for row, column in np.argwhere(walls & (votes < 1.0)):
        if 0 < row < CELLS - 1 and 0 < column < CELLS - 1:
            without = walls.copy()
            without[row, column] = False
            window = _window(camera, row, column).within(dark.shape)
            walls = min(
                (walls, without), key=lambda drawn: _wrong(drawn, dark, plain, camera, window)
            )
    return walls


def _vote(dark: Bools, plain: Bools, camera: Camera, column: int, row: int) -> float:
    """Return how much of a cell's top is dark."""
    y, x = (grid.ravel() for grid in np.meshgrid(_INNER, _INNER, indexing="ij"))
    top = np.column_stack([x + CELL * column, y + CELL * row, np.full_like(x, camera.height)])
    seen = np.floor(camera.project(top)).astype(np.int64)
    columns, rows = seen.clip(0, np.array(dark.shape)[::-1] - 1).T
    counts = plain[rows, columns]
    return float((dark & plain)[rows, columns].sum() / max(counts.sum(), len(x) / 4))


def _window(camera: Camera, row: int, column: int) -> Window:
    """Return where a cell and its surroundings are seen."""
    around = np.array([column - 0.5, column + 1.5]), np.array([row - 0.5, row + 1.5])
    corners = product(CELL * around[0], CELL * around[1], (0.0, camera.height))
    return window_round(camera.project(np.array(list(corners))).astype(np.int64))


def _wrong(walls: Bools, dark: Bools, plain: Bools, camera: Camera, window: Window) -> int:
    """Return how many pixels of a window do not look as they would with these walls."""
    is_wall, _, _ = _looks(walls, camera, window.points)
    looks, counts = dark[window.part].ravel(), plain[window.part].ravel()
    return int(((is_wall != looks) & counts).sum())


def _drawn(walls: Bools, camera: Camera, shape: tuple[int, ...]) -> VideoStage:
    """Draw the whole stage."""
    rows, columns = shape
    is_wall, is_floor, distance = _looks(walls, camera, Window(0, 0, columns, rows).points)
    return VideoStage(
        camera, walls, is_wall.reshape(shape), is_floor.reshape(shape), distance.reshape(shape)
    )


def _looks(
    walls: Bools, camera: Camera, points: Annotated[Floats, "point 2"]
) -> tuple[Bools, Bools, Floats]:
    """Return which points of a picture show a wall, which the floor, and how far away these are.

    The ray of light to a point of the picture passes the height of walls and then, unless a wall is
    in its way, reaches the floor.
    """
    above, below = (camera.ground(points, height) for height in (camera.height, 0.0))
    place, is_wall = below.copy(), np.zeros(len(below), dtype=bool)
    for part in np.linspace(0.0, 1.0, 1 if camera.flat else _STEPS):
        at = above + part * (below - above)
        hit = ~is_wall & _looked_up(walls, at)
        place[hit], is_wall = at[hit], is_wall | hit
    inside = ((place >= 0) & (place <= SIDE)).all(axis=1)
    distance = np.zeros(len(place)) if camera.flat else np.hypot(*(place - camera.place[:2]).T)
    return is_wall, inside & ~is_wall, distance


def _looked_up(walls: Bools, places: Annotated[Floats, "place 2"]) -> Annotated[Bools, "place"]:
    """Return which positions lie in a wall."""
    cells = np.floor(places / CELL).clip(-1, CELLS).astype(np.int64)
    around = np.pad(walls, 1)
    return around[cells[:, 1] + 1, cells[:, 0] + 1]
