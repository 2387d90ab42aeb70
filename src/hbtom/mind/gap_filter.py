"""The exact filter for plans with gaps: it sums over all ways to fill them and over wrong sights.

Between two observations, each action is seen with probability 1/2, so the belief about the agent's
state passes through any number of unseen actions:

    v(s) = sum over h of  (1/2)^h [T^h a](s),      T(s' | s) = sum over u of pi(u | s) P(s' | s, u)

Then an action is observed. With probability e the observation is wrong, and shows any action:

    a'(s') = (1 - e) 1/2 sum over s, u that looks like o of  v(s) pi(u | s) P(s' | s, u)
             + e v(s') / number of actions

Without a gap, the next action is certain to be observed (1 instead of 1/2, and h = 0). Observed
facts weight states by 1 - e if they hold, and by e if not. The rate e is one of a few, all equally
probable. States that are less probable than 1e-7 are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, read_only
from hbtom.errors import BadInput
from hbtom.mind.gap_kernels import Moves, ObservedActions, filter_gaps
from hbtom.mind.regret import Efficiencies, LogSteps
from hbtom.plan.graph import GraphCosts
from hbtom.world.pddl import PartialPlan


@dataclass(frozen=True, eq=False)
class GapFilter:
    """A filter that, called with efficiencies, returns the likelihood."""

    plans: GraphCosts
    partial_plan: PartialPlan
    something_else: bool = False  # whether the agent may have another goal, and act at random
    wrong: tuple[float, ...] = (0.0,)  # possible rates of wrong observations
    stops: bool = False  # whether an agent stops acting once it has reached its goal
    unit: float = 1.0  # of costs

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_t | o_<t, g, beta); it is an error if no agent can do what was seen."""
        graph, to_go = self.plans.graph, self.plans.cost / self.unit
        looks = graph.world.looks_like[graph.action]
        moves = Moves(
            _frozen(graph.choices),
            _frozen(looks),
            _frozen(graph.cost / self.unit),
            _frozen(graph.outcomes),
            _frozen(graph.target),
            _frozen(graph.probability),
            self.stops,
        )
        seen, rates = self._seen(), np.array(self.wrong)
        steps, goals = len(self.partial_plan), len(to_go)
        log = np.full((steps, goals + self.something_else, len(efficiency)), -np.inf)
        for goal in np.flatnonzero(np.isfinite(to_go[:, 0])).tolist():
            for which, beta in enumerate(efficiency.tolist()):
                log[:, goal, which] = _mixed(filter_gaps(moves, seen, to_go[goal], beta, rates))
        lost = np.isinf(log[:, :goals]).all(axis=(1, 2))
        if self.something_else or lost.any():
            moves = moves._replace(stops=False)
            anything = _mixed(filter_gaps(moves, seen, np.zeros(len(graph)), 0.0, rates))
            if np.isinf(anything).any():
                raise self.partial_plan.impossible(int(np.isinf(anything).argmax()))
            log[:, goals:] = anything[:, None, None]
        if lost.any() and not self.something_else:
            step = int(lost.argmax())
            told = f"step {step + 1}, {self.partial_plan.steps[step]}, fits none of the goals"
            raise BadInput(
                told, hint="there may be another goal: --something-else, or a wrong step"
            )
        return log

    def _seen(self) -> ObservedActions:
        plan, states = self.partial_plan, self.plans.graph.states
        conditions = [one for one in plan.held if one is not None]
        fact = np.full(len(plan), -1)
        fact[[one is not None for one in plan.held or (None,) * len(plan)]] = range(len(conditions))
        holds = np.array([one.holds(states) for one in conditions], dtype=np.bool_)
        gaps = np.array(plan.gaps or (False,) * len(plan), dtype=np.bool_)
        names = len(np.unique(plan.world.looks_like))
        holds = holds.reshape(-1, len(states))
        return ObservedActions(
            _frozen(plan.actions), _frozen(gaps), _frozen(fact), _frozen(holds), names
        )


def _frozen(array: np.ndarray) -> np.ndarray:
    return read_only(np.ascontiguousarray(array))


def _mixed(log: Annotated[Floats, "rate step"]) -> Annotated[Floats, "step"]:
    """Return log P(o_t | o_<t), for rates that are equally probable at first."""
    before = np.zeros(len(log))
    whole = np.cumsum(log, axis=1).T
    ends = np.logaddexp.reduce(np.vstack([before, whole]), axis=1)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(ends[1:]), ends[1:] - ends[:-1], -np.inf)
