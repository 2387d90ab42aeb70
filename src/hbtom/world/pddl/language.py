"""The language of a domain: types, objects, predicates and functions, and reading conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hbtom.errors import BadInput
from hbtom.world.pddl.arithmetic import PossibleValues
from hbtom.world.pddl.expressions import Arithmetic, Atom, Compare, Expression
from hbtom.world.pddl.formula import (
    OBJECT,
    And,
    Equal,
    Every,
    Formula,
    Not,
    Or,
    Some,
    Typed,
    with_values,
)
from hbtom.world.pddl.lists import exactly, parts_of, read_typed
from hbtom.world.pddl.syntax import Form, Node, Word, bad, short

Scope = Mapping[str, Typed]  # the variables that may be used
NOTHING: Scope = {}
MOST_STEPS = 1 << 19  # from all types to their supertypes; in a chain, they grow quadratically
Closed = Mapping[tuple[str, ...], Formula]  # the conditions of facts, by their objects


@dataclass(frozen=True)
class Rule:
    """A rule for a derived fact: the condition that it follows from."""

    parameters: tuple[Typed, ...]
    body: Formula  # its own variables have names that occur nowhere else
    line: int

    def applied(self, terms: Sequence[str]) -> Formula:
        """Return the condition for the given terms."""
        names = (parameter.name for parameter in self.parameters)
        return with_values(self.body, dict(zip(names, terms, strict=True)))


@dataclass(frozen=True, eq=False)
class Language:
    """The names that may be used, in the order in which they are declared."""

    types: Mapping[str, tuple[str, ...]]  # each with its supertypes
    objects: Mapping[str, Typed]
    predicates: Mapping[str, tuple[Typed, ...]]
    functions: Mapping[str, tuple[Typed, ...]]
    derived: Mapping[str, Sequence[Rule]] = field(default_factory=dict)  # by predicate
    recursive: tuple[tuple[str, ...], ...] = ()  # groups that follow from each other, in order
    possible: PossibleValues | None = None  # the values of numbers, once they are known
    closed: Mapping[str, Closed] = field(default_factory=dict)  # these replace recursive facts

    def with_objects(self, objects: Sequence[Typed]) -> Language:
        return replace(self, objects={**self.objects, **{one.name: one for one in objects}})

    def is_a(self, one: Typed, types: Sequence[str]) -> bool:
        """Return whether a name has one of these types."""
        return any(kind in self.above[own] for own in one.types for kind in types)

    def values(self, variable: Typed) -> list[str]:
        """Return the objects that a variable may stand for."""
        return [name for name, one in self.objects.items() if self.is_a(one, variable.types)]

    @cached_property
    def above(self) -> dict[str, set[str]]:
        """Each type with all its supertypes, and itself."""
        above: dict[str, set[str]] = {OBJECT: {OBJECT}}
        steps = 0
        for kind in self.types:
            found, waiting = {OBJECT}, [kind]
            while waiting:
                one = waiting.pop()
                if one not in found:
                    found.add(one)
                    waiting += self.types.get(one, ())
                    steps += 1 + len(self.types.get(one, ()))
                if steps > MOST_STEPS:
                    problem = "the types in :types are nested too deeply for their number"
                    raise BadInput(problem, hint="put fewer types above each other")
            above[kind] = found
        return above

    def typed(self, nodes: Sequence[Node], *, variables: bool = False) -> tuple[Typed, ...]:
        """Read names or variables, and check that their types exist."""
        typed = read_typed(nodes, variables=variables)
        for kind in dict.fromkeys(kind for one in typed for kind in one.types):
            if kind not in self.above:
                hint = f"the types are {', '.join(self.above)}"
                raise bad(nodes[0].line, f"there is no type '{kind}'", cut(hint))
        return typed

    def formula(self, node: Node, scope: Scope = NOTHING) -> Formula:
        """Read a condition."""
        if isinstance(node, Word):
            raise bad(node.line, f"'{node.text}' is not a condition", "put it in parentheses")
        head, parts = node.head, node.parts[1:]
        if head == "and" or not node.parts:
            return And(tuple(self.formula(part, scope) for part in parts))
        if head == "or":
            return Or(tuple(self.formula(part, scope) for part in parts))
        if head == "not":
            (part,) = exactly(1, node)
            return Not(self.formula(part, scope))
        if head == "imply":
            when, then = exactly(2, node)
            return Or((Not(self.formula(when, scope)), self.formula(then, scope)))
        if head in ("forall", "exists"):
            variables, part = exactly(2, node)
            typed, inside = self.quantified(variables, scope)
            inner = self.formula(part, inside)
            for one in reversed(typed):
                inner = Every(one, inner) if head == "forall" else Some(one, inner)
            return inner
        if head == "=" and not any(map(_is_number, parts)):
            left, right = exactly(2, node)
            return Equal((self._term(left, scope).name, self._term(right, scope).name))
        if head in ("=", "<", ">", "<=", ">="):
            left, right = exactly(2, node)
            sides = self.expression(left, scope), self.expression(right, scope)
            return self._spelled_out(Compare(head, sides, node.line))
        if head in _NOT_HERE:
            raise unsupported(node, f"'{head}' in a condition")
        atom = self.atom(node, scope)
        if atom.name in self.closed:
            return self.by_objects(atom, self.closed[atom.name])
        if atom.name not in self.derived or any(atom.name in group for group in self.recursive):
            return atom
        rules = self.derived[atom.name]
        return self._spelled_out(Or(tuple(rule.applied(atom.terms) for rule in rules)))

    def by_objects(self, atom: Atom, conditions: Closed) -> Or:
        """Return the condition that replaces an atom: a case for each choice of its variables."""
        cases = []
        for objects, condition in conditions.items():
            pairs = list(zip(atom.terms, objects, strict=True))
            if all(term[0] == "?" or term == one for term, one in pairs):
                equal = [Equal(pair) for pair in pairs if pair[0] != pair[1]]
                cases.append(And((*equal, condition)))
        return Or(tuple(cases))

    def _spelled_out(self, formula: Formula) -> Formula:
        return formula if self.possible is None else self.possible.spelled_out(formula)

    def quantified(self, variables: Node, scope: Scope) -> tuple[tuple[Typed, ...], Scope]:
        """Read the variables of a quantifier; also return the scope inside it."""
        typed = self.typed(parts_of(variables), variables=True)
        return typed, {**scope, **{one.name: one for one in typed}}

    def atom(self, node: Node, scope: Scope = NOTHING) -> Atom:
        """Read a predicate with its terms, and check that they exist."""
        return self._applied(node, scope, self.predicates, "predicate")

    def function(self, node: Node, scope: Scope = NOTHING) -> Atom:
        """Read a function with its terms, and check that they exist."""
        return self._applied(node, scope, self.functions, "function")

    def expression(self, node: Node, scope: Scope = NOTHING) -> Expression:
        """Read a number, a function, or a sum, difference or product of these."""
        if isinstance(node, Word):
            if not _NUMBER.fullmatch(node.text):
                raise bad(node.line, f"'{short(node)}' is not a number", "write 3, or (FUNCTION)")
            return float(node.text)
        if node.head in ("+", "-", "*") and len(node.parts) > (1 if node.head == "-" else 2):
            parts = tuple(self.expression(part, scope) for part in node.parts[1:])
            return Arithmetic(node.head, parts)
        if node.head in ("+", "-", "*", "/"):
            raise unsupported(node, f"'{node.head}' with these numbers")
        return self.function(node, scope)

    def _applied(
        self, node: Node, scope: Scope, known: Mapping[str, tuple[Typed, ...]], kind: str
    ) -> Atom:
        if isinstance(node, Word) or not node.head:
            raise bad(node.line, f"'{short(node)}' is not a {kind} with its terms")
        if node.head not in known:
            hint = f"the {kind}s are {', '.join(known)}" if known else f"there are no {kind}s"
            raise bad(node.line, f"there is no {kind} '{node.head}'", cut(hint))
        wanted = known[node.head]
        exactly(len(wanted), node)
        terms = [self._term(term, scope) for term in node.parts[1:]]
        for term, slot in zip(terms, wanted, strict=True):
            fits = term.name.startswith("?") or term.types == slot.types
            if not fits and not self.is_a(term, slot.types):
                problem = f"'{term.name}' in {short(node)} is not a {' or '.join(slot.types)}"
                raise bad(node.line, problem, f"it is a {' or '.join(term.types)}")
        return Atom(node.head, tuple(term.name for term in terms), node.line)

    def _term(self, node: Node, scope: Scope) -> Typed:
        if isinstance(node, Form):
            raise bad(node.line, f"{short(node)} is not a name or a variable")
        kind, known = ("variable", scope) if node.text[0] == "?" else ("object", self.objects)
        if node.text not in known:
            hint = f"the {kind}s here are {', '.join(known)}" if known else f"there are no {kind}s"
            raise bad(node.line, f"there is no {kind} '{node.text}'", cut(hint))
        return known[node.text]


_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?", re.ASCII)


def _is_number(node: Node) -> bool:
    return isinstance(node, Form) or _NUMBER.fullmatch(node.text) is not None


_NOT_HERE = ("when", "preference", "always", "sometime", "at-most-once", "over")


def cut(hint: str, most: int = 160) -> str:
    """Return a hint of readable length."""
    return hint if len(hint) <= most else f"{hint[:most].rpartition(', ')[0]}, …"


def unsupported(node: Node, what: str) -> BadInput:
    """Return the error for a part of PDDL that is not supported."""
    hint = f"write the domain without it: {short(node)}"
    return bad(node.line, f"{what} is not supported", hint)
