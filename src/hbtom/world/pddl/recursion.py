"""Recursive derived predicates: their least fixed points, computed once for a problem.

    (:derived (above ?a ?b) (or (on ?a ?b) (exists (?c) (and (on ?a ?c) (above ?c ?b)))))

For each recursive fact, this finds the smallest sets of literals from which it follows: first by
rules that need no recursive fact, then by rules that need the facts found so far, until there are
no more. In conditions, these literals then replace the fact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from hbtom.world.pddl.domain import Domain, Schema
from hbtom.world.pddl.effects import Outcome
from hbtom.world.pddl.expressions import Atom
from hbtom.world.pddl.formula import (
    MOST_CASES,
    And,
    Equal,
    Every,
    Formula,
    Literal,
    Not,
    Or,
    Some,
    TooManyCases,
    cases,
)
from hbtom.world.pddl.language import Language
from hbtom.world.pddl.syntax import bad

MOST_INSTANCES = 20_000  # of the rules of one predicate, with objects in place of variables
MOST_ALTERNATIVES = 100  # that an action is split into
Ground = tuple[str, ...]
Support = frozenset[Literal]  # a conjunction
Supports = dict[Ground, list[Support]]


@dataclass(frozen=True)
class _Instance:
    """A grounded case of a rule: a fact follows from facts of its own group, and other literals."""

    fact: Ground
    own: tuple[Ground, ...]
    rest: Support


def without_recursion(
    domain: Domain, language: Language, true: Collection[Ground]
) -> tuple[Domain, Language]:
    """Return actions and a language without recursive predicates."""
    changes = (one for schema in domain.actions for out in schema.outcomes for one in out.changes)
    changing = frozenset(change.atom.name for change in changes)

    def known(literal: Literal) -> bool | None:
        about = literal.about
        if isinstance(about, Equal):
            return (about.terms[0] == about.terms[1]) == literal.holds
        if about.name in language.derived or about.name in changing:
            return None
        return ((about.name, *about.terms) in true) == literal.holds

    for group in language.recursive:
        supports: Supports = {}
        some = [one for name in group for one in _instances(name, group, language, known)]
        while sum(_follows(one, supports, language) for one in some):
            pass
        closed = {name: _table(name, supports) for name in group}
        language = replace(language, closed={**language.closed, **closed})
    if not language.recursive:
        return domain, language
    derived = {
        name: [replace(rule, body=with_closed(rule.body, language)) for rule in rules]
        for name, rules in language.derived.items()
    }
    language = replace(language, derived=derived)
    actions = tuple(
        _closed_action(one, language)
        for schema in domain.actions
        for one in _alternatives(schema, language)
    )
    return replace(domain, actions=actions), language


def _instances(
    name: str,
    group: Collection[str],
    language: Language,
    known: Callable[[Literal], bool | None],
) -> Iterator[_Instance]:
    """Yield all cases of the rules of a predicate, with objects in place of variables."""
    left = MOST_INSTANCES
    for rule in language.derived[name]:
        body = with_closed(rule.body, language)
        body = language.possible.spelled_out(body) if language.possible else body
        for objects in product(*map(language.values, rule.parameters)):
            applied = replace(rule, body=body).applied(objects)
            try:
                some = cases(applied, language.values, known)
            except TooManyCases:
                some = [()] * MOST_INSTANCES
            left -= max(len(some), 1)
            if left < 0:
                problem = f"'{name}' has more than {MOST_INSTANCES:,} cases for these objects"
                raise bad(rule.line, problem, "use fewer objects, or write the domain without it")
            for case in some:
                own = [one for one in case if one.about.name in group]  # type: ignore[union-attr]
                facts = tuple((one.about.name, *one.about.terms) for one in own)  # type: ignore[union-attr]
                yield _Instance((name, *objects), facts, frozenset(case).difference(own))


def _follows(one: _Instance, supports: Supports, language: Language) -> bool:
    """Add the supports of a fact by one case of a rule; return whether any is new."""
    found = [one.rest]
    for fact in one.own:
        found = _smallest(left | right for left in found for right in supports.get(fact, ()))
    before = supports.get(one.fact, [])
    supports[one.fact] = _smallest([*before, *filter(_possible, found)])
    if len(supports[one.fact]) > MOST_CASES:
        problem = f"({' '.join(one.fact)}) follows from more than {MOST_CASES:,} sets of facts"
        hint = "use fewer objects, or write the domain without it"
        raise bad(language.derived[one.fact[0]][0].line, problem, hint)
    return supports[one.fact] != before


def _smallest(some: Iterable[Support]) -> list[Support]:
    """Return the sets that do not contain another one."""
    kept: list[Support] = []
    for one in sorted(dict.fromkeys(some), key=len):
        if len(kept) <= MOST_CASES and not any(other <= one for other in kept):
            kept.append(one)
    return kept


def _possible(some: Support) -> bool:
    return not any(Literal(one.about, not one.holds) in some for one in some)


def _table(name: str, supports: Supports) -> Mapping[Ground, Formula]:
    """Return the condition of each fact that may hold, by its objects."""
    return {fact[1:]: _either(some) for fact, some in supports.items() if fact[0] == name}


def _either(some: Iterable[Support]) -> Or:
    one_by_one = (sorted(one, key=str) for one in some)
    return Or(
        tuple(
            And(tuple(one.about if one.holds else Not(one.about) for one in literals))
            for literals in one_by_one
        )
    )


def _opposites(name: str, language: Language) -> Mapping[Ground, Formula]:
    """Return the conditions under which a fact does not hold, by its objects."""
    rule = language.derived[name][0]
    found = {}
    for objects in product(*map(language.values, rule.parameters)):
        whole: list[Support] = [frozenset()]
        for part in cases(language.closed[name].get(objects, Or(())), language.values, _unknown):
            each = [Literal(one.about, not one.holds) for one in part]
            whole = _smallest(left | {right} for left in whole for right in each)
            if len(whole) > MOST_CASES:
                problem = f"(not ({' '.join((name, *objects))})) has more than {MOST_CASES} cases"
                raise bad(rule.line, problem, "use fewer objects, or write the domain without it")
        found[objects] = _either(filter(_possible, whole))
    return found


def _unknown(literal: Literal) -> bool | None:
    return None


def with_closed(formula: Formula, language: Language, positive: bool = True) -> Formula:
    """Return a condition without recursive predicates.

    ``positive`` says that the condition itself is not negated. If it is, facts are replaced by the
    negation of their opposites, so that cases stay few.
    """
    match formula:
        case Atom(name) if name in language.closed:
            if positive:
                return language.by_objects(formula, language.closed[name])
            return Not(language.by_objects(formula, _opposites(name, language)))
        case Not(part):
            return Not(with_closed(part, language, not positive))
        case And(parts) | Or(parts):
            return type(formula)(tuple(with_closed(part, language, positive) for part in parts))
        case Every(variable, part) | Some(variable, part):
            return type(formula)(variable, with_closed(part, language, positive))
        case _:
            return formula


def _alternatives(schema: Schema, language: Language) -> list[Schema]:
    """Split an action into several: one for each way to choose objects for a recursive fact.

    The fact is the first one in the precondition, and may be negated. Each of the actions then has
    few cases.
    """
    whole = schema.precondition
    parts = whole.parts if isinstance(whole, And) else (whole,)
    for place, part in enumerate(parts):
        atom = part.part if isinstance(part, Not) else part
        if isinstance(atom, Atom) and atom.name in language.closed:
            table = language.closed[atom.name]
            table = table if part is atom else _opposites(atom.name, language)
            some = [
                replace(schema, precondition=And((*parts[:place], one, *parts[place + 1 :])))
                for one in language.by_objects(atom, table).parts
            ]
            return some if 0 < len(some) <= MOST_ALTERNATIVES else [schema]
    return [schema]


def _closed_action(schema: Schema, language: Language) -> Schema:
    outcomes = tuple(
        Outcome(
            one.probability,
            tuple(
                change
                if change.condition is None
                else replace(change, condition=with_closed(change.condition, language))
                for change in one.changes
            ),
        )
        for one in schema.outcomes
    )
    precondition = with_closed(schema.precondition, language)
    return replace(schema, precondition=precondition, outcomes=outcomes)
