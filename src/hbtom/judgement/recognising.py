"""Recognising goals from observations with gaps: one function, three engines.

The engine is chosen by size: exact if all states can be enumerated and filtered quickly, search if
every action was observed, and otherwise counting, which is approximate.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from hbtom.arrays import Bools
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput, count
from hbtom.mind import Beliefs, Posterior, find_likelihood, infer_agent
from hbtom.mind.cost_filter import WRONG, AtOnce, CostFilter, price_of_wrong, sights
from hbtom.mind.gap_filter import GapFilter
from hbtom.mind.graph_regret import graph_regret
from hbtom.mind.regret import Filter, FilteredChoice, Regret
from hbtom.model import AnyModel, Model, find_model, with_settings
from hbtom.observe import Identity
from hbtom.plan.graph import plan_on_graph
from hbtom.plan.operator_counting import observed_costs
from hbtom.plan.operators import find_operators, mean_cost
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import MOST_STATES, StateGraph, TooManyStates, explore
from hbtom.world.pddl.partial import whole_plan
from hbtom.world.pddl.recognition_problem import DOMAIN, GOALS, PROBLEM, SEEN, Posed, read_posed

Engine = Literal["exact", "search", "counting"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
FEW_STATES = 12_000  # that are enumerated by default, if neither engine nor states are given
_WORK = 40_000_000  # states times goals times observations that are filtered by default
_PLAIN_WORK = 50_000  # the same without a compiler
_MUCH_COUNTING = 100_000  # actions times (goals + observations) from which compiling is worth it
_MUCH_FILTERING = 10_000  # states times goals times observations from which compiling is worth it
_HISTORIES = 200  # of an agent's goals that are remembered
_MUCH_SEARCHING = 1000  # actions times goals from which compiling is worth it
_FEW_SEARCHED = 10_000  # states for all goals, if neither engine nor states are given
MANY = 10  # problems from which compiling is worth it
AS_GOOD = 0.35  # of the largest probability; goals at least this probable count as best


def default_model() -> Model:
    """Return the paper's model with fewer efficiencies: 5, 3 and 2."""
    return with_settings(Model.preset("paper"), {"efficiency.temperatures": [0.2, 1 / 3, 0.5]})


@dataclass(frozen=True)
class RecognitionOptions:
    """How goals are recognised."""

    engine: Engine | None = None  # None: chosen by size
    states: int | None = None  # the most to keep in memory; None: as many as are fast
    wrong: float | None = None  # the rate of wrong observations; None: inferred
    trace: bool = False  # whether to keep what is believed after every observation


@dataclass(frozen=True, eq=False)
class Recognition:
    """What is believed about the goal of an agent after the observations."""

    posed: Posed
    posterior: Posterior
    engine: Engine
    seconds: float  # of CPU time, from files to beliefs
    beliefs: Beliefs = field(repr=False)  # about the agent, for its next problem
    traced: bool = False  # whether the posterior has a step for every observation
    warnings: tuple[str, ...] = ()

    @property
    def probability(self) -> list[float]:
        """The probability of each goal."""
        return self.posterior.goal[-1].tolist()

    @property
    def best(self) -> list[int]:
        """The most probable goal, and all goals that are nearly as probable."""
        most = max(self.probability)
        return [one for one, share in enumerate(self.probability) if share >= AS_GOOD * most]

    @property
    def approximate(self) -> bool:
        return self.engine == "counting"

    def to_dict(self) -> dict[str, Any]:
        """Return the beliefs as plain values."""
        trace = {}
        if self.traced:
            steps = ["", *self.posed.seen.steps]
            both = zip(steps, self.posterior.goal.tolist(), strict=True)
            trace = {"trace": [{"observed": one, "posterior": goal} for one, goal in both]}
        efficiency = self.posterior.efficiency[-1] @ self.posterior.efficiencies
        return {
            "problem": self.posed.name,
            "goals": [goal.name for goal in self.posed.goals],
            "posterior": self.probability,
            "best": self.best,
            "true": self.posed.true,
            "engine": self.engine,
            "approximate": self.approximate,
            "efficiency": float(efficiency),
            "seconds": self.seconds,
            "observations": len(self.posed.seen),
            "warnings": list(self.warnings),
            **trace,
        }


def recognise(
    posed: Posed,
    model: AnyModel | None = None,
    beliefs: Beliefs | None = None,
    how: RecognitionOptions | None = None,
) -> Recognition:
    """Return what is believed about an agent's goal, given what is known about the agent."""
    if not isinstance(posed, Posed):
        hint = "give a problem as returned by hbtom.load_posed(path)"
        raise BadInput(f"this is not a problem of goal recognition: {posed!r:.60}", hint=hint)
    began, how = time.process_time(), how or RecognitionOptions()
    model = find_model({} if model is None else model, default_model())
    engine, regret = _evidence(posed, how, random=model.hypotheses.random > 0)
    likelihood = find_likelihood(model, regret)
    if not np.isfinite(likelihood.log.sum(axis=0)).any():
        hint = (
            "do the observations belong to this problem? If some may be wrong, leave out --wrong 0"
        )
        raise BadInput("no goal explains the observations", hint=hint)
    agent = Identity(posed.seen.agent)
    posterior, learnt = infer_agent(model, beliefs or Beliefs(), agent, likelihood)
    likely = {one: its.most_likely(_HISTORIES) for one, its in learnt.agents.items()}
    lost = [goal.name for goal, can in zip(posed.goals, regret.reachable, strict=True) if not can]
    warnings = [*posed.warnings, *posed.world.warnings, *posterior.warnings]
    if lost:
        warnings.append(f"{count(len(lost), 'goal')} cannot be reached, such as {lost[0]}")
    return Recognition(
        posed,
        posterior,
        engine,
        time.process_time() - began,
        learnt.after((), likely),
        how.trace,
        tuple(dict.fromkeys(warnings)),
    )


