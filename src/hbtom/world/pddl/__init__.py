"""Worlds told in PDDL: a domain, a problem, and the graph of all states that can come about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hbtom.errors import BadInput
from hbtom.files import WRITTEN, file_bytes
from hbtom.world.pddl.domain import Domain, read_domain
from hbtom.world.pddl.goals import Goal, check_goals, make_goal, read_goals
from hbtom.world.pddl.grounding import ground
from hbtom.world.pddl.partial import (
    PartialPlan,
    SeenPlan,
    check_plans,
    is_partial,
    read_partial_plan,
)
from hbtom.world.pddl.plans import Plan, read_plan
from hbtom.world.pddl.problem import Problem, read_problem
from hbtom.world.pddl.states import MOST_STATES, StateGraph, TooManyStates, around, explore
from hbtom.world.pddl.world import World

__all__ = [
    "MOST_STATES",
    "Domain",
    "Goal",
    "PartialPlan",
    "Plan",
    "Problem",
    "SeenPlan",
    "StateGraph",
    "TooManyStates",
    "World",
    "around",
    "check_goals",
    "check_plans",
    "explore",
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
    with _blaming(domain):
        told = read_domain(_text(domain))
    with _blaming(problem):
        posed = read_problem(_text(problem), told)
    with _blaming(domain):  # its actions, for these objects
        return ground(posed)


def load_goals(world: World, file: File) -> tuple[Goal, ...]:
    """Read the goals that an agent may have from a file, one a line."""
    with _blaming(file):
        return read_goals(world, _text(file))


def load_plan(world: World, file: File, *, agent: str = "agent") -> SeenPlan:
    """Read from a file what an agent was seen doing, an action a line; ``?`` was not seen."""
    with _blaming(file):
        text = _text(file)
        read = read_partial_plan if is_partial(text) else read_plan
        plan = read(world, text, agent=agent, name=os.fspath(file))
        if not len(plan):
            raise BadInput(
                "there are no actions in it", hint="write '(ACTION OBJECT ...)', one a line"
            )
        return plan


@contextmanager
def _blaming(file: File) -> Iterator[None]:
    """Name the file in which something is wrong."""
    try:
        yield
    except BadInput as error:
        raise error.at(file=os.fspath(file)) from None


def _text(file: File) -> str:
    try:
        return file_bytes(Path(file), "a file of text", WRITTEN).decode()
    except UnicodeDecodeError:
        raise BadInput("this is not text", hint="PDDL is plain text, in UTF-8") from None
