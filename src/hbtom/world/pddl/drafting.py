"""Drafts: actions with all objects of the right types, before unreachable ones are removed.

Facts that never change are looked up here and are not part of states. Facts that change become
pairs of numbers: a way to do an action and a fact that it needs, or an outcome and a fact that it
adds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Annotated

import numpy as np

from hbtom.arrays import Ints
from hbtom.world.pddl.domain import Schema
from hbtom.world.pddl.effects import Change
from hbtom.world.pddl.expressions import Atom, bound
from hbtom.world.pddl.formula import MOST_CASES, Case, Equal, TooManyCases, cases
from hbtom.world.pddl.numbering import Numbering, Objects, bindings
from hbtom.world.pddl.syntax import bad

Pairs = Annotated[Ints, "pair 2"]  # a way or an outcome, with a fact
MOST_CHANGES = 10_000  # of one action
NO_PAIRS = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Draft:
    """Actions, the ways to do them, and their outcomes."""

    objects: tuple[Objects, ...]  # a table for each schema
    action: Annotated[Ints, "way"]
    need: Pairs
    avoid: Pairs
    outcome_of: Annotated[Ints, "outcome"]  # the action
    add: Pairs
    delete: Pairs

    @property
    def actions(self) -> int:
        return sum(map(len, self.objects))


def draft(schema: Schema, numbering: Numbering) -> Draft:
    """Draft one action with all objects of the right types."""
    some, objects, action = _ways(schema, numbering)
    first = np.cumsum([0, *map(len, action)])
    ways = [np.arange(start, stop) for start, stop in pairwise(first)]
    conditions = [
        (literal.holds, way, numbering.facts(literal.about, schema, objects[which]))
        for case, way, which in zip(some, ways, action, strict=True)
        for literal in case
        if isinstance(literal.about, Atom) and literal.about.name in numbering.changing
    ]
    many = len(schema.outcomes)
    effects = [
        (holds, np.arange(len(objects)) * many + index, numbering.facts(atom, schema, objects))
        for index, outcome in enumerate(schema.outcomes)
        for holds, atom in _spelled_out(schema, outcome.changes, numbering)
    ]
    return Draft(
        (objects,),
        np.concatenate([*action, NO_PAIRS[:, 0]]),
        _pairs(conditions, True),
        _pairs(conditions, False),
        np.repeat(np.arange(len(objects)), many),
        _pairs(effects, True),
        _pairs(effects, False),
    )


def joined_drafts(drafts: Sequence[Draft]) -> Draft:
    """Return several drafts as one: the numbers of each continue those of the one before."""
    actions = np.cumsum([0, *(one.actions for one in drafts)])
    ways = np.cumsum([0, *(len(one.action) for one in drafts)])
    outcomes = np.cumsum([0, *(len(one.outcome_of) for one in drafts)])

    def moved(name: str, before: Ints) -> Ints:
        tables = [getattr(one, name) for one in drafts]
        shifts = [
            n if table.ndim == 1 else (n, 0) for table, n in zip(tables, before, strict=False)
        ]
        return np.concatenate([table + by for table, by in zip(tables, shifts, strict=True)])

    return Draft(
        tuple(table for one in drafts for table in one.objects),
        moved("action", actions),
        moved("need", ways),
        moved("avoid", ways),
        moved("outcome_of", actions),
        moved("add", outcomes),
        moved("delete", outcomes),
    )


def _pairs(some: Sequence[tuple[bool, Ints, Ints]], holds: bool) -> Pairs:
    pairs = [np.stack([owner, facts], axis=1) for truth, owner, facts in some if truth == holds]
    return np.concatenate([*pairs, NO_PAIRS])


def _ways(schema: Schema, numbering: Numbering) -> tuple[list[Case], Objects, list[Ints]]:
    """Return the cases of an action, all its possible objects, and which of them fit each case."""
    try:
        some = cases(schema.precondition, numbering.problem.language.values, numbering.known)
    except TooManyCases:
        problem = f"the precondition of '{schema.name}' has more than {MOST_CASES} cases"
        raise bad(schema.line, problem, "split it into several actions") from None
    tables = [_objects(schema, case, numbering) for case in some]
    if len(tables) == 1:
        return some, tables[0], [np.arange(len(tables[0]))]
    none = np.empty((0, len(schema.parameters)), dtype=np.int64)
    whole = np.concatenate([*tables, none])
    objects, place = np.unique(whole, axis=0, return_inverse=True) if whole.size else (whole[:1], 0)
    where = np.broadcast_to(np.reshape(place, -1), len(whole))
    return some, objects, np.split(where, np.cumsum([len(table) for table in tables]))[:-1]


def _objects(schema: Schema, case: Case, numbering: Numbering) -> Objects:
    """Return the objects for which the unchanging part of a case holds."""
    still = [
        literal
        for literal in case
        if isinstance(literal.about, Equal) or literal.about.name not in numbering.changing
    ]
    facts = [
        (numbering.terms(literal.about.terms, schema), numbering.tables[literal.about.name])
        for literal in still
        if isinstance(literal.about, Atom) and literal.holds
    ]
    table = bindings(numbering.allowed(schema), facts)
    for literal in still:
        if isinstance(literal.about, Equal):
            left, right = numbering.columns(literal.about.terms, schema, table).T
            table = table[(left == right) == literal.holds]
        elif not literal.holds:
            there = numbering.facts(literal.about, schema, table)
            table = table[~np.isin(there, numbering.initial)]
    return table


def _spelled_out(
    schema: Schema, changes: Sequence[Change], numbering: Numbering
) -> Iterator[tuple[bool, Atom]]:
    """Yield the changes of an outcome, with ``forall`` expanded."""
    values = numbering.problem.language.values
    many = [math.prod(len(values(one)) for one in change.variables) for change in changes]
    if sum(many) > MOST_CHANGES:
        problem = f"the effect of '{schema.name}' changes more than {MOST_CHANGES:,} facts"
        raise bad(schema.line, problem, "use 'forall' over fewer variables")
    for change in changes:
        names = [variable.name for variable in change.variables]
        for chosen in product(*map(values, change.variables)):
            terms = bound(change.atom.terms, dict(zip(names, chosen, strict=True)))
            yield change.holds, Atom(change.atom.name, terms, change.atom.line)
