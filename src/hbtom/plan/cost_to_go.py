"""Cost-to-go in a world of places and modes, for every item as the goal.

Planning works backwards from the last mode. Every exit of a mode is a leg: walk to where the exit
can be taken, pay its price, and go on in the next mode, unless the goal is attained by then. The
cost-to-go in a mode is the minimum over its legs:

    C(s, m) = min over exits e of m of  leg(e),
    leg(e)  = solve(blocked in m, Z_e),    Z_e = price(e) + distance left + C(., m') or 0

A plan that fetches a tool must use it next (``Exits.then``). Once an item has been picked up, its
cost-to-go is 0.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part, part_or
from hbtom.plan.legs import LegCells, leg, seeds_of
from hbtom.plan.needed_cells import EVERYWHERE, Wanted, wanted_for
from hbtom.plan.stencil import Stencil
from hbtom.world.modes import NEVER, Exits, PlaceWorld
from hbtom.world.trajectory import NO_STEPS, Trajectory


class CostToGo(NamedTuple):
    """Cost-to-go of every state, for every item as the goal; infinite if there is no plan.

    It may be known only in the cells that were asked for; in others it may be too high.
    """

    world: PlaceWorld
    cost: Annotated[Floats, "goal mode row column"]

    def __repr__(self) -> str:
        goals = len(self.cost)
        return f"<CostToGo of {'one goal' if goals == 1 else f'{goals} goals'} in {self.world!r}>"


def cost_to_go(world: PlaceWorld, stencil: Stencil, first: tuple[int, int] = (0, 0)) -> CostToGo:
    """Plan to every item, from everywhere.

    ``first`` is the row and column where the agent sets out. It matters only if things are in the
    way.
    """
    row, column = first
    no_steps = NO_STEPS._replace(first=np.array([column, row], dtype=np.float64))
    return CostToGo(world, plan_steps(world, stencil.table, no_steps, EVERYWHERE))


@kernel
def plan_steps(
    world: PlaceWorld, moves: Annotated[Ints, "move 2"], steps: Trajectory, reads: int
) -> Annotated[Floats, "goal mode row column"]:
    """Return the cost-to-go where it is needed for a trajectory.

    ``reads`` says where that is: in ``CELLS``, ``BETWEEN`` them, or ``EVERYWHERE``. The first place
    of the trajectory is where the agent sets out.
    """
    return plan(world, moves, wanted_for(world, steps, reads))


@part
def plan(
    world: PlaceWorld, moves: Annotated[Ints, "move 2"], wanted: Wanted
) -> Annotated[Floats, "goal mode row column"]:
    """Return the cost-to-go of the states that are wanted, mode by mode and leg by leg."""
    modes, rows, columns = world.blocked.shape
    goals, exits = world.lying.shape[1], world.exits
    cost = np.zeros((goals, modes, rows, columns))
    slots, many = _slots(exits)
    kept = np.full((many, goals, rows, columns), np.inf)  # legs to exits that must follow another
    for mode in range(modes - 1, -1, -1):
        cells = LegCells(
            _listed(wanted.entry, mode), _listed(wanted.needed, mode), _listed(wanted.read, mode)
        )
        for goal in range(goals):
            if not world.lying[mode, goal]:
                continue
            _forget(cost[goal, mode])
            for one in range(len(exits.source)):
                ends, leaves = exits.goal[one] == goal, exits.target[one] != mode
                useful = ends or (leaves and exits.then[one] != NEVER)
                if exits.source[one] != mode or not useful:
                    continue
                # these costs do not matter for an exit that ends the plan
                then = cost[goal, exits.target[one]]
                if exits.then[one] >= 0 and world.lying[exits.target[one], goal]:
                    then = kept[slots[exits.then[one]], goal]
                seeds = seeds_of(world, one, then, ends)
                found = leg(world, one, seeds, moves, cells)
                if slots[one] >= 0:
                    _lower(kept[slots[one], goal], found)
                _lower(cost[goal, mode], found)
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
    """Return the marked cells of a mode; an empty list means everywhere."""
    _, rows, columns = cells.shape
    listed = np.empty((rows * columns, 2), dtype=np.int64)
    count = 0
    for r in range(rows):
        some = 0
        for c in range(columns):
            some += cells[mode, r, c]
        for c in range(columns if some > 0 else 0):
            if cells[mode, r, c]:
                listed[count, 0], listed[count, 1] = r, c
                count += 1
    return listed[:count]


@part_or(lambda costs: costs.fill(np.inf))
def _forget(costs: Annotated[Floats, "row column"]) -> None:
    for r in range(costs.shape[0]):
        for c in range(costs.shape[1]):
            costs[r, c] = np.inf


def _all_lower(costs: Floats, other: Floats) -> None:
    np.minimum(costs, other, out=costs)


@part_or(_all_lower)
def _lower(costs: Annotated[Floats, "row column"], other: Annotated[Floats, "row column"]) -> None:
    for r in range(costs.shape[0]):
        for c in range(costs.shape[1]):
            costs[r, c] = min(costs[r, c], other[r, c])
