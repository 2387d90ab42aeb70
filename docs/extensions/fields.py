"""What values consist of, for the reference of the library.

    plausibility: float  # between 0 and 1

Frozen values say in this way what a field holds. The reference lists their fields so, with what
they can do below; how they are made is left out, for this is seldom done by hand.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

from msgspec import Struct
from sphinx.application import Sphinx

_COMMENT = re.compile(r"^    (\w+): [^#\n]*#\s*(.+)$", re.MULTILINE)
_SHAPED = re.compile(r"""Annotated\[(\w[\w.]*), ['"]([^'"]+)['"]\]""")


def told(value: type) -> Iterator[str]:
    """Yield lines about each field of a class: its type, the shape of an array, its comment."""
    found = _COMMENT.findall(inspect.getsource(value))
    comments = {name: re.sub(r"([|*`\\])", r"\\\1", text) for name, text in found}  # not as markup
    for field in fields(value):
        shape = _SHAPED.search(field.type)
        said = [f"shape [{shape[2].replace(' ', ', ')}]"] if shape else []
        said += [comments[field.name]] if field.name in comments else []
        yield f":ivar {field.name}: {'; '.join(said)}"
        yield f":vartype {field.name}: {_SHAPED.sub(lambda kind: kind[1], field.type)}"


def _document(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Add the fields to what is said about a class."""
    if what == "class" and is_dataclass(value):
        lines += ["", *told(value), ""]


def _skip(app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave fields out where all else of a class is listed."""
    is_member = inspect.isroutine(value) or isinstance(
        value, property | cached_property | enum.Enum
    )
    return True if what == "class" and not is_member else None


def _call(app: Sphinx, what: str, name: str, value: Any, *how: Any) -> tuple[str, None] | None:
    """Leave out how a value is made."""
    is_value = what == "class" and (is_dataclass(value) or issubclass(value, Struct))
    return ("", None) if is_value else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Let the reference say so."""
    app.connect("autodoc-process-docstring", _document)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-signature", _call)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
