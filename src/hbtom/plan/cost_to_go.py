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
from hbtom.plan.flooding import any_true
from hbtom.plan.legs import LegCells, leg, seeds_of
from hbtom.plan.needed_cells import Wanted, wanted_for
from hbtom.plan.stencil import Stencil
from hbtom.world.modes import LYING, NEVER, Exits, PlaceWorld, Worlds, world_at, worlds_from
from hbtom.world.trajectory import NO_STEPS, Trajectories, trajectories_from, trajectory_at


class CostToGo(NamedTuple):
    """Cost-to-go of every state, for every item as the goal; infinite if there is no plan.

    It may be known only in the cells that were asked for; in others it may be too high.
    """

    world: PlaceWorld
    cost: Annotated[Floats, "goal mode row column"]

    def __repr__(self) -> str:
        goals = len(self.cost)
        return f"<CostToGo of {'one goal' if goals == 1 else f'{goals} goals'} in {self.world!r}>"


class Plans(NamedTuple):
    """The cost-to-go in several worlds, one after the other."""

    worlds: Worlds
    cost: Annotated[Floats, "goal*mode row column"]


def plans_from(costs: CostToGo) -> Plans:
    """Return the cost-to-go in one world as that in the only one of several."""
    return Plans(worlds_from(costs.world), costs.cost.reshape(-1, *costs.cost.shape[2:]))


@part
def cost_to_go_at(plans: Plans, one: int) -> CostToGo:
    """Return the cost-to-go in one of several worlds."""
    first, (_, rows, columns) = plans.worlds.first, plans.cost.shape
    world, maps = world_at(plans.worlds, one), plans.cost[first[one, LYING] : first[one + 1, LYING]]
    modes, goals = world.lying.shape
    return CostToGo(world, maps.reshape((goals, modes, rows, columns)))


def cost_to_go(world: PlaceWorld, stencil: Stencil, first: tuple[int, int] = (0, 0)) -> CostToGo:
    """Plan to every item, from everywhere.

    ``first`` is the row and column where the agent sets out. It matters only if things are in the
    way.
    """
    row, column = first
    place = (np.array([column, row]) + 0.5) * world.space.side  # the centre of the cell
    no_steps = trajectories_from(NO_STEPS._replace(first=place))
    return cost_to_go_at(plan_worlds(worlds_from(world), stencil, no_steps, everywhere=True), 0)


def plan_worlds(
    worlds: Worlds, stencil: Stencil, steps: Trajectories, *, everywhere: bool = False
) -> Plans:
    """Plan to every item in each world, everywhere or as far as the trajectories need it.

    The first place of a trajectory is where the agent sets out.
    """
    return Plans(worlds, find_costs(worlds, stencil.table, steps, everywhere))


@kernel
def find_costs(
    worlds: Worlds, moves: Annotated[Ints, "move 2"], steps: Trajectories, everywhere: bool
) -> Annotated[Floats, "goal*mode row column"]:
    """Return the costs of :func:`plan_worlds`."""
    (_, rows, columns), reach = worlds.blocked.shape, 0
    for move in range(len(moves)):
        reach = max(reach, abs(moves[move, 0]), abs(moves[move, 1]))
    plans = Plans(worlds, np.empty((len(worlds.lying), rows, columns)))
    for one in range(len(worlds.first) - 1):
        costs = cost_to_go_at(plans, one)
        wanted = wanted_for(costs.world, trajectory_at(steps, one), reach, everywhere)
        plan(costs, moves, wanted)
    return plans.cost


@part
def plan(costs: CostToGo, moves: Annotated[Ints, "move 2"], wanted: Wanted) -> None:
    """Fill in the costs of the states that are wanted, mode by mode and leg by leg."""
    world, cost = costs.world, costs.cost
    modes, rows, columns = world.blocked.shape
    goals, exits = world.lying.shape[1], world.exits
    slots, many = _slots(exits)
    kept = np.full((many, goals, rows, columns), np.inf)  # legs to exits that must follow another
    for mode in range(modes - 1, -1, -1):
        cells = LegCells(
            _listed(wanted.entry, mode), _listed(wanted.needed, mode), _listed(wanted.read, mode)
        )
        for goal in range(goals):
            lies = world.lying[mode, goal]
            _fill(cost[goal, mode], np.inf if lies else 0.0)
            for one in range(len(exits.source) if lies else 0):
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
                    _lower(kept[slots[one], goal], found, cells.read)
                _lower(cost[goal, mode], found, cells.read)


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
        for c in range(columns if any_true(cells[mode, r]) else 0):
            if cells[mode, r, c]:
                listed[count, 0], listed[count, 1] = r, c
                count += 1
    return listed[:count]


@part_or(lambda costs, value: costs.fill(value))
def _fill(costs: Annotated[Floats, "row column"], value: float) -> None:
    for r in range(costs.shape[0]):
        for c in range(costs.shape[1]):
            costs[r, c] = value


def _all_lower(costs: Floats, other: Floats, some: Ints) -> None:
    row, column = some.T if len(some) else np.indices(costs.shape)
    costs[row, column] = np.minimum(costs[row, column], other[row, column])


@part_or(_all_lower)
def _lower(
    costs: Annotated[Floats, "row column"],
    other: Annotated[Floats, "row column"],
    some: Annotated[Ints, "cell 2"],
) -> None:
    """Lower costs to others in some cells, or everywhere if none are given."""
    for index in range(len(some)):
        r, c = some[index, 0], some[index, 1]
        costs[r, c] = min(costs[r, c], other[r, c])
    for r in range(costs.shape[0] if len(some) == 0 else 0):
        for c in range(costs.shape[1]):
            costs[r, c] = min(costs[r, c], other[r, c])
