"""Derived predicates: facts that follow from others. When read, their conditions replace them.

    (:derived (reachable ?p - place) (exists (?q - place) (and (road ?q ?p) (at ?q))))

There may be several rules for a predicate, and rules may use other derived predicates. Recursive
predicates keep their names for now (:mod:`hbtom.world.pddl.recursion`). No predicate may follow
from its own negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hbtom.world.pddl.expressions import Atom
from hbtom.world.pddl.formula import And, Every, Formula, Not, Or, Some, Typed, with_values
from hbtom.world.pddl.language import Language, Rule
from hbtom.world.pddl.lists import exactly, parts_of
from hbtom.world.pddl.syntax import Form, Node, Word, bad, short


def with_derived(language: Language, sections: Sequence[Form]) -> Language:
    """Return a language with its derived predicates; those used by others are read first."""
    rules: dict[str, list[Form]] = {}
    for section in sections:
        head = exactly(2, section)[0]
        if isinstance(head, Word) or not head.head:
            raise bad(head.line, f"'{short(head)}' is not a predicate with its variables")
        rules.setdefault(head.head, []).append(section)
    for group in _groups(rules):
        if group[0] in _uses(group[0], rules):
            for name in group:
                head = rules[name][0].parts[1]
                slots = {name: language.typed(parts_of(head)[1:], variables=True)}
                language = replace(language, predicates={**slots, **language.predicates})
            language = replace(
                language,
                recursive=(*language.recursive, group),
                derived={**language.derived, **dict.fromkeys(group, ())},
            )
        for name in group:
            read = [_rule(language, section, number) for number, section in enumerate(rules[name])]
            slots = {name: read[0].parameters, **language.predicates}
            language = replace(language, predicates=slots, derived={**language.derived, name: read})
            for rule in read:
                _check_negation(rule.body, group, rule.line)
    return language


def _groups(rules: Mapping[str, Sequence[Form]]) -> list[tuple[str, ...]]:
    """Return groups of derived predicates that use each other, each after all that it uses."""
    uses = {name: _uses(name, rules) for name in rules}
    same = {name: tuple(one for one in rules if _same(name, one, uses)) for name in rules}
    groups = dict.fromkeys(same.values())
    return sorted(groups, key=lambda group: len(uses[group[0]] | {*group}))


def _same(one: str, other: str, uses: Mapping[str, set[str]]) -> bool:
    return one == other or (one in uses[other] and other in uses[one])


def _uses(name: str, rules: Mapping[str, Sequence[Form]]) -> set[str]:
    """Return all derived predicates that the given one uses, directly or indirectly."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for section in rules[waiting.pop()]:
            new = {*_heads(section.parts[2])} & rules.keys() - found
            found |= new
            waiting += new
    return found


def _heads(node: Node) -> Iterator[str]:
    if isinstance(node, Form):
        yield node.head
        for part in node.parts:
            yield from _heads(part)


def _check_negation(
    formula: Formula, group: Sequence[str], line: int, positive: bool = True
) -> None:
    match formula:
        case Atom(name) if name in group and not positive:
            hint = "write the domain without it: nothing can follow from its own negation"
            raise bad(line, f"'{name}' is derived from its own negation", hint)
        case Not(part):
            _check_negation(part, group, line, not positive)
        case And(parts) | Or(parts):
            for part in parts:
                _check_negation(part, group, line, positive)
        case Every(_, part) | Some(_, part):
            _check_negation(part, group, line, positive)


def _rule(language: Language, section: Form, number: int) -> Rule:
    head, body = exactly(2, section)
    parameters = language.typed(parts_of(head)[1:], variables=True)
    assert isinstance(head, Form)
    known = language.predicates.get(head.head, parameters)
    if len(known) != len(parameters):
        problem = f"'{head.head}' has {len(known)} terms elsewhere, not {len(parameters)}"
        raise bad(head.line, problem)
    formula = language.formula(body, {one.name: one for one in parameters})
    return Rule(parameters, _renamed(formula, f"#{head.head}{number}"), section.line)


def _renamed(formula: Formula, mark: str) -> Formula:
    """Return a condition whose quantified variables are renamed by a mark, so that they differ."""
    match formula:
        case Not(part):
            return Not(_renamed(part, mark))
        case And(parts) | Or(parts):
            return type(formula)(tuple(_renamed(part, mark) for part in parts))
        case Every(variable, part) | Some(variable, part):
            new = Typed(variable.name + mark, variable.types)
            inner = with_values(part, {variable.name: new.name})
            return type(formula)(new, _renamed(inner, mark))
        case _:
            return formula
