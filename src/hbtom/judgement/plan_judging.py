"""Judging plans in any domain: watch all but the last, then say how plausible the last one is.

A plan that was seen is a trial, so priors, hierarchy, surprises and plausibility are the same as
for an episode of the benchmark. Agents are identified by their names, and so are goals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hbtom.errors import BadInput
from hbtom.judgement.mistakes import Mistakes, find_mistakes
from hbtom.judgement.tracing import BaseJudgement, Trace, judge_posterior
from hbtom.mind import Beliefs, Posterior, find_likelihood, infer_agent
from hbtom.mind.graph_regret import OTHER_GOAL, foreseen_regrets
from hbtom.mind.partial_plan import seen_regret
from hbtom.model import AnyModel, find_model
from hbtom.observe import Identity
from hbtom.plan.foresight import plan_worlds_ahead
from hbtom.plan.graph import GraphCosts
from hbtom.plan.search import plan_worlds
from hbtom.world.pddl import (
    MOST_STATES,
    Goal,
    Plan,
    SeenPlan,
    StatePath,
    check_goals,
    check_plans,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

ALONE = "there is only one plan: it is judged without familiarization"
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6  # of something else; each goal has 1
MODEL = "paper"  # its dynamics are those of a domain: a choice among the legal actions of a state


@dataclass(frozen=True, eq=False)
class PlanJudgement(BaseJudgement):
    """What is believed during plans that were seen, and how plausible the last of them is."""

    plans: tuple[SeenPlan, ...]
    posteriors: tuple[Posterior, ...]  # one for each plan
    beliefs: Beliefs  # what is learnt by the end
    warnings: tuple[str, ...] = ()
    costs: tuple[GraphCosts, ...] = ()  # the cost-to-go in the world of each plan
    paths: tuple[StatePath | None, ...] = ()  # of each plan, if all of it was seen

    @property
    def mistakes(self) -> tuple[Mistakes, ...]:
        """What the agent of each plan did not foresee, and when it changed its mind."""
        return tuple(map(find_mistakes, self.posteriors))

    def trace(self, plan: int = -1) -> Trace:
        """Return all values from a plan to its plausibility, by name; by default the last one's."""
        self._check_number(plan, len(self.plans), "plan")
        seen = self.plans[plan]
        known = seen, seen.world, self.costs[plan], self.paths[plan]
        return self._traced(known, self.posteriors[plan])

    @property
    def explanation(self) -> str:
        """What was surprising about the last plan, in a sentence; or that nothing was."""
        from hbtom.judgement.accounts import plan_account
        from hbtom.plottable import sentence_of

        return sentence_of(plan_account(self), self.plans[-1].steps)

    def to_dict(self) -> dict[str, Any]:
        """Return what is believed after every action, and the judgement, as plain values."""
        from hbtom.judgement.tables import traced

        return {
            "model": self._named_model(),
            "plans": [
                {"plan": plan.name, **_with_actions(plan, entry), **mistakes.to_dict(plan.steps)}
                for plan, entry, mistakes in zip(
                    self.plans, traced(self.posteriors), self.mistakes, strict=True
                )
            ],
            **self._plain(),
            "explanation": self.explanation,
            "warnings": list(self.warnings),
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return every belief after every action as a tidy table (needs the extra ``tables``).

        The columns after ``frame`` are the name of the plan and the action before the belief, which
        is empty at first.
        """
        from hbtom.judgement.tables import to_pandas

        table = to_pandas(self.posteriors)
        place = table.columns.get_loc("frame") + 1
        table.insert(place, "plan", [self.plans[trial - 1].name for trial in table["trial"]])
        actions = [("", *plan.steps) for plan in self.plans]
        rows = zip(table["trial"], table["step"], strict=True)
        table.insert(place + 1, "action", [actions[trial - 1][step] for trial, step in rows])
        return table

    def to_datatree(self) -> xr.DataTree:
        """Return all posteriors and the judgement as one labelled tree (needs ``tables``).

        Its groups are ``judgement``, ``trial_1``, ``trial_2`` and so on. Attributes say what made
        it. ArviZ opens it: ``arviz.InferenceData.from_datatree(tree)``.
        """
        from hbtom.judgement.tables import to_datatree

        return to_datatree(self, self.posteriors, self.plans[-1].name)

    def __repr__(self) -> str:
        name = self.plans[-1].name
        return f"<PlanJudgement of {name!r}: plausibility {self._told()}>"


def infer_plans(
    goals: Sequence[Goal] | GraphCosts,
    plans: Sequence[SeenPlan],
    model: AnyModel = MODEL,
    *,
    something_else: float = 0.0,
    most: int = MOST_STATES,
) -> PlanJudgement:
    """Infer what agents want from plans that were seen, and judge how plausible the last one is.

    The plans may be of several agents, and for several problems of a domain. ``something_else`` is
    the prior weight of a goal that is not among those given, relative to 1 for each goal (0: there
    is none; otherwise between 1e-6 and 1e6); an agent that has it acts at random. ``most`` is the
    number of states that may be kept in memory; if there are more, planning starts only from the
    states that were visited and their successors.

    Every call plans anew from all states. To judge many plans in one world, plan once, and pass
    ``plan_on_graph(explore(world), goals)`` instead of goals: costs are then looked up.
    """
    model = find_model(model, MODEL)
    plans = check_plans(plans)
    if not isinstance(goals, GraphCosts):
        goals = check_goals(goals)
    if something_else != 0 and not LEAST_WEIGHT <= something_else <= MOST_WEIGHT:
        hint = f"give 0, or a number between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}"
        raise BadInput(f"{something_else} is not a weight of something else", hint=hint)
    beliefs, posteriors = Beliefs(), []
    costs, paths = plan_worlds(goals, plans, most)
    depths = model.foresight.depths
    ahead = plan_worlds_ahead(costs, plans, paths, depths, most) if model.fallible else {}
    weight = {OTHER_GOAL: something_else}
    for plan, planned, path in zip(plans, costs, paths, strict=True):
        agent, other = Identity(plan.agent), something_else > 0
        if ahead and path is not None and isinstance(plan, Plan):
            seen = planned, ahead[id(planned)], plan, path
            regrets = foreseen_regrets(*seen, something_else=other)
            likelihood = find_likelihood(model, regrets[-1], foreseen=regrets)
        else:
            random = model.hypotheses.random > 0
            regret = seen_regret(planned, plan, path, something_else=other, random=random)
            likelihood = find_likelihood(model, regret)
        posterior, beliefs = infer_agent(model, beliefs, agent, likelihood, weight=weight)
        posteriors.append(posterior)
    return PlanJudgement(
        model,
        *judge_posterior(model, posterior),
        posterior,
        plans=plans,
        posteriors=tuple(posteriors),
        beliefs=beliefs,
        warnings=_warnings(plans, posteriors),
        costs=costs,
        paths=paths,
    )


judge_plans = infer_plans  # as it was called in 0.2


def _with_actions(plan: SeenPlan, entry: dict[str, Any]) -> dict[str, Any]:
    """Return what is believed in a trial, by actions instead of frames."""
    actions = [None, *plan.steps]
    steps = [
        {"action": action, **{key: value for key, value in step.items() if key != "frame"}}
        for action, step in zip(actions, entry["steps"], strict=True)
    ]
    kept = {key: value for key, value in entry.items() if key not in ("trial", "steps")}
    return {**kept, "steps": steps}


def _warnings(plans: Sequence[SeenPlan], posteriors: Sequence[Posterior]) -> tuple[str, ...]:
    """Return everything that limits the meaning of the inference."""
    warnings = [ALONE] if len(plans) == 1 else []
    warnings += [warning for plan in plans for warning in plan.world.warnings]
    for plan, posterior in zip(plans, posteriors, strict=True):
        warnings += [f"{plan.name}: {warning}" for warning in posterior.warnings]
    return tuple(dict.fromkeys(warnings))
