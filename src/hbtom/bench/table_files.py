"""Tidy tables: one record per row, as CSV, JSON lines or Parquet.

Names of files, pairs and pictures come with a dataset and cannot be trusted: a spreadsheet would
run a name such as ``=cmd|...``. So text that begins with one of ``= + - @``, a tab or the end of a
line is written with an apostrophe before it, and read back without it. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hbtom.files import check_target, separator, write_whole
from hbtom.observe.archive.columns import arrow

Records = Sequence[Mapping[str, Any]]
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # a formula, or text that would be read back as one


def write_records(records: Records, path: Path, *, overwrite: bool = False) -> None:
    """Write a table whose columns are those of its first record, whole or not at all."""
    check_target(path, overwrite=overwrite)
    write_whole(path, encode_records(records, path.suffix, list(records[0])))


def encode_records(
    records: Records, kind: str, columns: Sequence[str], *, heading: bool = True, schema: Any = None
) -> bytes:
    """Return a table as a file of this kind; ``.csv`` with or without a heading.

    ``schema`` has the column types of a Parquet file; by default they follow from the values.
    What is not a number (NaN) is missing: null, or an empty cell.
    """
    if kind == ".parquet":
        library, parquet = arrow()
        plain = [
            {name: spelt(value) if isinstance(value, str) else value for name, value in row.items()}
            for row in records
        ]
        schema = schema or library.Table.from_pylist(plain).schema  # before a column is all null
        sink = io.BytesIO()
        parquet.write_table(library.Table.from_pylist(_with_nulls(plain), schema), sink)
        return sink.getvalue()
    records = _with_nulls(records)
    if kind == ".jsonl":
        return "".join(json.dumps(row, allow_nan=False) + "\n" for row in records).encode()
    lines = [csv_line(columns)] if heading else []
    lines += [csv_line(row.values()) for row in records]
    return "".join(lines).encode(errors="surrogateescape")  # a file may have any name


def _with_nulls(records: Records) -> list[dict[str, Any]]:
    """Return records with None for everything that is not a number (NaN)."""
    return [{name: None if one != one else one for name, one in row.items()} for row in records]


def spelt(name: str) -> str:
    """Return a name in Unicode; bytes that are not Unicode are written as ``\\udcff``."""
    return name.encode(errors="backslashreplace").decode()


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of a CSV file; text that a spreadsheet would run is guarded."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")  # so that either of these is quoted
    writer.writerow(map(guarded, values))
    return text.getvalue().removesuffix("\r\n") + "\n"


def csv_reader(text: str, *, strict: bool = False) -> csv.DictReader[str]:
    """Read a CSV file made by people."""
    stream, mark = io.StringIO(text, newline=""), separator(text)
    return csv.DictReader(stream, delimiter=mark, skipinitialspace=strict, strict=strict)


def guarded(value: Any) -> Any:
    """Return a value as it is written to a cell.

    >>> guarded("=1+1"), guarded("heart.png"), guarded(-0.69)
    ("'=1+1", 'heart.png', -0.69)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def unguarded(cell: str) -> str:
    """Return the text of a cell that :func:`guarded` made.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def type_in(cell: str) -> type:
    """Return the type of number that would be written exactly like this, or else text."""
    with suppress(ValueError, OverflowError):
        number = float(cell)
        if str(number) == cell:
            return float
        if str(int(number)) == cell:
            return int
    return str


def type_of(value: Any) -> type:
    """Return the type that a column with this value has."""
    return next((kind for kind in (str, int) if isinstance(value, kind)), float)
