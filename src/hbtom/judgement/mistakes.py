"""What an agent did not foresee, and when it changed its mind: read off what is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hbtom.mind import Posterior

LIKELY = 0.5  # what is more probable than this is worth a sentence


@dataclass(frozen=True)
class Oversight:
    """A step that takes an agent away from what it probably wants, as it did not foresee."""

    step: int  # counted from 0
    goal: str
    cost: float  # how much longer the way becomes; infinite if there is none any more
    probability: float  # that the agent had this goal and did not foresee it


@dataclass(frozen=True)
class Mistakes:
    """What an agent probably did not foresee, and the step before which its goal changed."""

    oversight: Oversight | None = None
    changed: int | None = None  # counted from 0

    def to_dict(self, actions: Sequence[str]) -> dict[str, Any]:
        """Return the same as plain values; steps count from 1."""
        told: dict[str, Any] = {}
        if self.oversight is not None:
            told["oversight"] = {
                "step": self.oversight.step + 1,
                "action": actions[self.oversight.step],
                "goal": self.oversight.goal,
                "out_of_reach": bool(np.isinf(self.oversight.cost)),
                "probability": self.oversight.probability,
            }
        if self.changed is not None:
            told["goal_changed_before"] = self.changed + 1
        return told


def find_mistakes(posterior: Posterior) -> Mistakes:
    """Return the greatest oversight of a trial and its most probable change of mind, if any.

    A goal has probably changed if that is expected to have happened more than half a time.
    """
    changed = None
    if posterior.changed is not None and posterior.changed.sum() > LIKELY:
        changed = int(posterior.changed.argmax())
    return Mistakes(_oversight(posterior), changed)


def _oversight(posterior: Posterior) -> Oversight | None:
    """Return the step that costs most of those that the agent probably took without knowing.

    An agent of some depth did not foresee what a step costs if it expected the step to cost nothing
    more than the best one. What it really costs is known to an agent that foresees everything. All
    is seen with hindsight: for goals and depths that are probable in the end.
    """
    regrets = posterior.likelihood.foreseen
    if len(regrets) < 2 or posterior.foresights[-1] < np.inf:
        return None
    joint = posterior.margin("goal", "foresight")[-1]
    blind = np.array([one.step_regret == 0 for one in regrets])  # depth step goal
    chance = np.einsum("gd,dsg->sg", joint, blind)
    cost = np.where(chance > LIKELY, regrets[-1].step_regret, 0.0)
    if not cost.any():
        return None
    step, goal = np.unravel_index(cost.argmax(), cost.shape)
    found = float(cost[step, goal]), float(chance[step, goal])
    return Oversight(int(step), str(posterior.goals[goal]), *found)
