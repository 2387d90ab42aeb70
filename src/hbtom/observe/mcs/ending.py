"""How a trial ends: the touch is evidence, the last step to it is not.

Scenes are made from episodes of the benchmark such that shapes do not overlap. Steps at which the
agent would have overlapped what it touches are left out, and the one before them is moved until
outlines just meet, by up to eight pixels. So the steps in contact are all replaced by one: straight
on from the last step that is as it was, to where agent and thing touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats

NEARLY = 3.0  # pixels between outlines that count as a touch; real scenes leave up to 1.4
_INSIDE = 0.01  # pixels by which a touch is one, however its place is rounded

Disc = tuple[Annotated[Floats, "2"], float]  # centre and radius of what can be touched


def settled(
    path: Annotated[Floats, "step 2"], radius: float, things: Sequence[Disc]
) -> Annotated[Floats, "step 2"]:
    """Return a path that ends by going straight to what it ends at, if it ends at anything."""
    found = last_apart(path, radius, things, NEARLY)
    if found is None:
        return path
    last, (centre, size) = found
    way = centre - path[last]
    far = float(np.hypot(*way))
    contact = path[last] + way * ((far - radius - size + _INSIDE) / far)
    return np.concatenate([path[: last + 1], np.tile(contact, (len(path) - last - 1, 1))])


def last_apart(
    path: Annotated[Floats, "step 2"], radius: float, things: Sequence[Disc], near: float
) -> tuple[int, Disc] | None:
    """Return the last step away from what a path ends at, and that thing.

    None if it ends at nothing, or was there from the beginning. ``near`` is how wide a gap between
    outlines counts as none.
    """
    touched = min(things, key=lambda thing: _gap(path[-1:], radius, thing)[0], default=None)
    if touched is None:
        return None
    apart = np.flatnonzero(_gap(path, radius, touched) > near)
    if not len(apart) or apart[-1] == len(path) - 1:
        return None
    return int(apart[-1]), touched


def _gap(
    path: Annotated[Floats, "step 2"], radius: float, thing: Disc
) -> Annotated[Floats, "step"]:
    centre, size = thing
    return np.hypot(*(path - centre).T) - radius - size
