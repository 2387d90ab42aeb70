"""Metres and pixels: a pixel is 25 mm, and the middle of a scene is the middle of the world.

    x = (x' + 2.5) / 0.025        y = (z' + 2.5) / 0.025

Positions are centres in both. Walls are cut into tiles, as in the benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from hbtom.arrays import Floats, frozen
from hbtom.observe.mcs.scene import SceneThing

PIXEL = 0.025  # metres
WORLD = 200.0  # pixels on a side
TILE = 20.0
# Radii in pixels, as in the benchmark. Some scenes and videos draw things at other sizes.
AGENT, OBJECT, KEY, LOCK = 6.0, 9.0, 8.0, 10.0
_DIGITS = 6  # after the decimal point of a pixel; files have noise such as -1.5499999999999998

Block = tuple[float, float, float, float]  # x, y, width, height


def pixels(x: float, z: float) -> tuple[float, float]:
    """Return a position in pixels."""
    return round(x / PIXEL + WORLD / 2, _DIGITS), round(z / PIXEL + WORLD / 2, _DIGITS)


def extent(thing: SceneThing, usual: tuple[float, float] = (TILE, TILE)) -> tuple[float, float]:
    """Return the width and height of a thing in pixels, as its first show with a scale says."""
    scale = next((show.scale for show in thing.shows if show.scale is not None), None)
    if scale is None or scale.x <= 0 or scale.z <= 0:
        return usual
    return round(scale.x / PIXEL, _DIGITS), round(scale.z / PIXEL, _DIGITS)


def block(thing: SceneThing, centre: tuple[float, float]) -> Block:
    """Return the block that a wall covers; a tile that is drawn slightly smaller is rounded up."""
    width, height = (TILE if abs(side - TILE) < 1.0 else side for side in extent(thing))
    x, y = centre
    return round(x - width / 2, _DIGITS), round(y - height / 2, _DIGITS), width, height


def tiled(blocks: Iterable[Block]) -> Annotated[Floats, "tile 4"]:
    """Return sorted rows without duplicates; blocks that fit the lattice are cut into tiles."""
    rows = sorted({tile for whole in blocks for tile in _tiles(whole)})
    return frozen(rows).reshape(-1, 4)


def _tiles(whole: Block) -> Iterator[Block]:
    if any(side % TILE for side in whole) or 0.0 in whole[2:]:
        yield whole
        return
    x, y, width, height = whole
    for column in range(int(width // TILE)):
        for row in range(int(height // TILE)):
            yield x + column * TILE, y + row * TILE, TILE, TILE


BORDER: tuple[Block, ...] = (
    (0.0, 0.0, WORLD, TILE),
    (0.0, WORLD - TILE, WORLD, TILE),
    (0.0, 0.0, TILE, WORLD),
    (WORLD - TILE, 0.0, TILE, WORLD),
)
