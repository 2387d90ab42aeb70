"""Tidy tables: one record a row, as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hbtom.bench.spreadsheets import guarded
from hbtom.files import check_target, write_whole
from hbtom.observe.archive import arrow

Records = Sequence[Mapping[str, Any]]


def write_records(records: Records, path: Path, *, overwrite: bool = False) -> None:
    """Write a table whose columns are those of its first record, whole or not at all."""
    check_target(path, overwrite=overwrite)
    write_whole(path, _ENCODERS[path.suffix](records))


def _csv(records: Records) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: guarded(value) for name, value in one.items()} for one in records)
    return text.getvalue().encode(errors="surrogateescape")


def _jsonl(records: Records) -> bytes:
    return "".join(json.dumps(record, allow_nan=False) + "\n" for record in records).encode()


def _parquet(records: Records) -> bytes:
    library, parquet = arrow()
    sink = io.BytesIO()
    parquet.write_table(library.Table.from_pylist(records), sink)
    return sink.getvalue()


_ENCODERS: dict[str, Callable[[Records], bytes]] = {
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
