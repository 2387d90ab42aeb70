"""Cost-to-go in a world of places and modes, for every item as the goal.

Working backwards from the last mode, every exit of a mode is a leg of its own: walk to where the
exit can be taken, pay its price, and go on in the mode to which it leads, if the goal is not
attained by then. The cost-to-go of a mode is the least of its legs:

    C(s, m) = min over exits e of m of  leg(e),
    leg(e)  = solve(blocked in m, Z_e),    Z_e = price(e) + way left + C(., m') or 0

A plan that fetches a tool must use it next (``Exits.then``). Once an item has been picked up, there
is nothing left to do for those who wanted it.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part, part_or
from hbtom.plan.field import Stencil
from hbtom.plan.legs import Cells, leg, seeds_of
from hbtom.world.modes import NEVER, Exits, PlaceWorld

SPILL = 2  # cells; agents are seen a few pixels inside the margin they are supposed to keep
EVERYWHERE = np.empty((0, 0, 0), dtype=np.bool_)


class CostToGo(NamedTuple):
    """Cost-to-go of every state, for every item as the goal; infinite where there is no way.

    Only the cells that were asked for need to be known; others may be too high, or infinite.
    """

    world: PlaceWorld
    cost: Annotated[Floats, "goal mode row column"]

    def __repr__(self) -> str:
        goals = len(self.cost)
        return f"<CostToGo of {'one goal' if goals == 1 else f'{goals} goals'} in {self.world!r}>"


class Wanted(NamedTuple):
    """For which states costs are wanted. Empty lists of cells mean: everywhere."""

    entry: Annotated[Bools, "mode row column"]  # where each mode may be entered
    needed: Annotated[Bools, "mode row column"]  # whose costs have to be known
    read: Annotated[Bools, "mode row column"]  # and in which of them costs are read


def cost_to_go(world: PlaceWorld, stencil: Stencil, first: tuple[int, int] = (0, 0)) -> CostToGo:
    """Plan to every item, from everywhere.

    ``first`` is the row and column where the agent sets out, which matters only where things are in
    the way.
    """
    everywhere = wanted(world, *first, EVERYWHERE, EVERYWHERE)
    return CostToGo(world, plan(world, stencil.table, everywhere))


def _all_wanted(world: PlaceWorld, row: int, column: int, needed: Bools, read: Bools) -> Wanted:
    entry = np.zeros(world.blocked.shape, dtype=np.bool_)
    entry[0, row, column] = True
    if len(entry) == 1:
        return Wanted(entry, needed, read)
    exits, tools = world.exits, entry[0].copy()
    for one in np.flatnonzero(exits.target != exits.source):
        near = world.reach[exits.thing[one]] < np.inf
        entry[exits.target[one]] |= near
        tools |= near
    entry[~entry.any(axis=(1, 2))] = entry[0]
    if needed.size:
        around = _around(tools) if len(world.boxes) else tools
        needed, read = needed | around, read | tools
    return Wanted(entry, needed, read)


def _around(cells: Annotated[Bools, "row column"]) -> Annotated[Bools, "row column"]:
    """Return the cells that are at most two rows and two columns away from some."""
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
    """Add the cells that planning itself looks at: where legs may begin, and where tools are.

    The agent sets out in a row and column. To read a cost within a box, the costs two cells around
    it have to be known. What is needed and read may be changed in place.
    """
    modes, rows, columns = world.blocked.shape
    exits, margin = world.exits, SPILL if len(world.boxes) > 0 else 0
    entry = np.zeros((modes, rows, columns), dtype=np.bool_)
    entry[0, row, column] = True
    if modes == 1:
        return Wanted(entry, needed, read)
    if len(needed) > 0:
        _look_around(needed, read, row, column, margin)
    for one in range(len(exits.source)):
        target, entered = exits.target[one], world.reach[exits.thing[one]]
        for r in range(rows if target != exits.source[one] else 0):
            for c in range(columns):
                if entered[r, c] < np.inf:
                    entry[target, r, c] = True
                    if len(needed) > 0:
                        _look_around(needed, read, r, c, margin)
    for mode in range(1, modes):
        if not entry[mode].any():
            entry[mode, row, column] = True
    return Wanted(entry, needed, read)


@part
def _look_around(needed: Bools, read: Bools, row: int, column: int, margin: int) -> None:
    """Note, in every mode, that the cost of a cell is read, and that those around it are needed."""
    modes, rows, columns = needed.shape
    for mode in range(modes):
        read[mode, row, column] = True
        for r in range(max(row - margin, 0), min(row + margin + 1, rows)):
            for c in range(max(column - margin, 0), min(column + margin + 1, columns)):
                needed[mode, r, c] = True


@kernel
def plan(
    world: PlaceWorld, moves: Annotated[Ints, "move 2"], wanted: Wanted
) -> Annotated[Floats, "goal mode row column"]:
    """Return the cost-to-go of the states that are wanted, mode by mode and leg by leg."""
    modes, rows, columns = world.blocked.shape
    goals, exits = world.lying.shape[1], world.exits
    cost = np.zeros((goals, modes, rows, columns))
    slots, many = _slots(exits)
    kept = np.empty((many, goals, rows, columns))  # the ways to exits that must follow another
    for index in range(many * goals):
        _fill(kept[index // goals, index % goals], np.inf)
    for mode in range(modes - 1, -1, -1):
        cells = Cells(_listed(wanted.needed, mode), _listed(wanted.read, mode))
        for goal in range(goals):
            if not world.lying[mode, goal]:
                continue
            _fill(cost[goal, mode], np.inf)
            for one in range(len(exits.source)):
                ends, leaves = exits.goal[one] == goal, exits.target[one] != mode
                useful = ends or (leaves and exits.then[one] != NEVER)
                if exits.source[one] != mode or not useful:
                    continue
                # an exit that ends the plan asks for no costs afterwards
                then = cost[goal, exits.target[one]]
                if exits.then[one] >= 0 and world.lying[exits.target[one], goal]:
                    then = kept[slots[exits.then[one]], goal]
                seeds = seeds_of(world, one, then, ends)
                way = leg(world, one, seeds, moves, wanted.entry[mode], cells)
                if slots[one] >= 0:
                    _lower(kept[slots[one], goal], way)
                _lower(cost[goal, mode], way)
    return cost


@part
def _slots(exits: Exits) -> tuple[Annotated[Ints, "exit"], int]:
    """Number the exits that must follow another, and count them; -1 for all others."""
    slots, many = np.empty(len(exits.then), dtype=np.int64), 0
    for one in range(len(slots)):
        slots[one] = -1
    for one in range(len(slots)):
        if exits.then[one] >= 0 and slots[exits.then[one]] < 0:
            slots[exits.then[one]], many = many, many + 1
    return slots, many


def _all_listed(cells: Bools, mode: int) -> Ints:
    return np.argwhere(cells[mode]) if cells.size else np.empty((0, 2), dtype=np.int64)


@part_or(_all_listed)
def _listed(cells: Annotated[Bools, "mode row column"], mode: int) -> Annotated[Ints, "cell 2"]:
    """Return the cells that are marked in a mode; none means everywhere."""
    _, rows, columns = cells.shape
    count = 0
    for r in range(rows):
        for c in range(columns):
            count += cells[mode, r, c]
    listed = np.empty((count, 2), dtype=np.int64)
    count = 0
    for r in range(rows):
        for c in range(columns):
            if cells[mode, r, c]:
                listed[count, 0], listed[count, 1] = r, c
                count += 1
    return listed


def _all_fill(costs: Floats, value: float) -> None:
    costs[:] = value


@part_or(_all_fill)
def _fill(costs: Annotated[Floats, "row column"], value: float) -> None:
    for r in range(costs.shape[0]):
        for c in range(costs.shape[1]):
            costs[r, c] = value


def _all_lower(costs: Floats, other: Floats) -> None:
    np.minimum(costs, other, out=costs)


@part_or(_all_lower)
def _lower(costs: Annotated[Floats, "row column"], other: Annotated[Floats, "row column"]) -> None:
    for r in range(costs.shape[0]):
        for c in range(costs.shape[1]):
            costs[r, c] = min(costs[r, c], other[r, c])
