"""Scenarios in folders: worlds in PDDL with plans that people, too, have seen.

NAME/domain.pddl    may also lie in the folder above, if worlds share it
NAME/problem.pddl
NAME/goals.txt
NAME/*.plan         or NAME/plans/*.plan; each plan is a scenario, called as its file
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hbtom import __version__
from hbtom.bench.table_files import write_records
from hbtom.errors import BadInput, located
from hbtom.judgement.plan_judging import PlanJudgement, infer_plans
from hbtom.model import Model
from hbtom.plan.graph import plan_on_graph
from hbtom.world.pddl import (
    MOST_STATES,
    TooManyStates,
    explore,
    load_goals,
    load_plan,
    load_world,
)

DOMAIN, PROBLEM, GOALS, PLANS = "domain.pddl", "problem.pddl", "goals.txt", "plans"


@dataclass(frozen=True)
class Scenario:
    """The files of a plan that was seen, and of the world that it was seen in."""

    name: str
    folder: Path
    domain: Path
    plan: Path


def find_scenarios(paths: Sequence[str]) -> tuple[Scenario, ...]:
    """Return all scenarios in some folders, in order; folders are searched through."""
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
        raise BadInput("there is no such folder", hint="name a folder of worlds with plans")
    for name, inside, files in os.walk(path):
        inside.sort()
        folder = Path(name)
        domain = folder / DOMAIN if DOMAIN in files else folder.parent / DOMAIN
        if PROBLEM in files and GOALS in files and domain.is_file():
            for plan in sorted([*folder.glob("*.plan"), *folder.glob(f"{PLANS}/*.plan")]):
                yield Scenario(plan.stem, folder, domain, plan)


def judge_scenario(
    scenario: Scenario, models: Iterable[Model], most: int = MOST_STATES
) -> Iterator[PlanJudgement]:
    """Infer what the agent of a scenario wants with each model; all plan in the same world."""
    world = load_world(scenario.domain, scenario.folder / PROBLEM)
    goals = load_goals(world, scenario.folder / GOALS)
    plan = load_plan(world, scenario.plan)
    with located(file=str(scenario.folder / PROBLEM)):
        try:
            planned: Any = plan_on_graph(explore(world, most=most), goals)
        except TooManyStates:
            planned = goals
        for model in models:
            yield infer_plans(planned, [plan], model, most=most)


def write_posteriors(judgements: Iterable[PlanJudgement], path: Path) -> None:
    """Write how probable each goal is after every action: one row a plan, time and goal."""
    rows = [row for judgement in judgements for row in posterior_rows(judgement)]
    write_records(rows, path, overwrite=True)  # whether it may be replaced was checked before


def posterior_rows(judgement: PlanJudgement) -> list[dict[str, Any]]:
    """Return how probable each goal is after every action: one row a plan, time and goal."""
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
