"""Three ways in which a trial can surprise, after the paper's section on plausibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.mind import Posterior


@dataclass(frozen=True)
class Triple:
    """One number for each of goal, efficiency and observation."""

    goal: float
    efficiency: float
    observation: float

    def to_dict(self) -> dict[str, float]:
        return {"goal": self.goal, "efficiency": self.efficiency, "observation": self.observation}


def surprise(posterior: Posterior) -> Triple:
    """Return the surprises of a trial.

        goal         max_t TV(P_t(g), P_0(g))
        efficiency   max_t TV(P_t(beta), P_0(beta))
        observation  max_t [log P(o_0) - log P(o_t | o_<t)],  0 if there is no step

    The first observation sets the scene and is certain, so log P(o_0) = 0.
    """
    unlikely = -posterior.log_likelihood
    return Triple(
        goal=float(shift(posterior.goal).max()),
        efficiency=float(shift(posterior.efficiency).max()),
        observation=float(unlikely.max()) if len(unlikely) else 0.0,
    )


def shift(belief: Annotated[Floats, "time value"]) -> Annotated[Floats, "time"]:
    """Return the total variation between the belief at each time and the first one.

    Rounded where only rounding error is left, so that what does not move at all is a tie.
    """
    return np.round(0.5 * np.abs(belief - belief[0]).sum(axis=1), 12)
