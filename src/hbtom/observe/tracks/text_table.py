"""The cells of a text file: rows below a heading, each with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place

_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
LOST = ("", "nan", "na", "none", "null")


class Table(NamedTuple):
    """Cells below a heading, and the line of each row."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    lines: Sequence[int]

    def column(self, name: str) -> list[str]:
        at = self.heading.index(name)
        return [row[at] for row in self.rows]

    def numbers(self, name: str) -> Annotated[Floats, "row"]:
        """Return the numbers in a column; NaN where the tracker lost something."""
        at = self.heading.index(name)
        return np.array(
            [number(row[at], line, name) for line, row in zip(self.lines, self.rows, strict=True)]
        )

    def chosen(self, keep: Sequence[int]) -> Table:
        return Table(self.heading, [self.rows[i] for i in keep], [self.lines[i] for i in keep])


def number(cell: str, line: int, column: str) -> float:
    cell = cell.strip()
    if cell.casefold() in LOST:
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


def _pointed(cell: str) -> str:
    """Replace a decimal comma, as used in many countries, by a point."""
    return cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell


def read_cells(data: bytes) -> tuple[list[list[str]], list[int]]:
    """Return all nonempty rows of a text file, and the line of each."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("this is not text", hint="tracks are CSV in UTF-8, or HDF5") from None
    rows, lines = [], []
    stream = io.StringIO(text, newline="")
    mark = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(stream, delimiter=mark, strict=True)
    try:
        for row in reader:
            if any(map(str.strip, row)):
                rows.append([_pointed(cell) for cell in row] if mark == ";" else row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise BadInput(f"this is not CSV: {error}", place=Place(line=reader.line_num)) from None
    if len(rows) < 2:
        raise BadInput("there are no rows", hint="a track has one row per frame below a heading")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            problem = f"there are {len(row)} cells, but {len(rows[0])} in the first line"
            raise BadInput(problem, hint="is the file cut off?", place=Place(line=line))
    return rows, lines
