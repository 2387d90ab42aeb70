"""Mutations of nested values, as in JSON: lists, dictionaries, numbers and texts."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

DEEP = "\x00deep\x00"  # stands for deeply nested lists, which json.dumps would refuse
NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 2, 0.5, 1e-9, 5e-324, 1e15, 1e308, -1e308, float("nan"), float("inf"),
    2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**400, True, False,
)  # fmt: skip
TEXTS = (
    "", " ", "0", "-1", "nan", "1e999", "null", "e", "u", ".", "..", "/", "../../x", "a/b", "C:\\x",
    "=1+1", "'", '"', "\x00", "\n", "\r", "\x1b[2J", "\u2028", "\u202e", "\ud800", "\U0001f600",
    "x" * 5000, "%s", "{}", "<b>",
)  # fmt: skip
_MANY = 60  # repetitions, at most

Change = Callable[[Any, Any], None]  # changes an entry of a list or a dictionary, in place


def several(rng: Random) -> range:
    """Return how many changes to make: mostly one, so that its effect is clear."""
    return range(rng.choice((1, 1, 1, 2, 3, 6)))


def changed_value(rng: Random, value: Any, *, alike: bool = False) -> Any:
    """Change a value in one place, or in the same way in many similar places.

    If ``alike`` is true, the new part is of the same kind as the old one, so that the value is not
    refused at once because of its shape.
    """
    value = copy.deepcopy(value)
    for _ in several(rng):
        path = _path(rng, value)
        if not path:
            return value if alike else strange(rng, value)
        there = _at(value, path)
        new = _another(rng, value, there) if alike else strange(rng, there)
        change = _change(rng, new, alike)
        for parent in list(_parents(value, path, everywhere=rng.random() < 0.4)):
            change(parent, path[-1])
    return value


def strange(rng: Random, value: Any = None) -> Any:
    """Return something unexpected."""
    if _is_number(value) and rng.random() < 0.6:
        return rng.choice((_near(rng, value), f"{value}", [value]))
    made = None, rng.choice(NUMBERS), rng.choice(NUMBERS), rng.choice(TEXTS), DEEP
    return rng.choice((*made, [], {}, [value], {"x": value}))


def _another(rng: Random, whole: Any, value: Any) -> Any:
    """Return something of the same kind: unusual, nearly the same, or from another place."""
    for _ in range(20):
        other = _at(whole, _path(rng, whole))
        if _alike(other, value) and other != value and rng.random() < 0.8:
            return copy.deepcopy(other)
    if _is_number(value):
        return _near(rng, value) if rng.random() < 0.6 else rng.choice(NUMBERS)
    if isinstance(value, str):
        return rng.choice(TEXTS)
    if isinstance(value, list):
        mixed = rng.sample(value, len(value))
        return rng.choice((value[::-1], value[:1], value[1:], value * 2, mixed))
    return value


def _alike(one: Any, other: Any) -> bool:
    """Return whether two values are of one type, lists of one length, or texts of one kind."""
    if type(one) is not type(other):
        return False
    if isinstance(one, str):
        return one[:1] == other[:1] or (one[:1].isalpha() and other[:1].isalpha())
    return not isinstance(one, list) or len(one) == len(other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e9


def _near(rng: Random, value: float) -> float:
    return rng.choice((-value, value + 1, value - 0.5, value * 10, value * 1000, value * 1e-3))


# Places


def _path(rng: Random, value: Any) -> list[Any]:
    """Return the path to a place; it may end at each level, so that all depths are likely."""
    path: list[Any] = []
    while isinstance(value, list | dict) and value and (not path or rng.random() < 0.85):
        key = rng.randrange(len(value)) if isinstance(value, list) else rng.choice(list(value))
        path.append(key)
        value = value[key]
    return path


def _at(value: Any, path: Sequence[Any]) -> Any:
    for key in path:
        value = value[key]
    return value


def _parents(value: Any, path: Sequence[Any], everywhere: bool) -> Iterator[Any]:
    """Yield the parent of the place at a path, or those at all similar paths."""
    if len(path) == 1:
        if isinstance(value, list | dict):
            yield value
        return
    nexts: list[Any] = []
    if everywhere and isinstance(value, list):
        nexts = value
    elif _has(value, path[0]):
        nexts = [value[path[0]]]
    for each in nexts:
        yield from _parents(each, path[1:], everywhere)


def _has(value: Any, key: Any) -> bool:
    if isinstance(value, list):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value


# Changes


def _change(rng: Random, new: Any, alike: bool) -> Change:
    """Return a change that can be made in several places."""
    name, times = rng.choice(TEXTS), rng.choice((2, 3, _MANY))

    def replace(parent: Any, key: Any) -> None:
        parent[key] = new

    def remove(parent: Any, key: Any) -> None:
        del parent[key]

    def repeat(parent: Any, key: Any) -> None:
        if isinstance(parent, list) and len(parent) < _MANY:
            parent[key:key] = [parent[key]] * times

    def cut(parent: Any, key: Any) -> None:
        if isinstance(parent, list):
            del parent[key:]

    def rename(parent: Any, key: Any) -> None:
        if isinstance(parent, dict):
            parent[name] = parent.pop(key)

    do = rng.choices((replace, repeat, cut, remove, rename), (12, 2, 1, 2, 0 if alike else 2))[0]

    def change(parent: Any, key: Any) -> None:
        if _has(parent, key) and not (alike and do is remove and isinstance(parent, dict)):
            do(parent, key)

    return change


# As text


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON, with NaN and Infinity as Python writes them."""
    deep = "[" * 50_000 + "]" * 50_000
    return json.dumps(value).replace(json.dumps(DEEP), deep).encode(errors="replace")


def changed_lists(rng: Random, text: str) -> str:
    """Change text made of nested lists, such as PDDL, and keep its parentheses balanced."""
    lists = _lists(text)
    inner = [one for one in _within(lists) if isinstance(one, list) and one]
    for one in rng.sample(inner, min(len(inner), len(several(rng)))):
        at = rng.randrange(len(one))
        _change(rng, _another(rng, lists, one[at]), alike=True)(one, at)
    return " ".join(map(_written, lists))


def _within(lists: list[Any]) -> Iterator[Any]:
    for one in lists:
        yield one
        if isinstance(one, list):
            yield from _within(one)


def _lists(text: str) -> list[Any]:
    """Return the lists of a text and the words between them, with line ends outside of lists."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()\n]|[^()\s]+", re.sub(";.*", "", text)):
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            closed = stack.pop()
            stack[-1].append(closed)
        elif token not in (")", "\n") or len(stack) == 1:
            stack[-1].append(token)
    return stack[0]


def _written(value: Any) -> str:
    return f"({' '.join(map(_written, value))})" if isinstance(value, list) else str(value)
