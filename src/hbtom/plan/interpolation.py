"""Cost-to-go at any place, interpolated between cells, for every goal."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.compiled import kernel_or, part
from hbtom.plan.blocked_costs import spilled
from hbtom.plan.cost_to_go import CostToGo
from hbtom.world.modes import corner


def _all_to_go(costs: CostToGo, places: Floats, mode: Ints) -> Floats:
    """Compute the same for all places at once, which is faster in plain Python."""
    world, cost = costs.world, costs.cost
    cell = world.space.cell
    rows, columns = cost.shape[2:]
    goal = np.arange(len(cost))[:, None]
    row, down = _all_corners(places[..., 1] / cell - 0.5, rows)
    column, across = _all_corners(places[..., 0] / cell - 0.5, columns)
    total, weight = np.zeros((len(cost), len(mode))), np.zeros((len(cost), len(mode)))
    for r, high in ((0, 1.0 - down), (1, down)):
        for c, wide in ((0, 1.0 - across), (1, across)):
            at = np.maximum(row + r, 0), np.maximum(column + c, 0)
            value = cost[goal, mode, at[0], at[1]]
            hidden = (value == np.inf) & world.blocked[mode, at[0], at[1]]
            if hidden.any():
                where = np.stack(np.broadcast_arrays(goal, mode, *at), axis=-1)
                value[hidden] = _spilled(costs, where[hidden])
            known = value < np.inf
            share = high * wide
            total += np.where(known, value, 0.0) * share
            weight += np.where(known, share, 0.0)
    return np.where(weight >= 0.5, total / np.maximum(weight, 0.5), np.inf)


def _spilled(costs: CostToGo, where: Annotated[Ints, "cell 4"]) -> list[float]:
    """Return the costs of leaving blocked cells, given as goal, mode, row and column."""
    found: dict[tuple[int, ...], float] = {}
    for at in map(tuple, where.tolist()):
        if at not in found:
            maps = costs.cost[at[:2]], costs.world.blocked[at[1]]
            found[at] = spilled(*maps, costs.world.costs.cell, *at[2:])
    return [found[at] for at in map(tuple, where.tolist())]


def _all_corners(at: Floats, cells: int) -> tuple[Ints, Floats]:
    low = np.minimum(np.maximum(np.floor(at), 0), cells - 2).astype(np.int64)
    return low, np.minimum(np.maximum(at - low, 0.0), 1.0)


@kernel_or(_all_to_go)
def cost_at(
    costs: CostToGo,
    places: Annotated[Floats, "goal place 2"],
    mode: Annotated[Ints, "place"],
) -> Annotated[Floats, "goal place"]:
    """Return the cost-to-go at places; a single row of places is used for all goals.

    It is interpolated bilinearly over those corners from which the goal can be reached. If these
    have less than half of the weight, the place is on the far side of a wall, at infinite cost.
    """
    cost, world = costs.cost, costs.world
    value = np.empty((len(cost), len(mode)))
    for goal in range(len(cost)):
        row = places[min(goal, len(places) - 1)]
        for place in range(len(mode)):
            layer = mode[place]
            maps = cost[goal, layer], world.blocked[layer]
            at = row[place, 0] / world.space.cell - 0.5, row[place, 1] / world.space.cell - 0.5
            value[goal, place] = _at(maps[0], maps[1], world.costs.cell, at[0], at[1])
    return value


@part
def _at(cost: Floats, blocked: Floats, price: float, x: float, y: float) -> float:
    rows, columns = cost.shape
    row, down = corner(y, rows)
    column, across = corner(x, columns)
    total = weight = 0.0
    for r in range(2):
        for c in range(2):
            share = (down if r == 1 else 1.0 - down) * (across if c == 1 else 1.0 - across)
            # if there is only one cell, both corners are in it
            value = spilled(cost, blocked, price, max(row + r, 0), max(column + c, 0))
            if value < np.inf:
                total += value * share
                weight += share
    return total / weight if weight >= 0.5 else np.inf
