"""Small rooms seen from above, for tests of worlds of places: a path, things, and walls.

Places are centres in pixels. The cells of the plane are 4 pixels wide, so that (2, 2), (6, 2) and
so on are their centres; those of the grid are 10 pixels wide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

import hbtom as hb
from hbtom.places.maps import MARGIN
from hbtom.places.planning import cost_to_go
from hbtom.places.steps import Steps
from hbtom.places.world import Places

Point = tuple[float, float]

AGENT, OBJECT, KEY, LOCK = 6.0, 9.0, 8.0, 10.0  # radii, as in the benchmark


def body(name: str, place: Point, radius: float) -> hb.Body:
    return hb.Body(hb.Look(name), place, radius)


def walk(*corners: Point, step: float = 2.0) -> list[Point]:
    """Return places on straight lines through corners, at most so many pixels apart."""
    places = [corners[0]]
    for (x, y), (to_x, to_y) in pairwise(corners):
        many = max(int(np.ceil(np.hypot(to_x - x, to_y - y) / step)), 1)
        shares = np.arange(1, many + 1) / many
        places += [(x + (to_x - x) * share, y + (to_y - y) * share) for share in shares]
    return places


def trial(
    path: Sequence[Point], objects: Mapping[str, Point], *, key: Point | None = None,
    picked: int | None = None, lock: Point | None = None, opened: int | None = None,
    waits: int = 1, barrier: Any = (), **more: Any,
) -> hb.Trial:  # fmt: skip
    """Return a trial. The key is gone from the frame ``picked`` on.

    The barrier shrinks from the frame ``opened`` on, and is gone, with the lock, ``waits`` frames
    after the one before it.
    """
    frame = np.arange(len(path))
    start = len(path) if opened is None else opened
    left = np.clip(1.0 - (frame - start + 1) / waits, 0.0, 1.0)
    if key is not None:
        places = np.tile(key, (len(path), 1)).astype(float)
        places[len(path) if picked is None else picked :] = np.nan
        more |= {"key": body("key", key, KEY), "key_path": places}
    if lock is not None:
        more |= {"lock": body("lock", lock, LOCK), "lock_there": left > 0}
    if len(barrier) or lock is not None:
        more |= {"barrier": barrier, "barrier_left": left}
    things = {name: (*place, OBJECT) for name, place in objects.items()}
    return hb.Trial.from_arrays(path, things, **{"radius": AGENT} | more)


def frame_at(path: Sequence[Point], place: Point) -> int:
    """Return the frame in which a path first is at a place."""
    return int(np.hypot(*(np.array(path) - place).T).argmin())


def everywhere(world: Places) -> Steps:
    """Return steps for which the cost-to-go of every state is needed."""
    modes, rows, columns = world.blocked.shape
    sizes = modes, rows - 2 * MARGIN, columns - 2 * MARGIN
    mode, row, column = (each.ravel() for each in np.indices(sizes))
    places = (np.stack([column, row], axis=1) + 0.5) * world.side
    return replace(world.replay(world.trial), start=places, stop=places, mode=mode, after=mode)


def costs(world: Places) -> np.ndarray:
    """Return the cost-to-go of every state [goal, mode, row, column], margins included."""
    return cost_to_go(world, everywhere(world))


def cell(world: Places, place: Point) -> tuple[int, int]:
    """Return the row and column of the cell around a place, in arrays with margins."""
    return int(place[1] // world.cell) + MARGIN, int(place[0] // world.cell) + MARGIN
