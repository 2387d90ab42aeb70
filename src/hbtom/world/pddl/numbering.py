"""Objects and facts as numbers, so that tables can be arrays, and joins of such tables.

Joining tables of facts finds the objects that can be the parameters of an action. Objects and
parameters are numbers. A term is a parameter, or an object as its complement ``~object``, which is
negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges
from hbtom.errors import BadInput
from hbtom.world.pddl.conditional import unconditional
from hbtom.world.pddl.domain import Schema
from hbtom.world.pddl.expressions import Atom
from hbtom.world.pddl.formula import Equal, Literal
from hbtom.world.pddl.problem import Ground, Problem
from hbtom.world.pddl.syntax import bad

Terms = tuple[int, ...]
Table = Annotated[Ints, "fact term"]
MOST_BINDINGS = 2_000_000  # of one action
Objects = Annotated[Ints, "action parameter"]


def bindings(
    allowed: Annotated[Bools, "parameter object"], facts: Sequence[tuple[Terms, Table]]
) -> Annotated[Ints, "binding parameter"]:
    """Return all assignments of objects to parameters for which all facts are in their tables."""
    waiting = [_matching(terms, table, allowed) for terms, table in facts]
    named = {parameter for parameters, _ in waiting for parameter in parameters}
    for parameter in set(range(len(allowed))) - named:
        waiting.append(((parameter,), np.flatnonzero(allowed[parameter])[:, None]))
    so_far: tuple[Terms, Table] = (), np.zeros((1, 0), dtype=np.int64)
    while waiting:
        waiting.sort(key=lambda one: _priority(so_far[0], *one), reverse=True)
        so_far = _joined(so_far, waiting.pop(), allowed.shape[1])
    parameters, table = so_far
    return table[:, np.argsort(parameters)]


def _matching(
    terms: Terms, table: Table, allowed: Annotated[Bools, "parameter object"]
) -> tuple[Terms, Table]:
    """Return the rows of a table that fit the terms, with a column for each of their parameters."""
    fits = np.ones(len(table), dtype=np.bool_)
    for column, term in enumerate(terms):
        here = table[:, column]
        fits &= here == ~term if term < 0 else allowed[max(term, 0), here]
        fits &= here == table[:, terms.index(term)]  # a parameter may occur twice
    parameters = tuple(dict.fromkeys(term for term in terms if term >= 0))
    columns = [terms.index(parameter) for parameter in parameters]
    return parameters, table[fits][:, columns]


def _priority(bound: Terms, parameters: Terms, table: Table) -> tuple[int, int]:
    """Return the priority of a table, the lowest first: filters, then connected tables."""
    new = sum(parameter not in bound for parameter in parameters)
    connected = new < len(parameters)
    return (0 if new == 0 else 1 if connected else 2), len(table)


def _joined(
    left: tuple[Terms, Table], right: tuple[Terms, Table], radix: int
) -> tuple[Terms, Table]:
    """Join two tables on the parameters that they share."""
    (ours, one), (theirs, other) = left, right
    shared = [parameter for parameter in theirs if parameter in ours]
    new = [column for column, parameter in enumerate(theirs) if parameter not in ours]
    mine = codes(one[:, [ours.index(parameter) for parameter in shared]], radix)
    its = codes(other[:, [theirs.index(parameter) for parameter in shared]], radix)
    order = np.argsort(its, kind="stable")
    first = np.searchsorted(its[order], mine, "left")
    count = np.searchsorted(its[order], mine, "right") - first
    if count.sum() > MOST_BINDINGS:
        raise BadInput(
            f"an action has more than {MOST_BINDINGS:,} combinations of objects",
            hint="give its parameters narrower types, or the problem fewer objects",
        )
    row = np.repeat(np.arange(len(one)), count)
    match = order[concat_ranges(first, count)]
    return (*ours, *(theirs[column] for column in new)), np.hstack([one[row], other[match][:, new]])


def codes(table: Table, radix: int) -> Annotated[Ints, "fact"]:
    """Return a number for each row, equal for equal rows."""
    if table.shape[1] * max(radix, 2).bit_length() > 52:
        raise BadInput(
            f"a predicate has too many terms for {radix} objects",
            hint="give it fewer terms, or the problem fewer objects",
        )
    code = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        code = code * radix + column
    return code


@dataclass(frozen=True, eq=False)
class Numbering:
    """The numbers of a problem's objects, predicates and facts."""

    problem: Problem

    @cached_property
    def object(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.problem.language.objects)}

    @cached_property
    def predicate(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.problem.language.predicates)}

    @cached_property
    def schemas(self) -> tuple[Schema, ...]:
        """All actions, without conditional effects."""
        values = self.problem.language.values
        actions = self.problem.domain.actions
        return tuple(one for action in actions for one in unconditional(action, values))

    @cached_property
    def changing(self) -> frozenset[str]:
        """The predicates that actions change."""
        outcomes = (one for action in self.problem.domain.actions for one in action.outcomes)
        return frozenset(change.atom.name for one in outcomes for change in one.changes)

    @cached_property
    def tables(self) -> Mapping[str, Annotated[Ints, "fact term"]]:
        """The facts that are true initially, by predicate."""
        rows: dict[str, list[list[int]]] = {name: [] for name in self.predicate}
        for name, *terms in self.problem.true:
            rows[name].append([self.object[term] for term in terms])
        arity = {name: len(slots) for name, slots in self.problem.language.predicates.items()}
        return {
            name: np.array(table, dtype=np.int64).reshape(len(table), arity[name])
            for name, table in rows.items()
        }

    @cached_property
    def initial(self) -> Annotated[Ints, "fact"]:
        """The numbers of all facts that are true initially."""
        return np.concatenate([self._facts(name, table) for name, table in self.tables.items()])

    def terms(self, terms: Sequence[str], schema: Schema) -> Terms:
        """Return terms as numbers: that of a parameter, or the complement of an object's."""
        parameters = [parameter.name for parameter in schema.parameters]
        return tuple(
            parameters.index(term) if term in parameters else ~self.object[term] for term in terms
        )

    def columns(
        self, terms: Sequence[str], schema: Schema, objects: Objects
    ) -> Annotated[Ints, "action term"]:
        """Return the objects of these terms in each action."""
        table = np.empty((len(objects), len(terms)), dtype=np.int64)
        for column, term in enumerate(self.terms(terms, schema)):
            table[:, column] = ~term if term < 0 else objects[:, term]
        return table

    def facts(self, atom: Atom, schema: Schema, objects: Objects) -> Annotated[Ints, "action"]:
        """Return the number of the fact that corresponds to an atom in each action."""
        return self._facts(atom.name, self.columns(atom.terms, schema, objects))

    def _facts(
        self, predicate: str, table: Annotated[Ints, "fact term"]
    ) -> Annotated[Ints, "fact"]:
        whole = len(self.predicate)
        return codes(table, len(self.object)) * whole + self.predicate[predicate]

    def spelled(self, fact: int) -> Ground:
        """Return the fact with this number."""
        code, predicate = divmod(int(fact), len(self.predicate))
        name, terms = list(self.predicate)[predicate], []
        for _ in self.problem.language.predicates[name]:
            code, term = divmod(code, len(self.object))
            terms.append(self._names[term])
        return (name, *reversed(terms))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.object)

    def allowed(self, schema: Schema) -> Annotated[Bools, "parameter object"]:
        """Return which objects have the type of each parameter."""
        fits = np.zeros((len(schema.parameters), len(self.object)), dtype=np.bool_)
        for number, parameter in enumerate(schema.parameters):
            values = self.problem.language.values(parameter)
            fits[number, [self.object[name] for name in values]] = True
        return fits

    def known(self, literal: Literal) -> bool | None:
        """Return whether a literal always holds, or None if that varies."""
        about = literal.about
        if isinstance(about, Equal):
            left, right = about.terms
            certain = left == right or not (left[0] == "?" or right[0] == "?")
            return (left == right) == literal.holds if certain else None
        if about.name in self.changing or any(term[0] == "?" for term in about.terms):
            return None
        return ((about.name, *about.terms) in self.problem.true) == literal.holds

    def costs(self, schema: Schema, objects: Objects) -> Annotated[Floats, "action"]:
        """Return the cost of an action for each row of objects: 1 if costs are not counted."""
        if not self.problem.by_cost:
            return np.ones(len(objects))
        total = np.zeros(len(objects))
        for cost in schema.costs:
            if isinstance(cost, Atom):
                rows = self.columns(cost.terms, schema, objects).tolist()
                total += [self._number(cost, row) for row in rows]
            else:
                total += cost
        return total

    def _number(self, function: Atom, objects: list[int]) -> float:
        what = (function.name, *(self._names[number] for number in objects))
        try:
            return self.problem.numbers[what]
        except KeyError:
            written = " ".join(what)
            hint = f"add (= ({written}) …) to :init of the problem"
            raise bad(function.line, f"({written}) has no value", hint) from None
