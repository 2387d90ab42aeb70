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
from hbtom.plan.flooding import any_below
from hbtom.world.modes import PlaceWorld

_SAME = 1e-9  # the difference up to which costs are equal, apart from rounding


class LegCells(NamedTuple):
    """The cells in which a leg may begin, whose costs must be known, and in which costs are read.

    If no cells are needed or read, costs are needed or read everywhere.
    """

    begin: Annotated[Ints, "cell 2"]
    needed: Annotated[Ints, "cell 2"]
    read: Annotated[Ints, "cell 2"]


# Costs at the end of a leg


def _all_seeds(world: PlaceWorld, one: int, then: Floats, ends: bool) -> Floats:
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]]
    if ends:
        return exits.price[one] + costs.cell * away
    seeds = exits.reluctance[one] + exits.price[one] + costs.cell * away
    if not costs.contact:
        return seeds + then
    nearest = np.where(then < np.inf, seeds, np.inf).min()
    return seeds + np.where(seeds <= nearest + _SAME, costs.cell * away + then, np.inf).min()


@part_or(_all_seeds)
def seeds_of(
    world: PlaceWorld, one: int, then: Annotated[Floats, "row column"], ends: bool
) -> Annotated[Floats, "row column"]:
    """Return the cost of taking an exit where it is in reach, and of the rest of the plan.

    If the exit ``ends`` the plan, there is no rest; otherwise ``then`` is its cost. With contact,
    agents head for the centre of a tool, wherever they go afterwards: the rest is counted from the
    cell nearest to the centre. Without contact, they touch the tool where that is cheapest.
    """
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]]
    price = exits.price[one] if ends else exits.reluctance[one] + exits.price[one]
    rows, columns = away.shape
    seeds = np.empty((rows, columns))
    for r in range(rows):
        for c in range(columns):
            seeds[r, c] = price + costs.cell * away[r, c]
    if ends:
        return seeds
    nearest = best = np.inf
    for r in range(rows if costs.contact else 0):
        for c in range(columns if any_below(seeds[r], nearest) else 0):
            if then[r, c] < np.inf:
                nearest = min(nearest, seeds[r, c])
    for r in range(rows if costs.contact else 0):
        for c in range(columns if any_below(seeds[r], np.inf) else 0):
            if seeds[r, c] <= nearest + _SAME:
                best = min(best, costs.cell * away[r, c] + then[r, c])
    for r in range(rows):
        for c in range(columns):
            seeds[r, c] += best if costs.contact else then[r, c]
    return seeds


# Costs on the way to the end of a leg


def _whole_leg(world: PlaceWorld, one: int, seeds: Floats, moves: Ints, cells: LegCells) -> Floats:
    costs, mode = world.costs, world.exits.source[one]
    blocked, boxes = world.blocked[mode], np.zeros_like(world.blocked[mode])
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            boxes |= world.boxes[item]
    solid, inside = blocked | boxes, boxes & ~blocked
    cost = field(solid, seeds, moves, costs.cell, cells.needed)
    if inside.any():
        beyond = _all_entered(cost, inside, solid, costs.cell)
        met = (inside & ((beyond < np.inf) | (seeds < np.inf))).any()
        avoidable = (beyond[cells.begin[:, 0], cells.begin[:, 1]] < np.inf).any()
        if met and (not avoidable or _all_may_push(cost, solid, seeds, costs.push, cells)):
            through = field(blocked, seeds, moves, costs.cell, cells.needed)
            cost = np.where(solid, np.inf, np.minimum(cost, through + costs.push))
            beyond = _all_entered(cost, inside, solid, costs.cell) if avoidable else through
        elif not avoidable:
            beyond = cost
        cost, solid = beyond, solid if avoidable else blocked
    return np.where(solid, np.minimum(cost, seeds), cost) if costs.contact else cost


def _all_entered(cost: Floats, inside: Bools, solid: Bools, price: float) -> Floats:
    """Extend costs into boxes; only boxes and the two cells around them are looked at."""
    entered, (row, column) = cost.copy(), np.nonzero(inside)
    if len(row):
        rows = slice(max(row.min() - 2, 0), row.max() + 3)
        some = rows, slice(max(column.min() - 2, 0), column.max() + 3)
        spilled_in = all_spilled(cost[some], solid[some], price)
        entered[some] = np.where(inside[some], spilled_in, cost[some])
    return entered


def _all_may_push(cost: Floats, solid: Bools, seeds: Floats, push: float, cells: LegCells) -> bool:
    """Return whether it may be cheaper to pass through things than to go around them."""
    row, column = cells.needed.T
    highest = cost[row, column][~solid[row, column]].max(initial=0.0)
    return len(row) == 0 or bool(highest > push + seeds.min())


