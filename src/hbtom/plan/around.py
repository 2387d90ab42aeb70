"""Plans where things are in the way: around them, or, at a price, through them.

Every leg of a plan has one target: the goal, the key or the lock. All other items are boxes that
the agent would rather walk around. For a leg with seeds Z,

    C = min( C around the boxes,  push + C through them ),      C = solve(blocked, Z)

outside the boxes and two cells deep into them, and infinite further in: nobody means to stand in a
thing. Where the boxes cannot be avoided at all, they are ignored. The legs follow each other as in
:mod:`hbtom.plan.plans`, and a key is fetched for a lock only:

    OPEN   to the goal
    HELD   to the goal; or to the lock, and on as in OPEN
    START  to the goal; or to the key, to the lock, and on as in OPEN
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part, part_or
from hbtom.plan.field import all_spilled, fields, spilled
from hbtom.plan.needed import HELD, OPEN, START, in_any_phase, marked

_SAME = 1e-9  # cells that are equally near, but for rounding


class Costs(NamedTuple):
    """What things cost, in units of the policy's Q-values."""

    cell: float  # walking the side of a cell
    act: float  # picking something up
    opening: float  # opening the lock and waiting for the barrier to vanish
    push: float = 0.0  # passing through things that are in the way
    tool: float = 0.0  # using a key, beyond what it takes to do so
    contact: bool = False  # things are used from where they are touched, beside walls, too


class Cells(NamedTuple):
    """The cells in which costs are read, and those whose costs have to be known for that.

    None at all means everywhere.
    """

    needed: Annotated[Ints, "cell 2"]
    read: Annotated[Ints, "cell 2"]


@kernel
def plan_legs(
    closed: Annotated[Bools, "row column"],
    opened: Annotated[Bools, "row column"],
    to_item: Annotated[Floats, "item row column"],
    to_lock: Annotated[Floats, "row column"],
    boxes: Annotated[Bools, "item row column"],
    moves: Annotated[Ints, "move 2"],
    costs: Costs,
    key: int,
    first: Annotated[Ints, "2"],
    needed: Annotated[Bools, "phase row column"],
    read: Annotated[Bools, "phase row column"],
) -> Annotated[Floats, "item layer row column"]:
    """Return the cost-to-go to every item, leg by leg; ``first`` is where the agent sets out.

    Costs are right in the cells that are ``read``. For these, those around them may be ``needed``.
    """
    items, rows, columns = to_item.shape
    begin = np.zeros((rows, columns), dtype=np.bool_)
    begin[first[0], first[1]] = True
    if key < 0 and np.array_equal(closed, opened):
        known = in_any_phase(needed)
        cells = Cells(known, in_any_phase(read) if len(boxes) > 0 else known)
        cost = np.empty((items, 1, rows, columns))
        for goal in range(items):
            seeds = costs.act + costs.cell * to_item[goal]
            avoid = _but(boxes, goal, goal, closed)
            cost[goal, 0] = _leg(closed, avoid, seeds, moves, costs, begin, cells)
        return cost
    to_key = to_item[max(key, 0)]
    if needed.size > 0:
        needed, read = _looked_at(needed, read, begin, to_key, to_lock, len(boxes) > 0)
    in_start = Cells(marked(needed, START), marked(read, START))
    in_held = Cells(marked(needed, HELD), marked(read, HELD))
    in_open = Cells(marked(needed, OPEN), marked(read, OPEN))
    at_key, at_lock = _places(to_key, begin, key >= 0), _places(to_lock, begin, to_lock.size > 0)
    objects = _but(boxes, key, key, closed)
    cost = np.zeros((items, 3, rows, columns))
    for goal in range(items):
        seeds = costs.act + costs.cell * to_item[goal]
        if goal == key:  # once it is held there is nothing to plan
            cost[goal, START] = _leg(closed, objects, seeds, moves, costs, begin, in_start)
            continue
        others = _but(boxes, goal, key, closed)
        cost[goal, OPEN] = _leg(opened, others, seeds, moves, costs, at_lock, in_open)
        held = _leg(closed, others, seeds, moves, costs, at_key, in_held)
        lying = _but(boxes, goal, goal, closed)
        start = _leg(closed, lying, seeds, moves, costs, begin, in_start)
        if to_lock.size > 0:
            seeds = _onward(costs.opening, costs, to_lock, cost[goal, OPEN])
            lock = _leg(closed, objects, seeds, moves, costs, at_key, in_held)
            held = np.minimum(held, lock)
            if key >= 0:
                seeds = _onward(costs.tool + costs.act, costs, to_key, lock)
                fetch = _leg(closed, objects, seeds, moves, costs, begin, in_start)
                start = np.minimum(start, fetch)
        cost[goal, HELD], cost[goal, START] = held, start
    return cost


@part
def _looked_at(
    needed: Bools, read: Bools, begin: Bools, to_key: Floats, to_lock: Floats, boxed: bool
) -> tuple[Annotated[Bools, "phase row column"], Annotated[Bools, "phase row column"]]:
    """Add the cells that planning itself looks at: where legs may begin, and where tools are.

    For what is read in a box, costs have to be known two cells around it.
    """
    needed, read = needed.copy(), read.copy()
    tools = begin | (to_key < np.inf)
    if to_lock.size > 0:
        tools |= to_lock < np.inf
    cells = np.argwhere(tools)
    for phase in range(len(read)):
        read[phase] |= tools
        needed[phase] |= tools
        for index in range(len(cells) if boxed else 0):
            r, c = cells[index, 0], cells[index, 1]
            needed[phase, max(r - 2, 0) : r + 3, max(c - 2, 0) : c + 3] = True
    return needed, read


@part
def _places(away: Floats, begin: Bools, is_there: bool) -> Bools:
    """Return from where a leg goes on: where a tool is at hand, or, without any, the beginning."""
    return away < np.inf if is_there and (away < np.inf).any() else begin


@part
def _onward(price: float, costs: Costs, away: Floats, then: Floats) -> Floats:
    """Return what it costs to walk up to a tool, use it at a price and go on, where it is in reach.

    With contact, agents head for its middle, wherever they go afterwards: the rest is what it costs
    from the cell nearest to the middle. Without, they touch it where that is best for them.
    """
    way = price + costs.cell * away
    if not costs.contact:
        return way + then
    nearest = np.where(then < np.inf, way, np.inf).min()
    return way + np.where(way <= nearest + _SAME, costs.cell * away + then, np.inf).min()


@part
def _but(boxes: Bools, one: int, other: int, like: Bools) -> Bools:
    """Return the cells of all boxes but those of one or two items."""
    covered = np.zeros_like(like)
    for item in range(len(boxes)):
        if item not in (one, other):
            covered |= boxes[item]
    return covered


@part
def _leg(
    blocked: Annotated[Bools, "row column"],
    boxes: Annotated[Bools, "row column"],
    seeds: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    costs: Costs,
    begin: Annotated[Bools, "row column"],
    cells: Cells,
) -> Annotated[Floats, "row column"]:
    """Return the cost-to-go of one leg: around what is in the way if that can be, or through it.

    ``begin`` is where the leg may begin: if there is no way around from there, boxes are ignored.
    """
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
