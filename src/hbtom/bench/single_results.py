"""The results of single episodes, written as they are judged.

Rows are added to a journal next to the results file, which is written as a whole at the end. So a
file is never half written, and an interrupted run can be continued.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hbtom.bench.growing_file import Kept, add_lines, journal_of
from hbtom.bench.results import json_value, parquet_rows
from hbtom.bench.table_files import encode_records, unguarded
from hbtom.errors import BadInput, located, system_errors
from hbtom.files import only_writer, read_whole, write_whole

Record = Mapping[str, Any]
BY = ("file", "stamp", "model", "version")  # what a judgement depends on
TEXTS = ("preferred", "expected_goal", "likeliest_goal", "explanation", *BY)
WHY = "missing"  # why there is no plausibility; not in files up to version 0.3


@contextmanager
def kept_rows(kept: Kept) -> Iterator[tuple[list[Record], Callable[[Record], None]]]:
    """Yield the rows that an earlier run has left, and a function that adds rows to the journal."""
    kept.check()
    if kept.out is None:
        yield [], lambda row: None
        return
    journal = journal_of(kept.out)
    with system_errors("the file cannot be written", kept.out), only_writer(kept.out):
        kept.check()  # another run may just have finished
        there = [] if kept.overwrite else _left(kept.out)  # a file to be replaced is not read
        left = [*there, *_left(journal)] if kept.resume else []
        with open(journal, "ab" if kept.resume else "wb", buffering=0) as stream:
            stream.truncate(_whole(journal))
            try:
                yield left, lambda row: add_lines(stream, encode_records([row], ".jsonl", ()))
            finally:
                if not os.fstat(stream.fileno()).st_size:
                    journal.unlink(missing_ok=True)


def _whole(journal: Path) -> int:
    """Return how many bytes of a journal are whole lines."""
    return read_whole(journal).rfind(b"\n") + 1


def _left(path: Path) -> list[Record]:
    if not path.exists():
        return []
    with located(file=str(path)):
        data = read_whole(path)
        try:
            rows: list[Record] = [*_READERS[path.suffix](data)]
            if all({*TEXTS, "plausibility"} <= row.keys() for row in rows):
                if all(isinstance(row[name], str) for row in rows for name in BY):
                    return rows
                problem = f"one of {', '.join(BY)} is not a text"
            else:
                problem = "other columns"
        except (ValueError, TypeError, AttributeError, csv.Error) as error:
            problem = str(error)
        hint = "choose another name"
        raise BadInput(f"these are not results of judge ({problem})", hint=hint)


def _from_csv(data: bytes) -> Iterator[dict[str, Any]]:
    text = data.decode(errors="surrogateescape")
    for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
        yield {
            name: unguarded(cell)
            if name in (*TEXTS, WHY)
            else int(cell)
            if name == "warnings"
            else None
            if not cell and row.get(WHY)
            else float(cell)
            for name, cell in row.items()
        }


def _from_lines(data: bytes) -> list[dict[str, Any]]:
    return [json_value(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]


_READERS: dict[str, Callable[[bytes], Iterable[dict[str, Any]]]] = {
    ".csv": _from_csv,
    ".jsonl": _from_lines,
    ".parquet": parquet_rows,
}


def write_results(kept: Kept, records: Sequence[Record]) -> None:
    """Write all rows to the results file, and remove the journal."""
    if kept.out is None:
        return
    if records:
        write_whole(kept.out, encode_records(records, kept.out.suffix, list(records[0])))
    journal_of(kept.out).unlink(missing_ok=True)
