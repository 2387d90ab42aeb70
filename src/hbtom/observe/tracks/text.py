"""Tracks in text files: DeepLabCut's tables, and plain tables with one row per frame.

A plain table is wide (``nose_x, nose_y``) or long (one row per frame and individual). Trajectories
may have times instead of frames, and points as ``POINT (3 4)``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place
from hbtom.observe.tracks.points import Seen, Tracks
from hbtom.observe.tracks.scene_file import Columns

LEVELS = ("scorer", "individuals", "bodyparts", "coords")  # of DeepLabCut's heading
_KNOWN = {
    "frame": ("frame", "frames", "frame_id", "frame_idx", "frame_index", "frame_number", "index"),
    "time": ("time", "t", "timestamp", "seconds", "time_s", "datetime"),
    "track": (
        *("track", "track_id", "id", "individual", "individuals", "animal", "animal_id"),
        *("subject", "traj_id", "trajectory_id", "trajectory", "object_id", "instance"),
    ),
}
_SEPARATOR = r"[ _.:/-]"
_AXIS = re.compile(
    rf"(?:(?P<before>.+){_SEPARATOR})?(?P<axis>x|y|likelihood|confidence|score)"
    rf"(?:{_SEPARATOR}(?P<after>.+))?",
    re.IGNORECASE,
)
_POINT = re.compile(r"\s*POINT\s*Z?\s*\(\s*(\S+)\s+(\S+)(?:\s+\S+)?\s*\)\s*", re.IGNORECASE)
_LOST = ("", "nan", "na", "none", "null")


class _Table(NamedTuple):
    """Cells below a heading, and the line of each row."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    lines: Sequence[int]

    def column(self, name: str) -> list[str]:
        at = self.heading.index(name)
        return [row[at] for row in self.rows]

    def numbers(self, name: str) -> Annotated[Floats, "row"]:
        """Return the numbers in a column; cells where something was lost are not numbers."""
        at = self.heading.index(name)
        return np.array(
            [_number(row[at], line, name) for line, row in zip(self.lines, self.rows, strict=True)]
        )

    def chosen(self, keep: Sequence[int]) -> _Table:
        return _Table(self.heading, [self.rows[i] for i in keep], [self.lines[i] for i in keep])


def _number(cell: str, line: int, column: str) -> float:
    cell = cell.strip()
    if cell.casefold() in _LOST:
        return np.nan
    try:
        number = float(cell)
    except ValueError:
        number = np.inf
    if not np.isfinite(number):
        hint = "leave the cell empty where the tracker lost the agent"
        raise BadInput(
            f"'{cell[:40]}' is not a number", hint=hint, place=Place(line=line, field=column)
        )
    return number


def read_text(data: bytes, columns: Columns) -> Tracks:
    """Read the tracks in a text file; ``columns`` are named by the scene."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("this is not text", hint="tracks are CSV in UTF-8, or HDF5") from None
    rows, lines = [], []
    stream = io.StringIO(text, newline="")
    reader = csv.reader(
        stream, delimiter=max(",;\t", key=text.partition("\n")[0].count), strict=True
    )
    try:
        for row in reader:
            if any(map(str.strip, row)):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise BadInput(f"this is not CSV: {error}", place=Place(line=reader.line_num)) from None
    if len(rows) < 2:
        raise BadInput("there are no rows", hint="a track has one row per frame below a heading")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            problem = f"there are {len(row)} cells, but {len(rows[0])} in the first line"
            raise BadInput(problem, hint="is the file cut off?", place=Place(line=line))
    levels = len([*takewhile(lambda row: row[0].strip().casefold() in LEVELS, rows)])
    if levels:
        heading = [[name.strip() for name in row] for row in rows[:levels]]
        return _deeplabcut(
            heading, _Table(_unique(heading), rows[levels:], lines[levels:]), columns
        )
    names = [name.strip() for name in rows[0]]
    return _plain(_Table(names, rows[1:], lines[1:]), columns)


# DeepLabCut


def _unique(heading: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join(levels[1:]) for levels in zip(*heading, strict=True)]


def _deeplabcut(heading: Sequence[Sequence[str]], table: _Table, columns: Columns) -> Tracks:
    levels = {row[0].casefold(): row[1:] for row in heading}
    if not {"bodyparts", "coords"} <= set(levels):
        hint = "it begins with the rows scorer, bodyparts and coords"
        raise BadInput("the heading of this DeepLabCut file is not complete", hint=hint)
    names = table.heading[1:]
    who = levels.get("individuals", ["agent"] * len(names))
    keys = list(zip(who, levels["bodyparts"], levels["coords"], strict=True))
    values = [table.numbers(name) for name in names]
    frames = table.numbers(table.heading[0])
    return by_individual(keys, np.array(values).T, frames, table.lines)


def by_individual(
    keys: Sequence[tuple[str, str, str]],
    values: Annotated[Floats, "row column"],
    number: Annotated[Floats, "row"],
    lines: Sequence[int] = (),
) -> Tracks:
    """Return DeepLabCut's tracks; each column is of an individual, a body part and a coordinate."""
    parts: dict[str, dict[str, Floats]] = {}
    found = dict(zip(keys, values.T, strict=True))
    for who, part, coordinate in keys:
        if coordinate == "x":
            if (who, part, "y") not in found:
                raise BadInput(f"'{part}' has x but no y", place=Place(field="coords"))
            sure = found.get((who, part, "likelihood"), np.ones(len(values)))
            parts.setdefault(who, {})[part] = np.stack(
                [found[who, part, "x"], found[who, part, "y"], sure], axis=1
            )
    if not parts:
        raise BadInput("there is no body part with x and y", place=Place(field="coords"))
    seen = {who: Seen(number, each, lines) for who, each in parts.items()}
    return Tracks("DeepLabCut", seen)


