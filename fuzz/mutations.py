"""Changes that make strange inputs of good ones: of bytes, text, values, tables and zip archives.

Every function takes a source of random numbers first, and changes nothing but what it returns.
"""

from __future__ import annotations

import copy
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

DEEP = "\x00deep\x00"  # stands for lists within lists, which json.dumps would not write
NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 2, 0.5, 1e-9, 5e-324, 1e15, 1e308, -1e308, float("nan"), float("inf"),
    2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**400, True, False,
)  # fmt: skip
TEXTS = (
    "", " ", "0", "-1", "nan", "1e999", "null", "e", "u", ".", "..", "/", "../../x", "a/b", "C:\\x",
    "=1+1", "'", '"', "\x00", "\n", "\r", "\x1b[2J", "\u2028", "\u202e", "\ud800", "\U0001f600",
    "x" * 5000, "%s", "{}", "<b>",
)  # fmt: skip
TOKENS = (
    "(", ")", "[", "]", "{", "}", "=", ",", ":", ";", '"', "'", "#", "?", "-", "?x", "- object",
    "not", "and", "or", "forall", "when", "exists", "imply", "probabilistic", "either", "define",
    ":action", ":init", ":goal", "increase", "(total-cost)", "0", "-1", "0.5", "1e308", "5e-324",
    "nan", "inf", "9" * 400, "true", "x" * 3000, "\x00", "\ufeff", "\u2028", "\r", "\n",
)  # fmt: skip
WORDS = tuple(
    value.to_bytes(size, order)  # as lengths, counts and offsets are written
    for size in (2, 4, 8)
    for order in ("little", "big")
    for value in (0, 1, 0x7F, 0xFF, (1 << 8 * size - 1) - 1, 1 << 8 * size - 1, (1 << 8 * size) - 1)
)
ZIP_HEADS = re.compile(rb"PK(\x01\x02|\x03\x04|\x05\x06)")
MP4_HEADS = re.compile(rb"[a-z]{3}[a-z0-9 ]")
GIF_HEADS = re.compile(rb"GIF8|[\x21\x2c]..\x00|\xff\x0b", re.DOTALL)
_TOKEN = re.compile(r"\s+|[()\[\]{}=,:;\"]|[^\s()\[\]{}=,:;\"]+")


def several(rng: Random) -> range:
    """Return how often something is changed: mostly once, so that what matters can be told."""
    return range(rng.choice((1, 1, 1, 2, 3, 6)))


# Bytes and text


def changed_bytes(rng: Random, data: bytes) -> bytes:
    """Flip, cut, repeat, insert and overwrite."""
    for _ in several(rng):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 1, 2, 4, 8, 64, 1024)))
        some = data[start:end]
        new = rng.choice(_EDITS)(rng, some)
        data = data[:start] if rng.random() < 0.08 else data[:start] + new + data[end:]
    return data


def _over(some: bytes, word: bytes) -> bytes:
    return word + some[len(word) :]


_EDITS: tuple[Callable[[Random, bytes], bytes], ...] = (
    lambda rng, some: bytes(byte ^ 1 << rng.randrange(8) for byte in some),
    lambda rng, some: b"",
    lambda rng, some: some * rng.choice((2, 3, 100)),
    lambda rng, some: rng.choice(WORDS) + some,
    lambda rng, some: _over(some, rng.choice(WORDS)),
    lambda rng, some: rng.randbytes(len(some)),
)


def changed_text(rng: Random, text: str) -> str:
    """Drop, repeat, swap and replace tokens."""
    tokens = _TOKEN.findall(text)
    for _ in several(rng):
        if not tokens:
            return text
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        end = min(len(tokens), at + rng.choice((1, 1, 1, 3, 20)))
        tokens[at:end] = rng.choice(
            (
                [],
                tokens[at:end] * rng.choice((2, 2, 50)),
                [tokens[other]],
                [rng.choice(TOKENS)],
                [*tokens[at:end], " ", rng.choice(TOKENS), " "],
                tokens[at:end][::-1],
                [rng.choice("([{") * rng.choice((1, 2000)), *tokens[at:end]],
            )
        )
    return "".join(tokens)


# Values, as JSON has them


def changed_value(rng: Random, value: Any) -> Any:
    """Change something somewhere in lists and dictionaries, or the same in many like places."""
    value = copy.deepcopy(value)
    for _ in several(rng):
        path = _path(rng, value)
        if not path:
            return strange(rng, value)
        everywhere = rng.random() < 0.4
        change = _change(rng, _at(value, path))
        for parent in list(_parents(value, path, everywhere)):
            change(parent, path[-1])
    return value


