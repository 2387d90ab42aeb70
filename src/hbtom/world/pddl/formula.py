"""Conditions: what they consist of, and how to split them into cases that are easy to check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hbtom.world.pddl.expressions import Atom, Binding, Compare, bound, number_with_values

OBJECT = "object"  # the type of everything
MOST_CASES = 1000  # of one condition
MOST_PARTS = 200_000  # of one condition, with quantifiers expanded


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or a variable, and the types that it may have."""

    name: str
    types: tuple[str, ...] = (OBJECT,)

    def __str__(self) -> str:
        kind = self.types[0] if len(self.types) == 1 else f"(either {' '.join(self.types)})"
        return f"{self.name} - {kind}"


@dataclass(frozen=True, slots=True)
class Equal:
    terms: tuple[str, str]

    def __str__(self) -> str:
        return f"(= {' '.join(self.terms)})"


@dataclass(frozen=True, slots=True)
class Not:
    part: Formula

    def __str__(self) -> str:
        return f"(not {self.part})"


@dataclass(frozen=True, slots=True)
class _Connective:
    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"({' '.join((type(self).__name__.lower(), *map(str, self.parts)))})"


class And(_Connective):
    """All parts hold."""


class Or(_Connective):
    """At least one part holds."""


@dataclass(frozen=True, slots=True)
class _Quantifier:
    variable: Typed
    part: Formula

    def __str__(self) -> str:
        word = "forall" if isinstance(self, Every) else "exists"
        return f"({word} ({self.variable}) {self.part})"


class Every(_Quantifier):
    """The part holds for all values of a variable."""


class Some(_Quantifier):
    """The part holds for at least one value of a variable."""


Formula = Atom | Equal | Compare | Not | And | Or | Every | Some


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or an equality, or its negation."""

    about: Atom | Equal
    holds: bool = True

    def __str__(self) -> str:
        return str(self.about) if self.holds else f"(not {self.about})"


Case = tuple[Literal, ...]  # a conjunction
Values = Callable[[Typed], Sequence[str]]  # the objects that a variable may stand for
Known = Callable[[Literal], bool | None]  # whether a literal always holds; None if it varies


class TooManyCases(Exception):
    """A condition has more cases than can be kept."""


def with_values(formula: Formula, binding: Binding) -> Formula:
    """Return a condition with its bound variables replaced."""
    match formula:
        case Atom(name, terms, line):
            return Atom(name, bound(terms, binding), line)
        case Equal((left, right)):
            return Equal((binding.get(left, left), binding.get(right, right)))
        case Compare(sign, (one, other), line):
            return Compare(
                sign, (number_with_values(one, binding), number_with_values(other, binding)), line
            )
        case Not(part):
            return Not(with_values(part, binding))
        case And(parts) | Or(parts):
            return type(formula)(tuple(with_values(part, binding) for part in parts))
        case Every(variable, part) | Some(variable, part):
            inner = {name: value for name, value in binding.items() if name != variable.name}
            return type(formula)(variable, with_values(part, inner))


def cases(formula: Formula, values: Values, known: Known) -> list[Case]:
    """Return cases such that a condition holds if and only if one of them does.

    This is its disjunctive normal form, with quantifiers expanded. Literals that always hold and
    cases that never hold are left out.
    """
    if _parts(formula, values) > MOST_PARTS:
        raise TooManyCases
    return list(dict.fromkeys(_cases(formula, True, {}, values, known)))


def _parts(formula: Formula, values: Values) -> int:
    """Return how many atoms a condition has once its quantifiers are expanded."""
    match formula:
        case Not(part):
            return _parts(part, values)
        case And(parts) | Or(parts):
            return sum(_parts(part, values) for part in parts)
        case Every(variable, part) | Some(variable, part):
            return len(values(variable)) * _parts(part, values)
        case _:
            return 1


def _cases(
    formula: Formula, holds: bool, binding: Binding, values: Values, known: Known
) -> list[Case]:
    if isinstance(formula, Not):
        return _cases(formula.part, not holds, binding, values, known)
    if isinstance(formula, And | Or):
        whole = [(part, binding) for part in formula.parts]
        together = isinstance(formula, And) == holds
    elif isinstance(formula, Every | Some):
        name = formula.variable.name
        options = values(formula.variable)
        whole = [(formula.part, {**binding, name: value}) for value in options]
        together = isinstance(formula, Every) == holds
    else:
        assert not isinstance(formula, Compare)  # facts have replaced comparisons
        return _literal(formula, holds, binding, known)
    if together:
        return _product([_cases(part, holds, inner, values, known) for part, inner in whole])
    return _limited([c for part, inner in whole for c in _cases(part, holds, inner, values, known)])


def _literal(atom: Atom | Equal, holds: bool, binding: Binding, known: Known) -> list[Case]:
    about = with_values(atom, binding)
    assert isinstance(about, Atom | Equal)
    literal = Literal(about, holds)
    certain = known(literal)
    if certain is None:
        return [(literal,)]
    return [()] if certain else []


def _product(parts: list[list[Case]]) -> list[Case]:
    """Return all combinations of one case from each part."""
    whole: list[Case] = [()]
    for part in sorted(parts, key=len):  # if a part has no cases, the rest is quick
        named = [(right, _named(right)) for right in part]
        whole = _limited(
            [
                (*left, *right)
                for left in whole
                for before in [_named(left)]
                for right, after in named
                if not after or _agree(before, after)
            ]
        )
    return whole


def _named(case: Case) -> Binding:
    """Return the object that each variable must equal in a case, if the case says so."""
    equal = [one.about.terms for one in case if one.holds and isinstance(one.about, Equal)]
    return {name: value for name, value in equal if value[0] != "?"}


def _agree(some: Binding, others: Binding) -> bool:
    return all(some.get(name, value) == value for name, value in others.items())


def _limited(some: list[Case]) -> list[Case]:
    if len(some) > MOST_CASES:
        raise TooManyCases
    return some


def holds(formula: Formula, binding: Binding, values: Values, true: Callable[[Atom], bool]) -> bool:
    """Return whether a condition holds, given which atoms are true."""
    match formula:
        case Atom(name, terms, line):
            return true(Atom(name, bound(terms, binding), line))
        case Equal(terms):
            left, right = bound(terms, binding)
            return left == right
        case Compare():
            raise AssertionError("comparisons must be replaced by facts first")
        case Not(part):
            return not holds(part, binding, values, true)
        case And(parts):
            return all(holds(part, binding, values, true) for part in parts)
        case Or(parts):
            return any(holds(part, binding, values, true) for part in parts)
        case Every(variable, part) | Some(variable, part):
            bindings = ({**binding, variable.name: value} for value in values(variable))
            each = (holds(part, one, values, true) for one in bindings)
            return all(each) if isinstance(formula, Every) else any(each)
