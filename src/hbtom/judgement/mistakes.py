"""What an agent did not foresee, and when it changed its mind: read off a posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hbtom.mind import Posterior

LIKELY = 0.5  # what is more probable than this is worth a sentence


@dataclass(frozen=True)
class Oversight:
    """A step that takes an agent away from its probable goal, which it did not foresee."""

    step: int  # counted from 0
    goal: str
    cost: float  # how much longer the path becomes; infinite if there is none any more
    probability: float  # that the agent had this goal and did not foresee it


@dataclass(frozen=True)
class Mistakes:
    """What an agent probably did not foresee, and the step before which its goal changed."""

    oversight: Oversight | None = None
    changed: int | None = None  # counted from 0

    def to_dict(self, actions: Sequence[str]) -> dict[str, Any]:
        """Return the mistakes as plain values; steps count from 1."""
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

    A goal has probably changed if the expected number of changes is more than a half.
    """
    changed = None
    if posterior.changed is not None and posterior.changed.sum() > LIKELY:
        changed = int(posterior.changed.argmax())
    return Mistakes(_oversight(posterior), changed)


def _oversight(posterior: Posterior) -> Oversight | None:
    """Return the costliest of the steps whose cost the agent probably did not foresee.

    An agent did not foresee the cost of a step if, at its depth of foresight, the step has no
    regret. The real cost is the regret at unlimited depth. Both are judged with hindsight: with the
    final probabilities of goals and depths.
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
