"""Errors that say what is wrong with a step of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from hbtom.errors import BadInput
from hbtom.world.pddl.domain import Schema
from hbtom.world.pddl.formula import And, Formula, Not, holds, with_values
from hbtom.world.pddl.grounded_world import State, World, spoken
from hbtom.world.pddl.language import cut
from hbtom.world.pddl.syntax import Form, bad, short


def wrong_step(world: World, state: State, step: Form, number: int) -> BadInput:
    """Return the error for a step that is not an action, or that is impossible."""
    schemas = {schema.name: schema for schema in world.problem.domain.actions}
    named = [one for one in world.problem.domain.actions if one.name == step.head]
    fits = [one for one in named if len(one.parameters) == len(step.parts) - 1]
    schema = next(iter(fits or named), None)
    if schema is None:
        hint = f"the actions are {', '.join(schemas)}"
        return bad(step.line, f"there is no action '{step.head or short(step)}'", cut(hint))
    written = short(step)
    if len(step.parts) != len(schema.parameters) + 1:
        wanted = " ".join(parameter.name for parameter in schema.parameters) or "none"
        problem = f"{written} has {len(step.parts) - 1} objects, not {len(schema.parameters)}"
        return bad(step.line, problem, f"it takes {wanted}")
    language, names = world.problem.language, tuple(map(str, step.parts[1:]))
    for name, parameter in zip(names, schema.parameters, strict=True):
        if name not in language.objects:
            return bad(step.line, f"the problem has no object '{name}', which is in {written}")
        if not language.is_a(language.objects[name], parameter.types):
            return bad(step.line, f"'{name}' in {written} is not a {' or '.join(parameter.types)}")
    each = [_failing(world, state, one, names) for one in fits]
    each.sort(key=len)  # of several actions of this name, the one that is most nearly possible
    failing = "; ".join(each[0])
    hint = "what is observed must be possible in the domain"
    return bad(step.line, f"step {number}, {written}, is impossible there: {failing}", hint)


def unclear_step(world: World, some: Sequence[State], step: Form, number: int) -> BadInput:
    """Return the error for a step whose outcome is unclear."""
    one, other = sorted((sorted(world.true_in(state)) for state in some), reverse=True)[:2]
    fact = spoken(min(set(one) ^ set(other)))
    problem = f"the outcome of step {number}, {short(step)}, is unclear: is {fact} true after it?"
    hint = f"write '{short(step)} => {fact}' or '{short(step)} => (not {fact})'"
    return bad(step.line, problem, hint)


def _failing(world: World, state: State, schema: Schema, names: Sequence[str]) -> list[str]:
    """Return a sentence for each part of a precondition that fails."""
    true = world.true_in(state) | world.always
    binding = dict(zip((one.name for one in schema.parameters), names, strict=True))
    values = world.problem.language.values
    failing = []
    for part in _parts(schema.precondition):
        if not holds(part, binding, values, lambda atom: (atom.name, *atom.terms) in true):
            inner, verb = (part.part, "holds") if isinstance(part, Not) else (part, "does not hold")
            failing.append(f"{with_values(inner, binding)} {verb}")
    return failing


def _parts(formula: Formula) -> list[Formula]:
    if isinstance(formula, And):
        return [inner for part in formula.parts for inner in _parts(part)]
    return [formula]
