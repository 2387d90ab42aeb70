"""What moves and acts waste at any number of places at once, for every goal: for filters.

The same numbers as :mod:`hbtom.mind.continuous` has for the one place where an agent was seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.mind.regret import UNIT
from hbtom.plan import CostToGo
from hbtom.plan.field import all_spilled
from hbtom.world.trajectory import HELD, OPEN, OPENING, TOUCH


@dataclass(frozen=True, eq=False)
class Waste:
    """Cost-to-go between the cells of a trial's floor, and what acts cost.

    Arrays of places are ``[goal, ..., 2]``, and what comes back is ``[goal, ...]``: the places of
    each goal are looked up in the costs of that goal.
    """

    cost: Annotated[Floats, "goal layer row column"]  # with what is spilled into blocked cells
    cell: float
    act: float
    opening: float
    key: int  # among the goals, or -1

    @staticmethod
    def of(plans: CostToGo, key: int) -> Waste:
        floor, costs = plans.floor, plans.costs
        cost = plans.cost.copy()
        for layer in range(cost.shape[1]):
            cost[:, layer] = all_spilled(cost[:, layer], floor.blocked(layer), costs.cell)
        return Waste(cost, floor.cell, costs.act, costs.opening, key)

    def to_go(self, places: Annotated[Floats, "goal ... 2"], phase: int) -> Floats:
        """Return the cost-to-go: bilinear, over those corners that have a way to the goal."""
        layer = phase if self.cost.shape[1] > 1 else 0
        goal = np.arange(len(places)).reshape(-1, *[1] * (places.ndim - 2))
        rows, columns = self.cost.shape[2:]
        row, down = _corner(places[..., 1] / self.cell - 0.5, rows)
        column, across = _corner(places[..., 0] / self.cell - 0.5, columns)
        total, weight = np.zeros(places.shape[:-1]), np.zeros(places.shape[:-1])
        for r, high in ((0, 1.0 - down), (1, down)):
            for c, wide in ((0, 1.0 - across), (1, across)):
                share = high * wide
                value = self.cost[goal, layer, np.maximum(row + r, 0), np.maximum(column + c, 0)]
                known = value < np.inf
                total += np.where(known, value, 0.0) * share
                weight += np.where(known, share, 0.0)
        return np.where(weight >= 0.5, total / np.maximum(weight, 0.5), np.inf)

    def of_moves(
        self,
        start: Annotated[Floats, "goal ... 2"],
        stop: Annotated[Floats, "goal ... 2"],
        phase: int,
    ) -> tuple[Annotated[Floats, "goal ..."], Annotated[Floats, "goal ..."]]:
        """Return what moves waste, between 0 and turning back, and how long they are."""
        length = np.sqrt(((stop - start) ** 2).sum(axis=-1)) / UNIT
        left = self.to_go(stop, phase)
        return _excess(length, left, self.to_go(start, phase), 2.0 * length), length

    def of_act(
        self, places: Annotated[Floats, "goal ... 2"], act: int, item: int, phase: int
    ) -> Annotated[Floats, "goal ..."]:
        """Return what an act wastes, between 0 and its cost."""
        price = self.act if act == TOUCH else self.opening
        after = OPEN if act == OPENING else HELD if item == self.key >= 0 else phase
        left = self.to_go(places, after)
        if act == TOUCH:
            left[item] = 0.0  # who touches its goal has nothing left to do
        return _excess(price, left, self.to_go(places, phase), self.act)


def _excess(price: Floats | float, left: Floats, before: Floats, most: Floats | float) -> Floats:
    """Return price + cost-to-go after - cost-to-go before, within bounds; see the exact model."""
    lost = np.isinf(left)
    known = np.isfinite(before) & ~lost
    waste = price + np.where(known, left, 0.0) - np.where(known, before, 0.0)
    return np.where(lost, most, np.where(known, np.clip(waste, 0.0, most), 0.0))


def _corner(at: Floats, cells: int) -> tuple[np.ndarray, Floats]:
    low = np.minimum(np.maximum(np.floor(at), 0), cells - 2).astype(np.int64)
    return low, np.clip(at - low, 0.0, 1.0)
