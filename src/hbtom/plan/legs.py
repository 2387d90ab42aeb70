"""One leg of a plan: around things that are in the way or, at a price, through them.

A leg has one target: an item or the lock. All other items are boxes, which the agent prefers to
walk around. For a leg with seeds Z,

    C = min( C around the boxes,  push + C through them ),      C = solve(blocked, Z)

outside the boxes and two cells deep into them, and infinite further in: no agent intends to stand
in a thing. If the boxes cannot be avoided at all, they are ignored.

Parts have two forms: plain Python is fast on whole maps, and loops over single cells compile fast.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part, part_or
from hbtom.plan.blocked_costs import all_spilled, spilled
from hbtom.plan.field import field
from hbtom.plan.flooding import Seeds, any_below, any_true
from hbtom.world.modes import Costs, PlaceWorld

_SAME = 1e-9  # the difference up to which costs are equal, apart from rounding


class LegCells(NamedTuple):
    """The cells in which a leg may begin, whose costs must be known, and in which costs are read.

    If no cells are needed or read, costs are needed or read everywhere.
    """

    begin: Annotated[Ints, "cell 2"]
    needed: Annotated[Ints, "cell 2"]
    read: Annotated[Ints, "cell 2"]


# Costs at the end of a leg


def _all_seeds(world: PlaceWorld, one: int, then: Floats, ends: bool) -> Seeds:
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]].ravel()
    cell = np.flatnonzero(away < np.inf)
    way = costs.cell * away[cell]
    if ends:
        return Seeds(cell, exits.price[one] + way)
    cost, rest = exits.reluctance[one] + exits.price[one] + way, then.ravel()[cell]
    if costs.contact:
        nearest = cost[rest < np.inf].min(initial=np.inf)
        rest = (way + rest)[cost <= nearest + _SAME].min(initial=np.inf)
    cost = cost + rest
    return Seeds(cell[cost < np.inf], cost[cost < np.inf])


@part_or(_all_seeds)
def seeds_of(
    world: PlaceWorld, one: int, then: Annotated[Floats, "row column"], ends: bool
) -> Seeds:
    """Return the cost of taking an exit where it is in reach, and of the rest of the plan.

    If the exit ``ends`` the plan, there is no rest; otherwise ``then`` is its cost. With contact,
    agents head for the centre of a tool, wherever they go afterwards: the rest is counted from the
    cell nearest to the centre. Without contact, they touch the tool where that is cheapest.
    """
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]]
    price = exits.price[one] if ends else exits.reluctance[one] + exits.price[one]
    rows, columns = away.shape
    cell, cost = np.empty(rows * columns, dtype=np.int64), np.empty(rows * columns)
    count = 0
    for r in range(rows):
        for c in range(columns if any_below(away[r], np.inf) else 0):
            if away[r, c] < np.inf:
                cell[count], cost[count] = r * columns + c, price + costs.cell * away[r, c]
                count += 1
    seeds = Seeds(cell[:count], cost[:count])
    return seeds if ends else _with_rest(seeds, away, then, costs)


@part
def _with_rest(seeds: Seeds, away: Floats, then: Floats, costs: Costs) -> Seeds:
    """Add the cost of the rest of the plan to seeds, and leave out those without any."""
    cell, cost, columns = seeds.cell, seeds.cost, away.shape[1]
    nearest = best = np.inf
    for index in range(len(cell)):
        if then[cell[index] // columns, cell[index] % columns] < np.inf:
            nearest = min(nearest, cost[index])
    for index in range(len(cell)):
        r, c = cell[index] // columns, cell[index] % columns
        if cost[index] <= nearest + _SAME:
            best = min(best, costs.cell * away[r, c] + then[r, c])
    count = 0
    for index in range(len(cell)):
        rest = best if costs.contact else then[cell[index] // columns, cell[index] % columns]
        if rest < np.inf:
            cell[count], cost[count] = cell[index], cost[index] + rest
            count += 1
    return Seeds(cell[:count], cost[:count])


# Costs on the way to the end of a leg


def _whole_leg(world: PlaceWorld, one: int, seeds: Seeds, moves: Ints, cells: LegCells) -> Floats:
    costs, mode = world.costs, world.exits.source[one]
    blocked, boxes = world.blocked[mode], np.zeros_like(world.blocked[mode])
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            boxes |= world.boxes[item]
    solid, inside = blocked | boxes, boxes & ~blocked
    cost = field(solid, seeds, moves, costs.cell, cells.needed)
    if inside.any():
        beyond = _all_entered(cost, inside, solid, costs.cell)
        met = (inside & (beyond < np.inf)).any() or inside.ravel()[seeds.cell].any()
        avoidable = (beyond[cells.begin[:, 0], cells.begin[:, 1]] < np.inf).any()
        if met and (not avoidable or _all_may_push(cost, solid, seeds, costs.push, cells)):
            through = field(blocked, seeds, moves, costs.cell, cells.needed)
            cost = np.where(solid, np.inf, np.minimum(cost, through + costs.push))
            beyond = _all_entered(cost, inside, solid, costs.cell) if avoidable else through
        elif not avoidable:
            beyond = cost
        cost, solid = beyond, solid if avoidable else blocked
    if costs.contact:
        near, flat = solid.ravel()[seeds.cell], cost.ravel()
        flat[seeds.cell[near]] = np.minimum(flat[seeds.cell], seeds.cost)[near]
    return cost


def _all_entered(cost: Floats, inside: Bools, solid: Bools, price: float) -> Floats:
    """Extend costs into boxes; only boxes and the two cells around them are looked at."""
    entered, (row, column) = cost.copy(), np.nonzero(inside)
    if len(row):
        rows = slice(max(row.min() - 2, 0), row.max() + 3)
        some = rows, slice(max(column.min() - 2, 0), column.max() + 3)
        spilled_in = all_spilled(cost[some], solid[some], price)
        entered[some] = np.where(inside[some], spilled_in, cost[some])
    return entered


def _all_may_push(cost: Floats, solid: Bools, seeds: Seeds, push: float, cells: LegCells) -> bool:
    """Return whether it may be cheaper to pass through things than to go around them."""
    row, column = cells.needed.T
    highest = cost[row, column][~solid[row, column]].max(initial=0.0)
    return len(row) == 0 or bool(highest > push + seeds.cost.min(initial=np.inf))


class Obstacles(NamedTuple):
    """What is in the way of a leg: walls, and the boxes of all things but its target."""

    blocked: Annotated[Bools, "row column"]
    solid: Annotated[Bools, "row column"]  # blocked, or in a box
    boxes: Annotated[Ints, "cell 2"]  # the cells that are solid but not blocked


@part_or(_whole_leg)
def leg(
    world: PlaceWorld,
    one: int,
    seeds: Seeds,
    moves: Annotated[Ints, "move 2"],
    cells: LegCells,
) -> Annotated[Floats, "row column"]:
    """Return the cost-to-go of the leg to an exit, given the costs at its end.

    If boxes cannot be avoided from where the leg may begin, they are ignored.
    """
    costs, obstacles = world.costs, _obstacles(world, one)
    blocked, solid = obstacles.blocked, obstacles.solid
    cost = field(solid, seeds, moves, costs.cell, cells.needed)
    if len(obstacles.boxes) > 0:
        met = _meets(obstacles, cost, seeds)
        if not _avoidable(obstacles, cost, costs.cell, cells.begin):
            solid = blocked
            if met:
                cost = field(blocked, seeds, moves, costs.cell, cells.needed)
        else:
            if met and _may_push(obstacles, cost, seeds, costs.push, cells.needed):
                through = field(blocked, seeds, moves, costs.cell, cells.needed)
                _push_through(cost, through, solid, costs.push)
            _enter(cost, solid, costs.cell, _read_in_boxes(obstacles, cells.read))
    for index in range(len(seeds.cell) if costs.contact else 0):
        # beside a wall, or in a box, an agent can use what is within its reach
        r, c = seeds.cell[index] // solid.shape[1], seeds.cell[index] % solid.shape[1]
        if solid[r, c]:
            cost[r, c] = min(cost[r, c], seeds.cost[index])
    return cost


@part
def _obstacles(world: PlaceWorld, one: int) -> Obstacles:
    mode = world.exits.source[one]
    _, rows, columns = world.blocked.shape
    blocked, boxes = world.blocked[mode], np.empty((rows * columns, 2), dtype=np.int64)
    solid, count = blocked.copy(), 0
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            for r in range(rows):
                for c in range(columns if any_true(world.boxes[item, r]) else 0):
                    if world.boxes[item, r, c] and not solid[r, c]:
                        solid[r, c] = True
                        boxes[count, 0], boxes[count, 1] = r, c
                        count += 1
    return Obstacles(blocked, solid, boxes[:count])


@part
def _meets(obstacles: Obstacles, cost: Floats, seeds: Seeds) -> bool:
    """Return whether any path leads up to a box; if not, no path leads through one."""
    for index in range(len(seeds.cell)):
        r, c = seeds.cell[index] // cost.shape[1], seeds.cell[index] % cost.shape[1]
        if obstacles.solid[r, c] and not obstacles.blocked[r, c]:
            return True
    for index in range(len(obstacles.boxes)):
        row, column = obstacles.boxes[index, 0], obstacles.boxes[index, 1]
        for r in range(max(row - 1, 0), min(row + 2, cost.shape[0])):
            for c in range(max(column - 1, 0), min(column + 2, cost.shape[1])):
                if cost[r, c] < np.inf:
                    return True
    return False


@part
def _avoidable(obstacles: Obstacles, cost: Floats, price: float, begin: Ints) -> bool:
    """Return whether the leg can begin somewhere without passing through a box."""
    for index in range(len(begin)):
        r, c = begin[index, 0], begin[index, 1]
        value = cost[r, c]
        if obstacles.solid[r, c] and not obstacles.blocked[r, c]:
            value = spilled(cost, obstacles.solid, price, r, c)
        if value < np.inf:
            return True
    return False


@part
def _may_push(obstacles: Obstacles, cost: Floats, seeds: Seeds, push: float, needed: Ints) -> bool:
    """Return whether it may be cheaper to pass through things than to go around them."""
    least, highest = np.inf, 0.0
    for index in range(len(seeds.cost)):
        least = min(least, seeds.cost[index])
    for index in range(len(needed)):
        r, c = needed[index, 0], needed[index, 1]
        if not obstacles.solid[r, c]:
            highest = max(highest, cost[r, c])
    return len(needed) == 0 or highest > push + least


@part
def _push_through(cost: Floats, through: Floats, solid: Bools, push: float) -> None:
    """Lower costs to those of passing through boxes, wherever that is cheaper."""
    for r in range(solid.shape[0]):
        for c in range(solid.shape[1]):
            least = min(cost[r, c], through[r, c] + push)
            cost[r, c] = np.inf if solid[r, c] else least


@part
def _read_in_boxes(obstacles: Obstacles, read: Ints) -> Annotated[Ints, "cell 2"]:
    """Return the cells in boxes in which costs are read."""
    if len(read) == 0:
        return obstacles.boxes
    some, count = np.empty(obstacles.boxes.shape, dtype=np.int64), 0
    for index in range(len(read)):
        r, c = read[index, 0], read[index, 1]
        if obstacles.solid[r, c] and not obstacles.blocked[r, c]:
            some[count, 0], some[count, 1] = r, c
            count += 1
    return some[:count]


@part
def _enter(cost: Floats, solid: Bools, price: float, some: Ints) -> None:
    """Extend costs two cells deep into boxes, because agents get closer than they intend."""
    entered = np.empty(len(some))  # all are found before any is written
    for index in range(len(some)):
        entered[index] = spilled(cost, solid, price, some[index, 0], some[index, 1])
    for index in range(len(some)):
        cost[some[index, 0], some[index, 1]] = entered[index]