# Plain tables


def _plain(table: _Table, columns: Columns) -> Tracks:
    heading = table.heading
    for name in {name for name in heading if heading.count(name) > 1}:
        raise BadInput(f"there are two columns '{name}'", place=Place(line=1))
    for role in columns.__struct_fields__:
        name = getattr(columns, role)
        if name is not None and name not in heading:
            hint = f"the file has {', '.join(heading)}"
            raise BadInput(
                f"there is no column '{name}'", hint=hint, place=Place(line=1, field=name)
            )
    by = {role: getattr(columns, role) or _called(role, heading) for role in _KNOWN}
    timed = by["frame"] is None and by["time"] is not None
    places = _places(table, columns)
    every = range(len(table.rows))
    groups: dict[str, list[int]] = {}
    whose = table.column(by["track"]) if by["track"] else ["agent"] * len(every)
    for row, who in enumerate(whose):
        groups.setdefault(who.strip(), []).append(row)
    number = _numbering(table, by["time"] if timed else by["frame"], timed)
    trials = table.column(columns.trial) if columns.trial else ()
    seen = {}
    for who, rows in groups.items():
        kept = [number[row] for row in rows] if number is not None else range(1, len(rows) + 1)
        lines = [table.lines[row] for row in rows]
        labels = [trials[row].strip() for row in rows] if trials else ()
        for name, values in places.items():
            both = " ".join(one for one in (who if by["track"] else "", name) if one)
            part = {"": values[rows]}
            seen[both or "agent"] = Seen(np.array(kept, dtype=float), part, lines, labels)
    return Tracks("a plain table", seen, timed=timed)


def _called(role: str, heading: Sequence[str]) -> str | None:
    """Return the column that is commonly called as its role is; frames may have no name."""
    names = {name.casefold(): name for name in reversed(heading)}
    found = next((names[one] for one in _KNOWN[role] if one in names), None)
    return heading[0] if found is None and role == "frame" and heading[0] == "" else found


def _numbering(table: _Table, name: str | None, timed: bool) -> Annotated[Floats, "row"] | None:
    """Return the number or time of each row; None if the table has neither."""
    if name is None:
        return None
    if not timed:
        number = table.numbers(name)
    else:
        try:
            number = table.numbers(name)
        except BadInput:
            number = np.array([*_dates(table, name)])
    if np.isnan(number).any():
        line = table.lines[int(np.isnan(number).argmax())]
        raise BadInput("the row has no number", place=Place(line=line, field=name))
    return number


def _dates(table: _Table, name: str) -> Iterator[float]:
    """Yield seconds since the first row, given dates and times."""
    first = None
    for cell, line in zip(table.column(name), table.lines, strict=True):
        try:
            date = datetime.fromisoformat(cell.strip())
            first = first or date
            yield (date - first).total_seconds()
        except (TypeError, ValueError):  # also dates with and without a time zone
            hint = "write seconds, or dates such as 2024-05-01 12:00:00.04"
            place = Place(line=line, field=name)
            raise BadInput(f"'{cell[:40]}' is not a time", hint=hint, place=place) from None


def _places(table: _Table, columns: Columns) -> dict[str, Annotated[Floats, "row 3"]]:
    """Return x, y and likelihood in every row, of each name that has them."""
    sure = np.ones(len(table.rows))
    if columns.x or columns.y:
        if not (columns.x and columns.y):
            raise BadInput("[track.columns] names only one of x and y", hint="name both")
        if columns.likelihood:
            sure = table.numbers(columns.likelihood)
        return {"": np.stack([table.numbers(columns.x), table.numbers(columns.y), sure], axis=1)}
    points = next((name for name in table.heading if name.casefold() in ("geometry", "wkt")), None)
    if points is not None:
        cells = zip(table.column(points), table.lines, strict=True)
        return {"": np.array([(*_point(cell, line, points), 1.0) for cell, line in cells])}
    axes: dict[str, dict[str, str]] = {}
    for name in table.heading:
        if (found := _AXIS.fullmatch(name)) is not None:
            axis = found["axis"].casefold()
            kind = axis if axis in "xy" else "likelihood"
            owner = found["before"] or found["after"] or ""
            axes.setdefault(owner, {})[kind] = name
    places = {owner: each for owner, each in axes.items() if {"x", "y"} <= set(each)}
    if not places:
        missing = "no heading" if all(map(_numeric, table.heading)) else "no columns x and y"
        hint = f"it has {', '.join(table.heading)}; name them in the scene: [track.columns] x = ..."
        raise BadInput(f"columns are missing: there are {missing}", hint=hint, place=Place(line=1))
    of: Callable[[str], Floats] = table.numbers
    return {
        owner: np.stack(
            [
                of(each["x"]),
                of(each["y"]),
                of(each["likelihood"]) if "likelihood" in each else sure,
            ],
            axis=1,
        )
        for owner, each in places.items()
    }


def _point(cell: str, line: int, column: str) -> tuple[float, float]:
    """Return the x and y of ``POINT (3 4)``."""
    found = _POINT.fullmatch(cell)
    if found is None:
        if cell.strip().casefold() in (*_LOST, "point empty"):
            return np.nan, np.nan
        hint = "points are written as POINT (3 4)"
        place = Place(line=line, field=column)
        raise BadInput(f"'{cell[:40]}' is not a point", hint=hint, place=place)
    return _number(found[1], line, column), _number(found[2], line, column)


def _numeric(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
