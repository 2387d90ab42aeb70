"""A tracker's output: where the body parts of individuals were, as in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place

LIKELY = 0.6  # below this likelihood, DeepLabCut itself does not draw a point
_MOST_PARTS = 100_000  # of all individuals of a file


def check_parts(many: int) -> None:
    """Refuse a file with too many individuals and body parts, before they are made."""
    if many > _MOST_PARTS:
        problem = f"there are {many:,} tracks of body parts, but at most {_MOST_PARTS:,} are read"
        raise BadInput(problem, hint="leave out short tracks")


@dataclass(frozen=True, eq=False)
class Individual:
    """One individual: one row per frame in which the tracker looked for it.

    ``parts`` has x, y and likelihood of each body part; x and y are NaN where it was lost.
    """

    number: Annotated[Floats, "row"]  # of the frame, or its time
    parts: Mapping[str, Annotated[Floats, "row 3"]]
    line: Sequence[int] = ()  # where each row is in the file, if it has lines
    trial: Sequence[str] = ()  # the trial of each row, if the file names it

    def place(self, row: int, field: str | None = None) -> Place:
        """Return where a row is in the file."""
        return Place(line=self.line[row] if len(self.line) else None, field=field)


@dataclass(frozen=True, eq=False)
class Tracks:
    """The whole output of a tracker."""

    kind: str  # of file, in words
    seen: Mapping[str, Individual]  # by the individual's name
    cutoff: float = LIKELY  # least likelihood, unless the scene has its own
    timed: bool = False  # rows have times instead of frame numbers


UNEVEN = 0.1  # a step that is shorter than this share of the usual one is suspicious


def uneven(seen: Individual, rows: Sequence[int], *, timed: bool) -> Iterator[str]:
    """Yield a warning if rows in order are much closer than usual, so that frames are unequal."""
    steps = np.diff(seen.number[rows])
    if len(steps) and steps.min() < UNEVEN * np.median(steps):
        what = "times" if timed else "frame numbers"
        apart = f"between {steps.min():.3g} and {steps.max():.3g} apart"
        yield f"{what} are {apart}, but rows are taken to come at even intervals"


def in_order(seen: Individual, rows: Sequence[int], *, timed: bool) -> Annotated[np.ndarray, "row"]:
    """Return the frame of each row, counted from 0; missing rows count, too.

    Rows come at even intervals: the median difference of two numbers is one frame.
    """
    what, number = "time" if timed else "frame", seen.number[rows]
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.diff(number)
    for at in np.flatnonzero(~(steps > 0))[:1].tolist():
        now, before = f"{number[at + 1]:g}", f"{number[at]:g}"
        twice = number[at + 1] == number[at]
        problem = f"{what} {now} occurs twice" if twice else f"{what} {now} follows {before}"
        hint = "keep one row per frame" if twice else "sort the rows, or separate the trials"
        raise BadInput(problem, hint=hint, place=seen.place(rows[at + 1], what))
    for at in np.flatnonzero(np.isinf(steps))[:1].tolist():
        problem = f"{what} {number[at + 1]:g} is too far from {number[at]:g}"
        hint = "number the frames, or give times in seconds"
        raise BadInput(problem, hint=hint, place=seen.place(rows[at + 1], what))
    usual = float(np.median(steps)) if len(steps) else 1.0
    return np.append(0, np.cumsum(np.maximum(np.rint(steps / usual), 1.0)))
