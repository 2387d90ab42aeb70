"""Mutations that turn good inputs into strange ones: of bytes, text, tables and zip archives.

Every function takes a random number generator first and returns a changed copy.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from trees import TEXTS, changed_value, several

TOKENS = (
    "(", ")", "[", "]", "{", "}", "=", ",", ":", ";", '"', "'", "#", "?", "-", "?x", "- object",
    "not", "and", "or", "forall", "when", "exists", "imply", "probabilistic", "either", "define",
    ":action", ":init", ":goal", "increase", "(total-cost)", "0", "-1", "0.5", "1e308", "5e-324",
    "1e18", "nan", "inf", "-inf", "1+2j", "9" * 400, "true",
    "x" * 3000, "\x00", "\ufeff", "\u2028", "\r", "\n", "9" * 5000, "a." * 50_000 + "a = 1",
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


def widened(text: str, columns: int = 50_000) -> str:
    """Give every row of a table thousands of further cells."""
    more = "".join(f",c{at}" for at in range(columns))
    return "".join(f"{line}{more}\n" for line in text.splitlines())


# Containers


def changed_zip(rng: Random, members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive with members renamed, repeated or damaged, or header fields changed."""
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
        warnings.simplefilter("ignore")  # about duplicate names
        for name, data in entries:
            undated = zipfile.ZipInfo(name.encode(errors="replace").decode())
            archive.writestr(undated, data, rng.choice((0, 8, 12, 14)))
    data = sink.getvalue()
    return changed_heads(rng, data) if rng.random() < 0.6 else data


def changed_heads(rng: Random, data: bytes, heads: re.Pattern[bytes] = ZIP_HEADS) -> bytes:
    """Overwrite a field of a header, or bytes just before or after it."""
    places = [match.start() for match in heads.finditer(data)] or [0]
    for _ in several(rng):
        at = max(rng.choice(places) + 2 * rng.randrange(-2, 23), 0)
        data = data[:at] + _over(data[at:], rng.choice(WORDS))
    return data


def changed_tar(rng: Random, data: bytes) -> bytes:
    """Overwrite fields of the headers of a tar archive, and correct their checksums."""
    blocks = bytearray(data)
    for _ in several(rng):
        at = 512 * rng.randrange(len(blocks) // 512)
        field, size = rng.choice(((124, 12), (156, 1), (257, 8), (345, 155), (386, 48), (0, 100)))
        some = rng.choice(
            (rng.randbytes(size), b"7" * size, b"\0" * size, b"\x80" + b"\xff" * size)
        )
        blocks[at + field : at + field + size] = some[:size]
        blocks[at + 148 : at + 156] = b" " * 8
        blocks[at + 148 : at + 156] = b"%06o\0 " % sum(blocks[at : at + 512])
    return bytes(blocks)


def changed_table(rng: Random, table: Any) -> bytes:
    """Return a Parquet file of a table with some values, rows, columns or types changed."""
    import pyarrow
    from pyarrow import parquet

    rows = changed_value(rng, table.to_pylist(), alike=rng.random() < 0.8)
    sink = io.BytesIO()
    refused = pyarrow.ArrowException, LookupError, TypeError, ValueError, ArithmeticError
    for schema in (table.schema, None):
        try:
            made = pyarrow.Table.from_pylist(rows, schema).replace_schema_metadata(
                table.schema.metadata
            )
            parquet.write_table(made, sink, compression=rng.choice(("none", "zstd", "snappy")))
            return sink.getvalue()
        except (*refused, AttributeError):
            sink = io.BytesIO()
    parquet.write_table(table, sink)
    return changed_bytes(rng, sink.getvalue())
