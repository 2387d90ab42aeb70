"""Objects and facts as numbers, so that tables can be arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.world.pddl.domain import Schema
from hbtom.world.pddl.formula import Atom, Equal, Literal
from hbtom.world.pddl.joining import Terms, codes
from hbtom.world.pddl.problem import Ground, Problem
from hbtom.world.pddl.syntax import bad

Objects = Annotated[Ints, "action parameter"]


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
