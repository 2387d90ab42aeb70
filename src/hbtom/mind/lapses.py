"""Steps that are made by mistake, and steps that no hypothesis explains."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats
from hbtom.mind.hypotheses import offered_goals
from hbtom.model import Model

if TYPE_CHECKING:
    from hbtom.mind.likelihood import Likelihood

LogSteps = Annotated[Floats, "step hypothesis character"]


def add_lapses(log: LogSteps, log_random: Annotated[Floats, "step"], lapse: float) -> LogSteps:
    """Let each step be made at random with probability ``lapse``, whatever the goal."""
    slipped = log_random[:, None, None] + math.log(lapse)
    return np.logaddexp(log + math.log1p(-lapse), slipped)


def drop_unexplained_steps(model: Model, likelihood: Likelihood) -> Likelihood:
    """Leave out steps that no remaining hypothesis explains, with a warning for each."""
    switching, regret = likelihood.switching is not None, likelihood.regret
    offered, _ = offered_goals(model, likelihood.reachable)
    offered = np.repeat(offered, len(likelihood.hypotheses))
    lost = unexplained(likelihood.log, offered, switching=switching)
    if not lost.any():
        return likelihood
    told = (f"nothing explains step {step + 1}; it is left out" for step in np.flatnonzero(lost))
    log = np.where(lost[:, None, None], 0.0, likelihood.log)
    return replace(likelihood, log=log, regret=replace(regret, warnings=(*regret.warnings, *told)))


def unexplained(
    log: LogSteps, offered: Annotated[Bools, "hypothesis"], *, switching: bool
) -> Annotated[Bools, "step"]:
    """Return which steps are impossible under all hypotheses that earlier steps have left."""
    left = np.broadcast_to(offered[:, None], log.shape[1:]).copy()
    lost = np.zeros(len(log), dtype=np.bool_)
    for step, possible in enumerate(np.isfinite(log)):
        lost[step] = left.any() and not (left & possible).any()
        if lost[step]:
            continue
        if switching:  # the agent may have had another goal before
            possible = (left & possible).any(axis=0)
        left &= possible
    return lost
