"""Which cells matter: costs are worked out until these are known."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.compiled import kernel, part, part_or
from hbtom.plan.between import corner
from hbtom.plan.cost_to_go import SPILL, Wanted, wanted
from hbtom.world.modes import PlaceWorld, cell_of
from hbtom.world.trajectory import MOVE, Trajectory


@kernel
def wanted_in_cells(world: PlaceWorld, steps: Trajectory) -> Wanted:
    """Return the cells that the agent was in and those around them, in that mode."""
    needed = _cells(world.blocked, steps)
    return wanted(world, int(steps.first[1]), int(steps.first[0]), needed, needed)


@kernel
def wanted_in_pixels(world: PlaceWorld, steps: Trajectory) -> Wanted:
    """Return the cells around every place in its mode, further out beside walls and things."""
    cell, closed = world.space.cell, world.blocked[0]
    row = cell_of(steps.first[1], cell, closed.shape[0])
    column = cell_of(steps.first[0], cell, closed.shape[1])
    read = needed = _places(world.blocked, closed, steps, cell, SPILL)
    if len(world.boxes) > 0:
        needed = _places(world.blocked, _solid(closed, world.boxes), steps, cell, 2 * SPILL)
    return wanted(world, row, column, needed, read)


def _all_solid(closed: Bools, boxes: Bools) -> Bools:
    return np.logical_or.reduce(boxes) | closed


@part_or(_all_solid)
def _solid(
    closed: Annotated[Bools, "row column"], boxes: Annotated[Bools, "item row column"]
) -> Annotated[Bools, "row column"]:
    """Return the cells that are blocked, or in the box of anything."""
    solid = closed.copy()
    for item in range(len(boxes)):
        for r in range(solid.shape[0]):
            for c in range(solid.shape[1]):
                solid[r, c] |= boxes[item, r, c]
    return solid


@part
def _cells(blocked: Annotated[Bools, "mode row column"], steps: Trajectory) -> Bools:
    """Mark cells; an act may lead from a mode to any other."""
    modes, rows, columns = blocked.shape
    needed = np.zeros((modes, rows, columns), dtype=np.bool_)
    needed[0, int(steps.first[1]), int(steps.first[0])] = True
    for step in range(len(steps.act)):
        column, row = int(steps.start[step, 0]), int(steps.start[step, 1])
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(column - 1, 0), min(column + 2, columns)):
                needed[steps.mode[step], r, c] = True
        if steps.act[step] != MOVE:
            for mode in range(modes):
                needed[mode, row, column] = True
    return needed


def _all_places(blocked: Bools, solid: Bools, steps: Trajectory, cell: float, spill: int) -> Bools:
    """Mark cells around places that are found all at once: in plain Python that is quicker."""
    marked = np.zeros_like(blocked)
    modes, rows, columns = blocked.shape
    places = np.concatenate([steps.first[None], steps.start, steps.stop])
    row, column = (
        np.minimum(np.maximum(np.floor(at / cell - 0.5), 0), cells - 2).astype(int)
        for at, cells in ((places[:, 1], rows), (places[:, 0], columns))
    )
    mode = np.concatenate([[0], steps.mode, steps.mode]).tolist()
    moves = [True, *(steps.act == MOVE).tolist() * 2]
    for r, c, layer, is_move in zip(row.tolist(), column.tolist(), mode, moves, strict=True):
        top, left = max(r, 0), max(c, 0)
        more = spill if solid[top : r + 2, left : c + 2].any() else 0
        some = slice(max(r - more, 0), r + 2 + more), slice(max(c - more, 0), c + 2 + more)
        for one in (layer,) if is_move else range(modes):
            marked[one][some] = True
    return marked


@part_or(_all_places)
def _places(
    blocked: Annotated[Bools, "mode row column"],
    solid: Annotated[Bools, "row column"],
    steps: Trajectory,
    cell: float,
    spill: int,
) -> Annotated[Bools, "mode row column"]:
    """Mark the four cells around each place; beside what is solid, some more."""
    modes, rows, columns = blocked.shape
    marked = np.zeros((modes, rows, columns), dtype=np.bool_)
    _mark(marked[0], solid, cell, steps.first, spill)
    for step in range(len(steps.act)):
        for mode in range(modes):
            if mode == steps.mode[step] or steps.act[step] != MOVE:
                _mark(marked[mode], solid, cell, steps.start[step], spill)
                _mark(marked[mode], solid, cell, steps.stop[step], spill)
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
    marked[max(row - more, 0) : bottom + more, max(column - more, 0) : right + more] = True
