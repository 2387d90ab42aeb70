"""Plans to every goal: the cost-to-go through key and lock.

A state is a position and a phase. Working backwards, each phase is one field whose seeds are the
places where the next phase begins:

    OPEN   walk to the item
    HELD   walk to the item, or to the lock, open it, and go on as in OPEN
    START  walk to the item, or to the key, pick it up, and go on as in HELD

An item that is the key itself is reached by picking it up, after which nothing is left to do.
Where things are in the way of each other, plans are made leg by leg (:mod:`hbtom.plan.around`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel
from hbtom.plan.around import Costs, plan_legs
from hbtom.plan.field import Stencil, fields
from hbtom.plan.needed import EVERYWHERE, HELD, OPEN, START, in_any_phase, in_phase
from hbtom.world import Occupancy, Phase

_NO_LOCK = np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class CostToGo:
    """Cost-to-go of every state, for every item as the goal; infinite where there is no way.

    Phases with the same costs share a layer: ``layer[phase]`` is the one that holds a phase.
    """

    floor: Occupancy
    stencil: Stencil
    costs: Costs
    cost: Annotated[Floats, "item layer row column"]
    layer: Annotated[Ints, "phase"]


def plan_costs_to_go(
    floor: Occupancy,
    stencil: Stencil,
    costs: Costs,
    *,
    key: int | None,
    first: tuple[int, int] = (0, 0),
    needed: Annotated[Bools, "phase row column"] = EVERYWHERE,
    read: Annotated[Bools, "phase row column"] = EVERYWHERE,
) -> CostToGo:
    """Plan to every item of a trial; ``key`` is the index of the key among the items.

    ``first`` is the row and column where the agent sets out, which matters only where things are in
    the way. ``needed`` tells which cells matter in each phase; costs may be left infinite in all
    others. If only some of these are ``read``, boxes need not be looked into elsewhere.
    """
    to_lock = _NO_LOCK if floor.to_lock is None else floor.to_lock
    maps = floor.closed, floor.open, floor.to_item, to_lock
    index = -1 if key is None else key
    if costs.contact or len(floor.boxes):
        origin = np.array(first)
        moves = stencil.table
        cost = plan_legs(*maps, floor.boxes, moves, costs, index, origin, needed, read)
    else:
        price = costs.cell, costs.act, costs.opening
        cost = plan_costs(*maps, stencil.table, *price, index, needed)
    layers = cost.shape[1]
    return CostToGo(floor, stencil, costs, cost, np.arange(len(Phase)) % layers)


@kernel
def plan_costs(
    closed: Annotated[Bools, "row column"],
    opened: Annotated[Bools, "row column"],
    to_item: Annotated[Floats, "item row column"],
    to_lock: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    cell: float,
    act: float,
    opening: float,
    key: int,
    needed: Annotated[Bools, "phase row column"],
) -> Annotated[Floats, "item layer row column"]:
    items, rows, columns = to_item.shape
    at_hand = act + cell * to_item
    if key < 0 and np.array_equal(closed, opened):
        walk = fields(closed, at_hand, moves, cell, in_any_phase(needed))
        return walk.reshape((items, 1, rows, columns))
    to_key = to_item[max(key, 0)]
    cost = np.empty((items, 3, rows, columns))
    start, held, free = cost[:, 0], cost[:, 1], cost[:, 2]
    wanted = at_hand.copy()
    if key >= 0:
        wanted[key] = np.inf  # once it is held there is nothing to plan
    free[:] = fields(opened, wanted, moves, cell, in_phase(needed, OPEN, to_lock, to_key))
    if to_lock.size > 0:
        wanted = np.minimum(wanted, (opening + cell * to_lock) + free)
    held[:] = fields(closed, wanted, moves, cell, in_phase(needed, HELD, to_lock, to_key))
    if key >= 0:
        free[key] = held[key] = 0.0
        at_hand = np.minimum(at_hand, at_hand[key] + held)
    start[:] = fields(closed, at_hand, moves, cell, in_phase(needed, START, to_lock, to_key))
    return cost
