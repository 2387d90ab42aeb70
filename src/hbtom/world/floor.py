"""Where an agent can stand, and from where it can lay hands on things.

The world is cut into square cells; ``Floor`` says which are blocked, before and after the barrier
has gone, and from which cells each item and the lock are at hand, and at what cost.
Rows count y, columns x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe import Body, Trial
from hbtom.world.phase import Phase

LOCK_HALF = 10.0  # pixels; a lock fills its own 20 px cell, whatever its picture's radius


@dataclass(frozen=True, eq=False)
class Floor:
    """The cells of one trial's world."""

    cell: float
    closed: Annotated[Bools, "row column"]  # blocked while the barrier stands
    open: Annotated[Bools, "row column"]  # blocked when it has gone
    to_item: Annotated[Floats, "item row column"]  # way left to an item at hand, in cells, or inf
    to_lock: Annotated[Floats, "row column"] | None  # the same for the lock

    def blocked(self, phase: int) -> Annotated[Bools, "row column"]:
        return self.open if phase == Phase.OPEN else self.closed

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """Return the column and row of the cell that holds a point."""
        return _cell_of((x, y), self.cell, self.closed.shape)


def grid_floor(trial: Trial, cell: float) -> Floor:
    """Cut the world into the paper's cells: things are at hand from their own and adjacent cells.

    A cell is blocked where its centre is covered; positions fall into cells by rounding down.
    """
    x, y = _centres(trial, cell)

    closed = _covered(x, y, _standing(trial), 0.0)

    def at_item(item: Body) -> Floats:
        """0 in an item's cell and around it; not around a corner between two blocked cells."""
        at = np.zeros_like(closed)
        column, row = _cell_of(item.centre, cell, closed.shape)
        for down, right in product((-1, 0, 1), repeat=2):
            r, c = row + down, column + right
            inside = 0 <= r < len(y) and 0 <= c < len(x)
            if inside and not (closed[row, c] and closed[r, column]):
                at[r, c] = True
        return np.where(at, 0.0, np.inf)

    def at_lock(lock: Body) -> Floats:
        """0 in the cells that a lock covers and in those around them."""
        near_x, near_y = (
            np.abs(centres - at) < LOCK_HALF + cell
            for centres, at in zip((x, y), lock.centre, strict=True)
        )
        return np.where(np.logical_and.outer(near_y, near_x), 0.0, np.inf)

    return Floor(
        cell=cell,
        closed=closed,
        open=_covered(x, y, trial.walls, 0.0),
        to_item=np.array([at_item(item) for item in trial.items]),
        to_lock=None if trial.lock is None else at_lock(trial.lock),
    )


def continuous_floor(trial: Trial, cell: float, clearance: float) -> Floor:
    """Cut the world into fine cells, with walls grown by the clearance that agents keep.

    An item is at hand where agent and item touch, a lock one cell beyond the nearest point to which
    its own solid square lets an agent come. Agents head for the middle of things, so the way to the
    middle is part of the cost.
    """
    x, y = _centres(trial, cell)

    def to_middle(body: Body, reach: float) -> Floats:
        away = np.sqrt(np.add.outer((y - body.centre[1]) ** 2, (x - body.centre[0]) ** 2))
        return np.where(away <= reach, away, np.inf) / cell

    radius = trial.agent.radius
    at_lock = LOCK_HALF + max(radius, clearance) + cell
    return Floor(
        cell=cell,
        closed=_covered(x, y, _standing(trial), clearance),
        open=_covered(x, y, trial.walls, clearance),
        to_item=np.array([to_middle(item, radius + item.radius) for item in trial.items]),
        to_lock=None if trial.lock is None else to_middle(trial.lock, at_lock),
    )


def _cell_of(point: tuple[float, float], cell: float, shape: tuple[int, ...]) -> tuple[int, int]:
    """Return column and row; the far edges of the world belong to its last cells."""
    return min(int(point[0] / cell), shape[1] - 1), min(int(point[1] / cell), shape[0] - 1)


def _centres(trial: Trial, cell: float) -> tuple[Floats, Floats]:
    width, height = trial.size
    x = (np.arange(math.ceil(width / cell), dtype=np.float64) + 0.5) * cell
    y = (np.arange(math.ceil(height / cell), dtype=np.float64) + 0.5) * cell
    return x, y


def _standing(trial: Trial) -> Annotated[Floats, "block 4"]:
    """All that blocks before the lock is opened: the lock's own cell is solid like the barrier."""
    if trial.lock is None:
        return np.concatenate([trial.walls, trial.barrier])
    x, y = trial.lock.centre
    lock = [[x - LOCK_HALF, y - LOCK_HALF, 2 * LOCK_HALF, 2 * LOCK_HALF]]
    return np.concatenate([trial.walls, trial.barrier, lock])


def _covered(x: Floats, y: Floats, blocks: Floats, margin: float) -> Bools:
    """Tell which cells have their centres inside any block grown by a margin."""
    left, low = blocks[:, :1] - margin, blocks[:, 1:2] - margin
    right, high = left + blocks[:, 2:3] + 2 * margin, low + blocks[:, 3:] + 2 * margin
    columns = ((left < x) & (x < right)).astype(np.float32)
    rows = ((low < y) & (y < high)).astype(np.float32)
    covered: Bools = rows.T @ columns > 0
    return covered
