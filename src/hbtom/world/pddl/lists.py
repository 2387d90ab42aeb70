"""The parts of lists in PDDL: names, names with types, and how many parts there are."""

from __future__ import annotations

from collections.abc import Sequence

from hbtom.world.pddl.formula import Typed
from hbtom.world.pddl.syntax import Form, Node, Word, bad, short

MOST_TYPES = 64  # in a choice of types


def read_typed(nodes: Sequence[Node], *, variables: bool = False) -> tuple[Typed, ...]:
    """Read names or variables; a dash and a type may follow any number of them."""
    typed: dict[str, Typed] = {}
    run: list[str] = []
    rest = iter(nodes)
    for node in rest:
        name = name_of(node)
        if name == "-":
            kind = next(rest, None)
            if kind is None or not run:
                raise bad(node.line, "a dash must be between names and their type")
            types = _types(kind)
            typed.update((one, Typed(one, types)) for one in run)
            run = []
            continue
        if name in typed:
            raise bad(node.line, f"'{name}' is named twice")
        if name.startswith("?") != variables:
            expected = "a variable, which begins with '?'" if variables else "a name without '?'"
            raise bad(node.line, f"'{name}' is not {expected}")
        typed[name] = Typed(name)
        run.append(name)
    return tuple(typed.values())


def _types(node: Node) -> tuple[str, ...]:
    if isinstance(node, Word):
        return (node.text,)
    if node.head != "either" or len(node.parts) < 2:
        raise bad(node.line, f"{short(node)} is not a type")
    if len(node.parts) > MOST_TYPES + 1:
        raise bad(node.line, f"{short(node)} is of more than {MOST_TYPES} types")
    return tuple(name_of(part) for part in node.parts[1:])


def name_of(node: Node) -> str:
    """Return a single word."""
    if isinstance(node, Form):
        raise bad(node.line, f"{short(node)} is not a name")
    return node.text


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the parts of a list."""
    if isinstance(node, Word):
        raise bad(node.line, f"'{node.text}' is not a list in parentheses", "write (at a b)")
    return node.parts


def exactly(count: int, node: Form) -> tuple[Node, ...]:
    """Return the parts after the first word of a list; there must be ``count``."""
    if len(node.parts) != count + 1:
        problem = f"'{node.head}' takes {count} terms, but {short(node)} has {len(node.parts) - 1}"
        raise bad(node.line, problem)
    return node.parts[1:]
