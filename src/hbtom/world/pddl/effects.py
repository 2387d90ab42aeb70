"""Reading effects: what an action changes, with certainty or by chance, and its costs.

    (probabilistic p1 effect1 p2 effect2 ...)

One of the effects happens, or nothing with the remaining probability. Several of these in one
conjunction are independent of each other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from hbtom.world.pddl.expressions import Atom, Expression
from hbtom.world.pddl.formula import And, Formula, Typed
from hbtom.world.pddl.language import Language, Scope, unsupported
from hbtom.world.pddl.lists import exactly
from hbtom.world.pddl.syntax import Form, Node, Word, bad, short

COST = "total-cost"
CHANCE = ":probabilistic-effects"
MOST_OUTCOMES = 256  # of one action
_LONGEST = 100  # digits of a probability
Variables = tuple[Typed, ...]
_PROBABILITY = re.compile(r"\d+(\.\d*)?|\.\d+|\d+/0*[1-9]\d*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Change:
    """An atom that becomes true or false, for all values of its variables that meet a condition."""

    atom: Atom
    holds: bool
    variables: Variables = ()
    condition: Formula | None = None


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A number that increases or decreases by an amount, or becomes it."""

    function: Atom
    how: str  # increase, decrease or assign
    amount: Expression
    condition: Formula | None = None


@dataclass(frozen=True)
class Outcome:
    """A possible outcome of an action, and its probability."""

    probability: float
    changes: tuple[Change, ...]
    numbers: tuple[NumberChange, ...] = ()


class Inside(NamedTuple):
    """The quantifiers and conditions that enclose an effect."""

    variables: Variables = ()
    condition: Formula | None = None


TOP_LEVEL = Inside()
Cost = float | Atom  # a number, or a function of parameters
Changes = tuple[Change | NumberChange, ...]
Branches = list[tuple[Fraction, Changes]]  # probabilities are added up without rounding
_CERTAIN = Fraction(1)
Effect = tuple[Branches, list[Cost]]


def read_effect(
    language: Language, node: Node, scope: Scope, requirements: Collection[str] = ()
) -> tuple[tuple[Outcome, ...], tuple[Cost, ...]]:
    """Read the outcomes of an action, and its costs, which are the same for all outcomes."""
    branches, costs = _Reader(language, CHANCE in requirements).effect(node, scope)
    outcomes = (_outcome(float(chance), changes) for chance, changes in branches)
    return tuple(one for one in outcomes if one.probability > 0), tuple(costs)  # may round to 0


def _outcome(chance: float, changes: Changes) -> Outcome:
    facts = tuple(one for one in changes if isinstance(one, Change))
    numbers = tuple(one for one in changes if isinstance(one, NumberChange))
    if len({one.function for one in numbers}) < len(numbers):
        twice = next(
            one for one in numbers if [o.function for o in numbers].count(one.function) > 1
        )
        problem = f"{twice.function} changes twice in one effect"
        raise bad(twice.function.line, problem, "write one change with the total amount")
    return Outcome(chance, facts, numbers)


