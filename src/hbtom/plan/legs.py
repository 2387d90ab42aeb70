"""One leg of a plan: around things that are in the way, or, at a price, through them.

A leg has one target: an item or the lock. All other items that lie about are boxes, which the agent
would rather walk around. For a leg with seeds Z,

    C = min( C around the boxes,  push + C through them ),      C = solve(blocked, Z)

outside the boxes and two cells deep into them, and infinite further in: nobody means to stand in a
thing. Where the boxes cannot be avoided at all, they are ignored.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part, part_or
from hbtom.plan.field import all_spilled, fields, spilled
from hbtom.world.modes import Costs, World

_SAME = 1e-9  # cells that are equally near, but for rounding


class Cells(NamedTuple):
    """The cells in which costs are read, and those whose costs have to be known for that.

    None at all means everywhere.
    """

    needed: Annotated[Ints, "cell 2"]
    read: Annotated[Ints, "cell 2"]


@part
def onward(world: World, one: int, then: Annotated[Floats, "row column"]) -> Floats:
    """Return what it costs to walk up to a tool, use it and go on, where it is in reach.

    With contact, agents head for its middle, wherever they go afterwards: the rest is what it costs
    from the cell nearest to the middle. Without, they touch it where that is best for them.
    """
    costs, exits = world.costs, world.exits
    away = world.reach[exits.thing[one]]
    way = exits.reluctance[one] + exits.price[one] + costs.cell * away
    if not costs.contact:
        return way + then
    nearest = np.where(then < np.inf, way, np.inf).min()
    return way + np.where(way <= nearest + _SAME, costs.cell * away + then, np.inf).min()


@part
def leg(
    world: World,
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
    boxes = _in_the_way(world, one)
    if not boxes.any():
        return _ignoring(blocked, seeds, moves, costs, cells)
    needed, solid = cells.needed, blocked | boxes
    cost = _field(solid, seeds, moves, costs.cell, needed)
    beyond = _entered(cost, boxes & ~blocked, solid, costs.cell, cells.read)
    if not (begin & (beyond < np.inf)).any():
        return _ignoring(blocked, seeds, moves, costs, cells)
    if len(needed) == 0 or _highest(cost, solid, needed) > costs.push + seeds.min():
        through = _field(blocked, seeds, moves, costs.cell, needed)
        cost = np.where(solid, np.inf, np.minimum(cost, through + costs.push))
        beyond = _entered(cost, boxes & ~blocked, solid, costs.cell, cells.read)
    return _used(beyond, solid, seeds, costs, cells.needed)


@part
def _in_the_way(world: World, one: int) -> Annotated[Bools, "row column"]:
    """Return the boxes of all that lies about, but for the target of an exit."""
    mode, covered = world.exits.source[one], np.zeros_like(world.blocked[0])
    for item in range(len(world.boxes)):
        if world.lying[mode, item] and item != world.exits.thing[one]:
            covered |= world.boxes[item]
    return covered


@part
def _ignoring(
    blocked: Bools, seeds: Floats, moves: Ints, costs: Costs, cells: Cells
) -> Annotated[Floats, "row column"]:
    """Return the cost-to-go of a leg on which nothing is in the way."""
    cost = _field(blocked, seeds, moves, costs.cell, cells.needed)
    return _used(cost, blocked, seeds, costs, cells.needed)


@part
def _field(blocked: Bools, seeds: Floats, moves: Ints, cell: float, needed: Ints) -> Floats:
    """Solve one field."""
    if seeds.min() == np.inf:
        return np.full(seeds.shape, np.inf)
    rows, columns = seeds.shape
    solved = fields(blocked, seeds.reshape((1, rows, columns)), moves, cell, needed)
    return solved.reshape((rows, columns))


@part
def _used(cost: Floats, solid: Bools, seeds: Floats, costs: Costs, needed: Ints) -> Floats:
    """Let an agent that is beside a wall, or in a box, use what is within its reach there."""
    if not costs.contact:
        return cost
    if len(needed) == 0:
        return np.where(solid, np.minimum(cost, seeds), cost)
    for index in range(len(needed)):
        r, c = needed[index, 0], needed[index, 1]
        if solid[r, c] and seeds[r, c] < cost[r, c]:
            cost[r, c] = seeds[r, c]
    return cost


def _all_entered(cost: Floats, boxes: Bools, solid: Bools, price: float, read: Ints) -> Floats:
    """Continue costs into boxes everywhere: in plain Python that is quicker than cell by cell."""
    return np.where(boxes, all_spilled(cost[None], solid, price)[0], cost)


@part_or(_all_entered)
def _entered(cost: Floats, boxes: Bools, solid: Bools, price: float, read: Ints) -> Floats:
    """Continue costs two cells deep into boxes, as agents come nearer than they mean to."""
    entered = cost.copy()
    cells = read if len(read) > 0 else np.argwhere(boxes)
    for index in range(len(cells)):
        r, c = cells[index, 0], cells[index, 1]
        if boxes[r, c]:
            entered[r, c] = spilled(cost, solid, price, r, c)
    return entered


@part
def _highest(cost: Floats, solid: Bools, needed: Ints) -> float:
    """Return the highest cost in the free cells that are needed."""
    highest = 0.0
    for index in range(len(needed)):
        r, c = needed[index, 0], needed[index, 1]
        if not solid[r, c]:
            highest = max(highest, cost[r, c])
    return highest
