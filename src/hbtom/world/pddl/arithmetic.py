"""Numbers that actions change: their possible values, each of which becomes a fact.

The value 3 of the number (keys) is the fact (keys=3). A comparison becomes a condition on these
facts, and an action that changes a number becomes several actions of the same name, one for each
value.

The possible values are those that actions can reach from the initial ones, as far as preconditions
that compare numbers allow. If there are too many, one fact stands for all further values, and it is
an error to reach it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from types import MappingProxyType

from hbtom.world.pddl.expressions import Arithmetic, Atom, Compare, Expression
from hbtom.world.pddl.formula import MOST_CASES, And, Equal, Every, Formula, Not, Or, Some
from hbtom.world.pddl.syntax import bad

MOST_VALUES = 100  # of a number that actions change
TOO_MANY = "=..."  # after the name of a number, stands for all further values
DIGITS = 9  # decimals to which numbers are compared
Values = Mapping[str, tuple[float, ...]]
Numbers = Mapping[Atom, float]
NOTHING_KNOWN: Numbers = MappingProxyType({})

_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_CALCULATED: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


def calculate(number: Expression, known: Numbers) -> float:
    """Return the value of an expression, given those of its functions."""
    match number:
        case Atom():
            return known[number]
        case Arithmetic("-", (part,)):
            return -calculate(part, known)
        case Arithmetic(sign, parts):
            return reduce(_CALCULATED[sign], (calculate(part, known) for part in parts))
        case _:
            return number


def is_so(compare: Compare, known: Numbers) -> bool:
    """Return whether a comparison holds."""
    left, right = (round(calculate(side, known), DIGITS) for side in compare.sides)
    return _COMPARED[compare.sign](left, right)


def functions_in(*numbers: Expression) -> list[Atom]:
    """Return the functions in the given expressions, each once."""
    found: dict[Atom, None] = {}
    for number in numbers:
        if isinstance(number, Atom):
            found[number] = None
        elif isinstance(number, Arithmetic):
            found.update(dict.fromkeys(functions_in(*number.parts)))
    return list(found)


def value_fact(function: Atom, value: float | None) -> Atom:
    """Return the fact that a number has a value; None stands for all values beyond the limit."""
    told = TOO_MANY if value is None else f"={value:g}"
    return Atom(function.name + told, function.terms, function.line)


@dataclass(frozen=True)
class PossibleValues:
    """The possible values of numbers: those that change, by name, and those that never do."""

    changing: Values
    still: Mapping[tuple[str, ...], float]  # by name and objects

    def options(self, function: Atom) -> Iterator[tuple[tuple[Formula, ...], float]]:
        """Yield the values of a function, each with the conditions for it."""
        if function.name in self.changing:
            for value in self.changing[function.name]:
                yield (value_fact(function, value),), value
            return
        for (name, *objects), value in self.still.items():
            pairs = list(zip(function.terms, objects, strict=False))
            if name == function.name and all(a[0] == "?" or a == b for a, b in pairs):
                yield tuple(Equal((a, b)) for a, b in pairs if a != b), value

    def assignments(
        self, functions: Sequence[Atom], line: int
    ) -> Iterator[tuple[tuple[Formula, ...], dict[Atom, float]]]:
        """Yield all combinations of the values of the given functions, with their conditions."""
        some = [list(self.options(function)) for function in functions]
        many = reduce(operator.mul, map(len, some), 1)
        if many > 10 * MOST_CASES:
            problem = f"there are {many:,} combinations of the values of numbers"
            raise bad(line, problem, "bound the numbers by preconditions, or use smaller ones")
        for chosen in product(*some):
            conditions = tuple(one for needs, _ in chosen for one in needs)
            yield conditions, dict(zip(functions, (value for _, value in chosen), strict=True))

    def spelled_out(self, formula: Formula, known: Numbers = NOTHING_KNOWN) -> Formula:
        """Return a condition in which facts replace comparisons; ``known`` values are given."""

        def part_of(one: Formula) -> Formula:
            return self.spelled_out(one, known)

        match formula:
            case Compare():
                return self._cases(formula, known)
            case Not(Compare(sign, sides, line)) if sign in _OPPOSITE:
                return self._cases(Compare(_OPPOSITE[sign], sides, line), known)
            case Not(part):
                return Not(part_of(part))
            case And(parts) | Or(parts):
                return type(formula)(tuple(map(part_of, parts)))
            case Every(variable, part) | Some(variable, part):
                inner = {one: at for one, at in known.items() if variable.name not in one.terms}
                return type(formula)(variable, self.spelled_out(part, inner))
            case _:
                return formula

    def _cases(self, compare: Compare, known: Numbers) -> Formula:
        functions = [one for one in functions_in(*compare.sides) if one not in known]
        both = self.assignments(functions, compare.line)
        return Or(tuple(And(needs) for needs, more in both if is_so(compare, {**known, **more})))
