"""From numbers to facts: a problem whose actions change numbers becomes one without numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress
from operator import not_

from hbtom.world.pddl.arithmetic import (
    DIGITS,
    MOST_VALUES,
    PossibleValues,
    calculate,
    functions_in,
    is_so,
    value_fact,
)
from hbtom.world.pddl.domain import Domain, Schema
from hbtom.world.pddl.effects import Change, NumberChange, Outcome
from hbtom.world.pddl.expressions import Atom, Compare
from hbtom.world.pddl.formula import And, Formula
from hbtom.world.pddl.language import Language
from hbtom.world.pddl.syntax import bad

Numbers = dict[tuple[str, ...], float]


def without_numbers(
    domain: Domain, language: Language, numbers: Numbers
) -> tuple[Domain, Language, list[tuple[str, ...]]]:
    """Return actions and a language in which the values of numbers are facts; and initial facts.

    If no action changes a number, there are no such facts, but the language can compare numbers.
    """
    changes = [(schema, one) for schema in domain.actions for one in _changes(schema)]
    names = list(dict.fromkeys(change.function.name for _, change in changes))
    for schema in domain.actions:
        for cost in schema.costs:
            if isinstance(cost, Atom) and cost.name in names:
                hint = "use a number that does not change"
                raise bad(cost.line, f"{cost} changes, so it cannot be a cost", hint)
    for _, change in changes:
        if not any(key[0] == change.function.name for key in numbers):
            problem = f"the number '{change.function.name}' has no initial value"
            raise bad(change.function.line, problem, "add (= (…) …) to :init of the problem")
    possible = _closure(changes, names, numbers)
    facts = {
        value_fact(Atom(name, ()), value).name: language.functions[name]
        for name in names
        for value in (*possible.changing[name], None)
    }
    predicates = {**language.predicates, **facts}
    language = replace(language, predicates=predicates, possible=possible)
    actions = tuple(one for schema in domain.actions for one in _variants(schema, possible))
    first = [
        (value_fact(Atom(name, ()), value).name, *objects)
        for (name, *objects), value in numbers.items()
        if name in names
    ]
    return replace(domain, actions=actions), language, first


def _changes(schema: Schema) -> Iterator[NumberChange]:
    for outcome in schema.outcomes:
        yield from outcome.numbers


def _closure(
    changes: list[tuple[Schema, NumberChange]], names: list[str], numbers: Numbers
) -> PossibleValues:
    """Return all values that numbers can have, up to the limit."""
    still = {key: value for key, value in numbers.items() if key[0] not in names}
    values = {
        name: tuple(dict.fromkeys(value for key, value in numbers.items() if key[0] == name))
        for name in names
    }
    while True:
        possible = PossibleValues(values, still)
        more = dict(values)
        for schema, change in changes:
            known = more[change.function.name]
            new = (value for value in _results(schema, change, possible) if value not in known)
            whole = tuple(dict.fromkeys((*known, *new)))
            more[change.function.name] = whole[: max(MOST_VALUES, len(known))]
        if more == values:
            return possible
        values = more


def _results(schema: Schema, change: NumberChange, possible: PossibleValues) -> Iterator[float]:
    """Yield the values that a change may lead to, as far as comparisons allow."""
    conditions = [schema.precondition, *([] if change.condition is None else [change.condition])]
    compared = [one for formula in conditions for one in _comparisons(formula)]
    functions = functions_in(change.function, change.amount)
    matters = [not {*functions}.isdisjoint(functions_in(*one.sides)) for one in compared]
    if not all(_may_be(one, {}, possible) for one in compress(compared, map(not_, matters))):
        return
    for _, known in possible.assignments(functions, schema.line):
        if all(_may_be(one, known, possible) for one in compress(compared, matters)):
            yield _result(change, known)


def _comparisons(formula: Formula) -> Iterator[Compare]:
    if isinstance(formula, Compare):
        yield formula
    for part in formula.parts if isinstance(formula, And) else ():
        yield from _comparisons(part)


def _may_be(compare: Compare, known: dict[Atom, float], possible: PossibleValues) -> bool:
    others = [one for one in functions_in(*compare.sides) if one not in known]
    some = possible.assignments(others, compare.line)
    return any(is_so(compare, {**known, **more}) for _, more in some)


def _result(change: NumberChange, known: dict[Atom, float]) -> float:
    amount = calculate(change.amount, known)
    sign = {"increase": 1.0, "decrease": -1.0, "assign": 0.0}[change.how]
    before = known[change.function]
    return round(before + sign * amount if sign else amount, DIGITS) + 0.0


def _variants(schema: Schema, possible: PossibleValues) -> Iterator[Schema]:
    """Yield an action for each combination of the values that it changes."""
    functions = functions_in(
        *(part for one in _changes(schema) for part in (one.function, one.amount))
    )
    for needs, known in possible.assignments(functions, schema.line):
        precondition = possible.spelled_out(schema.precondition, known)
        outcomes = tuple(
            Outcome(
                one.probability,
                (
                    *(_spelled_out(change, known, possible) for change in one.changes),
                    *(fact for change in one.numbers for fact in _facts(change, known, possible)),
                ),
            )
            for one in schema.outcomes
        )
        whole = And((precondition, *needs)) if needs else precondition
        yield replace(schema, precondition=whole, outcomes=outcomes)


def _spelled_out(change: Change, known: dict[Atom, float], possible: PossibleValues) -> Change:
    if change.condition is None:
        return change
    return replace(change, condition=possible.spelled_out(change.condition, known))


def _facts(
    change: NumberChange, known: dict[Atom, float], possible: PossibleValues
) -> Iterator[Change]:
    """Yield the changes of the facts that stand for the values of a number."""
    before, after = known[change.function], _result(change, known)
    if before == after:
        return
    given = change.condition
    condition = None if given is None else possible.spelled_out(given, known)
    there = after if after in possible.changing[change.function.name] else None
    yield Change(value_fact(change.function, before), False, (), condition)
    yield Change(value_fact(change.function, there), True, (), condition)
