"""Where an agent can stand, and from where it can lay hands on things.

The world is cut into square cells; ``Occupancy`` says which are blocked, before and after the
barrier has gone, and from which cells each item and the lock are at hand, and at what cost.
Rows count y, columns x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.compiled import kernel, part
from hbtom.observe import Trial
from hbtom.world.phase import Phase

LOCK_HALF = 10.0  # pixels; a lock fills its own 20 px cell, whatever its picture's radius
NOWHERE = np.empty((0, 0, 0), dtype=np.bool_)  # the boxes where nothing is in the way
_NO_LOCK = np.empty((0, 2))


class Space(NamedTuple):
    """How the world is cut into fine cells, and how much room agents leave; all in pixels."""

    cell: float
    clearance: float  # between an agent's centre and a wall
    berth: float  # between an agent's centre and a thing that it passes; 0: things may be crossed


@dataclass(frozen=True, eq=False)
class Occupancy:
    """The cells of one trial's world."""

    cell: float
    closed: Annotated[Bools, "row column"]  # blocked while the barrier stands
    open: Annotated[Bools, "row column"]  # blocked when it has gone
    to_item: Annotated[Floats, "item row column"]  # way left to an item at hand, in cells, or inf
    to_lock: Annotated[Floats, "row column"] | None  # the same for the lock
    boxes: Annotated[Bools, "item row column"] = field(default_factory=lambda: NOWHERE)  # to avoid

    def blocked(self, phase: int) -> Annotated[Bools, "row column"]:
        return self.open if phase == Phase.OPEN else self.closed

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """Return the column and row of the cell that holds a point."""
        rows, columns = self.closed.shape
        return cell_of(x, self.cell, columns), cell_of(y, self.cell, rows)


def grid_floor(trial: Trial, cell: float) -> Occupancy:
    """Cut the world into the paper's cells: things are at hand from their own and adjacent cells.

    A cell is blocked where its centre is covered; positions fall into cells by rounding down.
    """
    return _floor(trial, cell, *grid_cells(*world_of(trial), cell))


def continuous_floor(trial: Trial, cell: float, clearance: float, berth: float = 0.0) -> Occupancy:
    """Cut the world into fine cells, with walls grown by the clearance that agents keep.

    An item is at hand where agent and item touch, a lock one cell beyond the nearest point to which
    its own solid square lets an agent come. Agents head for the middle of things, so the way to the
    middle is part of the cost. Around each item is a square box, grown by the berth, that agents
    avoid on their way to another; with a berth of 0 there are no boxes.
    """
    space = Space(float(cell), float(clearance), float(berth))
    return _floor(trial, cell, *continuous_cells(*world_of(trial), trial.agent.radius, space))


def world_of(trial: Trial) -> tuple[float, float, Floats, Floats, Floats, Floats]:
    """Return what a floor is made of: width, height, walls, barrier, items, lock (or none)."""
    lock = _NO_LOCK if trial.lock is None else np.array([trial.lock.centre], dtype=np.float64)
    return *trial.size, trial.walls, trial.barrier, trial.places, lock


def _floor(
    trial: Trial,
    cell: float,
    closed: Bools,
    opened: Bools,
    to_item: Floats,
    to_lock: Floats,
    boxes: Bools = NOWHERE,
) -> Occupancy:
    return Occupancy(cell, closed, opened, to_item, None if trial.lock is None else to_lock, boxes)


@kernel
def grid_cells(
    width: float,
    height: float,
    walls: Annotated[Floats, "wall 4"],
    barrier: Annotated[Floats, "block 4"],
    items: Annotated[Floats, "item 3"],
    lock: Annotated[Floats, "lock 2"],
    cell: float,
) -> tuple[Bools, Bools, Floats, Floats]:
    closed, opened = _blocked(width, height, walls, barrier, lock, cell, 0.0)
    rows, columns = closed.shape
    to_item = np.full((len(items), rows, columns), np.inf)
    for index in range(len(items)):
        column = cell_of(items[index, 0], cell, columns)
        row = cell_of(items[index, 1], cell, rows)
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(column - 1, 0), min(column + 2, columns)):
                if not (closed[row, c] and closed[r, column]):  # not around a blocked corner
                    to_item[index, r, c] = 0.0
    to_lock = np.full((rows, columns), np.inf)
    for index in range(len(lock)):  # in the cells that a lock covers and in those around them
        for r in range(rows):
            for c in range(columns):
                across = abs((c + 0.5) * cell - lock[index, 0])
                down = abs((r + 0.5) * cell - lock[index, 1])
                if across < LOCK_HALF + cell and down < LOCK_HALF + cell:
                    to_lock[r, c] = 0.0
    return closed, opened, to_item, to_lock


