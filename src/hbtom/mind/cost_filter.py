"""The likelihood of observations with gaps, from one of three engines.

exact     sums over all ways to fill the gaps, on the graph of all states
search    plans from the states that were visited, if every action was observed
counting  bounds the cost of the observations from below, by a linear program: approximate

Each yields a likelihood, log P(observations | goal, efficiency), so that inference is the same as
everywhere else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.mind.regret import Efficiencies, Filter, LogSteps
from hbtom.plan.operator_counting import UNEXPLAINED, PlanObservation
from hbtom.plan.operators import Operators
from hbtom.world.pddl import PartialPlan
from hbtom.world.pddl.grounded_world import ALWAYS, NEVER

COUNTED = 0.8  # the weight of costs that are counted; the costs of plans have a weight of 1
WRONG = (0.001, 0.15)  # possible rates of wrong observations, if the rate is unknown
_USUAL = 3.0  # a typical efficiency
_SURELY_RIGHT = 1000.0  # the price of an observation that cannot be wrong


@dataclass(frozen=True, eq=False)
class CostFilter:
    """The likelihood of observations, given their cost in units of the mean cost of an action.

    Their additional cost, delta, is exponentially distributed. Its rate is the efficiency, up to a
    factor: costs that are counted are not the costs of plans. If some actions were not observed,
    the observed ones are k of the L actions of a plan, and others might have been seen instead:

        P(O | g, beta) ~ L^-k b exp(-b delta),      b = 0.8 beta,      L = V(g, O) / u
    """

    cost: Annotated[Floats, "1+step goal"]  # L, before and after each step
    seen: Annotated[Ints, "1+step"]  # k; 0 if no action is missing

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(O | g, beta), step by step; the first step includes the normaliser."""
        possible = np.isfinite(self.cost[0])
        cost = np.where(possible, self.cost, 1.0)
        size = self.seen[:, None] * np.log(np.maximum(cost, 1.0))
        log = -np.diff(COUNTED * efficiency * cost[:, :, None] + size[:, :, None], axis=0)
        log[0] += np.log(COUNTED * efficiency)
        return np.where(possible[:, None], log, -np.inf)


def price_of_wrong(rate: float | None) -> float:
    """Return lambda, the cost of an unexplained observation, given the rate of wrong ones.

    For an agent of typical efficiency, this cost is as improbable as a wrong observation.
    """
    if rate is None:
        return UNEXPLAINED
    return min(-math.log(rate) / (COUNTED * _USUAL), _SURELY_RIGHT) if rate else _SURELY_RIGHT


@dataclass(frozen=True, eq=False)
class AtOnce:
    """A filter that merges all steps of another into one."""

    filter: Filter

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_1:T | g, beta)."""
        return self.filter(efficiency).sum(axis=0, keepdims=True)


def sights(operators: Operators, seen: PartialPlan) -> list[list[PlanObservation]]:
    """Return what was observed in each step: operators, one of which was applied, or facts."""
    looks = operators.world.looks_like[operators.action]
    held = seen.held or (None,) * len(seen)
    found: list[list[PlanObservation]] = []
    for action, condition in zip(seen.actions.tolist(), held, strict=True):
        found.append([])
        if action >= 0:
            done = np.flatnonzero(looks == action)
            needs = [operators.need.of(one) for one in done.tolist()]
            found[-1].append(PlanObservation(done, _shared(needs)))
        if condition is not None:
            cases = operators.cases(condition) or [np.array([NEVER])]
            found[-1].append(PlanObservation(np.empty(0, dtype=np.int64), _shared(cases)))
    return found


def _shared(lists: Sequence[Ints]) -> Annotated[Ints, "fact"]:
    """Return the facts that all lists share."""
    facts = lists[0]
    for other in lists[1:]:
        facts = np.intersect1d(facts, other)
    return facts[facts != ALWAYS]
