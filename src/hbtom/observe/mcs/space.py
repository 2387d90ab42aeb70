"""Where things are in a scene, in pixels.

A pixel is 25 mm, and the middle of a scene is the middle of the world:

    x = (x' + 2.5) / 0.025        y = (z' + 2.5) / 0.025

In both, positions are centres. Walls are cut into tiles, as in the benchmark. A thing stays where
it was shown last until it is shown again or hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, frozen
from hbtom.observe.mcs.scene import SceneThing, Show

PIXEL = 0.025  # metres
WORLD = 200.0  # pixels on a side
TILE = 20.0
# Radii in pixels, as in the benchmark. Some scenes and videos draw things at other sizes.
AGENT, OBJECT, KEY, LOCK = 6.0, 9.0, 8.0, 10.0
_DIGITS = 6  # after the decimal point of a pixel; files have noise such as -1.5499999999999998

Block = tuple[float, float, float, float]  # x, y, width, height
_NOWHERE = (np.nan, np.nan, np.nan)


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


@dataclass(frozen=True, eq=False)
class SeenThing:
    """A thing and its place at each step; NaN where it is not seen."""

    thing: SceneThing
    place: Annotated[Floats, "step 2"]  # in pixels
    angle: Annotated[Floats, "step"]  # in degrees, from x towards y

    @property
    def there(self) -> Annotated[Bools, "step"]:
        return ~np.isnan(self.angle)

    @property
    def start(self) -> tuple[float, float]:
        """Where it is first seen."""
        x, y = self.place[self.there.argmax()].tolist()
        return x, y


def seen(thing: SceneThing, steps: Sequence[int]) -> SeenThing:
    """Return where a thing is at these steps."""
    shows = sorted(thing.shows, key=lambda show: show.step)
    table = np.array([*map(_row, shows), _NOWHERE])
    found = table[_shown(thing, steps)]
    return SeenThing(thing, found[:, :2], found[:, 2])


def _row(show: Show) -> tuple[float, float, float]:
    turn = show.rotation.y if show.rotation is not None else 0.0
    return *pixels(show.position.x, show.position.z), -turn % 360.0


def _shown(thing: SceneThing, steps: Sequence[int]) -> Annotated[Ints, "step"]:
    """Return which of its shows, in order, applies at each step; -1 where the thing is not seen.

    If a show and a hide have the same step, the show counts.
    """
    shows = np.array([-1, *sorted(show.step for show in thing.shows)])
    hides = np.array([-1, *sorted(hide.step for hide in thing.hides)])
    show, hide = (np.searchsorted(some, steps, side="right") - 1 for some in (shows, hides))
    return np.where((show > 0) & (shows[show] >= hides[hide]), show - 1, -1)


def stands(thing: SceneThing, step: int) -> tuple[float, float] | None:
    """Return where a thing is at one step, or None; like :func:`seen`, but faster."""
    shows = [show for show in thing.shows if show.step <= step]
    if not shows:
        return None
    last = max(reversed(shows), key=lambda show: show.step)  # among equals, the last in the file
    if any(last.step < hide.step <= step for hide in thing.hides):
        return None
    return pixels(last.position.x, last.position.z)


def changes(thing: SceneThing, span: range) -> int | None:
    """Return the first step of a trial at which a thing is not where it was at its beginning."""
    events = [*(show.step for show in thing.shows), *(hide.step for hide in thing.hides)]
    later = sorted({step for step in events if step in span[1:]})
    if not later:
        return None
    first, *places = seen(thing, [span[0], *later]).place.tolist()
    for step, place in zip(later, places, strict=True):
        if not np.array_equal(place, first, equal_nan=True):
            return step
    return None
