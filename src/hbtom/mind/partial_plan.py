"""The likelihood of plans that were seen in part: a sum over all ways to fill in the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints, concat_ranges
from hbtom.errors import BadInput
from hbtom.mind.forward import Belief, Successors, advance
from hbtom.mind.gap_filter import GapFilter
from hbtom.mind.graph_regret import goals_of, graph_regret
from hbtom.mind.regret import Efficiencies, Filter, FilteredChoice, LogSteps, Regret
from hbtom.plan.graph import GraphCosts
from hbtom.world.pddl import PartialPlan, SeenPlan, StatePath
from hbtom.world.pddl.partial import NO_ACTION


def partial_plan_regret(
    plans: GraphCosts, partial_plan: PartialPlan, *, something_else: bool = False
) -> Regret:
    """Return the regret of a plan that was seen in part; it needs the costs of all states.

    The regret itself is unknown (not a number); a filter computes the likelihood.
    """
    _check(plans, partial_plan)
    goals, reachable = goals_of(plans, 0, something_else=something_else)
    steps = len(partial_plan)
    choice = FilteredChoice(_filter(plans, partial_plan, something_else))
    unknown = np.full((steps, len(goals)), np.nan)
    return Regret(goals, reachable, np.arange(1, steps + 1), unknown, choice)


def _filter(plans: GraphCosts, partial_plan: PartialPlan, something_else: bool) -> Filter:
    """Return the filter for a plan: one with gaps needs a different filter."""
    if not any(partial_plan.gaps) and (partial_plan.actions != NO_ACTION).all():
        return ForwardFilter(plans, partial_plan, something_else)
    if partial_plan.likelihood is not None:
        hint = "leave out the likelihood, or write '?' for each action that was not observed"
        raise BadInput("a plan with gaps cannot have a likelihood of states", hint=hint)
    return GapFilter(plans, partial_plan, something_else)


def _check(plans: GraphCosts, partial_plan: PartialPlan) -> None:
    graph, likelihood, actions = plans.graph, partial_plan.likelihood, partial_plan.actions
    held = partial_plan.held
    least = np.where([one is not None for one in held], NO_ACTION, -1) if held else -1
    fits = len(held) in (0, len(actions))
    if fits and not ((actions >= least) & (actions < len(partial_plan.world.actions))).all():
        raise BadInput("there is no action with this number", hint="-1 is one that was not seen")
    if held and len(partial_plan.held) != len(partial_plan):
        raise BadInput(
            f"there are {len(partial_plan.held)} conditions for {len(partial_plan)} steps",
            hint="give one for each step, None where nothing was seen, or none at all",
        )
    if likelihood is not None and likelihood.shape != (len(partial_plan), len(graph)):
        raise BadInput(
            f"the likelihood has the shape {likelihood.shape}, "
            f"not {(len(partial_plan), len(graph))}",
            hint="one row for each step, one column for each state of the graph",
        )
    if likelihood is not None and not ((likelihood >= 0) & (likelihood < np.inf)).all():
        raise BadInput("a likelihood is negative, infinite or not a number")


@dataclass(frozen=True, eq=False)
class ForwardFilter:
    """A filter that, called with efficiencies, returns the likelihood."""

    plans: GraphCosts
    partial_plan: PartialPlan
    something_else: bool

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_t | o_<t, g, beta).

        A step that makes all remaining goals impossible carries no information, unless there may be
        others.
        """
        goals, many = len(self.plans.goals), len(efficiency)
        belief = Belief.in_states(np.zeros(1, dtype=np.int64), np.ones(1), goals, many)
        left = self.plans.cost[:, 0] < np.inf
        rows = goals + 1 if self.something_else else goals
        likelihood = np.empty((len(self.partial_plan), rows, many))
        for step in range(len(self.partial_plan)):
            successors = self._successors(belief.states, step)
            if not successors.likely.any():
                raise self.partial_plan.impossible(step)
            log, belief = advance(belief, successors, efficiency)
            alive = np.isfinite(log[:goals]).any(axis=1)
            lost = not self.something_else and bool(left.any()) and not (left & alive).any()
            likelihood[step] = 0.0 if lost else log[:rows]
            left = left if lost else left & alive
        return likelihood

    def _successors(self, states: Annotated[Ints, "state"], step: int) -> Successors:
        """Return the choices in the given states, and how well they fit what was seen."""
        graph = self.plans.graph
        first, count = graph.choices[states], np.diff(graph.choices)[states]
        choice = concat_ranges(first, count)
        if not len(choice):
            raise self.partial_plan.impossible(step)
        low, high = int(choice.min()), int(choice.max()) + 1
        price = self.plans.prices(low, high)[:, choice - low]
        began, many = graph.outcomes[choice], np.diff(graph.outcomes)[choice]
        outcome = concat_ranges(began, many)
        target = graph.target[outcome]
        which = np.repeat(np.arange(len(choice)), many)
        likely = graph.probability[outcome] * self._likelihood(target, step)
        if self.partial_plan.actions[step] >= 0:
            seen = graph.world.looks_like[graph.action[choice]]
            likely = likely * (seen == self.partial_plan.actions[step])[which]
        return Successors(np.repeat(np.arange(len(states)), count), price, which, target, likely)

    def _likelihood(
        self, target: Annotated[Ints, "outcome"], step: int
    ) -> Annotated[Floats, "outcome"]:
        """Return P(what was seen after a step | state)."""
        partial_plan, likely = self.partial_plan, np.ones(len(target))
        condition = partial_plan.held[step] if partial_plan.held else None
        if condition is not None:
            likely = likely * condition.holds(self.plans.graph.states[target])
        if partial_plan.likelihood is not None:
            likely = likely * partial_plan.likelihood[step, target]
        return likely


def seen_regret(
    plans: GraphCosts,
    plan: SeenPlan,
    path: StatePath | None,
    *,
    something_else: bool,
    random: bool = False,
) -> Regret:
    """Return the regret of a plan that was seen, whole or in part."""
    if isinstance(plan, PartialPlan):
        return partial_plan_regret(plans, plan, something_else=something_else)
    return graph_regret(plans, plan, path, something_else=something_else, random=random)
