"""Maps of a room: what is blocked in each mode, what is in reach of each thing.

Maps are [row, column], with a margin of two blocked cells on every side, the longest reach of a
move, so that nothing needs to look for edges.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe.trial import Trial

MARGIN = 2  # cells
LOCK = 20.0  # pixels; the side of the solid square of a lock

EIGHT = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
SIXTEEN = EIGHT + tuple((i, j) for i in (-2, -1, 1, 2) for j in (-2, -1, 1, 2) if abs(i) != abs(j))


def centres(size: float, cell: float) -> Floats:
    """Return the centres of the cells along one axis, with the margin, in pixels."""
    return (np.arange(-MARGIN, np.ceil(size / cell) + MARGIN) + 0.5) * cell


def cell_of(place: Any, cell: float, blocked: Bools) -> tuple[int, int]:
    """Return the row and column, with the margin, of the cell that holds a point."""
    rows, columns = (size - 2 * MARGIN for size in blocked.shape[-2:])
    row, column = int(place[1] / cell), int(place[0] / cell)
    return min(max(row, 0), rows - 1) + MARGIN, min(max(column, 0), columns - 1) + MARGIN


def blocked_maps(
    trial: Trial, x: Floats, y: Floats, clearance: float
) -> Annotated[Bools, "mode row column"]:
    """Return the blocked cells in each mode; a lock's square is solid until it opens."""
    open_ = np.ones((len(y), len(x)), dtype=bool)
    open_[MARGIN:-MARGIN, MARGIN:-MARGIN] = False
    cover(open_, trial.walls, x, y, clearance)
    if trial.key is None and trial.lock is None and not len(trial.barrier):
        return open_[None]
    closed, boxes = open_.copy(), trial.barrier
    if trial.lock is not None:
        left, top = trial.lock.centre[0] - LOCK / 2, trial.lock.centre[1] - LOCK / 2
        boxes = np.concatenate([boxes, [[left, top, LOCK, LOCK]]])
    cover(closed, boxes, x, y, clearance)
    return np.stack([closed, closed, open_])


def cover(
    cells: Bools, boxes: Annotated[Floats, "box 4"], x: Floats, y: Floats, grow: float
) -> None:
    """Mark, in place, the cells whose centres are inside boxes, grown on all sides."""
    low = boxes[:, :2] - grow
    high = low + boxes[:, 2:] + 2 * grow
    left, right = np.searchsorted(x, low[:, 0], "right"), np.searchsorted(x, high[:, 0], "left")
    top, bottom = np.searchsorted(y, low[:, 1], "right"), np.searchsorted(y, high[:, 1], "left")
    for a, b, c, d in zip(*(edge.tolist() for edge in (top, bottom, left, right)), strict=True):
        cells[a:b, c:d] = True


def without_margin(maps: Any) -> Any:
    """Return maps [..., row, column] without their margin."""
    return maps[..., MARGIN:-MARGIN, MARGIN:-MARGIN]


def closed_margin(reach: Floats) -> Floats:
    """Set the margin of maps of distances to inf, in place, and return them."""
    reach[..., :MARGIN, :] = reach[..., -MARGIN:, :] = np.inf
    reach[..., :MARGIN] = reach[..., -MARGIN:] = np.inf
    return reach
