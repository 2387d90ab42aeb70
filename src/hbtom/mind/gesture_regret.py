"""The regret of copying a gesture: how far each step deviates from the gesture.

A gesture is a displacement as a function of the distance covered. While the agent covers the
distances from s to s', the gesture leads along d = way(s') - way(s). A step of displacement x and
length l wastes

    l - x . d / |d|,

as if d were the best heading. Steps carry no information where the gesture turns back, so that d is
short, or after it has ended.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.world.modes import UNIT
from hbtom.world.trajectory import MOVE, Trajectory

SHORT = 3.0  # pixels; if a gesture covers less during a step, it has no direction there


def covered(path: Annotated[Floats, "frame 2"]) -> Annotated[Floats, "frame"]:
    """Return the distance covered up to each frame."""
    return np.append(0.0, np.cumsum(np.hypot(*np.diff(path, axis=0).T)))


def gesture_regret(
    steps: Trajectory,
    path: Annotated[Floats, "frame 2"],
    way: Annotated[Floats, "place 2"],
) -> tuple[Annotated[Floats, "step"], Annotated[Bools, "step"]]:
    """Return the regret of each move if a gesture is copied, and which steps are uninformative."""
    stops = covered(path)[steps.frame]
    starts = np.append(0.0, stops[:-1])
    leads = along(way, stops) - along(way, starts)
    far, done = np.hypot(*leads.T), steps.stop - steps.start
    silent = (far < SHORT) | (steps.act != MOVE)
    across = (done * leads).sum(axis=1) / np.where(silent, 1.0, far)
    walked = np.hypot(*done.T)
    wasted = np.clip(walked - across, 0.0, 2.0 * walked) / UNIT
    return np.where(silent, 0.0, wasted), silent


def along(
    way: Annotated[Floats, "place 2"], lengths: Annotated[Floats, "length"]
) -> Annotated[Floats, "length 2"]:
    """Return the points of a gesture at the given distances; its last point beyond its end."""
    so_far = covered(way)
    return np.stack([np.interp(lengths, so_far, ordinate) for ordinate in way.T], axis=1)


def leads_to(
    way: Annotated[Floats, "place 2"],
    start: Annotated[Floats, "2"],
    place: tuple[float, float],
    reach: float,
) -> bool:
    """Return whether a gesture, made from ``start``, comes within reach of a place."""
    return bool((np.hypot(*(start + way - place).T) <= reach).any())