@kernel
def continuous_cells(
    width: float,
    height: float,
    walls: Annotated[Floats, "wall 4"],
    barrier: Annotated[Floats, "block 4"],
    items: Annotated[Floats, "item 3"],
    lock: Annotated[Floats, "lock 2"],
    radius: float,
    space: Space,
) -> tuple[Bools, Bools, Floats, Floats, Bools]:
    cell, clearance = space.cell, space.clearance
    closed, opened = _blocked(width, height, walls, barrier, lock, cell, clearance)
    rows, columns = closed.shape
    to_item = np.full((len(items), rows, columns), np.inf)
    for index in range(len(items)):
        _to_middle(to_item[index], cell, items[index, 0], items[index, 1], radius + items[index, 2])
    to_lock = np.full((rows, columns), np.inf)
    for index in range(len(lock)):
        reach = LOCK_HALF + max(radius, clearance) + cell
        _to_middle(to_lock, cell, lock[index, 0], lock[index, 1], reach)
    in_the_way = space.berth > 0 and len(items) > 1
    boxes = np.zeros((len(items) if in_the_way else 0, rows, columns), dtype=np.bool_)
    for index in range(len(boxes)):
        x, y, half = items[index, 0], items[index, 1], items[index, 2]
        _cover(boxes[index], cell, x - half, y - half, 2 * half, 2 * half, space.berth)
    return closed, opened, to_item, to_lock, boxes


@part
def _to_middle(way: Floats, cell: float, x: float, y: float, reach: float) -> None:
    """Write the distance to a point, in cells, into all cells within reach of it."""
    rows, columns = way.shape
    top, bottom = cell_of(y - reach, cell, rows), cell_of(y + reach, cell, rows)
    left, right = cell_of(x - reach, cell, columns), cell_of(x + reach, cell, columns)
    for r in range(top, bottom + 1):
        for c in range(left, right + 1):
            down, across = (r + 0.5) * cell - y, (c + 0.5) * cell - x
            away = math.sqrt(down * down + across * across)
            if away <= reach:
                way[r, c] = away / cell


@part
def cell_of(at: float, cell: float, cells: int) -> int:
    """Return the cell that holds a coordinate; what is beyond an edge belongs to the last cell."""
    return min(max(int(at / cell), 0), cells - 1)


@part
def _blocked(
    width: float,
    height: float,
    walls: Floats,
    barrier: Floats,
    lock: Floats,
    cell: float,
    margin: float,
) -> tuple[Bools, Bools]:
    """Return the blocked cells, with and without what stands until the lock is opened.

    The lock's own square is solid like the barrier.
    """
    rows, columns = math.ceil(height / cell), math.ceil(width / cell)
    opened = np.zeros((rows, columns), dtype=np.bool_)
    for i in range(len(walls)):
        _cover(opened, cell, walls[i, 0], walls[i, 1], walls[i, 2], walls[i, 3], margin)
    closed = opened.copy()
    for i in range(len(barrier)):
        _cover(closed, cell, barrier[i, 0], barrier[i, 1], barrier[i, 2], barrier[i, 3], margin)
    for i in range(len(lock)):
        left, low = lock[i, 0] - LOCK_HALF, lock[i, 1] - LOCK_HALF
        _cover(closed, cell, left, low, 2 * LOCK_HALF, 2 * LOCK_HALF, margin)
    return closed, opened


@part
def _cover(
    covered: Bools, cell: float, x: float, y: float, width: float, height: float, margin: float
) -> None:
    """Mark the cells whose centres are inside a block grown by a margin."""
    rows, columns = covered.shape
    left, low = x - margin, y - margin
    right, high = left + width + 2 * margin, low + height + 2 * margin
    top, bottom = _first_after(low, cell), _first_from(high, cell)
    start, stop = _first_after(left, cell), _first_from(right, cell)
    covered[top : max(top, min(bottom, rows)), start : max(start, min(stop, columns))] = True


@part
def _first_after(at: float, cell: float) -> int:
    """Return the first cell whose centre lies beyond a coordinate, no less than 0."""
    index = max(math.floor(at / cell - 0.5), 0)
    while (index + 0.5) * cell <= at:
        index += 1
    return index


@part
def _first_from(at: float, cell: float) -> int:
    """Return the first cell whose centre lies at a coordinate or beyond, no less than 0."""
    index = max(math.floor(at / cell - 0.5), 0)
    while (index + 0.5) * cell < at:
        index += 1
    return index
