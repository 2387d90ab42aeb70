"""The parts of conditions: atoms, numbers, and comparisons of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Binding = Mapping[str, str]  # from variables to objects


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate or a function of terms; variables begin with a question mark."""

    name: str
    terms: tuple[str, ...]
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.terms))})"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A sum, difference or product of numbers."""

    sign: str  # one of + - *
    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"({' '.join((self.sign, *map(written, self.parts)))})"


Expression = float | Atom | Arithmetic  # a number, a function of terms, or a calculation


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of numbers. Facts replace it before a condition is split into cases."""

    sign: str  # one of = < > <= >=
    sides: tuple[Expression, Expression]
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"({' '.join((self.sign, *map(written, self.sides)))})"


def written(number: Expression) -> str:
    """Return a number or a calculation as it is written."""
    return f"{number:g}" if isinstance(number, float) else str(number)


def bound(terms: Sequence[str], binding: Binding) -> tuple[str, ...]:
    """Return terms with their bound variables replaced."""
    return tuple(binding.get(term, term) for term in terms)


def number_with_values(number: Expression, binding: Binding) -> Expression:
    """Return an expression with its bound variables replaced."""
    match number:
        case Atom(name, terms, line):
            return Atom(name, bound(terms, binding), line)
        case Arithmetic(sign, parts):
            return Arithmetic(sign, tuple(number_with_values(part, binding) for part in parts))
        case _:
            return number
