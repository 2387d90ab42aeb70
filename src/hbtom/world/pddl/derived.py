"""Derived predicates: facts that follow from others, put in place of their names when read.

    (:derived (reachable ?p - place) (exists (?q - place) (and (road ?q ?p) (at ?q))))

There may be several rules for a predicate, and rules may use other derived predicates, but none may
follow from itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

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
    for name in _in_order(rules):
        read = [_rule(language, section, number) for number, section in enumerate(rules[name])]
        slots = {name: read[0].parameters, **language.predicates}
        language = replace(language, predicates=slots, derived={**language.derived, name: read})
    return language


def _in_order(rules: Mapping[str, Sequence[Form]]) -> list[str]:
    """Return the names of derived predicates, each after all that it uses."""
    done: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        for section in rules[name] if name not in done else ():
            for used in _heads(section.parts[2]):
                if used in (*above, name):
                    hint = (
                        "write the domain without it: rules that use themselves are not supported"
                    )
                    raise bad(section.line, f"'{used}' is derived from itself", hint)
                if used in rules:
                    visit(used, (*above, name))
        if name not in done:
            done.append(name)

    for name in rules:
        visit(name, ())
    return done


def _heads(node: Node) -> Iterator[str]:
    if isinstance(node, Form):
        yield node.head
        for part in node.parts:
            yield from _heads(part)


def _rule(language: Language, section: Form, number: int) -> Rule:
    head, body = exactly(2, section)
    parameters = language.typed(parts_of(head)[1:], variables=True)
    assert isinstance(head, Form)
    known = language.predicates.get(head.head, parameters)
    if len(known) != len(parameters):
        problem = f"'{head.head}' has {len(known)} terms elsewhere, not {len(parameters)}"
        raise bad(head.line, problem)
    formula = language.formula(body, {one.name: one for one in parameters})
    return Rule(parameters, _renamed(formula, f"#{head.head}{number}"))


def _renamed(formula: Formula, mark: str) -> Formula:
    """Return a condition whose own variables have a mark, so that they are unlike all others."""
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
