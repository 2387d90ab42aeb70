"""Scenarios in folders: worlds in PDDL with plans that people have also seen.

NAME/domain.pddl    may also be in the folder above, if worlds share it
NAME/problem.pddl
NAME/goals.txt
NAME/*.plan         or NAME/plans/*.plan; each plan is a scenario with the name of its file
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from hbtom import __version__
from hbtom.bench.table_files import write_records
from hbtom.errors import BadInput, located
from hbtom.judgement.plan_judging import PlanJudgement, infer_plans
from hbtom.model import Model
from hbtom.plan.foresight import foresee
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.search import plan_by_search
from hbtom.world.pddl import (
    MOST_STATES,
    Goal,
    Plan,
    SeenPlan,
    TooManyStates,
    explore,
    follow,
    load_goals,
    load_plan,
    load_world,
)

DOMAIN, PROBLEM, GOALS, PLANS = "domain.pddl", "problem.pddl", "goals.txt", "plans"


@dataclass(frozen=True)
class Scenario:
    """The files of an observed plan and its world."""

    name: str
    folder: Path
    domain: Path
    plan: Path


def is_plan(path: str) -> bool:
    """Return whether a path names an observed plan, or a world with plans."""
    return path.endswith(".plan") or os.path.isfile(os.path.join(path, PROBLEM))


def load_scenario(path: str) -> tuple[tuple[Goal, ...], SeenPlan]:
    """Return the goals of the world in whose folder a plan is, and the plan."""
    plan = Path(path)
    with located(file=path):
        if plan.is_dir():
            example = next((str(one.plan) for one in _scenarios(plan)), f"{plan / PLANS}/NAME.plan")
            raise BadInput("this is a world, not a plan", hint=f"name a plan, such as {example}")
        if not plan.is_file():
            raise BadInput("there is no such file", hint="name an observed plan")
        around = (one for folder in plan.absolute().parents[:2] for one in _scenarios(folder))
        found = next((one for one in around if one.plan == plan.absolute()), None)
        if found is None:
            hint = f"{DOMAIN}, {PROBLEM} and {GOALS} must be next to it, or next to '{PLANS}'"
            raise BadInput("this plan has no world", hint=f"{hint}; or use 'hbtom infer --page'")
    world = load_world(found.domain, found.folder / PROBLEM)
    return load_goals(world, found.folder / GOALS), load_plan(world, plan)


def find_scenarios(paths: Sequence[str]) -> tuple[Scenario, ...]:
    """Return all scenarios in these folders, in order; folders are searched recursively."""
    found: dict[str, Scenario] = {}
    for path in paths:
        with located(file=path):
            inside = list(_found(Path(path)))
            if not inside:
                hint = f"a world has {DOMAIN}, {PROBLEM}, {GOALS}, and plans (.plan)"
                raise BadInput("there are no worlds with plans in it", hint=hint)
            for one in inside:
                if found.setdefault(one.name, one) != one:
                    hint = f"another is {found[one.name].plan}; give plans different names"
                    raise BadInput(f"two plans are called '{one.name}'", hint=hint)
    return tuple(found.values())


def _found(path: Path) -> Iterator[Scenario]:
    if not path.is_dir():
        problem = "this is a file, not a folder" if path.exists() else "there is no such folder"
        raise BadInput(problem, hint="name a folder of worlds with plans")
    for name, inside, _ in os.walk(path):
        inside.sort()
        yield from _scenarios(Path(name))


def _scenarios(folder: Path) -> Iterator[Scenario]:
    """Yield the scenarios of one world; none if the folder is not a world."""
    domain = next(filter(Path.is_file, (folder / DOMAIN, folder.parent / DOMAIN)), None)
    if domain is not None and (folder / PROBLEM).is_file() and (folder / GOALS).is_file():
        for plan in sorted([*folder.glob("*.plan"), *folder.glob(f"{PLANS}/*.plan")]):
            yield Scenario(plan.stem, folder, domain, plan)


def judge_scenarios(
    scenarios: Iterable[Scenario], models: Sequence[Model], most: int = MOST_STATES
) -> Iterator[list[PlanJudgement]]:
    """Infer the goal of each scenario's agent with each model.

    Planning for a world is done once, for all models and all its consecutive scenarios.
    """
    for (domain, folder), some in groupby(scenarios, key=lambda one: (one.domain, one.folder)):
        world = load_world(domain, folder / PROBLEM)
        goals = load_goals(world, folder / GOALS)
        with located(file=str(folder / PROBLEM)):
            planned = _planned(goals, most)
        for scenario in some:
            plan = load_plan(world, scenario.plan)
            with located(file=str(folder / PROBLEM)):
                ahead = _ahead(planned, plan, models, most)
                yield [infer_plans(ahead, [plan], model, most=most) for model in models]


def _planned(goals: tuple[Goal, ...], most: int) -> GraphCosts | tuple[Goal, ...]:
    """Return the costs of goals in all states of their world; the goals if it is too large."""
    try:
        return plan_on_graph(explore(goals[0].world, most=most), goals)
    except TooManyStates:
        return goals


def _ahead(
    planned: GraphCosts | tuple[Goal, ...], plan: SeenPlan, models: Sequence[Model], most: int
) -> GraphCosts | tuple[Goal, ...]:
    """Return the costs that all models need for the states of a plan, computed once."""
    if not isinstance(plan, Plan):
        return planned
    if not isinstance(planned, GraphCosts):
        return plan_by_search(plan.world, planned, plan.states, most=most)
    depths = sorted({depth for model in models for depth in model.foresight.depths})
    if depths == [math.inf]:
        return planned
    return foresee(planned, depths, follow(planned.graph, plan).state)


def write_posteriors(judgements: Iterable[PlanJudgement], path: Path) -> None:
    """Write the probability of each goal after every action: a row per plan, time and goal."""
    rows = [row for judgement in judgements for row in posterior_rows(judgement)]
    write_records(rows, path, overwrite=True)  # whether it may be replaced was checked before


def posterior_rows(judgement: PlanJudgement) -> list[dict[str, Any]]:
    """Return the probability of each goal after every action: a row per plan, time and goal."""
    return [
        {
            "scenario": Path(plan["plan"]).stem,
            "time": time,
            "action": step["action"] or "",
            "goal": goal,
            "probability": probability,
            "model": judgement.model.fingerprint,
            "version": __version__,
        }
        for plan in judgement.to_dict()["plans"]
        for time, step in enumerate(plan["steps"])
        for goal, probability in step["goal"].items()
    ]
