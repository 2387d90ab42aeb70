"""Plans that were seen: a ground action a line, and the states that they lead through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Ints
from hbtom.errors import BadInput
from hbtom.world.pddl.domain import Schema
from hbtom.world.pddl.formula import And, Atom, Formula, Not, holds, with_values
from hbtom.world.pddl.language import cut
from hbtom.world.pddl.problem import Ground
from hbtom.world.pddl.syntax import Form, bad, read_form, short
from hbtom.world.pddl.world import Words, World, bits, spoken, words_of

_STAMPED = re.compile(r"(?:\d+(?:\.\d+)?\s*:)?\s*(\(.*\))\s*(?:\[[\d.]+\])?", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Plan:
    """What an agent was seen doing, whatever it was after."""

    world: World
    actions: Annotated[Ints, "step"]
    states: Annotated[Words, "1+step word"]  # before each step, and after the last
    agent: str = "agent"
    name: str = "plan"

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions as they are written."""
        return tuple(spoken(self.world.actions[action]) for action in self.actions)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<Plan {self.name!r} of {self.agent} in {len(self)} steps>"


def read_plan(world: World, text: str, *, agent: str = "agent", name: str = "plan") -> Plan:
    """Read a plan as planners write it: an action in parentheses on each line.

    A number with a colon before it, and a duration in brackets after it, are let pass.
    """
    steps = []
    for line, told in enumerate(text.split("\n"), start=1):
        told = told.partition(";")[0].strip()
        if told:
            steps.append(read_step(told, line))
    return follow(world, steps, agent=agent, name=name)


def read_step(told: str, line: int) -> Form:
    """Read the action on a line."""
    stamped = _STAMPED.fullmatch(told)
    if stamped is None:
        hint = "write '(ACTION OBJECT ...)', one a line"
        raise bad(line, f"'{told[:60]}' is no action", hint)
    return read_form(stamped[1], line)


def follow(
    world: World, steps: Sequence[Form], *, agent: str = "agent", name: str = "plan"
) -> Plan:
    """Do what a plan says, from the state to begin with; what cannot be done is an error."""
    states, actions = [world.initial], []
    for number, step in enumerate(steps, start=1):
        action = world.action_number.get(_words(step))
        after = None if action is None else _after(world, states[-1], action)
        if action is None or after is None:
            raise wrong_step(world, states[-1], step, number)
        actions.append(action)
        states.append(after)
    return Plan(world, np.array(actions, dtype=np.int64), np.array(states), agent, name)


def _words(step: Form) -> Ground:
    return tuple(map(str, step.parts))


def _after(world: World, state: Annotated[Words, "word"], action: int) -> Words | None:
    """Return the state after an action, or None if it cannot be done."""
    true = bits(state[None])[0]
    ways = slice(*np.searchsorted(world.action, [action, action + 1]))
    fits = true[world.need[ways]].all(axis=1) & ~true[world.avoid[ways]].any(axis=1)
    if not fits.any():
        return None
    (outcome,) = range(*world.outcomes[action : action + 2])
    delete, add = (
        words_of(facts[outcome].tolist(), world.words) for facts in (world.delete, world.add)
    )
    return (state & ~delete) | add


# What is wrong


def wrong_step(world: World, state: Annotated[Words, "word"], step: Form, number: int) -> BadInput:
    """Return the error for a step that is no action, or that cannot be done."""
    schemas = {schema.name: schema for schema in world.problem.domain.actions}
    schema = schemas.get(step.head)
    if schema is None:
        hint = f"the actions are {', '.join(schemas)}"
        return bad(step.line, f"there is no action '{step.head or short(step)}'", cut(hint))
    told = short(step)
    if len(step.parts) != len(schema.parameters) + 1:
        wanted = " ".join(parameter.name for parameter in schema.parameters) or "none"
        problem = f"{told} has {len(step.parts) - 1} objects, not {len(schema.parameters)}"
        return bad(step.line, problem, f"it takes {wanted}")
    language, names = world.problem.language, _words(step)[1:]
    for name, parameter in zip(names, schema.parameters, strict=True):
        if name not in language.objects:
            return bad(step.line, f"there is no object '{name}' in the problem, as {told} has it")
        if not language.is_a(language.objects[name], parameter.types):
            return bad(step.line, f"'{name}' in {told} is no {' or '.join(parameter.types)}")
    failing = "; ".join(_failing(world, state, schema, names))
    hint = "what is seen must be possible in the domain"
    return bad(step.line, f"step {number}, {told}, cannot be done there: {failing}", hint)


def _failing(
    world: World, state: Annotated[Words, "word"], schema: Schema, names: Sequence[str]
) -> list[str]:
    """Return the parts of a precondition that do not hold, each in words."""
    true = world.true_in(state) | world.always
    binding = {
        parameter.name: name for parameter, name in zip(schema.parameters, names, strict=True)
    }
    values = world.problem.language.values

    def is_true(atom: Atom) -> bool:
        return (atom.name, *atom.terms) in true

    failing = []
    for part in _parts(schema.precondition):
        if not holds(part, binding, values, is_true):
            inner, verb = (part.part, "holds") if isinstance(part, Not) else (part, "does not hold")
            failing.append(f"{with_values(inner, binding)} {verb}")
    return failing


def _parts(formula: Formula) -> list[Formula]:
    if isinstance(formula, And):
        return [inner for part in formula.parts for inner in _parts(part)]
    return [formula]
