"""Results files: one row an episode, as CSV, JSON lines or Parquet.

Anybody's ratings can be read back: a row names its episode by ``file``, or by ``task``, ``pair``
and ``member``, and rates it under ``rating`` or ``plausibility``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any

from hbtom.bench.dataset import episode_name, task_name
from hbtom.bench.evaluation import COLUMNS, Row
from hbtom.errors import BadInput, Place, missing

EpisodeName = tuple[str, str, str]  # task, pair, member


@dataclass(frozen=True)
class Ratings:
    """How plausible each episode was rated, by whomever."""

    name: str
    values: Mapping[EpisodeName, float]


def check_target(
    path: Path,
    *,
    overwrite: bool = False,
    kinds: Sequence[str] = (".csv", ".jsonl", ".parquet"),
) -> None:
    """Refuse a file that cannot or should not be written, before any work is done."""
    if path.suffix not in kinds:
        raise BadInput(
            f"results are not written as '{path.suffix}'",
            hint=f"end the name in {' or '.join(kinds)}",
        ).at(file=str(path))
    if path.suffix == ".parquet":
        _arrow()
    if path.exists() and not overwrite:
        raise BadInput(
            "the file exists already", hint="choose another name, or say --overwrite"
        ).at(file=str(path))
    if not path.resolve().parent.is_dir():
        raise BadInput("there is no such folder", hint="make it first").at(
            file=str(path.resolve().parent)
        )


def write_rows(rows: Sequence[Row], path: Path, *, overwrite: bool = False) -> None:
    """Write a results file, whole or not at all."""
    check_target(path, overwrite=overwrite)
    data = _WRITERS[path.suffix](rows)
    write_whole(path, data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name first, so that nothing half-written is ever seen."""
    part = None
    try:
        handle, part = tempfile.mkstemp(prefix=path.name + ".", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except OSError as error:
        raise BadInput(f"the file cannot be written: {error.strerror or error}").at(
            file=str(path)
        ) from None
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)


def _umask() -> int:
    """Return the permissions that new files are not to have; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue().encode()


def _jsonl(rows: Sequence[Row]) -> bytes:
    return "".join(json.dumps(asdict(row), allow_nan=False) + "\n" for row in rows).encode()


def _parquet(rows: Sequence[Row]) -> bytes:
    arrow, parquet = _arrow()
    table = arrow.Table.from_pylist([asdict(row) for row in rows])
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


_WRITERS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing("pyarrow", "tables") from None
    return pyarrow, pyarrow.parquet


def read_ratings(path: Path) -> Ratings:
    """Read anybody's ratings: CSV, JSON lines or Parquet."""
    try:
        rows = list(_READERS.get(path.suffix, _read_csv)(path))
    except FileNotFoundError:
        hint = "check the name and the folder"
        raise BadInput("there is no such file", hint=hint).at(file=str(path)) from None
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        if isinstance(error, BadInput):
            raise error.at(file=str(path)) from None
        raise BadInput(f"the ratings cannot be read ({error})").at(file=str(path)) from None
    values: dict[EpisodeName, float] = {}
    for number, row in enumerate(rows, start=1):
        try:
            episode, value = _episode(row), _rating(row)
            if episode in values:
                raise BadInput(f"{'/'.join(episode)} is rated twice")
        except BadInput as error:
            problem = f"row {number} below the heading: {error.problem}"
            raise BadInput(problem, hint=error.hint, place=Place(file=str(path))) from None
        values[episode] = value
    if not values:
        raise BadInput("there are no ratings", hint=_NEEDED).at(file=str(path))
    return Ratings(str(path), values)


_NEEDED = "a row needs 'file', or 'task', 'pair' and 'member'; and 'rating' or 'plausibility'"


def _read_csv(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8-sig") as stream:
        heading = stream.readline()
        stream.seek(0)
        separator = max(",;\t", key=heading.count)  # spreadsheets of some countries write ;
        yield from csv.DictReader(stream, delimiter=separator)


def _read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise BadInput(f"line {number} is not a JSON object", hint=_NEEDED)
                yield row


def _read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    _, parquet = _arrow()
    yield from parquet.read_table(path).to_pylist()


_READERS: dict[str, Callable[[Path], Iterator[dict[str, Any]]]] = {
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}


_MEMBERS = {"expected": "e", "unexpected": "u"}


def _episode(row: Mapping[str, Any]) -> EpisodeName:
    """Return which episode a row is about."""
    if all(row.get(name) not in (None, "") for name in ("task", "pair", "member")):
        member = str(row["member"]).strip().lower()
        return task_name(str(row["task"])), str(row["pair"]), _MEMBERS.get(member, member)
    file = PurePath(str(row.get("file") or ""))
    named, task = episode_name(file.name), str(row.get("task") or file.parent.name)
    if named is None or not task:
        hint = f"{_NEEDED}; a file needs its task's folder before it"
        raise BadInput("it does not say which episode of which task it rates", hint=hint)
    return (task_name(task), *named)


def _rating(row: Mapping[str, Any]) -> float:
    if "rating" not in row and "plausibility" not in row:
        known = ", ".join(str(name) for name in row)
        raise BadInput("there is no column 'rating'", hint=f"the columns are {known}")
    given = row.get("rating", row.get("plausibility"))
    try:
        value = float(given if given is not None else "")
    except (TypeError, ValueError):
        raise BadInput(f"the rating is {given!r}", hint="a number is needed") from None
    if math.isnan(value):
        raise BadInput("the rating is not a number", hint="leave the row out")
    return value
