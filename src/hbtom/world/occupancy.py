"""Occupancy: in which cells an agent can stand, and from which it can reach things.

The world is divided into square cells. Rows count y, columns x.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part, part_or
from hbtom.observe.layout import Layout
from hbtom.world.modes import START, Costs, Exits, PlaceWorld, Space, cell_of, exit_table

LOCK_HALF = 10.0  # pixels; a lock fills its own 20 px cell, whatever its picture's radius

Made = tuple[Bools, Bools, Floats, Bools, Ints, Floats]  # the parts of a world


def grid_world(layout: Layout, space: Space, costs: Costs) -> PlaceWorld:
    """Return the world in the paper's cells. A thing is in reach from its own and adjacent cells.

    A cell is blocked if its centre is covered. Positions are rounded down to cells.
    """
    return _world(space, costs, _make(layout, space, costs, True))


def continuous_world(layout: Layout, space: Space, costs: Costs) -> PlaceWorld:
    """Return the world in fine cells, with walls grown by the clearance that agents keep.

    An item is in reach where agent and item touch. A lock is in reach up to one cell beyond the
    nearest point that an agent can get to, because its square is solid. Agents head for the centre
    of a thing, so the distance to the centre is part of the cost. Around each item is a square box,
    grown by the berth, which agents avoid on their way to another item. With a berth of 0 there are
    no boxes.
    """
    return _world(space, costs, _make(layout, space, costs, False))


def _world(space: Space, costs: Costs, made: Made) -> PlaceWorld:
    """Assemble a world from its parts. A kernel returns a few arrays faster than nested tuples."""
    blocked, lying, reach, boxes, numbers, prices = made
    return PlaceWorld(space, costs, blocked, lying, reach, boxes, Exits(*numbers, *prices))


@kernel
def _make(layout: Layout, space: Space, costs: Costs, in_cells: bool) -> Made:
    """Return the parts of a world: blocked cells, items, reach and boxes, and its exits."""
    items, objects, blocked = layout.items, layout.objects, _blocked(layout, space)
    modes, rows, columns = blocked.shape
    reach = _out_of_reach(blocked, len(items))
    if in_cells:
        _from_cells(reach, layout, blocked[START], space.cell)
    else:
        _from_places(reach, layout, space)
    in_the_way = not in_cells and space.berth > 0 and len(items) > 1
    boxes = np.zeros((len(items) if in_the_way else 0, rows, columns), dtype=np.bool_)
    for index in range(len(boxes)):
        x, y, half = items[index, 0], items[index, 1], items[index, 2]
        _cover(boxes[index], space.cell, x - half, y - half, 2 * half, 2 * half, space.berth)
    lying = np.zeros((modes, len(items)), dtype=np.bool_)
    for mode in range(modes):
        for item in range(len(items)):
            lying[mode, item] = mode == START or item < objects  # a key is gone once it is held
    numbers, prices = exit_table(len(items), objects, len(layout.lock), modes, costs)
    return blocked, lying, reach, boxes, numbers, prices


@part
def _from_cells(reach: Floats, layout: Layout, closed: Bools, cell: float) -> None:
    """Mark the cells from which each thing is in reach: its own and adjacent ones."""
    items, lock, (_, rows, columns) = layout.items, layout.lock, reach.shape
    for index in range(len(items)):
        column = cell_of(items[index, 0], cell, columns)
        row = cell_of(items[index, 1], cell, rows)
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(column - 1, 0), min(column + 2, columns)):
                if not (closed[row, c] and closed[r, column]):  # not around a blocked corner
                    reach[index, r, c] = 0.0
    for index in range(len(lock)):  # the cells that a lock covers, and those around them
        for r in range(rows):
            for c in range(columns):
                across = abs((c + 0.5) * cell - lock[index, 0])
                down = abs((r + 0.5) * cell - lock[index, 1])
                if across < LOCK_HALF + cell and down < LOCK_HALF + cell:
                    reach[len(items) + index, r, c] = 0.0


@part
def _from_places(reach: Floats, layout: Layout, space: Space) -> None:
    """Fill in the distance to the centre of each thing, in all cells from which agents touch it."""
    cell, items, lock, radius = space.cell, layout.items, layout.lock, layout.radius
    for index in range(len(items)):
        _to_centre(reach[index], cell, items[index, 0], items[index, 1], radius + items[index, 2])
    for index in range(len(lock)):
        far = LOCK_HALF + max(radius, space.clearance) + cell
        _to_centre(reach[len(items) + index], cell, lock[index, 0], lock[index, 1], far)


@part
def _out_of_reach(blocked: Bools, items: int) -> Annotated[Floats, "thing row column"]:
    """Return a map for each thing on which it is out of reach everywhere.

    With several modes there is a map for the lock even without one: a barrier may vanish anyway.
    """
    modes, rows, columns = blocked.shape
    return np.full((items + (1 if modes > 1 else 0), rows, columns), np.inf)


@part
def _to_centre(distances: Floats, cell: float, x: float, y: float, reach: float) -> None:
    """Fill in the distance to a point, in cells, in all cells whose centres are within reach."""
    rows, columns = distances.shape
    top, bottom = cell_of(y - reach, cell, rows), cell_of(y + reach, cell, rows)
    left, right = cell_of(x - reach, cell, columns), cell_of(x + reach, cell, columns)
    for r in range(top, bottom + 1):
        for c in range(left, right + 1):
            down, across = (r + 0.5) * cell - y, (c + 0.5) * cell - x
            away = math.sqrt(down * down + across * across)
            if away <= reach:
                distances[r, c] = away / cell


@part
def _blocked(layout: Layout, space: Space) -> Annotated[Bools, "mode row column"]:
    """Return the blocked cells: in three modes if there is a key, a lock or a barrier, else in one.

    The lock's own square is solid, like the barrier.
    """
    cell, margin = space.cell, space.clearance
    walls, barrier, lock = layout.walls, layout.barrier, layout.lock
    rows, columns = math.ceil(layout.height / cell), math.ceil(layout.width / cell)
    one = len(layout.items) == layout.objects and len(barrier) == 0 and len(lock) == 0
    blocked = np.zeros((1 if one else 3, rows, columns), dtype=np.bool_)
    _cover_all(blocked[-1], walls, cell, margin)
    if one:
        return blocked
    _copy(blocked[START], blocked[-1])
    _cover_all(blocked[START], barrier, cell, margin)
    for i in range(len(lock)):
        left, low = lock[i, 0] - LOCK_HALF, lock[i, 1] - LOCK_HALF
        _cover(blocked[START], cell, left, low, 2 * LOCK_HALF, 2 * LOCK_HALF, margin)
    _copy(blocked[1], blocked[START])
    return blocked


def _whole_copy(target: Bools, source: Bools) -> None:
    target[:] = source


@part_or(_whole_copy)
def _copy(target: Bools, source: Bools) -> None:
    for r in range(target.shape[0]):
        for c in range(target.shape[1]):
            target[r, c] = source[r, c]


def _all_covered(covered: Bools, blocks: Floats, cell: float, margin: float) -> None:
    """Do the same, with the first and last cells of all blocks found at once."""
    low = blocks[:, :2] - margin
    high = low + blocks[:, 2:] + 2 * margin
    first, last = (np.maximum(np.floor(at / cell - 0.5), 0.0) for at in (low, high))
    while (short := (first + 0.5) * cell <= low).any():
        first += short
    while (short := (last + 0.5) * cell < high).any():
        last += short
    for (left, top), (right, bottom) in zip(
        first.astype(int).tolist(), last.astype(int).tolist(), strict=True
    ):
        covered[top:bottom, left:right] = True


@part_or(_all_covered)
def _cover_all(
    covered: Bools, blocks: Annotated[Floats, "block 4"], cell: float, margin: float
) -> None:
    """Mark the cells whose centres are inside blocks grown by a margin."""
    for i in range(len(blocks)):
        x, y, width, height = blocks[i, 0], blocks[i, 1], blocks[i, 2], blocks[i, 3]
        _cover(covered, cell, x, y, width, height, margin)


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
    """Return the first cell, from 0 on, whose centre is beyond a coordinate."""
    index = max(math.floor(at / cell - 0.5), 0)
    while (index + 0.5) * cell <= at:
        index += 1
    return index


@part
def _first_from(at: float, cell: float) -> int:
    """Return the first cell, from 0 on, whose centre is at a coordinate or beyond it."""
    index = max(math.floor(at / cell - 0.5), 0)
    while (index + 0.5) * cell < at:
        index += 1
    return index
