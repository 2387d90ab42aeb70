"""Steps that are made by mistake, and steps that nothing explains."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats

LogSteps = Annotated[Floats, "step hypothesis character"]


def perhaps_by_mistake(
    log: LogSteps, log_random: Annotated[Floats, "step"], lapse: float
) -> LogSteps:
    """Let each step be made at random with some probability, whatever the goal."""
    slipped = log_random[:, None, None] + math.log(lapse)
    return np.logaddexp(log + math.log1p(-lapse), slipped)


def unexplained(
    log: LogSteps, offered: Annotated[Bools, "hypothesis"], *, switching: bool
) -> Annotated[Bools, "step"]:
    """Return which steps are impossible under all hypotheses that the steps before have left."""
    left = np.broadcast_to(offered[:, None], log.shape[1:]).copy()
    lost = np.zeros(len(log), dtype=np.bool_)
    for step, possible in enumerate(np.isfinite(log)):
        lost[step] = left.any() and not (left & possible).any()
        if lost[step]:
            continue
        if switching:  # another goal may have been had before
            possible = (left & possible).any(axis=0)
        left &= possible
    return lost
