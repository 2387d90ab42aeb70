"""Worlds described in PDDL: a domain, a problem, and the graph of all reachable states."""

from __future__ import annotations

import os
from pathlib import Path

from hbtom.errors import BadInput, located
from hbtom.files import WRITTEN, file_bytes
from hbtom.world.pddl.domain import Domain, read_domain
from hbtom.world.pddl.goals import Goal, check_goals, make_goal, read_goals
from hbtom.world.pddl.grounded_world import World
from hbtom.world.pddl.grounding import ground
from hbtom.world.pddl.observed_plans import Plan, read_plan
from hbtom.world.pddl.partial import (
    PartialPlan,
    SeenPlan,
    check_plans,
    is_partial,
    read_partial_plan,
)
from hbtom.world.pddl.problem import Problem, read_problem
from hbtom.world.pddl.states import (
    MOST_STATES,
    StateGraph,
    StatePath,
    TooManyStates,
    around,
    explore,
    follow,
)

__all__ = [
    "MOST_STATES",
    "Domain",
    "Goal",
    "PartialPlan",
    "Plan",
    "Problem",
    "SeenPlan",
    "StateGraph",
    "StatePath",
    "TooManyStates",
    "World",
    "around",
    "check_goals",
    "check_plans",
    "explore",
    "follow",
    "ground",
    "load_goals",
    "load_plan",
    "load_world",
    "make_goal",
    "read_domain",
    "read_goals",
    "read_partial_plan",
    "read_plan",
    "read_problem",
]

File = str | os.PathLike[str]


def load_world(domain: File, problem: File) -> World:
    """Read a domain and a problem from files, and ground them."""
    with located(file=os.fspath(domain)):
        known = read_domain(_text(domain))
    with located(file=os.fspath(problem)):
        posed = read_problem(_text(problem), known)
    with located(file=os.fspath(domain)):  # errors in its actions, for these objects
        return ground(posed)


def load_goals(world: World, file: File) -> tuple[Goal, ...]:
    """Read the possible goals of an agent from a file, one per line."""
    with located(file=os.fspath(file)):
        return read_goals(world, _text(file))


def load_plan(world: World, file: File, *, agent: str = "agent") -> SeenPlan:
    """Read the observed actions of an agent from a file, one per line; ``?`` if not observed."""
    with located(file=os.fspath(file)):
        text = _text(file)
        read = read_partial_plan if is_partial(text) else read_plan
        plan = read(world, text, agent=agent, name=os.fspath(file))
        if not len(plan):
            hint = "write '(ACTION OBJECT ...)', one per line"
            raise BadInput("the plan has no actions", hint=hint)
        return plan


def _text(file: File) -> str:
    try:
        return file_bytes(Path(file), "a text file", WRITTEN).decode()
    except UnicodeDecodeError:
        raise BadInput("this is not text", hint="PDDL is plain text in UTF-8") from None
