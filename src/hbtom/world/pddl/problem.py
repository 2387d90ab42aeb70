"""Reading a problem: its objects and the initial state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hbtom.world.pddl.domain import Domain, check_requirements, define, unknown_section
from hbtom.world.pddl.effects import COST, read_number
from hbtom.world.pddl.expressions import Atom
from hbtom.world.pddl.formula import Typed
from hbtom.world.pddl.language import Language, unsupported
from hbtom.world.pddl.lists import exactly, name_of
from hbtom.world.pddl.numeric import without_numbers
from hbtom.world.pddl.recursion import without_recursion
from hbtom.world.pddl.syntax import Form, Node, Word, bad, read_form, short

Ground = tuple[str, ...]  # a predicate or function with its objects, as in ("at", "cell-3-4")


@dataclass(frozen=True, eq=False)
class Problem:
    """A problem as it is written, in the language of its domain and with its own objects."""

    name: str
    domain: Domain
    language: Language
    true: Mapping[Ground, int]  # the facts that are true initially, each with its line
    numbers: Mapping[Ground, float]
    by_cost: bool  # whether plans are compared by cost rather than by length


def read_problem(text: str, domain: Domain, *, check_domain: bool = True) -> Problem:
    """Read a problem of a domain from PDDL; by default it must name the domain."""
    name, sections = define(read_form(text), "problem")
    told = {section.head: section for section in sections}
    for section in sections:
        if told[section.head] is not section:
            raise bad(told[section.head].line, f"the problem has '{section.head}' twice")
        if section.head not in _SECTIONS:
            raise unknown_section(section, "problem", _SECTIONS)
    if ":requirements" in told:
        check_requirements(told[":requirements"])
    if check_domain:
        _check_domain(told, domain, name)
    language = domain.language.with_objects(_objects(told.get(":objects"), domain.language))
    init = told[":init"].parts[1:] if ":init" in told else ()
    true, numbers = _init(init, language)
    domain, language, first = without_numbers(domain, language, numbers)
    true |= dict.fromkeys(first, 1)
    domain, language = without_recursion(domain, language, true)
    if ":goal" in told:  # not used, but it must be valid
        (goal,) = exactly(1, told[":goal"])
        language.formula(goal)
    return Problem(name, domain, language, true, numbers, _by_cost(told.get(":metric")))


_NOT_HERE = ("at", "probabilistic", "oneof", "unknown")  # words of other dialects
_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")


def _check_domain(told: Mapping[str, Form], domain: Domain, name: str) -> None:
    if ":domain" not in told:
        raise bad(1, f"the problem '{name}' does not name its domain", "add (:domain NAME)")
    (its,) = exactly(1, told[":domain"])
    if name_of(its) != domain.name:
        problem = f"the problem belongs to the domain '{its}', not to '{domain.name}'"
        raise bad(its.line, problem, "choose a domain and a problem that belong together")


def _objects(section: Form | None, language: Language) -> tuple[Typed, ...]:
    objects = () if section is None else language.typed(section.parts[1:])
    for one in objects:
        if section is not None and language.objects.get(one.name, one) != one:
            raise bad(section.line, f"'{one.name}' is a constant of another type in the domain")
    return objects


def _init(
    nodes: Sequence[Node], language: Language
) -> tuple[dict[Ground, int], dict[Ground, float]]:
    """Read the initial facts and the values of functions; all other facts are false."""
    true: dict[Ground, int] = {}
    numbers: dict[Ground, float] = {}
    others = {*_NOT_HERE} - {*language.predicates}
    for node in nodes:
        head = node.head if isinstance(node, Form) else ""
        if isinstance(node, Form) and head == "=":
            which, value = exactly(2, node)
            # Some problems write (= total-cost 0) without the inner parentheses.
            of = Form((which,), which.line) if isinstance(which, Word) else which
            function = ground_key(language.function(of))
            if numbers.setdefault(function, read_number(value)) != read_number(value):
                raise bad(node.line, f"{short(which)} has two values")
        elif isinstance(node, Form) and head == "not":
            (part,) = exactly(1, node)
            true.pop(ground_key(language.atom(part)), None)
        elif head in others:
            raise unsupported(node, f"'{head}' in :init")
        elif head in language.derived:
            raise bad(node.line, f"{short(node)} is derived: it cannot be in :init", "remove it")
        else:
            true.setdefault(ground_key(language.atom(node)), node.line)
    return true, numbers


def ground_key(atom: Atom) -> Ground:
    """Return an atom as a key of a table."""
    return (atom.name, *atom.terms)


def _by_cost(section: Form | None) -> bool:
    if section is None:
        return False
    direction, what = exactly(2, section)
    if str(direction) != "minimize" or str(what) not in (f"({COST})", COST):
        raise unsupported(section, f"a metric other than minimize ({COST})")
    return True