def _evidence(posed: Posed, how: RecognitionOptions, *, random: bool) -> tuple[Engine, Regret]:
    """Choose an engine, and return it with the regret of the observations."""
    if len(posed.world.action) * (len(posed.goals) + len(posed.seen)) > _MUCH_COUNTING:
        start_compiler()
    if how.engine == "counting":
        return "counting", _counted(posed, how)
    if how.engine == "search":
        return "search", _searched(posed, how, random=random)
    try:
        graph = explore(posed.world, most=_states(how))
    except TooManyStates:
        if how.engine is not None:
            raise
    else:
        asked = how.engine is not None or how.states is not None
        if asked or _is_quick(len(graph) * len(posed.goals) * len(posed.seen)):
            return "exact", _filtered(posed, how, graph)
    if posed.seen.gaps or how.wrong:
        return "counting", _counted(posed, how)
    try:
        return "search", _searched(posed, how, random=random)
    except BadInput:  # a step is impossible, or there are too many states
        return "counting", _counted(posed, how)


def _is_quick(work: int) -> bool:
    """Return whether filtering is fast enough, or the only engine available."""
    compiled = work < _MUCH_FILTERING or start_compiler()
    return work < (_WORK if compiled else _PLAIN_WORK) or find_spec("highspy") is None


def _states(how: RecognitionOptions) -> int:
    return how.states or (FEW_STATES if how.engine is None else MOST_STATES)


def _filtered(posed: Posed, how: RecognitionOptions, graph: StateGraph) -> Regret:
    if len(graph) * len(posed.goals) * len(posed.seen) > _MUCH_FILTERING:
        start_compiler()
    plans = plan_on_graph(graph, posed.goals)
    wrong = WRONG if how.wrong is None else (how.wrong,)
    found = GapFilter(plans, posed.seen, wrong=wrong, stops=True, unit=mean_cost(posed.world.cost))
    filtered = found if how.trace else AtOnce(found)
    return _regret(posed, plans.cost[:, 0] < np.inf, filtered, len(posed.seen) if how.trace else 1)


def _counted(posed: Posed, how: RecognitionOptions) -> Regret:
    operators = find_operators(posed.world, posed.goals)
    seen = sights(operators, posed.seen)
    many = np.array([*map(len, seen)]) if how.trace else np.array([sum(map(len, seen))])
    goals = [operators.cases(goal) for goal in posed.goals]
    flat = [one for some in seen for one in some]
    ends, price = np.cumsum(many), price_of_wrong(how.wrong)
    cost = observed_costs(operators, goals, flat, ends.tolist(), unexplained=price)
    found = CostFilter(cost, np.append(0, ends if posed.seen.gaps else 0 * ends))
    return _regret(posed, np.isfinite(cost[0]), found, len(many))


def _searched(posed: Posed, how: RecognitionOptions, *, random: bool) -> Regret:
    plan = whole_plan(posed.seen)
    if len(posed.world.action) * len(posed.goals) > _MUCH_SEARCHING:
        start_compiler()
    few = max(_FEW_SEARCHED // len(posed.goals), 1)
    states = how.states or (few if how.engine is None else MOST_STATES)
    plans = plan_by_search(posed.world, posed.goals, plan.states, most=states)
    return graph_regret(plans, plan, random=random)


def _regret(posed: Posed, reachable: Bools, found: Filter, steps: int) -> Regret:
    """Return an unknown regret, with the filter that computes the likelihood."""
    if not reachable.any():
        raise BadInput("no goal can be reached", hint="check the goals and the initial state")
    goals = tuple(Identity(goal.name) for goal in posed.goals)
    unknown = np.full((steps, len(goals)), np.nan)
    return Regret(goals, reachable, np.arange(1, steps + 1), unknown, FilteredChoice(found))


def prepare(problems: int) -> None:
    """Compile or load everything that recognition needs, if there is a compiler and much to do.

    Processes that are forked afterwards share it.
    """
    if problems >= MANY and start_compiler():
        for engine in ENGINES[::2]:
            with suppress(BadInput):  # the solver may be missing
                recognise(read_posed(_SMALLEST), how=RecognitionOptions(engine))


_SMALLEST = {
    DOMAIN: """(define (domain d) (:predicates (p) (q))
               (:action a :effect (p)) (:action b :precondition (p) :effect (q)))""",
    PROBLEM: "(define (problem p) (:domain d) (:init))",
    GOALS: "(p)\n(q)",
    SEEN: "(a)",
}
