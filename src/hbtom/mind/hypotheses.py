"""What may explain a trial: a goal, what the agent believes, and how its steps come about.

A hypothesis is (goal, belief, process). Goals vary slowest and processes fastest. The goal is drawn
from the agent's preferences. Belief and process are drawn anew in each trial, whatever the goal. In
company (:mod:`hbtom.mind.company`) they depend on the goal: belief is the place where the agent
believes its goal to be, and process is the manner in which it pursues it.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Struct

from hbtom.arrays import Bools, Floats, frozen
from hbtom.model import Model

AXES = ("goal", "belief", "process", "efficiency")  # of a posterior, after its steps
IN_COMPANY = ("goal", "place", "manner", "efficiency")  # the same where others are around
FORESIGHT = "foresight"  # an axis before efficiency, if there are several depths
TRUE, OUTDATED = "true", "outdated"  # beliefs: the world as it is, or as it was
PLAN, RANDOM = "plan", "random"  # processes: the agent heads for its goal, or anywhere


class Hypotheses(Struct, frozen=True, eq=False):
    """The beliefs and processes that may explain a trial, and how probable they are beforehand."""

    beliefs: tuple[str, ...] = (TRUE,)
    processes: tuple[str, ...] = (PLAN,)
    log_prior: Annotated[Floats, "belief process"] = frozen([[0.0]])  # in company, for each goal

    @property
    def by_goal(self) -> bool:
        """Whether beliefs and processes depend on the goal, as they do in company."""
        return self.log_prior.ndim == 3

    @property
    def pushed(self) -> Annotated[Floats, "goal place manner"]:
        """log P(place, manner | goal) for an agent that only moves when pushed: it never copies."""
        log = self.log_prior.copy()
        log[:, :, 1:] = -np.inf
        total = np.logaddexp.reduce(log, axis=(1, 2), keepdims=True)
        return log - np.where(np.isfinite(total), total, 0.0)

    def __len__(self) -> int:
        """Return the number of hypotheses for each goal."""
        return len(self.beliefs) * len(self.processes)


GOALS_ONLY = Hypotheses()


def offered_goals(
    model: Model, reachable: Annotated[Bools, "goal"]
) -> tuple[Annotated[Bools, "goal"], bool]:
    """Return which goals the agent chooses from, and whether its choice counts.

    It chooses from the goals that it can reach, or from all if it can reach none. A choice counts
    if there was more than one goal to choose from, and at least one could be reached.
    """
    many = int(np.count_nonzero(reachable))
    if many and model.preference.feasible:
        return reachable, many > 1
    return np.ones_like(reachable), many > 0 and len(reachable) > 1
