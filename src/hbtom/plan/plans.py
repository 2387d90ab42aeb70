"""Plans to every goal: the cost-to-go through key and lock.

A state is a position and a phase. Working backwards, each phase is one field whose seeds are the
places where the next phase begins:

    OPEN   walk to the item
    HELD   walk to the item, or to the lock, open it, and go on as in OPEN
    START  walk to the item, or to the key, pick it up, and go on as in HELD

An item that is the key itself is reached by picking it up, after which nothing is left to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.plan.field import Stencil, cost_to_go
from hbtom.world import Floor, Phase


@dataclass(frozen=True)
class Costs:
    """What things cost, in units of the policy's Q-values."""

    cell: float  # walking the side of a cell
    act: float  # picking something up
    opening: float  # opening the lock and waiting for the barrier to vanish


@dataclass(frozen=True, eq=False)
class Plans:
    """Cost-to-go of every state, for every item as the goal; infinite where there is no way.

    Phases with the same costs share a layer: ``layer[phase]`` is the one that holds a phase.
    """

    floor: Floor
    stencil: Stencil
    costs: Costs
    cost: Annotated[Floats, "item layer row column"]
    layer: Annotated[Ints, "phase"]


def make_plans(floor: Floor, stencil: Stencil, costs: Costs, *, key: int | None) -> Plans:
    """Plan to every item of a trial; ``key`` is the index of the key among the items."""
    at_hand = costs.act + costs.cell * floor.to_item

    def solve(blocked: Bools, seeds: Floats) -> Floats:
        return cost_to_go(blocked, seeds, stencil, costs.cell)

    closed = solve(floor.closed, at_hand)
    if not (floor.closed ^ floor.open).any() and key is None:
        return Plans(floor, stencil, costs, closed[:, None], np.zeros(len(Phase), dtype=np.int64))

    opened = solve(floor.open, at_hand)
    if key is not None:
        opened[key] = 0.0
    held = closed
    if floor.to_lock is not None:
        to_lock = costs.opening + costs.cell * floor.to_lock
        held = solve(floor.closed, np.minimum(at_hand, to_lock + opened))
    start = closed
    if key is not None:
        held = held.copy()
        held[key] = 0.0
        start = solve(floor.closed, np.minimum(at_hand, at_hand[key] + held))
    cost = np.stack([start, held, opened], axis=1)
    return Plans(floor, stencil, costs, cost, np.arange(len(Phase)))
