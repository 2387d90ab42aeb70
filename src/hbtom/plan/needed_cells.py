"""Which cells matter: planning stops once their costs are known."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.compiled import part, part_or
from hbtom.plan.flooding import any_below
from hbtom.world.modes import PlaceWorld, cell_of, corner
from hbtom.world.trajectory import Trajectory

SPILL = 2  # cells; agents are seen a few pixels inside the margin they are supposed to keep


class Wanted(NamedTuple):
    """The states whose costs are wanted. An empty map means everywhere."""

    entry: Annotated[Bools, "mode row column"]  # where each mode may be entered
    needed: Annotated[Bools, "mode row column"]  # where costs must be known
    read: Annotated[Bools, "mode row column"]  # where costs are read


@part
def wanted_for(world: PlaceWorld, steps: Trajectory, reach: int, everywhere: bool) -> Wanted:
    """Return the states whose costs are read for a trajectory, unless they are all wanted.

    If steps lead from cell to cell, these are the agent's cells and those in ``reach`` of a move,
    in the mode of each step. Otherwise, they are the cells around every place, and more of them
    beside walls and things. After an act, costs are read in the mode to which it leads.
    """
    cell, closed = world.space.cell, world.blocked[0]
    row, column = int(steps.first[1]), int(steps.first[0])
    if not world.space.in_cells:
        row = cell_of(steps.first[1], cell, closed.shape[0])
        column = cell_of(steps.first[0], cell, closed.shape[1])
    if everywhere:
        read = needed = np.zeros((0, 0, 0), dtype=np.bool_)
    elif world.space.in_cells:
        read = needed = _cells(world, steps, reach)
    else:
        read = needed = _places(world, steps, closed, SPILL)
        if len(world.boxes) > 0:
            needed = _places(world, steps, _solid(closed, world.boxes), 2 * SPILL)
    return wanted(world, row, column, needed, read)


def _all_solid(closed: Bools, boxes: Bools) -> Bools:
    return np.logical_or.reduce(boxes) | closed


@part_or(_all_solid)
def _solid(
    closed: Annotated[Bools, "row column"], boxes: Annotated[Bools, "item row column"]
) -> Annotated[Bools, "row column"]:
    """Return the cells that are blocked or in any box."""
    solid = closed.copy()
    for item in range(len(boxes)):
        for r in range(solid.shape[0]):
            for c in range(solid.shape[1]):
                solid[r, c] |= boxes[item, r, c]
    return solid


@part
def _mode_after(world: PlaceWorld, steps: Trajectory, step: int) -> int:
    """Return the mode to which a step leads."""
    exit = steps.exit[step]
    return world.exits.target[exit] if exit >= 0 else steps.mode[step]


@part
def _cells(world: PlaceWorld, steps: Trajectory, reach: int) -> Bools:
    """Mark the agent's cells and those in reach of a move."""
    modes, rows, columns = world.blocked.shape
    needed = np.zeros((modes, rows, columns), dtype=np.bool_)
    needed[0, int(steps.first[1]), int(steps.first[0])] = True
    for step in range(len(steps.act)):
        column, row = int(steps.start[step, 0]), int(steps.start[step, 1])
        for r in range(max(row - reach, 0), min(row + reach + 1, rows)):
            for c in range(max(column - reach, 0), min(column + reach + 1, columns)):
                needed[steps.mode[step], r, c] = True
        needed[_mode_after(world, steps, step), row, column] = True
    return needed


def _all_places(world: PlaceWorld, steps: Trajectory, solid: Bools, spill: int) -> Bools:
    """Do the same for all places at once, which is faster in plain Python."""
    marked, cell = np.zeros_like(world.blocked), world.space.cell
    rows, columns = solid.shape
    places = np.concatenate([steps.first[None], steps.start, steps.stop])
    row, column = (
        np.minimum(np.maximum(np.floor(at / cell - 0.5), 0), cells - 2).astype(int)
        for at, cells in ((places[:, 1], rows), (places[:, 0], columns))
    )
    after = [_mode_after(world, steps, step) for step in range(len(steps.act))]
    mode = [0, *steps.mode.tolist(), *after]
    for r, c, layer in zip(row.tolist(), column.tolist(), mode, strict=True):
        top, left = max(r, 0), max(c, 0)
        more = spill if solid[top : r + 2, left : c + 2].any() else 0
        marked[layer, max(r - more, 0) : r + 2 + more, max(c - more, 0) : c + 2 + more] = True
    return marked


