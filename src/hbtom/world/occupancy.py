"""Occupancy: in which cells an agent can stand, and from which it can reach things.

The world is divided into square cells. Rows count y, columns x.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part, part_or
from hbtom.world.modes import (
    BOXES,
    EXITS,
    LYING,
    MODES,
    START,
    THINGS,
    Costs,
    Exits,
    PlaceWorld,
    Space,
    Worlds,
    cell_of,
    count_exits,
    world_at,
    write_exits,
)
from hbtom.world.trial_arrays import Layout, Scenes, layout_at

LOCK_HALF = 10.0  # pixels; a lock fills its own 20 px cell, whatever its picture's radius

Openings = Annotated[Floats, "world"]  # what opening a lock costs in each world
Made = tuple[Ints, Bools, Bools, Floats, Bools, Ints, Floats]  # the arrays of worlds


def make_worlds(scenes: Scenes, space: Space, costs: Costs, opening: Openings) -> Worlds:
    """Return the worlds of trials of the same size.

    If steps lead from cell to cell, as in the paper, a cell is blocked if its centre is covered,
    and a thing is in reach from its own cell and adjacent ones.

    Otherwise, walls are grown by the clearance that agents keep. An item is in reach where agent
    and item touch. A lock is in reach up to one cell beyond the nearest point that an agent can get
    to, because its square is solid. Agents head for the centre of a thing, so the distance to the
    centre is part of the cost. Around each item is a square box, grown by the berth, which agents
    avoid on their way to another item. With a berth of 0 there are no boxes.
    """
    first, blocked, lying, reach, boxes, numbers, prices = _make(scenes, space, costs, opening)
    exits = Exits(*numbers, *prices)  # a kernel returns two arrays faster than a tuple of seven
    return Worlds(space, costs, first, blocked, lying, reach, boxes, exits)


@kernel
def _make(scenes: Scenes, space: Space, costs: Costs, opening: Openings) -> Made:
    """Return the arrays of worlds; those of exits in the order of :class:`Exits`."""
    first, layout = _first_rows(scenes, space), layout_at(scenes, 0)
    rows, columns = math.ceil(layout.height / space.cell), math.ceil(layout.width / space.cell)
    blocked = np.zeros((first[-1, MODES], rows, columns), dtype=np.bool_)
    lying = np.zeros(first[-1, LYING], dtype=np.bool_)
    reach = np.full((first[-1, THINGS], rows, columns), np.inf)
    boxes = np.zeros((first[-1, BOXES], rows, columns), dtype=np.bool_)
    numbers = np.empty((5, first[-1, EXITS]), dtype=np.int64)
    prices = np.zeros((2, first[-1, EXITS]))
    source, target, thing, goal, then = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    exits = Exits(source, target, thing, goal, then, prices[0], prices[1])
    worlds = Worlds(space, costs, first, blocked, lying, reach, boxes, exits)
    for one in range(len(opening)):
        _fill(world_at(worlds, one), layout_at(scenes, one), opening[one])
    return first, blocked, lying, reach, boxes, numbers, prices


@part
def _first_rows(scenes: Scenes, space: Space) -> Annotated[Ints, "1+world 5"]:
    """Return where each world begins among all modes, items in modes, things, boxes and exits.

    There are three modes if there is a key, a lock or a barrier. With several modes there is a lock
    even if none is seen, because a barrier may vanish anyway.
    """
    many, boxed = len(scenes.numbers), space.berth > 0 and not space.in_cells
    first = np.zeros((many + 1, 5), dtype=np.int64)
    for one in range(many):
        layout = layout_at(scenes, one)
        items, objects = len(layout.items), layout.objects
        plain = items == objects and len(layout.barrier) == 0 and len(layout.lock) == 0
        modes = 1 if plain else 3
        first[one + 1, MODES] = first[one, MODES] + modes
        first[one + 1, LYING] = first[one, LYING] + modes * items
        first[one + 1, THINGS] = first[one, THINGS] + items + (0 if plain else 1)
        first[one + 1, BOXES] = first[one, BOXES] + (items if boxed and items > 1 else 0)
        first[one + 1, EXITS] = first[one, EXITS] + count_exits(items, objects, modes)
    return first


@part
def _fill(world: PlaceWorld, layout: Layout, opening: float) -> None:
    """Fill in the maps and exits of a world."""
    (modes, items), space = world.lying.shape, world.space
    _block(world.blocked, layout, space)
    for mode in range(modes):
        for item in range(items if mode == START else layout.objects):
            world.lying[mode, item] = True  # a key is gone once it is held
    if space.in_cells:
        _from_cells(world.reach, layout, world.blocked[START], space.cell)
    else:
        _from_places(world.reach, layout, space)
    for index in range(len(world.boxes)):
        x, y, half = layout.items[index, 0], layout.items[index, 1], layout.items[index, 2]
        box, side = world.boxes[index], 2 * half
        _cover(box, space.cell, x - half, y - half, side, side, space.berth)
    write_exits(world, layout.objects, len(layout.lock), opening)


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
def _block(blocked: Annotated[Bools, "mode row column"], layout: Layout, space: Space) -> None:
    """Mark the blocked cells of each mode. The lock's square is solid, like the barrier."""
    cell, margin, lock = space.cell, space.clearance, layout.lock
    _cover_all(blocked[-1], layout.walls, cell, margin)
    if len(blocked) == 1:
        return
    _copy(blocked[START], blocked[-1])
    _cover_all(blocked[START], layout.barrier, cell, margin)
    for i in range(len(lock)):
        left, low = lock[i, 0] - LOCK_HALF, lock[i, 1] - LOCK_HALF
        _cover(blocked[START], cell, left, low, 2 * LOCK_HALF, 2 * LOCK_HALF, margin)
    _copy(blocked[1], blocked[START])


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