@part_or(_whole_leg)
def leg(
    world: PlaceWorld,
    one: int,
    seeds: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    cells: LegCells,
) -> Annotated[Floats, "row column"]:
    """Return the cost-to-go of the leg to an exit, given the costs at its end.

    If boxes cannot be avoided from where the leg may begin, they are ignored.
    """
    costs, blocked = world.costs, world.blocked[world.exits.source[one]]
    solid, boxes = _solid(world, one)
    cost = field(solid, seeds, moves, costs.cell, cells.needed)
    if len(boxes) > 0:
        beyond = _entered(cost, solid, costs.cell, _within(boxes, blocked, solid, cells.read))
        met, avoidable = _meets(boxes, cost, seeds), False
        for index in range(len(cells.begin)):
            avoidable |= beyond[cells.begin[index, 0], cells.begin[index, 1]] < np.inf
        if not avoidable:
            solid = blocked
            if met:
                cost = field(blocked, seeds, moves, costs.cell, cells.needed)
        elif met and _may_push(cost, solid, seeds, costs.push, cells.needed):
            through = field(blocked, seeds, moves, costs.cell, cells.needed)
            for r in range(solid.shape[0]):
                for c in range(solid.shape[1]):
                    least = min(cost[r, c], through[r, c] + costs.push)
                    cost[r, c] = np.inf if solid[r, c] else least
            cost = _entered(cost, solid, costs.cell, _within(boxes, blocked, solid, cells.read))
        else:
            cost = beyond
    if costs.contact:  # beside a wall, or in a box, an agent can use what is within its reach
        for r in range(solid.shape[0]):
            for c in range(solid.shape[1]):
                nearer = solid[r, c] & (seeds[r, c] < cost[r, c])
                cost[r, c] = seeds[r, c] if nearer else cost[r, c]
    return cost


@part
def _solid(
    world: PlaceWorld, one: int
) -> tuple[Annotated[Bools, "row column"], Annotated[Ints, "cell 2"]]:
    """Return which cells are blocked or in a box other than the target's, and those in boxes."""
    mode = world.exits.source[one]
    _, rows, columns = world.blocked.shape
    solid, boxes = world.blocked[mode].copy(), np.empty((rows * columns, 2), dtype=np.int64)
    count = 0
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            for r in range(rows):
                for c in range(columns):
                    if world.boxes[item, r, c] and not solid[r, c]:
                        solid[r, c] = True
                        boxes[count, 0], boxes[count, 1] = r, c
                        count += 1
    return solid, boxes[:count]


@part
def _within(boxes: Ints, blocked: Bools, solid: Bools, read: Ints) -> Annotated[Ints, "cell 2"]:
    """Return the cells in boxes in which costs are read."""
    if len(read) == 0:
        return boxes
    some, count = np.empty(boxes.shape, dtype=np.int64), 0
    for index in range(len(read)):
        r, c = read[index, 0], read[index, 1]
        if solid[r, c] and not blocked[r, c]:
            some[count, 0], some[count, 1] = r, c
            count += 1
    return some[:count]


@part
def _entered(cost: Floats, solid: Bools, price: float, some: Ints) -> Floats:
    """Extend costs two cells deep into boxes, because agents get closer than they intend."""
    entered = cost.copy()
    for index in range(len(some)):
        r, c = some[index, 0], some[index, 1]
        entered[r, c] = spilled(cost, solid, price, r, c)
    return entered


@part
def _meets(boxes: Ints, cost: Floats, seeds: Floats) -> bool:
    """Return whether any path leads up to a box; if not, no path leads through one."""
    for index in range(len(boxes)):
        row, column = boxes[index, 0], boxes[index, 1]
        if seeds[row, column] < np.inf:
            return True
        for r in range(max(row - 1, 0), min(row + 2, cost.shape[0])):
            for c in range(max(column - 1, 0), min(column + 2, cost.shape[1])):
                if cost[r, c] < np.inf:
                    return True
    return False


@part
def _may_push(cost: Floats, solid: Bools, seeds: Floats, push: float, needed: Ints) -> bool:
    """Return whether it may be cheaper to pass through things than to go around them."""
    least, highest = np.inf, 0.0
    for r in range(seeds.shape[0]):
        for c in range(seeds.shape[1] if any_below(seeds[r], least) else 0):
            least = min(least, seeds[r, c])
    for index in range(len(needed)):
        r, c = needed[index, 0], needed[index, 1]
        if not solid[r, c]:
            highest = max(highest, cost[r, c])
    return len(needed) == 0 or highest > push + least
