"""The layout of a trial's world, in the form that kernels take."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import FROZEN, Floats, frozen, read_only
from hbtom.observe.trial import Trial

_NO_LOCK = frozen(np.empty((0, 2)))


class Layout(NamedTuple):
    """The layout of a trial's world: lengths and places in pixels, boxes as x, y, width, height.

    The items are the objects and then, if there is one, the key.
    """

    width: float
    height: float
    walls: Annotated[Floats, "wall 4", FROZEN]
    barrier: Annotated[Floats, "block 4", FROZEN]
    items: Annotated[Floats, "item 3", FROZEN]  # x, y, radius
    lock: Annotated[Floats, "lock 2", FROZEN]  # x, y of the lock; no row without one
    radius: float  # of the agent
    objects: int  # how many of the items are objects


def layout_of(trial: Trial) -> Layout:
    """Return the layout of a trial's world."""
    lock = _NO_LOCK if trial.lock is None else frozen([trial.lock.centre])
    walls, barrier = read_only(trial.walls), read_only(trial.barrier)
    width, height = map(float, trial.size)
    shown = width, height, walls, barrier, trial.places, lock
    return Layout(*shown, float(trial.agent.radius), len(trial.objects))
