"""Results files: one row per episode, as CSV, JSON lines or Parquet.

All files have the same columns, and the rater's own columns among them.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from hbtom.bench.table_files import csv_line, encode_records, type_in, type_of, unguarded
from hbtom.errors import BadInput
from hbtom.files import check_target, write_whole
from hbtom.observe.archive.bounds import read_flat
from hbtom.observe.archive.columns import arrow

Compared = Literal["plausibility", "predictive"]
Columns = Mapping[str, type]  # a rater's own, in order: each holds float, int or str

MODEL_COLUMNS: Columns = {
    "plausibility": float,
    "part_goal": float,
    "part_efficiency": float,
    "part_observation": float,
    "surprise_goal": float,
    "surprise_efficiency": float,
    "surprise_observation": float,
    "preferred": str,  # the item with the largest E[theta] at the start of the test trial
    "preferred_share": float,  # and its E[theta]
    "efficiency": float,  # E[beta] at the start of the test trial
    "part_waste": float,  # 1 if the model leaves waste out, as if nothing were wasted
    "surprise_waste": float,
    "missing": str,  # why there are no numbers above; empty if there are
}
_ADDED = {"part_waste": 1.0, "surprise_waste": 0.0, "missing": ""}  # not in 0.1; come last
_SHARES = "preference"  # in files up to version 0.2: "heart.png 0.9000; spoon.png 0.1000"
_IN_03 = [one for one in MODEL_COLUMNS if one != "missing"]
_IN_02 = [{"preferred": _SHARES}.get(one, one) for one in _IN_03 if one != "preferred_share"]
_IN_01 = [name for name in _IN_02 if name not in _ADDED]
_OLD = (_IN_03, _IN_02, _IN_01)


@dataclass(frozen=True, slots=True)
class Row:
    """One rated episode, as in a results file."""

    task: str
    pair: str
    member: str
    file: str
    rating: float  # by which pairs are compared; NaN if a model cannot judge the episode
    model: str  # fingerprint of the model, or of the rater
    version: str  # of hbtom
    score: str  # what the rating is: plausibility, predictive, or the name of the rater
    stamp: str  # of the file: changes with its content
    own: Mapping[str, float | str] = field(default_factory=dict)  # the rater's own columns

    def __getattr__(self, name: str) -> Any:
        """Return the value of one of the rater's own columns."""
        if name != "own" and name in self.own:
            return self.own[name]
        raise AttributeError(f"these results have no column '{name}'")

    def to_dict(self) -> dict[str, float | str]:
        """Return the values of all columns, in their order."""
        own = self.own
        return {name: own[name] if name in own else getattr(self, name) for name in layout(own)}


_FIRST = ("task", "pair", "member", "file", "rating")
_LAST = ("model", "version", "score", "stamp")


def layout(own: Iterable[str]) -> tuple[str, ...]:
    """Return all columns of a results file, given the rater's own."""
    own = tuple(own)
    middle = (name for name in own if name not in _ADDED)
    return (*_FIRST, *middle, *_LAST, *(name for name in own if name in _ADDED))


COLUMNS = layout(MODEL_COLUMNS)


def _own(columns: Sequence[str]) -> list[str]:
    """Return the rater's own columns, given all; raise ValueError if this is not a results file."""
    own = [name for name in columns if name not in (*_FIRST, *_LAST)]
    if layout(own) != tuple(columns):
        raise ValueError("other columns")
    return own


def write_rows(
    rows: Sequence[Row], path: Path, *, overwrite: bool = False, columns: Columns = MODEL_COLUMNS
) -> None:
    """Write a results file, whole or not at all; ``columns`` are the rater's own."""
    check_target(path, overwrite=overwrite)
    write_whole(path, encode(rows, path.suffix, columns=columns))


def encode(
    rows: Sequence[Row], kind: str, *, heading: bool = True, columns: Columns = MODEL_COLUMNS
) -> bytes:
    """Return rows as a file of this kind; ``.csv`` with or without a heading.

    ``columns`` are the rater's own; they are needed if there are no rows.
    """
    if rows:
        columns = {name: type_of(value) for name, value in rows[0].own.items()}
    plain = [row.to_dict() for row in rows]
    names, schema = layout(columns), None
    if kind == ".parquet":
        library, _ = arrow()
        kinds = {float: library.float64(), int: library.int64(), str: library.string()}
        known = {**dict.fromkeys(names, str), "rating": float, **columns}
        schema = library.schema([(name, kinds[known[name]]) for name in names])
    return encode_records(plain, kind, names, heading=heading, schema=schema)


