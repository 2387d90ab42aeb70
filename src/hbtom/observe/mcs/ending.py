"""How a trial ends: the touch is evidence, but the last step before it is not.

Scenes are made from episodes of the benchmark such that shapes do not overlap. Steps at which the
agent would overlap what it touches are left out, and the step before them is moved by up to eight
pixels until outlines just meet. The reader therefore replaces all steps in contact by one: straight
from the last unaltered step to where agent and thing touch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe.episode import Body

NEARLY = 3.0  # pixels between outlines that touch, at most; real scenes leave up to 1.4
_INSIDE = 0.01  # pixels of overlap, so that rounding does not undo a touch

Disc = tuple[Annotated[Floats, "2"], float]  # centre and radius of what can be touched


def discs(bodies: Iterable[Body]) -> list[Disc]:
    """Return bodies as things that can be touched."""
    return [(np.array(body.centre), body.radius) for body in bodies]


def settled(
    path: Annotated[Floats, "step 2"], radius: float, things: Sequence[Disc]
) -> Annotated[Floats, "step 2"]:
    """Return the path with its end replaced by a straight line to what it touches, if anything."""
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
    """Return the last step before a path touches what it ends at, and that thing.

    None if it ends at nothing or touches it from the beginning. A gap of up to ``near`` between
    outlines counts as a touch.
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
