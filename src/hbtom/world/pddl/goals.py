"""Goals: named conditions on states, read from a file with one per line.

gem-1: (has gem-1)      ; a name, a colon, and a condition as in a PDDL problem
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools
from hbtom.errors import BadInput
from hbtom.world.pddl.formula import Equal, Formula, Literal, TooManyCases, cases
from hbtom.world.pddl.grounded_world import ALWAYS, States, Words, World, words_of
from hbtom.world.pddl.syntax import bad, read_form, written_lines

MOST_GOALS = 250
_NAMED = re.compile(r"\s*([\w.-]+)\s*:(.*)", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Goal:
    """A condition that an agent may want to achieve."""

    world: World
    name: str
    formula: Formula
    need: Annotated[Words, "case word"]  # a case holds in states that have all these facts
    avoid: Annotated[Words, "case word"]  # and none of these

    def holds(self, states: States) -> Annotated[Bools, "state"]:
        """Return in which states the goal is reached."""
        reached = np.zeros(len(states), dtype=np.bool_)
        for need, avoid in zip(self.need, self.avoid, strict=True):
            reached |= ((states & (need | avoid)) == need).all(axis=1)
        return reached

    def __repr__(self) -> str:
        return f"<Goal {self.name}: {self.formula}>"


def make_goal(world: World, name: str, condition: str, line: int = 1) -> Goal:
    """Return a goal, given its condition in PDDL."""
    formula = world.problem.language.formula(read_form(condition, line))

    def known(literal: Literal) -> bool | None:
        about = literal.about
        if isinstance(about, Equal):
            return (about.terms[0] == about.terms[1]) == literal.holds
        fact = (about.name, *about.terms)
        return None if fact in world.number else (fact in world.always) == literal.holds

    try:
        some = cases(formula, world.problem.language.values, known)
    except TooManyCases:
        raise bad(line, f"the goal '{name}' has too many cases") from None
    sets = [_sets(world, case) for case in some]
    need = np.array([need for need, _ in sets], dtype=np.uint64).reshape(-1, world.words)
    avoid = np.array([avoid for _, avoid in sets], dtype=np.uint64).reshape(-1, world.words)
    possible = ((need & avoid) == 0).all(axis=1)  # no fact is both true and false
    return Goal(world, name, formula, need[possible], avoid[possible])


def _sets(world: World, case: tuple[Literal, ...]) -> tuple[Words, Words]:
    facts: tuple[list[int], list[int]] = ([ALWAYS], [])
    for literal in case:
        if not isinstance(literal.about, Equal):
            number = world.number[literal.about.name, *literal.about.terms]
            facts[0 if literal.holds else 1].append(number)
    return words_of(facts[0], world.words), words_of(facts[1], world.words)


def check_goals(goals: object) -> tuple[Goal, ...]:
    """Return the possible goals of an agent as a tuple; anything else is an error."""
    hint = "give a list of goals, such as load_goals(world, file) returns"
    some = several(goals, Goal, "goal", hint)
    if len(some) > MOST_GOALS:
        raise BadInput(f"there are more than {MOST_GOALS} goals", hint="leave some out")
    return some


def several(values: object, kind: Any, name: str, hint: str) -> tuple[Any, ...]:
    """Return one or more values of a kind as a tuple; anything else is an error."""
    if isinstance(values, kind):
        raise BadInput(f"this is one {name}, not a list of {name}s", hint=f"give [{name}]")
    if isinstance(values, str | bytes | os.PathLike) or not isinstance(values, Iterable):
        raise BadInput(f"{values!r} is not a list of {name}s", hint=hint)
    some = tuple(values)
    for one in some:
        if not isinstance(one, kind):
            raise BadInput(f"{one!r} is not a {name}", hint=hint)
    if not some:
        raise BadInput(f"there are no {name}s", hint=hint)
    return some


def read_goals(world: World, text: str) -> tuple[Goal, ...]:
    """Read goals, one per line; a comment begins with a semicolon."""
    goals: dict[str, Goal] = {}
    for line, written in written_lines(text, MOST_GOALS, "goals"):
        named = _NAMED.fullmatch(written)
        if named is None:
            hint = "write 'NAME: (CONDITION)', the name in letters, digits, '.', '-' and '_'"
            raise bad(line, f"'{written[:60]}' is not a goal with a name", hint)
        name, condition = named.groups()
        if name in goals:
            raise bad(line, f"two goals are named '{name}'", "give each goal its own name")
        if not condition.strip().startswith("("):
            problem = f"the goal '{name}' has no condition in parentheses"
            raise bad(line, problem, f"write '{name}: ({condition.strip() or 'CONDITION'})'")
        goals[name] = make_goal(world, name, condition, line)
    if not goals:
        raise BadInput("there are no goals", hint="write one per line, as 'NAME: (CONDITION)'")
    return tuple(goals.values())
