"""A* search for a single query: the cheapest plan from one state to one item.

The same dynamics as the fields of :mod:`hbtom.plan.plans`, searched forwards instead of solved
backwards, so that each is a check of the other.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hbtom.plan.around import Costs
from hbtom.plan.field import Stencil, legal_moves
from hbtom.world import Occupancy, Phase

State = tuple[int, int, Phase]  # row, column, phase


@dataclass(frozen=True)
class Route:
    """A cheapest plan: its cost, and the states it passes through until the item is at hand."""

    cost: float
    states: tuple[State, ...]


def find_route(
    floor: Occupancy, stencil: Stencil, costs: Costs, start: State, item: int, *, key: int | None
) -> Route | None:
    """Return a cheapest plan from ``start`` to an item, or None if there is no way."""
    steps = _steps(floor, stencil, costs, key)
    finish = costs.act + costs.cell * floor.to_item[item]
    heuristic = _heuristic(floor, costs, item, key)
    paid = {start: 0.0}
    came: dict[State, State] = {}
    queue: list[tuple[float, bool, State]] = [(heuristic(start), False, start)]
    while queue:
        total, done, state = heapq.heappop(queue)
        if done:
            return Route(total, _back(came, state))
        spent = paid[state]
        if total > spent + heuristic(state):
            continue  # a cheaper way here was found since
        last = _finish(finish, state, item, key)
        if math.isfinite(last):
            heapq.heappush(queue, (spent + last, True, state))
        for price, after in steps(state):
            if spent + price < paid.get(after, math.inf):
                paid[after] = spent + price
                came[after] = state
                heapq.heappush(queue, (spent + price + heuristic(after), False, after))
    return None


def _finish(finish: np.ndarray, state: State, item: int, key: int | None) -> float:
    """Return the cost of what is left to do in a state from which the item is at hand."""
    row, column, phase = state
    if item == key and phase is not Phase.START:
        return 0.0
    return float(finish[row, column])


def _steps(
    floor: Occupancy, stencil: Stencil, costs: Costs, key: int | None
) -> Callable[[State], Iterator[tuple[float, State]]]:
    """Return the function that yields price and next state of all that can be done in a state."""
    legal = {phase: legal_moves(floor.blocked(phase), stencil) for phase in Phase}

    def steps(state: State) -> Iterator[tuple[float, State]]:
        row, column, phase = state
        for index, move in enumerate(stencil.moves):
            if legal[phase][index, row, column]:
                yield costs.cell * stencil.length(move), (row + move[0], column + move[1], phase)
        if key is not None and phase is Phase.START:
            away = float(floor.to_item[key, row, column])
            if math.isfinite(away):
                yield costs.act + costs.cell * away, (row, column, Phase.HELD)
        if floor.to_lock is not None and phase is Phase.HELD:
            away = float(floor.to_lock[row, column])
            if math.isfinite(away):
                yield costs.opening + costs.cell * away, (row, column, Phase.OPEN)

    return steps


def _heuristic(
    floor: Occupancy, costs: Costs, item: int, key: int | None
) -> Callable[[State], float]:
    """Return the straight distance to the box of cells around the item: never too much."""
    rows, columns = np.nonzero(np.isfinite(floor.to_item[item]))
    if len(rows) == 0:
        return lambda state: 0.0
    top, bottom = int(rows.min()), int(rows.max())
    left, right = int(columns.min()), int(columns.max())

    def heuristic(state: State) -> float:
        row, column, phase = state
        if item == key and phase is not Phase.START:
            return 0.0
        down = max(top - row, 0, row - bottom)
        across = max(left - column, 0, column - right)
        return costs.cell * math.hypot(down, across)

    return heuristic


def _back(came: dict[State, State], state: State) -> tuple[State, ...]:
    states = [state]
    while state in came:
        state = came[state]
        states.append(state)
    return tuple(reversed(states))
