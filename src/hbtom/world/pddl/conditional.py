"""Conditional effects: an action becomes several actions of the same name.

Each of them needs some of the conditions to hold and all others not to hold, so exactly one of them
is possible at a time, and its effects are certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hbtom.world.pddl.domain import Schema
from hbtom.world.pddl.effects import Change, Outcome
from hbtom.world.pddl.expressions import Atom, bound
from hbtom.world.pddl.formula import And, Formula, Not, Values, with_values
from hbtom.world.pddl.syntax import bad

MOST_CONDITIONS = 8  # of one action, with quantifiers expanded: 256 actions instead of one


def unconditional(schema: Schema, values: Values) -> Iterator[Schema]:
    """Yield actions without conditional effects that together have the effects of an action."""
    spelled = [
        Outcome(one.probability, tuple(_spelled_out(one.changes, values)))
        for one in schema.outcomes
    ]
    changes = (change for one in spelled for change in one.changes)
    some = [*dict.fromkeys(one.condition for one in changes if one.condition is not None)]
    if len(some) > MOST_CONDITIONS:
        problem = f"'{schema.name}' has more than {MOST_CONDITIONS} conditions in its effect"
        raise bad(
            schema.line, problem, "use 'when' with fewer conditions, or within fewer 'forall'"
        )
    for truth in product((True, False), repeat=len(some)):
        met = {one for one, true in zip(some, truth, strict=True) if true}
        needs = [one if true else Not(one) for one, true in zip(some, truth, strict=True)]
        outcomes = tuple(
            Outcome(
                one.probability,
                tuple(
                    replace(change, condition=None)
                    for change in one.changes
                    if change.condition is None or change.condition in met
                ),
            )
            for one in spelled
        )
        whole = And((schema.precondition, *needs)) if needs else schema.precondition
        yield replace(schema, precondition=whole, outcomes=outcomes)


def _spelled_out(changes: tuple[Change, ...], values: Values) -> Iterator[Change]:
    """Yield changes, with quantifiers around conditions expanded."""
    for change in changes:
        if change.condition is None or not change.variables:
            yield change
            continue
        names = [variable.name for variable in change.variables]
        for chosen in product(*map(values, change.variables)):
            binding = dict(zip(names, chosen, strict=True))
            atom = Atom(change.atom.name, bound(change.atom.terms, binding), change.atom.line)
            condition: Formula = with_values(change.condition, binding)
            yield Change(atom, change.holds, (), condition)
