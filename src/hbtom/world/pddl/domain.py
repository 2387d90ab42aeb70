"""Reading a domain: types, predicates, functions and actions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hbtom.errors import BadInput, located
from hbtom.world.pddl.derived import with_derived
from hbtom.world.pddl.effects import CHANCE, Cost, Outcome, read_effect
from hbtom.world.pddl.formula import OBJECT, And, Formula, Typed
from hbtom.world.pddl.language import Language, unsupported
from hbtom.world.pddl.lists import exactly, name_of, parts_of, read_typed
from hbtom.world.pddl.syntax import Form, Node, Word, bad, read_form, short

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
    CHANCE,
    ":adl",  # of this and the following, only the supported part may be used
    ":conditional-effects",
    ":derived-predicates",
    ":fluents",
    ":numeric-fluents",
    ":durative-actions",
    ":duration-inequalities",
    ":timed-initial-literals",
    ":preferences",
    ":constraints",
    ":goal-utilities",
)


@dataclass(frozen=True)
class Schema:
    """An action whose parameters have no values yet."""

    name: str
    parameters: tuple[Typed, ...]
    precondition: Formula
    outcomes: tuple[Outcome, ...]
    costs: tuple[Cost, ...]  # to be added up
    line: int


@dataclass(frozen=True, eq=False)
class Domain:
    """A domain as it is written."""

    name: str
    language: Language
    actions: tuple[Schema, ...]  # several may have the same name


def read_domain(text: str) -> Domain:
    """Read a domain from PDDL; errors name the line."""
    name, sections = define(read_form(text), "domain")
    requirements: tuple[str, ...] = ()
    types: dict[str, tuple[str, ...]] = {}
    constants: tuple[Typed, ...] = ()
    predicates: dict[str, tuple[Typed, ...]] = {}
    functions: dict[str, tuple[Typed, ...]] = {}
    for section in sections:
        if section.head == ":requirements":
            requirements = check_requirements(section)
        elif section.head == ":types":
            types = {one.name: one.types for one in read_typed(section.parts[1:])}
            missing = {above for kinds in types.values() for above in kinds} - {OBJECT}
            types |= dict.fromkeys(sorted(missing - set(types)), (OBJECT,))
    bare = Language(types, {}, {}, {})
    for section in sections:
        if section.head == ":types":
            with located(line=section.line):
                _ = bare.above  # counts them
        elif section.head == ":constants":
            constants = bare.typed(section.parts[1:])
        elif section.head == ":predicates":
            predicates = _signatures(bare, section.parts[1:])
        elif section.head == ":functions":
            functions = _signatures(bare, _without_number(section.parts[1:]))
    language = Language(types, {one.name: one for one in constants}, predicates, functions)
    language = with_derived(language, [one for one in sections if one.head == ":derived"])
    actions: list[Schema] = []
    for section in sections:
        if section.head == ":action":
            actions.append(_action(language, section, requirements))
        elif section.head not in _SECTIONS:
            raise unknown_section(section, "domain", (*_SECTIONS, ":action"))
    if not actions:
        raise bad(1, "the domain has no actions")
    return Domain(name, language, tuple(actions))


_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":derived")


def define(form: Form, kind: str) -> tuple[str, tuple[Form, ...]]:
    """Return the name and the sections of ``(define (kind name) section ...)``."""
    title = form.parts[1] if len(form.parts) > 1 else form
    if form.head != "define" or isinstance(title, Word) or title.head != kind:
        raise bad(form.line, f"this is not a {kind}", f"it must begin with (define ({kind} NAME)")
    (name,) = exactly(1, title)
    sections = form.parts[2:]
    for section in sections:
        if isinstance(section, Word):
            raise bad(section.line, f"'{section.text}' is outside of all sections")
    return name_of(name), tuple(one for one in sections if isinstance(one, Form))


def unknown_section(section: Form, kind: str, known: Sequence[str]) -> BadInput:
    """Return the error for a section that is not supported or is misspelt."""
    problem = f"'{section.head or short(section)}' in a {kind} is not supported"
    return bad(section.line, problem, f"the sections of a {kind} are {', '.join(known)}")


def check_requirements(section: Form) -> tuple[str, ...]:
    """Return the requirements; reject those that are not supported."""
    for part in section.parts[1:]:
        if name_of(part) not in _REQUIREMENTS:
            raise unsupported(part, f"the requirement {part}")
    return tuple(map(name_of, section.parts[1:]))


def _signatures(language: Language, nodes: Iterable[Node]) -> dict[str, tuple[Typed, ...]]:
    """Read predicates or functions, each with its variables."""
    signatures: dict[str, tuple[Typed, ...]] = {}
    for node in nodes:
        if isinstance(node, Word) or not node.head:
            raise bad(node.line, f"'{short(node)}' is not a name with variables in parentheses")
        if node.head in signatures:
            raise bad(node.line, f"'{node.head}' is declared twice")
        signatures[node.head] = language.typed(node.parts[1:], variables=True)
    return signatures


_NUMBERS = ("number", "integer", "numeric")


def _without_number(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield functions without the type that may follow them, which must be ``number``."""
    rest = iter(nodes)
    for node in rest:
        if isinstance(node, Form):
            yield node
        else:
            kind = next(rest, node)
            if node.text != "-" or str(kind) not in _NUMBERS:
                raise unsupported(kind, "a function that is not a number")


# Actions


def _action(language: Language, section: Form, requirements: Collection[str]) -> Schema:
    if len(section.parts) < 2:
        raise bad(section.line, "an action has no name")
    name, fields = name_of(section.parts[1]), section.parts[2:]
    given = {name_of(key): value for key, value in zip(fields[::2], fields[1::2], strict=False)}
    for key in fields[::2]:
        if name_of(key) not in (":parameters", ":precondition", ":effect"):
            raise unsupported(key, f"'{key}' in the action '{name}'")
    if len(given) * 2 != len(fields) or ":effect" not in given:
        problem = f"the action '{name}' is incomplete, or has a field twice"
        raise bad(section.line, problem, "it needs :parameters, :precondition and :effect")
    nodes = parts_of(given[":parameters"]) if ":parameters" in given else ()
    parameters = language.typed(nodes, variables=True)
    scope = {one.name: one for one in parameters}
    condition = given.get(":precondition")
    precondition = And(()) if condition is None else language.formula(condition, scope)
    outcomes, costs = read_effect(language, given[":effect"], scope, requirements)
    return Schema(name, parameters, precondition, outcomes, costs, section.line)
