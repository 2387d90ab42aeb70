"""Labels: which files form a pair, and which of the two is more plausible.

A file of labels says this if the names of the data files do not. As JSON, it is an object with
an entry for each file, or a list of rows with a field ``file``. As CSV, it has one row per file
below a heading. A row has ``pair``, ``label`` (``expected``, ``no expectation`` or ``unexpected``)
or ``more_plausible`` (true or false), and perhaps ``task``. All other fields are ignored.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from hbtom.bench.entries import task_name
from hbtom.bench.table_files import csv_reader
from hbtom.errors import BadInput, Place, few, located
from hbtom.files import file_bytes

FILE = "labels.json"  # the usual name of a file of labels in a dataset
Levels = Mapping[tuple[str, str, str], str]  # by task, pair and member: one of ORDER
ORDER = ("unexpected", "no expectation", "expected")  # the least plausible first
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NEEDED = "a row needs 'file', 'pair', and 'label' or 'more_plausible'"


@dataclass(frozen=True, slots=True)
class Label:
    """The task, pair and member that a file is."""

    task: str  # empty means the dataset's own name
    pair: str
    member: Literal["e", "u"]
    level: str | None = None  # one of ORDER, if known


@dataclass(frozen=True)
class Labels:
    """The labels of all files, by their names, which start from the dataset's folder."""

    name: str
    files: Mapping[str, Label]

    def find(self, file: str) -> Label | None:
        """Return the label of a file, whose name may start from any folder above it."""
        parts = PurePosixPath(file.replace("\\", "/")).parts
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        return next((self.files[end] for end in ends if end in self.files), None)

    @property
    def levels(self) -> Levels:
        """How plausible each episode is, where known."""
        named = ((one.task, one.pair, one.member, one.level) for one in self.files.values())
        return {(task, pair, member): level for task, pair, member, level in named if level}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as read, before it is compared with the other row of its pair."""

    where: str  # in words
    file: str
    task: str
    pair: str
    label: str | None
    more: bool | None


def levels_beside(dataset: Path) -> Levels:
    """Return how plausible each episode of a folder is, if the folder has a file of labels."""
    if not (dataset / FILE).is_file():
        return {}
    try:
        return read_labels(dataset / FILE).levels
    except BadInput:  # it is something else
        return {}


def read_labels(path: Path) -> Labels:
    """Read a file of labels, and check that it orders the two files of every pair."""
    with located(file=str(path)):
        rows = [_row(where, row) for where, row in _rows(path)]
        if not rows:
            raise BadInput("there are no labels", hint=_NEEDED)
        return Labels(str(path), dict(_labelled(rows)))


# Rows, from JSON or CSV


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each row and where in the file it is, in words."""
    try:
        text = file_bytes(path, "a file of labels").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("this is not text", hint="labels are JSON or CSV, in UTF-8") from None
    if not text.strip():
        raise BadInput("the file is empty", hint=_NEEDED)
    yield from _from_json(text) if text.lstrip()[0] in "[{" else _from_csv(text)


