"""Results files: one row an episode, as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from hbtom.bench.spreadsheets import guarded, unguarded
from hbtom.errors import BadInput
from hbtom.files import check_target, write_whole
from hbtom.observe.archive import arrow, read_flat

Compared = Literal["plausibility", "predictive"]


@dataclass(frozen=True, slots=True)
class Row:
    """One judged episode, as it stands in a results file."""

    task: str
    pair: str
    member: str
    file: str
    rating: float  # by which pairs are compared: the plausibility, or the predictive score
    plausibility: float
    part_goal: float
    part_efficiency: float
    part_observation: float
    surprise_goal: float
    surprise_efficiency: float
    surprise_observation: float
    preference: str  # E[theta] at the start of the test trial: "heart.png 0.9; spoon.png 0.1"
    efficiency: float  # E[beta] at the start of the test trial
    model: str  # fingerprint
    version: str  # of hbtom
    score: str  # what the rating is: plausibility or predictive
    stamp: str  # of the file: differs once its content does
    part_waste: float = 1.0  # as if nothing were wasted, where the model leaves waste out
    surprise_waste: float = 0.0


COLUMNS = tuple(column.name for column in fields(Row))
_BEFORE = COLUMNS[:-2]  # of files that version 0.1 has written
_KINDS = tuple(float if column.type == "float" else str for column in fields(Row))


def write_rows(rows: Sequence[Row], path: Path, *, overwrite: bool = False) -> None:
    """Write a results file, whole or not at all."""
    check_target(path, overwrite=overwrite)
    write_whole(path, encode(rows, path.suffix))


def encode(rows: Sequence[Row], kind: str, *, heading: bool = True) -> bytes:
    """Return rows as a file of a kind holds them; ``.csv`` with a heading or without."""
    return _csv(rows, heading) if kind == ".csv" else _ENCODERS[kind](rows)


def _csv(rows: Sequence[Row], heading: bool) -> bytes:
    lines = [_line(COLUMNS)] if heading else []
    lines += [_line(asdict(row).values()) for row in rows]
    return "".join(lines).encode(errors="surrogateescape")  # a file may have any name


def _line(values: Iterable[Any]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")  # so that either of these is quoted
    writer.writerow(map(guarded, values))
    return text.getvalue().removesuffix("\r\n") + "\n"


def _jsonl(rows: Sequence[Row]) -> bytes:
    return "".join(json.dumps(asdict(row), allow_nan=False) + "\n" for row in rows).encode()


def _parquet(rows: Sequence[Row]) -> bytes:
    library, parquet = arrow()
    types = (library.float64() if kind is float else library.string() for kind in _KINDS)
    schema = library.schema(list(zip(COLUMNS, types, strict=True)))
    sink = io.BytesIO()
    plain = [
        {name: spelt(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in map(asdict, rows)
    ]
    parquet.write_table(library.Table.from_pylist(plain, schema), sink)
    return sink.getvalue()


def spelt(name: str) -> str:
    """Return a name as Unicode spells it: a byte of a file's name that is none, as ``\\udcff``."""
    return name.encode(errors="backslashreplace").decode()


_ENCODERS: dict[str, Callable[[Sequence[Row]], bytes]] = {".jsonl": _jsonl, ".parquet": _parquet}


def decode(data: bytes, kind: str) -> list[Row]:
    """Return the rows of a file that :func:`encode` made, exactly; refuse any other file."""
    try:
        return [_row(values) for values in _DECODERS[kind](data)] if data else []
    except (ValueError, csv.Error) as error:
        raise _foreign(str(error)) from None


def whole_lines(data: bytes, kind: str) -> bytes:
    """Return a file of ours without its last line, if that was torn; refuse any other file."""
    if not begins_like_ours(data, kind):
        raise _foreign("it begins differently")
    return data if kind == ".parquet" else data[: data.rfind(b"\n") + 1]


def begins_like_ours(data: bytes, kind: str) -> bool:
    """Tell whether a file begins, or was cut off beginning, as :func:`encode` begins."""
    return any(data[: len(start)] == start[: len(data)] for start in _STARTS[kind])


def _foreign(why: str) -> BadInput:
    return BadInput(
        f"this is not a results file of this hbtom ({why})",
        hint="it is left as it is; choose another name",
    )


_STARTS = {
    ".csv": (_csv([], heading=True), _line(_BEFORE).encode()),
    ".jsonl": (b'{"task": "',),
    ".parquet": (b"PAR1",),
}


def _row(values: Iterable[Any]) -> Row:
    values = tuple(values)
    if len(values) not in (len(COLUMNS), len(_BEFORE)):
        raise ValueError("a row has other columns")
    return Row(*map(_value, COLUMNS, _KINDS, values))


def _value(column: str, kind: type, value: Any) -> Any:
    """Return what stands in a column, or say that nothing of its kind does."""
    try:
        if kind is float:
            return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"'{column}' is not a number") from None
    if not isinstance(value, str):
        raise ValueError(f"'{column}' is not text")
    return value


def _csv_values(data: bytes) -> Iterable[Iterable[Any]]:
    text = data.decode(errors="surrogateescape")
    _heading, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    return (map(unguarded, line) for line in lines)


def _jsonl_values(data: bytes) -> Iterable[Iterable[Any]]:
    return map(_in_columns, map(json_value, data.splitlines()))


def _parquet_values(data: bytes) -> Iterable[Iterable[Any]]:
    return map(_in_columns, parquet_rows(data))


def json_value(line: str | bytes) -> Any:
    """Return what a line of JSON says; raise ValueError for whatever is wrong with it."""
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parquet_rows(data: bytes) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file; raise ValueError for whatever is wrong with it."""
    try:
        columns = read_flat(data)
    except BadInput:
        raise
    except (OSError, ValueError) as error:
        raise ValueError(str(error).partition("\n")[0]) from None
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _in_columns(row: Any) -> Iterable[Any]:
    if not isinstance(row, dict) or tuple(row) not in (COLUMNS, _BEFORE):
        raise ValueError("other columns")
    return row.values()


_DECODERS: dict[str, Callable[[bytes], Iterable[Iterable[Any]]]] = {
    ".csv": _csv_values,
    ".jsonl": _jsonl_values,
    ".parquet": _parquet_values,
}
