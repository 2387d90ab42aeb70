"""Which cells matter: costs are worked out until these are known."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools
from hbtom.compiled import kernel, part
from hbtom.plan.between import SPILL, corner
from hbtom.plan.cost_to_go import Wanted
from hbtom.world.modes import World, cell_of
from hbtom.world.trajectory import MOVE, Trajectory


@kernel
def wanted_in_cells(world: World, steps: Trajectory) -> Wanted:
    """Mark the cells that the agent was in and those around them, in that mode.

    An act may lead from a mode to any other.
    """
    needed = np.zeros_like(world.blocked)
    first = np.empty(2, dtype=np.int64)
    first[0], first[1] = int(steps.first[1]), int(steps.first[0])
    needed[0, first[0], first[1]] = True
    for step in range(len(steps.act)):
        c, r = int(steps.start[step, 0]), int(steps.start[step, 1])
        needed[steps.mode[step], max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2] = True
        if steps.act[step] != MOVE:
            needed[:, r, c] = True
    return Wanted(first, needed, needed)


@kernel
def wanted_in_pixels(world: World, steps: Trajectory) -> Wanted:
    """Mark the cells around every place in its mode, further out beside walls and things."""
    cell = world.space.cell
    _, rows, columns = world.blocked.shape
    first = np.empty(2, dtype=np.int64)
    first[0] = cell_of(steps.first[1], cell, rows)
    first[1] = cell_of(steps.first[0], cell, columns)
    read = _around(world.blocked[0], steps, world.blocked, cell, SPILL)
    if len(world.boxes) == 0:
        return Wanted(first, read, read)
    solid = world.blocked[0].copy()
    for item in range(len(world.boxes)):
        solid |= world.boxes[item]
    return Wanted(first, _around(solid, steps, world.blocked, cell, 2 * SPILL), read)


@part
def _around(
    solid: Annotated[Bools, "row column"],
    steps: Trajectory,
    like: Annotated[Bools, "mode row column"],
    cell: float,
    spill: int,
) -> Annotated[Bools, "mode row column"]:
    marked = np.zeros_like(like)
    _mark(marked[0], solid, cell, steps.first[0], steps.first[1], spill)
    for step in range(len(steps.act)):
        for mode in range(len(marked)):
            if mode == steps.mode[step] or steps.act[step] != MOVE:
                _mark(marked[mode], solid, cell, steps.start[step, 0], steps.start[step, 1], spill)
                _mark(marked[mode], solid, cell, steps.stop[step, 0], steps.stop[step, 1], spill)
    return marked


@part
def _mark(marked: Bools, solid: Bools, cell: float, x: float, y: float, spill: int) -> None:
    rows, columns = marked.shape
    row, _ = corner(y / cell - 0.5, rows)
    column, _ = corner(x / cell - 0.5, columns)
    if solid[row : row + 2, column : column + 2].any():
        marked[
            max(row - spill, 0) : row + 2 + spill, max(column - spill, 0) : column + 2 + spill
        ] = True
    else:
        marked[row : row + 2, column : column + 2] = True
