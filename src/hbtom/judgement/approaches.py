"""How near an agent came to what it could want, in pixels between outlines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hbtom.mind import Planned
from hbtom.model import Model
from hbtom.observe import Identity, Trial
from hbtom.observe.contact import TOUCH, gaps, stretches


class Approach(NamedTuple):
    """The gap between an agent and a thing: at first, in the end, and at least."""

    first: float
    last: float
    least: float
    reached: bool  # whether the agent came to touch it, or touches it in the end

    @property
    def away(self) -> bool:
        """Whether the agent went away from it."""
        return not self.reached and self.last > self.first + TOUCH


def approach(planned: Planned, item: int, tolerance: float, whole: Trial | None = None) -> Approach:
    """Return how near an agent came to an item, up to ``tolerance`` pixels of which count as touch.

    Another agent in company counts as where it stood when the agent set off. In the ``whole``
    trial, it may also be touched elsewhere.
    """
    trial = planned.steady
    body, path, picked = trial.items[item], trial.whole_path, trial.marks.picked
    places = np.broadcast_to(np.array(body.centre), path.shape)
    if trial.object_paths is not None and item < len(trial.objects):
        places = trial.object_paths[:, item]
    gap = np.hypot(*(path - places).T) - trial.agent.radius - body.radius
    if item >= len(trial.objects) and picked >= 0:  # it is carried
        gap[picked:] = 0.0
    gap = np.maximum(np.nan_to_num(gap, nan=np.inf), 0.0)
    near = gap <= tolerance
    reached = bool(near[-1] or (near[1:] & ~near[:-1]).any())
    if whole is not None and not reached:
        reached = _met(whole, body.look, tolerance)
    return Approach(float(gap[0]), float(gap[-1]), float(gap.min()), reached)


def _met(trial: Trial, look: Identity, tolerance: float) -> bool:
    """Return whether the agent comes to touch a thing or another agent that may move."""
    looks = {("actor", index): one.look for index, one in enumerate(trial.actors)}
    looks |= {("object", index): one.look for index, one in enumerate(trial.objects)}
    for target, index, gap in gaps(trial, 0):
        one = looks.get((target, index))  # panels have none
        alike = one is not None and (one.image, one.colour) == (look.image, look.colour)
        if alike and any(first > 0 for first, _ in stretches(gap <= tolerance)):
            return True
    return False


def touch_tolerance(model: Model) -> float:
    """Return the largest gap that counts as touching; noise may leave one."""
    return TOUCH + 2.0 * model.observation.noise


def goal_item(planned: Planned, goal: int, place: int = 0) -> int:
    """Return which item of the trial that was planned stands for a goal in one of its places."""
    if planned.company is None:
        return goal
    return sum(map(len, planned.company.places[:goal])) + place
