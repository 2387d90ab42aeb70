"""Plain values for the page: few digits, no repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe import Identity
from hbtom.show.plots.signs import rgb, shape_of
from hbtom.show.words import plain

PIXELS = 2  # decimals of places
CHANCES = 5  # decimals of probabilities and surprises

Plain = dict[str, Any]


def look_of(look: Identity) -> Plain:
    """Return how a thing looks."""
    return {"shape": plain(shape_of(look)), "rgb": list(rgb(look))}


def index_of(items: Sequence[Identity], look: Identity) -> int | None:
    """Return the index of an item, or None if no item has this look."""
    return items.index(look) if look in items else None


def changes(values: Annotated[Floats, "frame value"]) -> list[list[float | None]]:
    """Return ``[frame, *value]`` for the first frame and for every change."""
    same = (values[1:] == values[:-1]) | ((values[1:] != values[1:]) & (values[:-1] != values[:-1]))
    frames = [0, *(np.flatnonzero(~same.all(axis=1)) + 1).tolist()]
    return [
        [frame, *value] for frame, value in zip(frames, numbers(values[frames], 4), strict=True)
    ]


def numbers(values: Any, decimals: int) -> Any:
    """Round numbers; whole numbers become integers, and numbers that are not finite None."""
    return _tidy(np.round(np.asarray(values, dtype=np.float64), decimals).tolist())


def _tidy(value: Any) -> Any:
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if not np.isfinite(value):
        return None
    return int(value) if value == int(value) else value
