"""Reading a domain: what there may be, and what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hbtom.world.pddl.formula import OBJECT, And, Atom, Formula, Typed
from hbtom.world.pddl.language import (
    Language,
    Scope,
    exactly,
    name_of,
    parts_of,
    read_typed,
    unsupported,
)
from hbtom.world.pddl.syntax import Form, Node, Word, bad, read_form, short

COST = "total-cost"
_REQUIREMENTS = (
    ":strips",
    ":typing",
    ":equality",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":quantified-preconditions",
    ":action-costs",
    ":adl",  # this and what follows as long as the rest of it is not used
    ":conditional-effects",
    ":fluents",
    ":numeric-fluents",
)


@dataclass(frozen=True, slots=True)
class Change:
    """An atom that becomes true, or false, for all values of some variables."""

    atom: Atom
    holds: bool
    variables: tuple[Typed, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """One thing that an action may lead to, and how probable that is."""

    probability: float
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Schema:
    """An action, before its parameters are given values."""

    name: str
    parameters: tuple[Typed, ...]
    precondition: Formula
    outcomes: tuple[Outcome, ...]
    costs: tuple[float | Atom, ...]  # numbers, and functions of parameters, that are added up
    line: int


@dataclass(frozen=True, eq=False)
class Domain:
    """A domain as it is told."""

    name: str
    language: Language
    actions: tuple[Schema, ...]

    @property
    def has_costs(self) -> bool:
        return any(action.costs for action in self.actions)


def read_domain(text: str) -> Domain:
    """Read a domain from PDDL; what cannot be understood is refused, with its line."""
    name, sections = define(read_form(text), "domain")
    types: dict[str, tuple[str, ...]] = {}
    constants: tuple[Typed, ...] = ()
    predicates: dict[str, tuple[Typed, ...]] = {}
    functions: dict[str, tuple[Typed, ...]] = {}
    for section in sections:
        if section.head == ":requirements":
            check_requirements(section)
        elif section.head == ":types":
            types = {one.name: one.types for one in read_typed(section.parts[1:])}
            missing = {above for kinds in types.values() for above in kinds} - {OBJECT}
            types |= dict.fromkeys(sorted(missing - set(types)), (OBJECT,))
    bare = Language(types, {}, {}, {})
    for section in sections:
        if section.head == ":constants":
            constants = bare.typed(section.parts[1:])
        elif section.head == ":predicates":
            predicates = _signatures(bare, section.parts[1:])
        elif section.head == ":functions":
            functions = _signatures(bare, _without_number(section.parts[1:]))
    language = Language(types, {one.name: one for one in constants}, predicates, functions)
    actions: dict[str, Schema] = {}
    for section in sections:
        if section.head == ":action":
            action = _action(language, section)
            if action.name in actions:
                raise bad(section.line, f"there are two actions '{action.name}'")
            actions[action.name] = action
        elif section.head not in _SECTIONS:
            raise unsupported(section, f"'{section.head or short(section)}' in a domain")
    if not actions:
        raise bad(1, "the domain has no actions")
    return Domain(name, language, tuple(actions.values()))


_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")


def define(form: Form, kind: str) -> tuple[str, tuple[Form, ...]]:
    """Return the name and the sections of ``(define (kind name) section ...)``."""
    title = form.parts[1] if len(form.parts) > 1 else form
    if form.head != "define" or isinstance(title, Word) or title.head != kind:
        raise bad(form.line, f"this is not a {kind}", f"it is to begin with (define ({kind} NAME)")
    (name,) = exactly(1, title)
    sections = form.parts[2:]
    for section in sections:
        if isinstance(section, Word):
            raise bad(section.line, f"'{section.text}' stands outside of all sections")
    return name_of(name), tuple(one for one in sections if isinstance(one, Form))


def check_requirements(section: Form) -> None:
    """Refuse requirements that cannot be met."""
    for part in section.parts[1:]:
        if name_of(part) not in _REQUIREMENTS:
            raise unsupported(part, f"the requirement {part}")


def _signatures(language: Language, nodes: Iterable[Node]) -> dict[str, tuple[Typed, ...]]:
    """Read predicates or functions, each with its variables."""
    signatures: dict[str, tuple[Typed, ...]] = {}
    for node in nodes:
        if isinstance(node, Word) or not node.head:
            raise bad(
                node.line, f"'{short(node)}' is not a name with its variables, in parentheses"
            )
        if node.head in signatures:
            raise bad(node.line, f"'{node.head}' is declared twice")
        signatures[node.head] = language.typed(node.parts[1:], variables=True)
    return signatures


def _without_number(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield functions, without the type that may follow them: all are numbers."""
    rest = iter(nodes)
    for node in rest:
        if isinstance(node, Form):
            yield node
        else:
            kind = next(rest, node)
            if node.text != "-" or str(kind) != "number":
                raise unsupported(kind, "a function that is no number")