@part_or(_all_places)
def _places(
    world: PlaceWorld, steps: Trajectory, solid: Annotated[Bools, "row column"], spill: int
) -> Annotated[Bools, "mode row column"]:
    """Mark the four cells around each place; if one is solid, ``spill`` more on every side."""
    marked, cell = np.zeros(world.blocked.shape, dtype=np.bool_), world.space.cell
    _mark(marked[0], solid, cell, steps.first, spill)
    for step in range(len(steps.act)):
        _mark(marked[steps.mode[step]], solid, cell, steps.start[step], spill)
        _mark(marked[_mode_after(world, steps, step)], solid, cell, steps.stop[step], spill)
    return marked


@part
def _mark(marked: Bools, solid: Bools, cell: float, place: Floats, spill: int) -> None:
    rows, columns = marked.shape
    row, _ = corner(place[1] / cell - 0.5, rows)
    column, _ = corner(place[0] / cell - 0.5, columns)
    more, bottom, right = 0, min(row + 2, rows), min(column + 2, columns)
    for r in range(max(row, 0), bottom):
        for c in range(max(column, 0), right):
            if solid[r, c]:
                more = spill
    for r in range(max(row - more, 0), min(bottom + more, rows)):
        for c in range(max(column - more, 0), min(right + more, columns)):
            marked[r, c] = True


def _all_wanted(world: PlaceWorld, row: int, column: int, needed: Bools, read: Bools) -> Wanted:
    entry = np.zeros(world.blocked.shape, dtype=np.bool_)
    entry[0, row, column] = True
    if len(entry) == 1:
        return Wanted(entry, needed, read)
    exits = world.exits
    for one in np.flatnonzero(exits.target != exits.source):
        entry[exits.target[one]] |= world.reach[exits.thing[one]] < np.inf
    entry[~entry.any(axis=(1, 2))] = entry[0]
    if needed.size:
        around = np.array([*map(_around, entry)]) if len(world.boxes) else entry
        needed, read = needed | around, read | entry
    return Wanted(entry, needed, read)


def _around(cells: Annotated[Bools, "row column"]) -> Annotated[Bools, "row column"]:
    """Return the cells that are at most two rows and two columns away from the given ones."""
    for axis in (0, 1):
        near, wide = cells.swapaxes(0, axis), cells.copy().swapaxes(0, axis)
        for off in range(1, SPILL + 1):
            wide[off:] |= near[:-off]
            wide[:-off] |= near[off:]
        cells = wide.swapaxes(0, axis)
    return cells


@part_or(_all_wanted)
def wanted(
    world: PlaceWorld,
    row: int,
    column: int,
    needed: Annotated[Bools, "mode row column"],
    read: Annotated[Bools, "mode row column"],
) -> Wanted:
    """Add the cells that planning itself reads: those where each mode may be entered.

    The agent sets out in ``row`` and ``column``. To read a cost in a box, the costs up to two cells
    away must be known. ``needed`` and ``read`` may be changed in place.
    """
    modes, rows, columns = world.blocked.shape
    exits, margin = world.exits, SPILL if len(world.boxes) > 0 else 0
    entry = np.zeros((modes, rows, columns), dtype=np.bool_)
    entry[0, row, column] = True
    if modes == 1:
        return Wanted(entry, needed, read)
    entered = np.zeros(modes, dtype=np.bool_)
    for one in range(len(exits.source)):
        target, reach = exits.target[one], world.reach[exits.thing[one]]
        for r in range(rows if target != exits.source[one] else 0):
            for c in range(columns if any_below(reach[r], np.inf) else 0):
                if reach[r, c] < np.inf:
                    entry[target, r, c] = entered[target] = True
                    if len(needed) > 0:
                        _look_around(needed[target], read[target], r, c, margin)
    for mode in range(modes):
        if not entered[mode]:
            entry[mode, row, column] = True
            if len(needed) > 0:
                _look_around(needed[mode], read[mode], row, column, margin)
    return Wanted(entry, needed, read)


@part
def _look_around(needed: Bools, read: Bools, row: int, column: int, margin: int) -> None:
    """Mark a cell as read, and the cells around it as needed."""
    read[row, column] = True
    for r in range(max(row - margin, 0), min(row + margin + 1, needed.shape[0])):
        for c in range(max(column - margin, 0), min(column + margin + 1, needed.shape[1])):
            needed[r, c] = True
