"""A* search for a single query: the cheapest plan from one state to one item.

The dynamics are those of :mod:`hbtom.plan.cost_to_go`. A* searches forwards instead of solving
backwards, so each is a check of the other.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hbtom.plan.stencil import Stencil, legal_moves
from hbtom.world.modes import PlaceWorld

State = tuple[int, int, int]  # row, column, mode


@dataclass(frozen=True)
class Route:
    """A cheapest plan: its cost, and the states it passes through until the item is in reach."""

    cost: float
    states: tuple[State, ...]


def find_route(world: PlaceWorld, stencil: Stencil, start: State, item: int) -> Route | None:
    """Return a cheapest plan from ``start`` to an item, or None if there is none.

    Things may be crossed: the search ignores boxes, contact and reluctance.
    """
    steps, heuristic = _steps(world, stencil, item), _heuristic(world, item)
    paid = {start: 0.0}
    came: dict[State, State] = {}
    queue: list[tuple[float, bool, State]] = [(heuristic(start), False, start)]
    while queue:
        total, done, state = heapq.heappop(queue)
        if done:
            states = [state]
            while states[-1] in came:
                states.append(came[states[-1]])
            return Route(total, tuple(reversed(states)))
        spent = paid[state]
        if total > spent + heuristic(state):
            continue  # a cheaper path to this state has been found since
        if not world.lying[state[2], item]:  # it has been picked up: nothing is left to do
            heapq.heappush(queue, (spent, True, state))
        for price, after in steps(state):
            if after is None:
                heapq.heappush(queue, (spent + price, True, state))
            elif spent + price < paid.get(after, math.inf):
                paid[after] = spent + price
                came[after] = state
                heapq.heappush(queue, (spent + price + heuristic(after), False, after))
    return None


def _steps(
    world: PlaceWorld, stencil: Stencil, item: int
) -> Callable[[State], Iterator[tuple[float, State | None]]]:
    """Return a function that yields the price and the next state of every step from a state.

    The next state is None if the step attains the item.
    """
    legal = [legal_moves(blocked, stencil) for blocked in world.blocked]
    exits, cell = world.exits, world.costs.cell

    def steps(state: State) -> Iterator[tuple[float, State | None]]:
        row, column, mode = state
        for index, move in enumerate(stencil.moves):
            if legal[mode][index, row, column]:
                yield cell * stencil.length(move), (row + move[0], column + move[1], mode)
        for one in np.flatnonzero(exits.source == mode):
            away = float(world.reach[exits.thing[one], row, column])
            if math.isfinite(away):
                price, target = float(exits.price[one]) + cell * away, int(exits.target[one])
                if exits.goal[one] == item or not world.lying[target, item]:
                    yield price, None  # nothing is left to do
                elif not world.blocked[target, row, column]:
                    yield price, (row, column, target)

    return steps


def _heuristic(world: PlaceWorld, item: int) -> Callable[[State], float]:
    """Return an admissible heuristic: the straight distance to a box around all ends of plans."""
    exits = world.exits
    ends = (exits.goal == item) | ~world.lying[exits.target, item]
    rows, columns = np.nonzero(np.isfinite(world.reach[exits.thing[ends]]).any(axis=0))
    if len(rows) == 0:
        return lambda state: 0.0
    top, bottom = int(rows.min()), int(rows.max())
    left, right = int(columns.min()), int(columns.max())

    def heuristic(state: State) -> float:
        row, column, mode = state
        if not world.lying[mode, item]:
            return 0.0
        down = max(top - row, 0, row - bottom)
        across = max(left - column, 0, column - right)
        return world.costs.cell * math.hypot(down, across)

    return heuristic
