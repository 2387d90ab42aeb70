"""Plain tables: wide (``nose_x, nose_y``) or long (one row per frame and individual).

Trajectories may have times instead of frames, and points as ``POINT (3 4)``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place, few
from hbtom.observe.tracks.points import Individual, Tracks, check_parts
from hbtom.observe.tracks.scene_file import Columns
from hbtom.observe.tracks.text_table import LOST, Table, number

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


def read_plain(rows: Sequence[Sequence[str]], lines: Sequence[int], columns: Columns) -> Tracks:
    """Read a table with one row of headings; ``columns`` are named by the scene."""
    table = Table([name.strip() for name in rows[0]], rows[1:], lines[1:])
    _check_heading(table.heading, columns)
    by = {role: getattr(columns, role) or _called(role, table.heading) for role in _KNOWN}
    if by["track"] == columns.trial:
        by["track"] = None
    timed = by["frame"] is None and by["time"] is not None
    places = _places(table, columns)
    every = range(len(table.rows))
    groups: dict[str, list[int]] = {}
    whose = table.column(by["track"]) if by["track"] else ["agent"] * len(every)
    for row, who in enumerate(whose):
        groups.setdefault(who.strip(), []).append(row)
    number = _numbering(table, by["time"] if timed else by["frame"], timed)
    trials = table.column(columns.trial) if columns.trial else ()
    check_parts(len(groups) * len(places))
    seen = {}
    for who, own in groups.items():
        kept = [number[row] for row in own] if number is not None else range(1, len(own) + 1)
        lines = [table.lines[row] for row in own]
        labels = [trials[row].strip() for row in own] if trials else ()
        for name, values in places.items():
            both = " ".join(one for one in (who if by["track"] else "", name) if one)
            part, called = {"": values[own]}, both or "agent"
            if called in seen:
                hint = "rename a column, or name in the scene: [track.columns] x, y and track"
                raise BadInput(f"there are two tracks '{called}'", hint=hint)
            seen[called] = Individual(np.array(kept, dtype=float), part, lines, labels)
    return Tracks("a plain table", seen, timed=timed)


def _check_heading(heading: Sequence[str], columns: Columns) -> None:
    """Refuse names that occur twice, and names in the scene that do not occur."""
    name, times = Counter(heading).most_common(1)[0]
    if times > 1:
        raise BadInput(f"there are two columns '{name}'", place=Place(line=1))
    for role in columns.__struct_fields__:
        name = getattr(columns, role)
        if name is not None and name not in heading:
            hint = f"the file has {few(heading)}"
            raise BadInput(
                f"there is no column '{name}'", hint=hint, place=Place(line=1, field=name)
            )


def _called(role: str, heading: Sequence[str]) -> str | None:
    """Return the column with a common name for this role; frames may have no name."""
    names = {name.casefold(): name for name in reversed(heading)}
    found = next((names[one] for one in _KNOWN[role] if one in names), None)
    return heading[0] if found is None and role == "frame" and heading[0] == "" else found


def _numbering(table: Table, name: str | None, timed: bool) -> Annotated[Floats, "row"] | None:
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


def _dates(table: Table, name: str) -> Iterator[float]:
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


def _places(table: Table, columns: Columns) -> dict[str, Annotated[Floats, "row 3"]]:
    """Return x, y and likelihood in every row, by the name of the individual or body part."""
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
        known = {kind for each in axes.values() for kind in each}
        absent = " and no ".join(sorted({"x", "y"} - known) or "xy")
        missing = "heading" if all(map(_numeric, table.heading)) else absent
        problem = f"columns are missing: there is no {missing}"
        hint = f"it has {few(table.heading)}; name them in the scene: [track.columns] x = ..."
        raise BadInput(problem, hint=hint, place=Place(line=1))
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
        if cell.strip().casefold() in (*LOST, "point empty"):
            return np.nan, np.nan
        hint = "points are written as POINT (3 4)"
        place = Place(line=line, field=column)
        raise BadInput(f"'{cell[:40]}' is not a point", hint=hint, place=place)
    return number(found[1], line, column), number(found[2], line, column)


def _numeric(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
