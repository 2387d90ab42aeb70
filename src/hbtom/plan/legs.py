"""One leg of a plan: around things that are in the way, or, at a price, through them.

A leg has one target: an item or the lock. All other items that lie about are boxes, which the agent
would rather walk around. For a leg with seeds Z,

    C = min( C around the boxes,  push + C through them ),      C = solve(blocked, Z)

outside the boxes and two cells deep into them, and infinite further in: nobody means to stand in a
thing. Where the boxes cannot be avoided at all, they are ignored.

Whole maps are quick in plain Python, single cells are quick to compile: parts have both forms.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part, part_or
from hbtom.plan.field import all_spilled, field, spilled
from hbtom.world.modes import PlaceWorld

_SAME = 1e-9  # cells that are equally near, but for rounding


class Cells(NamedTuple):
    """The cells in which costs are read, and those whose costs have to be known for that.

    None at all means everywhere.
    """

    needed: Annotated[Ints, "cell 2"]
    read: Annotated[Ints, "cell 2"]


# What it costs at the end of a leg


def _all_seeds(world: PlaceWorld, one: int, then: Floats, ends: bool) -> Floats:
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]]
    if ends:
        return exits.price[one] + costs.cell * away
    way = exits.reluctance[one] + exits.price[one] + costs.cell * away
    if not costs.contact:
        return way + then
    nearest = np.where(then < np.inf, way, np.inf).min()
    return way + np.where(way <= nearest + _SAME, costs.cell * away + then, np.inf).min()


@part_or(_all_seeds)
def seeds_of(
    world: PlaceWorld, one: int, then: Annotated[Floats, "row column"], ends: bool
) -> Annotated[Floats, "row column"]:
    """Return what it costs to take an exit where it is in reach, and then to go on.

    If it ``ends`` the plan, nothing comes after it; otherwise ``then`` is the cost afterwards. With
    contact, agents head for the middle of a tool, wherever they go afterwards: the rest is what it
    costs from the cell nearest to the middle. Without, they touch it where that is best for them.
    """
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]]
    price = exits.price[one] if ends else exits.reluctance[one] + exits.price[one]
    rows, columns = away.shape
    seeds = np.empty((rows, columns))
    nearest = best = np.inf
    for r in range(rows):
        for c in range(columns):
            seeds[r, c] = price + costs.cell * away[r, c]
            if not ends and then[r, c] < np.inf:
                nearest = min(nearest, seeds[r, c])
    if ends:
        return seeds
    for r in range(rows):
        for c in range(columns):
            if seeds[r, c] <= nearest + _SAME:
                best = min(best, costs.cell * away[r, c] + then[r, c])
    for r in range(rows):
        for c in range(columns):
            seeds[r, c] += best if costs.contact else then[r, c]
    return seeds


# The way to the end of a leg


def _whole_leg(
    world: PlaceWorld, one: int, seeds: Floats, moves: Ints, begin: Bools, cells: Cells
) -> Floats:
    costs, mode = world.costs, world.exits.source[one]
    blocked, boxes = world.blocked[mode], np.zeros_like(world.blocked[mode])
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            boxes |= world.boxes[item]
    solid = blocked
    if boxes.any():
        solid = blocked | boxes
        cost = field(solid, seeds, moves, costs.cell, cells.needed)
        inside = boxes & ~blocked
        beyond = _all_entered(cost, inside, solid, costs.cell)
        if not (begin & (beyond < np.inf)).any():
            solid = blocked
        elif _is_far(cost, solid, seeds, costs.push, cells):
            through = field(blocked, seeds, moves, costs.cell, cells.needed)
            cost = np.where(solid, np.inf, np.minimum(cost, through + costs.push))
            beyond = _all_entered(cost, inside, solid, costs.cell)
    if solid is blocked:
        beyond = field(blocked, seeds, moves, costs.cell, cells.needed)
    return np.where(solid, np.minimum(beyond, seeds), beyond) if costs.contact else beyond


def _all_entered(cost: Floats, inside: Bools, solid: Bools, price: float) -> Floats:
    """Continue costs into boxes: only there, and two cells around, anything has to be looked at."""
    entered, (row, column) = cost.copy(), np.nonzero(inside)
    if len(row):
        rows = slice(max(row.min() - 2, 0), row.max() + 3)
        some = rows, slice(max(column.min() - 2, 0), column.max() + 3)
        spilled_in = all_spilled(cost[some], solid[some], price)
        entered[some] = np.where(inside[some], spilled_in, cost[some])
    return entered


def _is_far(cost: Floats, solid: Bools, seeds: Floats, push: float, cells: Cells) -> bool:
    """Tell whether passing through things may be cheaper than the way around, where it matters."""
    row, column = cells.needed.T
    highest = cost[row, column][~solid[row, column]].max(initial=0.0)
    return len(row) == 0 or bool(highest > push + seeds.min())


@part_or(_whole_leg)
def leg(
    world: PlaceWorld,
    one: int,
    seeds: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    begin: Annotated[Bools, "row column"],
    cells: Cells,
) -> Annotated[Floats, "row column"]:
    """Return the cost-to-go of the leg to an exit, given what it costs at its end.

    ``begin`` is where the leg may begin: if there is no way around from there, boxes are ignored.
    """
    costs, blocked = world.costs, world.blocked[world.exits.source[one]]
    solid, boxed = _solid(world, one)
    cost = field(solid, seeds, moves, costs.cell, cells.needed)
    if boxed:
        beyond = _entered(cost, blocked, solid, costs.cell, cells.read)
        around = least = np.inf
        highest = 0.0
        for r in range(solid.shape[0]):
            for c in range(solid.shape[1]):
                least = min(least, seeds[r, c])
                if begin[r, c]:
                    around = min(around, beyond[r, c])
        for index in range(len(cells.needed)):
            r, c = cells.needed[index, 0], cells.needed[index, 1]
            if not solid[r, c]:
                highest = max(highest, cost[r, c])
        if around == np.inf or len(cells.needed) == 0 or highest > costs.push + least:
            through = field(blocked, seeds, moves, costs.cell, cells.needed)
            if around == np.inf:
                solid, beyond = blocked, through
            else:
                for r in range(solid.shape[0]):
                    for c in range(solid.shape[1]):
                        way = min(cost[r, c], through[r, c] + costs.push)
                        cost[r, c] = np.inf if solid[r, c] else way
                beyond = _entered(cost, blocked, solid, costs.cell, cells.read)
        cost = beyond
    if costs.contact:  # beside a wall, or in a box, an agent can use what is within its reach
        for r in range(solid.shape[0]):
            for c in range(solid.shape[1]):
                if solid[r, c] and seeds[r, c] < cost[r, c]:
                    cost[r, c] = seeds[r, c]
    return cost


@part
def _solid(world: PlaceWorld, one: int) -> tuple[Annotated[Bools, "row column"], bool]:
    """Return what is blocked or in a box of what lies about, but for the target of an exit."""
    mode = world.exits.source[one]
    _, rows, columns = world.blocked.shape
    solid, boxed = np.empty((rows, columns), dtype=np.bool_), False
    for r in range(rows):
        for c in range(columns):
            solid[r, c] = world.blocked[mode, r, c]
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            for r in range(rows):
                for c in range(columns):
                    if world.boxes[item, r, c]:
                        solid[r, c] = boxed = True
    return solid, boxed


@part
def _entered(cost: Floats, blocked: Bools, solid: Bools, price: float, read: Ints) -> Floats:
    """Continue costs two cells deep into boxes, as agents come nearer than they mean to."""
    rows, columns = cost.shape
    entered = np.empty((rows, columns))
    for r in range(rows):
        for c in range(columns):
            entered[r, c] = cost[r, c]
            if len(read) == 0 and solid[r, c] and not blocked[r, c]:
                entered[r, c] = spilled(cost, solid, price, r, c)
    for index in range(len(read)):
        r, c = read[index, 0], read[index, 1]
        if solid[r, c] and not blocked[r, c]:
            entered[r, c] = spilled(cost, solid, price, r, c)
    return entered
