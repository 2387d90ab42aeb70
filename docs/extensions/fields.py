"""List the fields of immutable values in the library reference.

    plausibility: float  # between 0 and 1

A comment like this describes a field. The reference lists the fields with their descriptions,
followed by the methods. It leaves out constructors, because users rarely call them.
"""

from __future__ import annotations

import enum
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

from msgspec import Struct
from sphinx.application import Sphinx

_COMMENT = re.compile(r"^    (\w+): [^#\n]*#\s*(.+)$", re.MULTILINE)
_NAME = re.compile(r"(?<![\w.\"'])[A-Z]\w+")
_SHAPED = re.compile(r"""Annotated\[(\w[\w.]*), ['"]([^'"]+)['"]\]""")


def describe(value: type) -> Iterator[str]:
    """Yield lines that describe each field of a class: type, array shape and comment."""
    comments = {name: _plain(text) for name, text in _COMMENT.findall(inspect.getsource(value))}
    known = vars(sys.modules[value.__module__])
    for field in fields(value):
        shape = _SHAPED.search(field.type)
        parts = [_plain(f"shape [{shape[2].replace(' ', ', ')}]")] if shape else []
        parts += [comments[field.name]] if field.name in comments else []
        yield f":ivar {field.name}: {'; '.join(parts)}"
        kind = _NAME.sub(lambda name: _full(known, name[0]), _SHAPED.sub(r"\1", field.type))
        yield f":vartype {field.name}: {kind}"


def _plain(text: str) -> str:
    """Return text with its markup escaped."""
    return re.sub(r"([|*`\\])", r"\\\1", text)


def _full(known: Mapping[str, Any], name: str) -> str:
    """Return the full name of a class of hbtom, since several may have the same short one."""
    one = known.get(name)
    ours = isinstance(one, type) and one.__module__.startswith("hbtom.")
    return f"~{one.__module__}.{name}" if ours and one is not None else name


def _document(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Add the fields to the description of a class."""
    if what == "class" and is_dataclass(value):
        lines += ["", *describe(value), ""]


def _skip(app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave fields out of the list of members."""
    is_member = inspect.isroutine(value) or isinstance(
        value, property | cached_property | enum.Enum
    )
    return True if what == "class" and not is_member else None


def _call(app: Sphinx, what: str, name: str, value: Any, *how: Any) -> tuple[str, None] | None:
    """Leave out the constructor signature of a value."""
    is_value = what == "class" and (is_dataclass(value) or issubclass(value, Struct))
    return ("", None) if is_value else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handlers to autodoc."""
    app.connect("autodoc-process-docstring", _document)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-signature", _call)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
