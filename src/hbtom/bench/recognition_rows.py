"""Answers of ``hbtom recognise`` as files: JSON, JSON lines, CSV and Parquet, and back.

In CSV and Parquet, a problem is a row. In CSV, lists are written as JSON. The settings of a row
(``by``), other recognisers' answers and the beliefs after every observation are JSON in both.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from hbtom.bench.results import json_value
from hbtom.bench.table_files import encode_records, unguarded
from hbtom.errors import BadInput
from hbtom.observe.archive.columns import arrow

KINDS = (".json", ".jsonl", ".csv", ".parquet")
Line = dict[str, Any]  # the values of an answer, its problem's stamp, and its settings
BEGINNING = b'{"problem": "'  # of a line of JSON
_NEEDED = {"problem", "stamp", "by", "posterior"}
_TYPES = {
    "problem": "string",
    "agent": "string",
    "domain": "string",
    "observed": "int64",
    "goals": "list<string>",
    "posterior": "list<double>",
    "best": "list<int64>",
    "true": "int64",
    "engine": "string",
    "approximate": "bool",
    "efficiency": "double",
    "seconds": "double",
    "observations": "int64",
    "warnings": "list<string>",
    "trace": "json",
    "peers": "json",
    "stamp": "string",
    "by": "json",
}


def encode(lines: Sequence[Line], kind: str, figures: Mapping[str, Any]) -> bytes:
    """Return answers as a file of this kind; only JSON also has the statistics."""
    if kind == ".json":
        return (
            json.dumps({**figures, "problems": lines}, indent=2, allow_nan=False) + "\n"
        ).encode()
    if kind == ".jsonl":
        return encode_records(lines, kind, ())
    cell, schema = _csv_cell, None
    if kind == ".parquet":
        cell, schema = _parquet_cell, _schema()
    rows = [{name: cell(name, line.get(name)) for name in _TYPES} for line in lines]
    return encode_records(rows, kind, tuple(_TYPES), schema=schema)


def decode(data: bytes, kind: str) -> list[Line]:
    """Return the answers in a file that :func:`encode` made; refuse any other file."""
    try:
        lines = _READERS[kind](data) if data else []
        if all(isinstance(line, dict) and line.keys() >= _NEEDED for line in lines):
            return lines
    except (ValueError, KeyError, TypeError, OSError, csv.Error):
        pass
    hint = "it is left as it is; choose another name"
    raise BadInput("this is not a file of answers of this hbtom", hint=hint)


def _csv_cell(name: str, value: Any) -> Any:
    if value is None or _TYPES[name] == "string":
        return value
    return json.dumps(value)


def _parquet_cell(name: str, value: Any) -> Any:
    return json.dumps(value) if value is not None and _TYPES[name] == "json" else value


def _schema() -> Any:
    library, _ = arrow()
    known = {
        "string": library.string(),
        "json": library.string(),
        "int64": library.int64(),
        "double": library.float64(),
        "bool": library.bool_(),
    }
    for item in ("string", "double", "int64"):
        known[f"list<{item}>"] = library.list_(known[item])
    return library.schema([(name, known[kind]) for name, kind in _TYPES.items()])


def _from_json(data: bytes) -> list[Line]:
    return json_value(data)["problems"]


def _from_lines(data: bytes) -> list[Line]:
    return [json_value(line) for line in data.splitlines()]


def _from_csv(data: bytes) -> list[Line]:
    text = io.StringIO(data.decode(errors="surrogateescape"), newline="")
    rows = csv.DictReader(text, strict=True)
    if tuple(rows.fieldnames or ()) != tuple(_TYPES):
        raise ValueError("other columns")
    return [
        _line({name: unguarded(cell) or None for name, cell in row.items()}, ("string",))
        for row in rows
    ]


def _from_parquet(data: bytes) -> list[Line]:
    _, parquet = arrow()
    rows = parquet.read_table(io.BytesIO(data)).to_pylist()
    return [_line(row, tuple(kind for kind in _TYPES.values() if kind != "json")) for row in rows]


def _line(row: Mapping[str, Any], plain: Sequence[str]) -> Line:
    """Return a row as an answer: decode the cells that were written as JSON, unless ``plain``."""
    line = {
        name: json_value(cell) if cell is not None and _TYPES[name] not in plain else cell
        for name, cell in row.items()
    }
    return {name: cell for name, cell in line.items() if cell is not None or name not in _OPTIONAL}


_OPTIONAL = ("trace", "peers")
_READERS = {
    ".json": _from_json,
    ".jsonl": _from_lines,
    ".csv": _from_csv,
    ".parquet": _from_parquet,
}