def decode(data: bytes, kind: str, columns: Columns = MODEL_COLUMNS) -> list[Row]:
    """Return the rows of a file that :func:`encode` made, exactly; refuse any other file.

    ``columns`` are those that the rater should have. A file may have those of a model or of
    another rater instead; then cells of a CSV file that look like numbers are read as numbers.
    """
    try:
        return [_row(values, columns) for values in _DECODERS[kind](data)] if data else []
    except (ValueError, csv.Error) as error:
        raise _foreign(str(error)) from None


def whole_lines(data: bytes, kind: str, columns: Columns = MODEL_COLUMNS) -> bytes:
    """Return a results file without its last line if that was torn; refuse any other file."""
    if not begins_like_ours(data, kind, columns):
        raise _foreign("it begins differently")
    return data if kind == ".parquet" else data[: data.rfind(b"\n") + 1]


def begins_like_ours(data: bytes, kind: str, columns: Columns = MODEL_COLUMNS) -> bool:
    """Return whether a file, perhaps cut off, begins like a file made by :func:`encode`.

    A whole heading may be that of any rater; one that is cut off must fit ``columns``.
    """
    if kind != ".csv":
        start = {".jsonl": b'{"task": "', ".parquet": b"PAR1"}[kind]
        return data[: len(start)] == start[: len(data)]
    heading, newline, _ = data.partition(b"\n")
    if not newline:
        whole = (csv_line(layout(own)).encode() for own in (columns, *_OLD))
        return any(one.startswith(data) for one in whole)
    try:
        _own(next(csv.reader([heading.decode(errors="surrogateescape")], strict=True), []))
    except (ValueError, csv.Error):
        return False
    return True


def _foreign(why: str) -> BadInput:
    return BadInput(
        f"this is not a results file of this hbtom ({why})",
        hint="it is left as it is; choose another name",
    )


def _row(values: Mapping[str, Any], expected: Columns) -> Row:
    names = _own(list(values))
    if names in _OLD:
        shares = _largest(values[_SHARES]) if _SHARES in names else {}
        values, names = {**_ADDED, **values, **shares}, list(MODEL_COLUMNS)
    kinds: Columns = next((own for own in (expected, MODEL_COLUMNS) if names == list(own)), {})
    if kinds == MODEL_COLUMNS and values["missing"]:
        numbers = {"rating", *(name for name, kind in kinds.items() if kind is float)}
        gone = {name for name in numbers if values[name] in ("", None)}
        values = {**values, **dict.fromkeys(gone, math.nan)}
    own = {name: _value(name, kinds.get(name), values[name]) for name in names}
    rating = _value("rating", float, values["rating"])
    texts = {name: _value(name, str, values[name]) for name in (*_FIRST[:-1], *_LAST)}
    return Row(rating=rating, own=own, **texts)


def _largest(shares: Any) -> dict[str, Any]:
    """Return the values that have replaced the text of shares in older files."""
    each = re.findall(r"(.*?) (\d\.\d+)(?:; |$)", _value(_SHARES, str, shares), re.DOTALL)
    name, share = max(each, key=lambda one: float(one[1]), default=("", "0"))
    return {"preferred": name, "preferred_share": float(share)}


def _value(column: str, kind: type | None, value: Any) -> Any:
    """Return the value of a column; raise ValueError if it is not of this kind."""
    try:
        if kind is None:
            kind = type_in(value) if isinstance(value, str) else type_of(value)
        if kind is int and float(value).is_integer():
            return int(float(value))
        if kind is not str:
            return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"'{column}' is not a number") from None
    if not isinstance(value, str):
        raise ValueError(f"'{column}' is not text")
    return value


def _csv_values(data: bytes) -> Iterable[Mapping[str, Any]]:
    text = data.decode(errors="surrogateescape")
    heading, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    for line in lines:
        if len(line) != len(heading):
            raise ValueError("a row has other columns")
        yield dict(zip(heading, map(unguarded, line), strict=True))


def _jsonl_values(data: bytes) -> Iterable[Mapping[str, Any]]:
    for row in map(json_value, data.splitlines()):
        if not isinstance(row, dict):
            raise ValueError("other columns")
        yield row


def json_value(line: str | bytes) -> Any:
    """Return the value of a line of JSON; raise ValueError if anything is wrong with it."""
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parquet_rows(data: bytes) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file; raise ValueError if anything is wrong with it."""
    try:
        columns = read_flat(data)
    except BadInput:
        raise
    except (OSError, ValueError) as error:
        raise ValueError(str(error).partition("\n")[0]) from None
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


_DECODERS: dict[str, Callable[[bytes], Iterable[Mapping[str, Any]]]] = {
    ".csv": _csv_values,
    ".jsonl": _jsonl_values,
    ".parquet": parquet_rows,
}
