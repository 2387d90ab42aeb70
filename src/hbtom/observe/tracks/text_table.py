"""The cells of a text file: rows below a heading, each with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place
from hbtom.files import separator

_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
LOST = ("", "nan", "na", "none", "null")


@dataclass(frozen=True)
class Table:
    """Cells below a heading, and the line of each row."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    lines: Sequence[int]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.heading)}

    def column(self, name: str) -> list[str]:
        at = self._places[name]
        return [row[at] for row in self.rows]

    def numbers(self, name: str) -> Annotated[Floats, "row"]:
        """Return the numbers in a column; NaN where the tracker lost something."""
        at = self._places[name]
        return np.array(
            [number(row[at], line, name) for line, row in zip(self.lines, self.rows, strict=True)]
        )


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
    mark = separator(text)
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