@dataclass(frozen=True)
class _Reader:
    language: Language
    chance: bool  # whether effects may be probabilistic

    def effect(self, node: Node, scope: Scope, inside: Inside = TOP_LEVEL) -> Effect:
        if isinstance(node, Word):
            raise bad(node.line, f"'{node.text}' is not an effect", "put it in parentheses")
        if node.head == "and" or not node.parts:
            return self._together(node, scope, inside)
        if node.head == "not":
            (part,) = exactly(1, node)
            return _surely(Change(self._changed(part, scope), False, *inside)), []
        if node.head == "forall":
            return self._for_all(node, scope, inside)
        if node.head == "when":
            return self._when(node, scope, inside)
        if node.head in ("increase", "decrease", "assign"):
            return self._number(node, scope, inside)
        if node.head == "probabilistic" and self.chance:
            return self._by_chance(node, scope, inside), []
        if node.head == "probabilistic":
            hint = f"add {CHANCE} to the :requirements of the domain"
            raise bad(node.line, f"'probabilistic' needs the requirement {CHANCE}", hint)
        if node.head in ("scale-up", "scale-down", "oneof"):
            raise unsupported(node, f"'{node.head}' in an effect")
        return _surely(Change(self._changed(node, scope), True, *inside)), []

    def _changed(self, node: Node, scope: Scope) -> Atom:
        """Read a fact that changes; it must not be derived."""
        if isinstance(node, Form) and node.head in self.language.derived:
            hint = "change the facts that it follows from"
            raise bad(node.line, f"{short(node)} is derived, so no action changes it", hint)
        return self.language.atom(node, scope)

    def _together(self, node: Form, scope: Scope, inside: Inside) -> Effect:
        """Read a conjunction: every combination of the outcomes of its parts."""
        branches, costs = _surely(), []
        for part in node.parts[1:]:
            more, further = self.effect(part, scope, inside)
            if len(branches) * len(more) > MOST_OUTCOMES:
                raise _too_many(node)
            branches = _merged(
                (one * other, before + after) for one, before in branches for other, after in more
            )
            costs += further
        return branches, costs

    def _for_all(self, node: Form, scope: Scope, inside: Inside) -> Effect:
        variables, part = exactly(2, node)
        typed, within = self.language.quantified(variables, scope)
        deeper = inside._replace(variables=inside.variables + typed)
        branches, costs = self.effect(part, within, deeper)
        if costs:
            raise unsupported(node, "a cost within 'forall'")
        if len(branches) > 1:
            raise unsupported(node, "'probabilistic' within 'forall'")
        return branches, []

    def _when(self, node: Form, scope: Scope, inside: Inside) -> Effect:
        """Read an effect that happens only where a condition holds before the action."""
        condition, part = exactly(2, node)
        read = self.language.formula(condition, scope)
        both = read if inside.condition is None else And((inside.condition, read))
        branches, costs = self.effect(part, scope, inside._replace(condition=both))
        if costs:
            raise unsupported(node, "a cost within 'when'")
        if len(branches) > 1:
            raise unsupported(node, "'probabilistic' within 'when'")
        return branches, []

    def _by_chance(self, node: Form, scope: Scope, inside: Inside) -> Branches:
        parts = node.parts[1:]
        if not parts or len(parts) % 2:
            problem = f"{short(node)} needs an effect for each probability"
            raise bad(node.line, problem, "write (probabilistic NUMBER (EFFECT) …)")
        branches, left = [], _CERTAIN
        for number, part in zip(parts[::2], parts[1::2], strict=True):
            chance = _probability(number)
            left -= chance
            inner, costs = self.effect(part, scope, inside)
            if costs:
                raise unsupported(node, "a cost within 'probabilistic'")
            branches += [(chance * one, changes) for one, changes in inner]
        if left < 0:
            hint = "the rest up to 1 is the probability that nothing happens"
            problem = f"the probabilities in {short(node)} add up to {float(1 - left):g}"
            raise bad(node.line, f"{problem}, more than 1", hint)
        merged = _merged([*branches, (left, ())])
        if len(merged) > MOST_OUTCOMES:
            raise _too_many(node)
        return merged

    def _number(self, node: Form, scope: Scope, inside: Inside) -> Effect:
        """Read a change of a number, or an increase of the total cost."""
        to, amount = exactly(2, node)
        if str(to) in (f"({COST})", COST):
            if node.head != "increase":
                raise unsupported(node, f"'{node.head}' of ({COST})")
            return _surely(), [self._cost(node, scope)]
        if inside.variables:
            raise unsupported(node, "changing a number within 'forall'")
        function, by = self.language.function(to, scope), self.language.expression(amount, scope)
        return _surely(NumberChange(function, node.head, by, inside.condition)), []

    def _cost(self, node: Form, scope: Scope) -> Cost:
        """Read the amount that is added to the total cost: a number or a function."""
        _, amount = exactly(2, node)
        if COST not in self.language.functions:
            hint = f"declare ({COST}) in :functions"
            raise bad(node.line, f"there is no function '{COST}'", hint)
        if isinstance(amount, Word):
            return read_number(amount)
        if amount.head in ("+", "-", "*", "/"):
            raise unsupported(node, "arithmetic")
        return self.language.function(amount, scope)


def read_number(node: Node) -> float:
    """Read a non-negative number."""
    text = str(node)
    if not text.replace(".", "", 1).isdecimal() or not text.isascii():
        raise bad(node.line, f"'{short(node)}' is not a number of 0 or more")
    return float(text)


def _surely(*changes: Change | NumberChange) -> Branches:
    return [(_CERTAIN, changes)]


def _merged(branches: Iterable[tuple[Fraction, Changes]]) -> Branches:
    """Return the possible branches, with those that make the same changes merged."""
    chance: dict[frozenset[Change | NumberChange], Fraction] = {}
    written: dict[frozenset[Change | NumberChange], Changes] = {}
    for one, changes in branches:
        same = frozenset(changes)
        chance[same] = chance.get(same, Fraction(0)) + one
        written.setdefault(same, changes)
    return [(one, written[same]) for same, one in chance.items() if one > 0]


def _probability(node: Node) -> Fraction:
    text = str(node)
    if len(text) > _LONGEST or not _PROBABILITY.fullmatch(text):
        hint = "write it as 0.25 or 1/4"
        raise bad(node.line, f"'{short(node)}' is not a probability from 0 to 1", hint)
    chance = Fraction(text)
    if chance > 1:
        raise bad(node.line, f"the probability {short(node)} is more than 1")
    return chance


def _too_many(node: Form) -> Exception:
    problem = f"an action has more than {MOST_OUTCOMES} outcomes"
    return bad(node.line, problem, "use fewer 'probabilistic' effects in one action")
