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
from hbtom.compiled import kernel, part
from hbtom.plan.field import Stencil
from hbtom.plan.legs import Cells, leg, onward
from hbtom.world.modes import NEVER, World

EVERYWHERE = np.empty((0, 0, 0), dtype=np.bool_)


class CostToGo(NamedTuple):
    """Cost-to-go of every state, for every item as the goal; infinite where there is no way.

    Only the cells that were asked for need to be known; others may be too high, or infinite.
    """

    world: World
    cost: Annotated[Floats, "goal mode row column"]

    def __repr__(self) -> str:
        goals = len(self.cost)
        return f"<CostToGo of {'one goal' if goals == 1 else f'{goals} goals'} in {self.world!r}>"


class Wanted(NamedTuple):
    """For which states costs are wanted. Empty masks mean: everywhere."""

    first: Annotated[Ints, "2"]  # row and column where the agent sets out
    needed: Annotated[Bools, "mode row column"]  # whose costs have to be known
    read: Annotated[Bools, "mode row column"]  # and in which of them costs are read


def cost_to_go(world: World, stencil: Stencil, first: tuple[int, int] = (0, 0)) -> CostToGo:
    """Plan to every item, from everywhere.

    ``first`` is the row and column where the agent sets out, which matters only where things are in
    the way.
    """
    wanted = Wanted(np.array(first, dtype=np.int64), EVERYWHERE, EVERYWHERE)
    return CostToGo(world, plan(world, stencil.table, wanted))


@kernel
def plan(
    world: World, moves: Annotated[Ints, "move 2"], wanted: Wanted
) -> Annotated[Floats, "goal mode row column"]:
    """Return the cost-to-go of the states that are wanted, mode by mode and leg by leg."""
    modes, rows, columns = world.blocked.shape
    goals, exits = world.lying.shape[1], world.exits
    begin = np.zeros((rows, columns), dtype=np.bool_)
    begin[wanted.first[0], wanted.first[1]] = True
    needed, read = wanted.needed, wanted.read
    if needed.size > 0 and modes > 1:
        needed, read = _looked_at(world, begin, needed, read)
    cost = np.zeros((goals, modes, rows, columns))
    kept = np.empty((goals if modes > 1 else 0, rows, columns))  # of the exit that must come next
    for mode in range(modes - 1, -1, -1):
        cells = Cells(_marked(needed, mode), _marked(read, mode))
        entry = _entry(world, mode, begin)
        for goal in range(goals):
            if not world.lying[mode, goal]:
                continue
            cost[goal, mode] = np.inf
            for one in range(len(exits.source)):
                ends, leaves = exits.goal[one] == goal, exits.target[one] != mode
                useful = ends or (leaves and exits.then[one] != NEVER)
                if exits.source[one] != mode or not useful:
                    continue
                if ends:
                    seeds = exits.price[one] + world.costs.cell * world.reach[exits.thing[one]]
                elif exits.then[one] >= 0:
                    seeds = onward(world, one, kept[goal])
                else:
                    seeds = onward(world, one, cost[goal, exits.target[one]])
                way = leg(world, one, seeds, moves, entry, cells)
                if leaves and exits.then[one] < 0:
                    kept[goal] = way
                cost[goal, mode] = np.minimum(cost[goal, mode], way)
    return cost


@part
def _entry(world: World, mode: int, begin: Bools) -> Annotated[Bools, "row column"]:
    """Return where a mode may be entered: at the exits that lead to it, or where all begins."""
    exits, entry = world.exits, np.zeros_like(begin)
    for one in range(len(exits.source)):
        if exits.target[one] == mode and exits.source[one] != mode:
            entry |= world.reach[exits.thing[one]] < np.inf
    return entry if entry.any() else begin


@part
def _looked_at(world: World, begin: Bools, needed: Bools, read: Bools) -> tuple[Bools, Bools]:
    """Add the cells that planning itself looks at: where legs may begin, and where tools are.

    To read a cost within a box, the costs two cells around it have to be known.
    """
    exits, needed, read, tools = world.exits, needed.copy(), read.copy(), begin.copy()
    for one in range(len(exits.source)):
        if exits.target[one] != exits.source[one]:
            tools |= world.reach[exits.thing[one]] < np.inf
    cells, boxed = np.argwhere(tools), len(world.boxes) > 0
    for mode in range(len(read)):
        read[mode] |= tools
        needed[mode] |= tools
        for index in range(len(cells) if boxed else 0):
            r, c = cells[index, 0], cells[index, 1]
            needed[mode, max(r - 2, 0) : r + 3, max(c - 2, 0) : c + 3] = True
    return needed, read


@part
def _marked(cells: Annotated[Bools, "mode row column"], mode: int) -> Annotated[Ints, "cell 2"]:
    """Return the cells that are marked in a mode; none means everywhere."""
    if cells.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    return np.argwhere(cells[mode])
