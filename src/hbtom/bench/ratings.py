"""Ratings from anywhere: CSV, JSON lines or Parquet, one row per episode.

A row names its episode by ``file``, or by ``task``, ``pair`` and ``member``, and rates it under
``rating`` or ``plausibility``. Looking times are under ``looking``: longer is more surprising. A
rating may be missing if the row says why under ``missing``, as in results of ``evaluate``.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from hbtom.bench.dataset import episode_name
from hbtom.bench.entries import task_name
from hbtom.bench.labels import Labels
from hbtom.bench.results import begins_like_ours, json_value, parquet_rows
from hbtom.bench.table_files import csv_reader, unguarded
from hbtom.errors import BadInput, few, located
from hbtom.files import check_rows, file_bytes
from hbtom.observe import Episode

Direction = Literal["looking", "rating"]  # more is more surprising, or more plausible
EpisodeName = tuple[str, str, str]  # task, pair, member


@dataclass(frozen=True)
class Ratings:
    """How plausible each episode was rated, by people or a program; also a rater."""

    name: str
    values: Mapping[EpisodeName, float]  # NaN where a rating is missing

    @property
    def fingerprint(self) -> str:
        """A short text that changes when any rating does."""
        return hashlib.sha256(repr(sorted(self.values.items())).encode()).hexdigest()[:12]

    def rate(self, expected: Episode, unexpected: Episode) -> tuple[float, float]:
        """Return the ratings of both episodes, which are found by file name."""
        return self.rate_one(expected), self.rate_one(unexpected)

    def rate_one(self, episode: Episode) -> float:
        """Return the rating of an episode."""
        rating = self.values.get(_episode({"file": episode.name}, None))
        if rating is None:
            raise BadInput(f"there is no rating of it in {self.name}")
        if math.isnan(rating):
            raise BadInput(f"its rating is missing in {self.name}")
        return rating


def read_ratings(
    path: Path, labels: Labels | None = None, direction: Direction | None = None
) -> Ratings:
    """Read ratings: CSV, JSON lines or Parquet; labels give the task, pair and member of a file.

    ``direction`` says whether more is more plausible (rating) or more surprising (looking), in
    which case the signs are changed. By default, it follows from the name of the column.
    """
    with located(file=str(path)):
        values = _values(read_rows(path), labels, direction)
        return Ratings(str(path), values)


def read_rows(path: Path, what: str = "ratings", needed: str = "") -> list[dict[str, Any]]:
    """Return the rows of a table: CSV, JSON lines or Parquet; ``needed`` says what a row needs."""
    hint = (
        "name a file in it" if needed else "evaluate a dataset with --out FILE, and name that file"
    )
    data = file_bytes(path, f"a file of {what}", folder=hint)
    try:
        return _READERS.get(path.suffix, _read_csv)(data)
    except BadInput:
        raise
    except (csv.Error, ValueError) as error:
        hint = needed or _NEEDED
        raise BadInput(f"the {what} cannot be read ({error})", hint=hint) from None


@contextmanager
def at_row(number: int) -> Iterator[None]:
    """Add the number of a row, counted from 1, to errors raised inside."""
    try:
        yield
    except BadInput as error:
        problem = f"row {number} below the heading: {error.problem}"
        raise BadInput(problem, hint=error.hint) from None


def _values(
    rows: list[dict[str, Any]], labels: Labels | None, direction: Direction | None
) -> dict[EpisodeName, float]:
    values: dict[EpisodeName, float] = {}
    for number, row in enumerate(rows, start=1):
        with at_row(number):
            episode, value = _episode(row, labels), _rating(row, direction)
            if episode in values:
                raise BadInput(f"{'/'.join(episode)} is rated twice")
        values[episode] = value
    if not values:
        raise BadInput("there are no ratings", hint=_NEEDED)
    return values


_NEEDED = (
    "a row needs 'file', or 'task', 'pair' and 'member'; and 'rating', 'plausibility' or 'looking'"
)


def _read_csv(data: bytes) -> list[dict[str, Any]]:
    rows = list(csv_reader(data.decode("utf-8-sig")))
    if rows and None in rows[-1].values() and _torn(data, ".csv"):
        rows.pop()
    return [  # missing or surplus cells are not text
        {name: unguarded(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
        for row in rows
    ]


def _read_jsonl(data: bytes) -> list[dict[str, Any]]:
    check_rows(data.count(b"\n"))
    rows = []
    for number, line in enumerate(io.StringIO(data.decode(), newline=None), start=1):
        if not line.strip():
            continue
        try:
            row = json_value(line)
        except ValueError:
            if not line.endswith("\n") and _torn(data, ".jsonl"):
                break
            raise
        if not isinstance(row, dict):
            raise ValueError(f"line {number} is not a JSON object")
        rows.append(row)
    return rows


def _torn(data: bytes, kind: str) -> bool:
    """Return whether hbtom was killed while it wrote the last line."""
    return not data.endswith(b"\n") and begins_like_ours(data, kind)


_READERS: dict[str, Callable[[bytes], list[dict[str, Any]]]] = {
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": parquet_rows,
}
KINDS = tuple(_READERS)
_COLUMNS = ("rating", "plausibility", "looking")
_MEMBERS = {"expected": "e", "unexpected": "u"}


def _episode(row: Mapping[str, Any], labels: Labels | None) -> EpisodeName:
    """Return which episode a row is about."""
    if all(row.get(name) not in (None, "") for name in ("task", "pair", "member")):
        member = str(row["member"]).strip().lower()
        return task_name(str(row["task"])), str(row["pair"]), _MEMBERS.get(member, member)
    file = PurePath(str(row.get("file") or ""))
    if labels is not None:
        return _labelled(file, labels)
    named, task = episode_name(file.name), str(row.get("task") or file.parent.name)
    if named is None or not task:
        hint = f"{_NEEDED}; a file needs its task's folder before it, or --labels that name it"
        raise BadInput("it does not say which episode of which task it rates", hint=hint)
    return (task_name(task), *named)


def _labelled(file: PurePath, labels: Labels) -> EpisodeName:
    label = labels.find(str(file))
    if label is None:
        hint = f"label it in {labels.name}, or leave the row out"
        raise BadInput(f"the file '{file}' is not labelled", hint=hint)
    task = label.task or task_name(file.parent.name)
    if not task:
        hint = "name the task in the labels, or put its folder before the name of the file"
        raise BadInput(f"the task of '{file}' is not known", hint=hint)
    return task, label.pair, label.member


def _rating(row: Mapping[str, Any], direction: Direction | None) -> float:
    column = next((name for name in _COLUMNS if name in row), None)
    if column is None:
        raise BadInput("there is no column 'rating'", hint=f"the columns are {few(row)}")
    given = row[column]
    if given in ("", None) and row.get("missing"):
        return math.nan
    try:
        value = float(given if given is not None else "")
    except (TypeError, ValueError, OverflowError):
        raise BadInput(
            f"the rating is {str(given)[:40]!r}",
            hint="a number is needed, or a reason in a column 'missing'",
        ) from None
    if math.isnan(value):
        raise BadInput("the rating is not a number", hint="leave the row out")
    surprising = (direction or column) == "looking"
    return -value if surprising else value
