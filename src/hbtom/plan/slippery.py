"""Plans in a gridworld in which moves may go astray.

An agent that intends to move in one of eight directions does so with probability 1 - slip.
Otherwise it moves in one of the two adjacent directions, with probability slip / 2 each, or stays
if that is blocked. This costs as much as the intended move. If Z(s) is the cost of stopping in a
cell, the cost-to-go of a map is

    C(s) = min of Z(s) and, over legal moves m,  length(m) + sum over s' of P(s' | s, m) C(s')

and modes follow each other as in :mod:`hbtom.plan.cost_to_go`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.plan.cost_to_go import CostToGo
from hbtom.plan.expected_cost import expected_cost
from hbtom.plan.stencil import GRID, legal_moves
from hbtom.plan.transitions import Transitions
from hbtom.world.modes import PlaceWorld

_AWAY = ((GRID.table[:, None] - GRID.table) ** 2).sum(axis=2)
BESIDE: Annotated[Ints, "move 2"] = np.nonzero(_AWAY == 1)[1].reshape(-1, 2)  # 45 degrees to a side
LENGTH: Annotated[Floats, "move"] = np.sqrt((GRID.table**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Slippery:
    """A map of cells, by number, on which moves may go astray."""

    blocked: Annotated[Bools, "row column"]
    slip: float

    @cached_property
    def legal(self) -> Annotated[Bools, "cell move"]:
        return legal_moves(self.blocked, GRID).reshape(len(GRID.moves), -1).T

    @cached_property
    def outcomes(self) -> Annotated[Ints, "cell move 3"]:
        """The cell to which each move leads, and the two to which it may go astray."""
        here = np.arange(self.blocked.size)[:, None]
        there = here + GRID.table @ [self.blocked.shape[1], 1]
        there = np.where(self.legal, there, here)
        return np.stack([there, *np.moveaxis(there[:, BESIDE], 2, 0)], axis=2)

    @property
    def probability(self) -> Annotated[Floats, "3"]:
        return np.array([1.0 - self.slip, self.slip / 2, self.slip / 2])

    def cost_to_go(
        self, seeds: Annotated[Floats, "field row column"], cell: float
    ) -> Annotated[Floats, "field row column"]:
        """Return the average cost of moving from each cell to a seed and stopping there."""
        size = self.blocked.size
        done = np.arange(size + 1) == size  # stopping leads to one more state
        fields = [
            expected_cost(self._with_stops(seed.ravel(), cell), done)[:-1].reshape(seed.shape)
            for seed in seeds
        ]
        return np.array(fields).reshape(seeds.shape)

    def _with_stops(self, seed: Annotated[Floats, "cell"], cell: float) -> Transitions:
        """Return moves as choices, and stopping as one more choice in cells that have a seed."""
        stops = np.isfinite(seed) & ~self.blocked.ravel()
        state, choice = np.nonzero(np.column_stack([self.legal, stops]))
        end = np.full((len(seed), 1, 3), len(seed))
        price = np.column_stack([np.broadcast_to(cell * LENGTH, self.legal.shape), seed])
        return Transitions(
            np.searchsorted(state, np.arange(len(seed) + 2)),
            price[state, choice],
            np.arange(len(state) + 1) * 3,
            np.concatenate([self.outcomes, end], axis=1)[state, choice].ravel(),
            np.tile(self.probability, len(state)),
        )


def slippery_cost_to_go(world: PlaceWorld, slip: float) -> CostToGo:
    """Plan to every item, like :func:`hbtom.plan.cost_to_go`, but with moves that may go astray."""
    exits, cell = world.exits, world.costs.cell
    items = range(world.lying.shape[1])
    cost = np.zeros((len(items), *world.blocked.shape))
    for mode in reversed(range(len(world.blocked))):
        seeds = np.full(cost[:, mode].shape, np.inf)
        for one in np.flatnonzero(exits.source == mode):
            away = exits.price[one] + cell * world.reach[exits.thing[one]]
            for item in items:
                if exits.goal[one] == item:
                    seeds[item] = np.minimum(seeds[item], away)
                elif exits.target[one] != mode:
                    seeds[item] = np.minimum(seeds[item], away + cost[item, exits.target[one]])
        wanted = world.lying[mode]
        ground = Slippery(world.blocked[mode], slip)
        cost[wanted, mode] = ground.cost_to_go(seeds[wanted], cell)
    return CostToGo(world, cost)
