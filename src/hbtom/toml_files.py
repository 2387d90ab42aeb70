"""TOML files: read as values with checked fields, and written with a description of each field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from hbtom.errors import BadInput, located
from hbtom.files import WRITTEN, file_bytes

S = TypeVar("S", bound=Struct)

PARTS = 64  # most parts of a dotted key; reading one takes time quadratic in their number
_LONGEST = 160  # most characters of a problem that the file itself may fill

# Comments and strings, up to the end of the line or file if they are not closed.
_NOT_BARE = re.compile(
    r"""(?s)\#[^\n]*+
    | \"{3}(?:[^"\\]++|\\.?+|"(?!""))*+"{0,5}+ | '{3}(?:[^']++|'(?!''))*+'{0,5}+
    | "(?:[^"\\\n]++|\\[^\n])*+"?+ | '[^'\n]*+'?+""",
    re.VERBOSE,
)
_MANY_PARTS = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{PARTS}}}")

# msgspec inspects a type when it first meets it, and crashes if two threads do so at once.
_ONE_AT_A_TIME = Lock()


def load_toml(path: Path, kind: type[S], what: str, hint: str) -> S:
    """Read a file of some kind, such as a "scene"; ``hint`` says where to find an example."""
    with located(file=str(path)), toml_errors(what, hint):
        text = file_bytes(path, f"a {what} file", WRITTEN).decode()
        return convert(parse_toml(text), kind, hint)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table that a TOML document holds, within limits on its keys and integers."""
    if _MANY_PARTS.search(_NOT_BARE.sub("x", text)):
        raise BadInput(f"a key has more than {PARTS} parts", hint="is this the right file?")
    table = tomllib.loads(text)
    waiting: list[Any] = [table]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, int) and value.bit_length() > 63:
            raise OverflowError
    return table


@contextmanager
def toml_errors(what: str, hint: str) -> Iterator[None]:
    """Turn errors from reading TOML into messages."""
    try:
        yield
    except UnicodeDecodeError:
        raise BadInput("this is not text", hint="the file is TOML in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"not TOML: {str(error)[:_LONGEST]}", hint=hint) from None
    except BadInput:
        raise
    except (OverflowError, ValueError):  # Python converts only 4,300 digits
        raise BadInput("an integer has too many digits", hint="the most is 2^63 - 1") from None
    except RecursionError:
        raise BadInput(f"not a {what}: nested too deeply") from None


def convert(table: dict[str, Any], kind: type[S], hint: str) -> S:
    """Convert a table to a value; if that fails, say which field is wrong and what it may be."""
    try:
        with _ONE_AT_A_TIME:
            return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        options = ", ".join(_options(str(error), kind))
        problem = str(error).replace("`", "'").replace("$.", "")[:_LONGEST]
        raise BadInput(problem, hint=f"one of {options}" if options else hint) from None


def _options(problem: str, whole: type[Struct]) -> list[str]:
    """Return the possible values of the wrong field, given msgspec's message; none if unlimited."""
    place = re.search(r"^Invalid .*at `\$\.([\w.]+)`", problem)
    kinds: list[Any] = [whole] if place else []
    for name in place[1].split(".") if place else ():
        tags = [kind.__struct_config__.tag for kind in kinds]
        if name == "kind" and all(tags):
            return tags
        hints = [hints[name] for hints in map(get_type_hints, kinds) if name in hints]
        kinds = [one for hint in hints for one in _alternatives(hint)]
    return [kind for kind in kinds if isinstance(kind, str)]


def _alternatives(hint: Any) -> Iterator[Any]:
    """Yield the types or values that a type is made of, apart from None."""
    for one in get_args(hint):
        yield from _alternatives(one)
    if not get_args(hint) and hint is not NoneType:
        yield hint


def to_toml(value: Struct) -> str:
    """Write a value as TOML, every field with its description."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Struct, path: str = "") -> Iterator[str]:
    """Yield the lines of a TOML document: plain values first, then a table for each part."""
    hints = get_type_hints(type(value), include_extras=True)
    fields = [(name, getattr(value, name)) for name in value.__struct_fields__]
    if path:
        yield from ("", f"# {(type(value).__doc__ or '').splitlines()[0]}", f"[{path}]")
    tag = value.__struct_config__.tag
    if tag is not None:
        yield f'{value.__struct_config__.tag_field} = "{tag}"'
    for name, part in fields:
        if part is not None and not isinstance(part, Struct):
            yield _commented(f"{name} = {_scalar(part)}", hints[name])
    for name, part in fields:
        if isinstance(part, Struct):
            yield from _lines(part, f"{path}.{name}" if path else name)


def _commented(line: str, hint: Any) -> str:
    metas = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    notes = [meta.description for meta in metas if isinstance(meta, Meta) and meta.description]
    return f"{line}  # {notes[-1]}" if notes else line


def _escaped(character: str) -> str:
    if character.isprintable() and character not in '"\\':
        return character
    return f"\\U{ord(character):08x}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(map(_escaped, value)) + '"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(_scalar, value))}]"
    return repr(value if isinstance(value, int) else float(value))
