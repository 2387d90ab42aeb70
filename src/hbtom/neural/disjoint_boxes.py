"""Cut boxes that overlap, appear and vanish into a few that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats

Pieces = tuple[Annotated[Floats, "piece 4"], Annotated[Bools, "frame piece"]]
MOST = 100_000  # cells
_Run = tuple[int, int, bytes]  # a run of cells: its first, the one after its last, its frames


def cut(boxes: Annotated[Floats, "box 4"], there: Annotated[Bools, "frame box"]) -> Pieces:
    """Return disjoint boxes that cover the same area in each frame, and when they stand.

    Very many boxes are returned as they are.
    """
    ends = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    x, y = (np.unique(ends[:, axis::2]) for axis in (0, 1))
    if len(x) * len(y) > MOST:
        return boxes, there
    spans = (np.searchsorted(x, ends[:, ::2]), np.searchsorted(y, ends[:, 1::2]))
    covered = np.zeros((len(y) - 1, len(x) - 1, len(there)), dtype=bool)
    for (left, right), (top, bottom), when in zip(
        *(s.tolist() for s in spans), there.T, strict=True
    ):
        covered[top:bottom, left:right] |= when
    found = list(_rectangles(covered))
    edges = np.array([one[:4] for one in found], dtype=np.int64).reshape(-1, 4)
    corners = np.stack([x[edges[:, 0]], y[edges[:, 1]], x[edges[:, 2]], y[edges[:, 3]]], axis=1)
    corners[:, 2:] -= corners[:, :2]
    schedules = np.frombuffer(b"".join(one[4] for one in found), dtype=bool)
    return corners, schedules.reshape(len(found), len(there)).T


def _rectangles(
    covered: Annotated[Bools, "row column frame"],
) -> Iterator[tuple[int, int, int, int, bytes]]:
    """Yield rectangles of cells that are covered in the same frames: left, top, right, bottom."""
    growing: dict[_Run, int] = {}  # and the row where each begins
    for row in range(len(covered) + 1):
        runs = {one: growing.pop(one, row) for one in _runs(covered[row : row + 1])}
        for (left, right, when), top in growing.items():
            yield left, top, right, row, when
        growing = runs


def _runs(rows: Annotated[Bools, "row column frame"]) -> Iterator[_Run]:
    """Yield runs of neighbours that are covered in the same frames, in one row or in none."""
    column = 0
    for when, same in groupby(cell.tobytes() for cells in rows for cell in cells):
        first, column = column, column + len(list(same))
        if any(when):
            yield first, column, when
