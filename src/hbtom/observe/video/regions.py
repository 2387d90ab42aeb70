"""Connected regions of a picture."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges

Region = Annotated[Ints, "pixel 2"]  # column and row of each pixel


def regions(mask: Annotated[Bools, "row column"]) -> list[Region]:
    """Return the connected regions of a mask: pixels are connected if they share a side.

    Pixels are grouped into runs along rows. Runs that overlap in consecutive rows belong to the
    same region; to merge regions, each run points to an earlier one of its region.
    """
    rows, starts, ends = runs_in(mask)
    parent = list(range(len(rows)))
    for one, other in _neighbours(rows, starts, ends):
        first, second = _root(parent, one), _root(parent, other)
        parent[max(first, second)] = min(first, second)
    roots = np.array([_root(parent, run) for run in range(len(rows))], dtype=np.int64)
    order = np.argsort(roots, kind="stable")
    cuts = np.flatnonzero(np.diff(roots[order])) + 1
    pieces = np.split(order, cuts) if len(order) else []
    lengths = ends - starts
    return [
        np.column_stack([concat_ranges(starts[run], lengths[run]), rows[run].repeat(lengths[run])])
        for run in pieces
    ]


def middles(region: Region) -> Annotated[Floats, "pixel 2"]:
    """Return the centres of a region's pixels, which are squares."""
    return region.astype(np.float64) + 0.5


def runs_in(mask: Bools) -> tuple[Ints, Ints, Ints]:
    """Return row, start and end of all runs, from top to bottom and left to right."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = mask
    steps = np.diff(padded, axis=1)
    rows, starts = np.nonzero(steps == 1)
    _, ends = np.nonzero(steps == -1)
    return rows, starts, ends


def _neighbours(rows: Ints, starts: Ints, ends: Ints) -> list[tuple[int, int]]:
    """Return pairs of runs that touch: each run with those in the row above that overlap it."""
    wide = int(ends.max()) + 2 if len(ends) else 1
    above = (rows - 1) * wide
    first = np.searchsorted(rows * wide + ends, above + starts, side="right")
    last = np.searchsorted(rows * wide + starts, above + ends, side="left")
    return [
        (run, other)
        for run, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True))
        for other in range(low, high)
    ]


def _root(parent: list[int], run: int) -> int:
    while parent[run] != run:
        parent[run] = parent[parent[run]]
        run = parent[run]
    return run