def _from_json(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        found = json.loads(text, object_pairs_hook=_Entries)
    except json.JSONDecodeError as error:
        problem, place = f"this is not JSON: {error.msg}", Place(line=error.lineno)
        raise BadInput(problem, hint=f"look at column {error.colno}", place=place) from None
    except ValueError:  # Python does not read numbers with thousands of digits
        raise BadInput("a number is too long", hint="names of pairs are short") from None
    except RecursionError:
        raise BadInput("this is nested too deeply to be labels", hint=_NEEDED) from None
    rows = found if isinstance(found, _Entries) else [(None, row) for row in found]
    for number, (file, row) in enumerate(rows, start=1):
        where = f"entry {number}"
        if not isinstance(row, _Entries):
            which = where if file is None else f"{where} ({file})"
            raise BadInput(f"{which} is not an object", hint=_NEEDED)
        _check_once([name for name, _ in row], where)
        yield where, dict(row) if file is None else {**dict(row), "file": file}


def _check_once(names: Sequence[str], where: str) -> None:
    """Refuse a name that occurs twice, because it is unclear which one counts."""
    twice = next((name for name, times in Counter(names).items() if name and times > 1), None)
    if twice is not None:
        raise BadInput(f"{where} has '{twice}' twice", hint="remove one of them")


class _Entries(list[tuple[str, Any]]):
    """A JSON object with all its entries, even those that occur twice."""

    def __repr__(self) -> str:
        return "an object"


def _from_csv(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    reader = csv_reader(text, strict=True)
    try:
        heading = reader.fieldnames or ()
        if not {"file", "pair"} <= set(heading) or not {"label", "more_plausible"} & set(heading):
            problem = f"columns are missing: the first line has only {few(heading)}"
            hint = "write file,pair,label or file,pair,more_plausible, and perhaps task"
            raise BadInput(problem, hint=hint, place=Place(line=1))
        _check_once(heading, "the first line")
        for row in reader:
            where = f"line {reader.line_num}"
            if None in row:
                hint = "quote names with ,"
                raise BadInput(f"{where} has more cells than the heading", hint=hint)
            yield where, row
    except csv.Error as error:
        place = Place(line=max(reader.line_num, 1))
        raise BadInput(f"this is not CSV: {error}", hint=_NEEDED, place=place) from None


def _row(where: str, row: Mapping[str, Any]) -> _Row:
    """Return the content of a row, or raise an error that says what is missing and where."""
    try:
        file = _inside(_text(row, "file"))
        task = _text(row, "task") or PurePosixPath(file).parent.name
        pair, named = _text(row, "pair"), _text(row, "label")
        label = " ".join(named.lower().replace("_", " ").replace("-", " ").split())
        if label and label not in ORDER:
            hint = f"it is one of: {', '.join(ORDER[::-1])}"
            raise BadInput(f"there is no label '{named}'", hint=hint)
        more = _text(row, "more_plausible")
        if more and more.lower() not in _TRUTH:
            raise BadInput(f"'more_plausible' is '{more}'", hint="write true or false")
        if not pair:
            raise BadInput("it does not say which pair the file belongs to", hint=_NEEDED)
        if not label and not more:
            raise BadInput("it has neither 'label' nor 'more_plausible'", hint=_NEEDED)
    except BadInput as error:
        named = f"{where} ({row['file']})" if row.get("file") not in (None, "") else where
        raise BadInput(f"{named}: {error.problem}", hint=error.hint) from None
    return _Row(where, file, task_name(task), pair, label or None, _TRUTH.get(more.lower()))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, list):
        raise BadInput(f"'{name}' is neither text nor a number", hint=_NEEDED)
    return str(value).strip()


def _inside(file: str) -> str:
    """Return the name of a file relative to the dataset; refuse a file outside the dataset."""
    if not file:
        raise BadInput("it does not say which file it is about", hint=_NEEDED)
    path = PurePosixPath(file.replace("\\", "/"))
    if not path.parts or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        hint = "names start from that folder and stay in it, as in task/0001.json"
        raise BadInput("the file is not named from the dataset's folder", hint=hint)
    return str(path)


# Pairs made from rows


def _labelled(rows: Sequence[_Row]) -> Iterator[tuple[str, Label]]:
    """Yield each file with its label; every pair must have two members in order."""
    known: dict[str, _Row] = {}
    pairs: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        if row.file in known:
            problem = f"{row.file} is labelled twice: {known[row.file].where} and {row.where}"
            raise BadInput(problem, hint="remove one of them")
        known[row.file] = row
        pairs.setdefault((row.task, row.pair), []).append(row)
    for (task, pair), members in pairs.items():
        for row, member in zip(_ordered(task, pair, members), ("e", "u"), strict=True):
            yield row.file, Label(task, pair, "e" if member == "e" else "u", row.label)


def _ordered(task: str, pair: str, members: Sequence[_Row]) -> tuple[_Row, _Row]:
    """Return the more plausible member of a pair, and the other one."""
    name = f"pair '{pair}'" + (f" of task '{task}'" if task else "")
    listed = few(f"{row.file} ({row.where})" for row in members)
    if len(members) == 1:
        hint = "label its counterpart too, with the same pair and task (by default, its folder)"
        raise BadInput(f"{name} has only one member: {listed}", hint=hint)
    if len(members) > 2:
        hint = "a pair has two files; give every pair a name of its own"
        raise BadInput(f"{name} has {len(members)} members: {listed}", hint=hint)
    one, other = members
    orders = {row.more == (row is one) for row in members if row.more is not None}
    ranks = [ORDER.index(row.label) for row in members if row.label is not None]
    if len(set(ranks)) == 2:
        orders.add(ranks[0] > ranks[1])
    if one.label == other.label and one.label is not None:
        hint = "a pair needs an order: expected > no expectation > unexpected; leave others out"
        raise BadInput(f"both members of {name} are '{one.label}': {listed}", hint=hint)
    if len(orders) != 1:
        hint = "'label' and 'more_plausible' must agree on which of the two is more plausible"
        raise BadInput(f"the labels of {name} contradict each other: {listed}", hint=hint)
    return (one, other) if orders == {True} else (other, one)