# Actions


def _action(language: Language, section: Form) -> Schema:
    if len(section.parts) < 2:
        raise bad(section.line, "an action has no name")
    name, fields = name_of(section.parts[1]), section.parts[2:]
    given = {name_of(key): value for key, value in zip(fields[::2], fields[1::2], strict=False)}
    for key in fields[::2]:
        if name_of(key) not in (":parameters", ":precondition", ":effect"):
            raise unsupported(key, f"'{key}' in the action '{name}'")
    if len(given) * 2 != len(fields) or ":effect" not in given:
        problem = f"the action '{name}' is not complete, or says something twice"
        raise bad(section.line, problem, "it has :parameters, :precondition and :effect")
    nodes = parts_of(given[":parameters"]) if ":parameters" in given else ()
    parameters = language.typed(nodes, variables=True)
    scope = {one.name: one for one in parameters}
    condition = given.get(":precondition")
    precondition = And(()) if condition is None else language.formula(condition, scope)
    changes, costs = _effect(language, given[":effect"], scope)
    outcome = Outcome(1.0, tuple(changes))
    return Schema(name, parameters, precondition, (outcome,), tuple(costs), section.line)


def _effect(
    language: Language, node: Node, scope: Scope, every: tuple[Typed, ...] = ()
) -> tuple[list[Change], list[float | Atom]]:
    """Read what an action changes, and what it costs."""
    if isinstance(node, Word):
        raise bad(node.line, f"'{node.text}' is not an effect", "put it in parentheses")
    changes: list[Change] = []
    costs: list[float | Atom] = []
    if node.head == "and" or not node.parts:
        for part in node.parts[1:]:
            more, further = _effect(language, part, scope, every)
            changes += more
            costs += further
    elif node.head == "not":
        (part,) = exactly(1, node)
        changes.append(Change(language.atom(part, scope), False, every))
    elif node.head == "forall":
        variables, part = exactly(2, node)
        typed, inside = language.quantified(variables, scope)
        more, further = _effect(language, part, inside, every + typed)
        if further:
            raise unsupported(node, "a cost within 'forall'")
        changes += more
    elif node.head == "increase":
        costs.append(_cost(language, node, scope))
    elif node.head in ("when", "assign", "decrease", "scale-up", "scale-down", *_CHANCE):
        raise unsupported(node, f"'{node.head}' in an effect")
    else:
        changes.append(Change(language.atom(node, scope), True, every))
    return changes, costs


_CHANCE = ("probabilistic", "oneof")


def _cost(language: Language, node: Form, scope: Scope) -> float | Atom:
    """Read what is added to the total cost: a number, or a function."""
    to, amount = exactly(2, node)
    if str(to) not in (f"({COST})", COST):
        raise unsupported(node, f"a number other than ({COST}) that changes")
    if COST not in language.functions:
        raise bad(node.line, f"there is no function '{COST}'", f"declare ({COST}) in :functions")
    if isinstance(amount, Word):
        return number(amount)
    if amount.head in ("+", "-", "*", "/"):
        raise unsupported(node, "arithmetic")
    return language.function(amount, scope)


def number(node: Node) -> float:
    """Read a number that is not negative."""
    text = str(node)
    if not text.replace(".", "", 1).isdecimal() or not text.isascii():
        raise bad(node.line, f"'{short(node)}' is no number of 0 or more")
    return float(text)
