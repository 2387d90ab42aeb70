"""The regret of copying a gesture: how far each step strays from the gesture's own.

A gesture is a displacement as a function of the way covered. Where an agent has walked from s to
s', the gesture leads along d = way(s') - way(s). A step of displacement x and length l wastes

    l - x . d / |d|,

as if d were the best heading. Steps where the gesture turns back, and d is short, say nothing, nor
does what follows its end.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.world.modes import UNIT
from hbtom.world.trajectory import MOVE, Trajectory

SHORT = 3.0  # pixels; a gesture that leads no further during a step has no direction there


def covered(path: Annotated[Floats, "frame 2"]) -> Annotated[Floats, "frame"]:
    """Return the length of the way up to each frame."""
    return np.append(0.0, np.cumsum(np.hypot(*np.diff(path, axis=0).T)))


def gesture_regret(
    steps: Trajectory,
    path: Annotated[Floats, "frame 2"],
    way: Annotated[Floats, "place 2"],
) -> tuple[Annotated[Floats, "step"], Annotated[Bools, "step"]]:
    """Return the regret of each move for who copies a gesture, and which steps say nothing."""
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
    """Return where a way has led after some lengths; it ends where it ends."""
    so_far = covered(way)
    return np.stack([np.interp(lengths, so_far, ordinate) for ordinate in way.T], axis=1)


def leads_to(
    way: Annotated[Floats, "place 2"],
    start: Annotated[Floats, "2"],
    place: tuple[float, float],
    reach: float,
) -> bool:
    """Tell whether a gesture, made from some place, comes within reach of another."""
    return bool((np.hypot(*(start + way - place).T) <= reach).any())
