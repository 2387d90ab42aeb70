"""Tidy tables: one record a row, as CSV, JSON lines or Parquet.

Names of files, pairs and pictures come from whoever made a dataset. A spreadsheet would run a name
such as ``=cmd|...``. So text that begins with one of ``= + - @``, a tab or the end of a line is
written with an apostrophe before it, and read back without. Numbers stay as they are.
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

from hbtom.files import check_target, write_whole
from hbtom.observe.archive.columns import arrow

Records = Sequence[Mapping[str, Any]]
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # or text that would be read back as one


def write_records(records: Records, path: Path, *, overwrite: bool = False) -> None:
    """Write a table whose columns are those of its first record, whole or not at all."""
    check_target(path, overwrite=overwrite)
    write_whole(path, encode_records(records, path.suffix, list(records[0])))


def encode_records(
    records: Records, kind: str, columns: Sequence[str], *, heading: bool = True, schema: Any = None
) -> bytes:
    """Return a table as a file of a kind holds it; ``.csv`` with a heading or without.

    ``schema`` has the types of the columns of a Parquet file; else they follow from the values.
    """
    if kind == ".jsonl":
        return "".join(json.dumps(row, allow_nan=False) + "\n" for row in records).encode()
    if kind == ".parquet":
        library, parquet = arrow()
        sink = io.BytesIO()
        plain = [
            {name: spelt(value) if isinstance(value, str) else value for name, value in row.items()}
            for row in records
        ]
        parquet.write_table(library.Table.from_pylist(plain, schema), sink)
        return sink.getvalue()
    lines = [csv_line(columns)] if heading else []
    lines += [csv_line(row.values()) for row in records]
    return "".join(lines).encode(errors="surrogateescape")  # a file may have any name


def spelt(name: str) -> str:
    """Return a name as Unicode spells it: a byte of a file's name that is none, as ``\\udcff``."""
    return name.encode(errors="backslashreplace").decode()


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of a CSV file; what a spreadsheet would run is guarded."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")  # so that either of these is quoted
    writer.writerow(map(guarded, values))
    return text.getvalue().removesuffix("\r\n") + "\n"


def csv_reader(text: str, *, strict: bool = False) -> csv.DictReader[str]:
    """Read a CSV file that people have made; spreadsheets of some countries separate by ``;``."""
    stream = io.StringIO(text, newline="")
    separator = max(",;\t", key=stream.readline().count)
    stream.seek(0)
    return csv.DictReader(stream, delimiter=separator, skipinitialspace=strict, strict=strict)


def guarded(value: Any) -> Any:
    """Return a value as a cell holds it.

    >>> guarded("=1+1"), guarded("heart.png"), guarded(-0.69)
    ("'=1+1", 'heart.png', -0.69)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def unguarded(cell: str) -> str:
    """Return the text that :func:`guarded` made a cell of.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def type_in(cell: str) -> type:
    """Return the type of number that would be written just so, or text."""
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