def strange(rng: Random, value: Any = None) -> Any:
    """Return something that is hardly expected, perhaps like what is there."""
    if isinstance(value, int | float) and abs(value) < 1e9 and rng.random() < 0.6:
        return rng.choice((-value, value + 1, value * 1000, value * 1e-3, f"{value}", [value]))
    return rng.choice(
        (
            lambda: None,
            lambda: rng.choice(NUMBERS),
            lambda: rng.choice(NUMBERS),
            lambda: rng.choice(TEXTS),
            list,
            dict,
            lambda: [value],
            lambda: {"x": value},
            lambda: DEEP,
        )
    )()


def _path(rng: Random, value: Any) -> list[Any]:
    """Return the way to a place: at each level it may end, so that all depths are likely."""
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
    """Yield what the path leads to, but for its last step; or all that like paths lead to."""
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


def _change(rng: Random, there: Any) -> Any:
    """Return a change of an entry of a list or a dictionary, which can be made several times."""
    new, name = strange(rng, there), rng.choice(TEXTS)
    times = rng.choice((2, 3, 60))

    def replace(parent: Any, key: Any) -> None:
        parent[key] = new

    def remove(parent: Any, key: Any) -> None:
        del parent[key]

    def repeat(parent: Any, key: Any) -> None:
        if isinstance(parent, list):
            parent[key:key] = [parent[key]] * times
        else:
            parent[name] = parent[key]

    def rename(parent: Any, key: Any) -> None:
        if isinstance(parent, dict):
            parent[name] = parent.pop(key)
        else:
            parent.reverse()

    def cut(parent: Any, key: Any) -> None:
        if isinstance(parent, list):
            del parent[key:]
        else:
            parent.clear()

    do = rng.choices((replace, remove, repeat, rename, cut), (6, 2, 2, 1, 1))[0]

    def change(parent: Any, key: Any) -> None:
        if _has(parent, key):
            do(parent, key)

    return change


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON, with what JSON has no word for as Python writes it."""
    deep = "[" * 50_000 + "]" * 50_000
    return json.dumps(value).replace(json.dumps(DEEP), deep).encode(errors="replace")


# Containers


def changed_zip(rng: Random, members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive: members renamed, repeated, damaged; fields of heads overwritten."""
    entries = list(members.items())
    for _ in several(rng):
        at = rng.randrange(len(entries))
        name, data = entries[at]
        entries[at : at + 1] = rng.choice(
            (
                [],
                [(name, data)] * 2,
                [(rng.choice(TEXTS)[:99].replace("\x00", "") or "x", data)],
                [(name + "/", b"")],
                [(name, changed_bytes(rng, data))],
            )
        ) or [("empty/", b"")]
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that come twice
        for name, data in entries:
            undated = zipfile.ZipInfo(name.encode(errors="replace").decode())
            archive.writestr(undated, data, rng.choice((0, 8, 12, 14)))
    data = sink.getvalue()
    return changed_heads(rng, data) if rng.random() < 0.6 else data


def changed_heads(rng: Random, data: bytes, heads: re.Pattern[bytes] = ZIP_HEADS) -> bytes:
    """Overwrite a field of some head, or what comes just before or after it."""
    places = [match.start() for match in heads.finditer(data)] or [0]
    for _ in several(rng):
        at = max(rng.choice(places) + 2 * rng.randrange(-2, 23), 0)
        data = data[:at] + _over(data[at:], rng.choice(WORDS))
    return data


def changed_table(rng: Random, table: Any) -> bytes:
    """Return a Parquet file of a table with some values, rows, columns or types changed."""
    import pyarrow
    from pyarrow import parquet

    rows = changed_value(rng, table.to_pylist())
    sink = io.BytesIO()
    for schema in (table.schema, None):
        try:
            made = pyarrow.Table.from_pylist(rows, schema).replace_schema_metadata(
                table.schema.metadata
            )
            parquet.write_table(made, sink, compression=rng.choice(("none", "zstd", "snappy")))
            return sink.getvalue()
        except (pyarrow.ArrowException, TypeError, ValueError, AttributeError, OverflowError):
            sink = io.BytesIO()
    parquet.write_table(table, sink)
    return changed_bytes(rng, sink.getvalue())
