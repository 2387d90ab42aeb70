"""Gridworlds drawn as text: walls, terrains with costs, doors and keys, slips, things."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import numpy as np

from hbtom.core.axes import listed, unknown
from hbtom.core.worlds import Phase, Sparse, World
from hbtom.errors import BadInput

_FOUR = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_EIGHT = _FOUR | {
    "up-left": (-1, -1), "up-right": (-1, 1), "down-left": (1, -1), "down-right": (1, 1),
}  # fmt: skip
_WALL, _FLOOR, _START = "#", ". ", "@"
_MOST_KEYS = 10


def maze(
    text: str, *,
    terrain: Mapping[str, float] | None = None, doors: Mapping[str, str] | None = None,
    slip: float = 0.0, diagonal: bool = False, stay: bool = False, horizon: int | None = None,
) -> World:  # fmt: skip
    """Return the gridworld that a text draws, for one agent.

    ``#`` is a wall, ``.`` and spaces are floor, ``@`` is where the agent starts, by default in the
    first cell; everything else is a thing, and things are goals. ``terrain`` {sign: cost} are cells
    that cost so much to enter instead of 1; ``doors`` {sign: key} are cells that open for good once
    the agent has been at the key. With ``slip``, a move goes aside with this probability, half to
    either side. A move against a wall or a closed door leads nowhere. With ``stay``, the agent may
    also wait, at no cost.

    ``world["A"]`` [S] says where the agent is at A, ``world["~"]`` where it is on a terrain, and
    ``world["row"]``, ``world["column"]`` where it is; ``world["cost"]`` [S, A] is what actions
    cost. If there are keys, ``world["has k"]`` says whether it has been at k.
    """
    plan = _Drawing(text, dict(terrain or {}), dict(doors or {}))
    if not 0 <= slip <= 1:
        raise BadInput(f"'slip' is {slip}, not a probability", hint="give a number from 0 to 1")
    ways = _EIGHT if diagonal else _FOUR
    names = (*ways, *(["stay"] if stay else []))
    held = np.arange(1 << len(plan.keys))
    cells = len(plan.signs)
    state_cell, state_held = np.tile(np.arange(cells), len(held)), np.repeat(held, cells)
    to = np.stack([plan.after(state_cell, state_held, *way) for way in ways.values()], axis=1)
    number = plan.states(to, state_held, cells)  # [S, way]
    targets, P = number[..., None], np.ones((*number.shape, 1))
    if slip:
        order = [*ways.values()]
        aside = [
            [order.index((right, -down)), order.index((-right, down))] for down, right in order
        ]
        targets = np.concatenate([targets, number[:, aside]], axis=2)
        P = np.broadcast_to([1 - slip, slip / 2, slip / 2], targets.shape)
    if stay:
        here = np.arange(len(state_cell))[:, None, None]
        targets = np.concatenate(
            [targets, np.broadcast_to(here, (*here.shape[:2], targets.shape[2]))], axis=1
        )
        P = np.concatenate(
            [P, np.broadcast_to(np.eye(1, targets.shape[2]), (len(here), 1, targets.shape[2]))],
            axis=1,
        )
    step = Sparse(targets, P)
    length = [float(np.hypot(*way)) for way in ways.values()] + [0.0] * stay
    price = step.ahead(plan.price[state_cell], len(state_cell)) * length
    fields = {sign: plan.signs[state_cell] == sign for sign in plan.named}
    fields |= {"row": plan.rows[state_cell], "column": plan.columns[state_cell], "cost": price}
    fields |= {f"has {key}": (state_held >> i & 1) == 1 for i, key in enumerate(plan.keys)}
    things = tuple(
        sign for sign in plan.named if sign not in plan.terrain and sign not in plan.doors
    )
    phase = Phase("", names, step)
    return World((phase,), horizon, plan.start, fields, things=things or ("",))


class _Drawing:
    """The cells of a drawing that are not walls."""

    def __init__(self, text: str, terrain: dict[str, float], doors: dict[str, str]) -> None:
        lines = dedent(text).strip("\n").splitlines()
        if not any(line.strip() for line in lines):
            raise BadInput("the drawing is empty", hint='draw rows of "#", "." and letters')
        width = max(map(len, lines))
        grid = np.array([[*line.ljust(width, _WALL)] for line in lines])
        self.grid, self.terrain, self.doors = grid, terrain, doors
        self.rows, self.columns = np.nonzero(grid != _WALL)
        if not len(self.rows):
            raise BadInput("the drawing has only walls", hint="'.' is floor")
        self.signs = grid[self.rows, self.columns]
        self.named = sorted({*self.signs.tolist()} - {*_FLOOR, _START})
        self.named = sorted({*self.named, *terrain})
        unknown("the drawing has no door", doors, self.named)
        unknown("the drawing has no key", doors.values(), self.named)
        for sign, cost in terrain.items():
            if not cost >= 0:
                raise BadInput(f"terrain '{sign}' costs {cost}", hint="a cost is 0 or more")
        self.keys = sorted({*doors.values()})
        if len(self.keys) > _MOST_KEYS:
            told = f"there are {len(self.keys)} keys: {listed(self.keys)}"
            raise BadInput(told, hint=f"at most {_MOST_KEYS} are possible, each doubles the states")
        self.price = np.array([terrain.get(sign, 1.0) for sign in self.signs.tolist()])
        starts = np.flatnonzero(self.signs == _START)
        if len(starts) > 1:
            raise BadInput("'@' is drawn twice", hint="an agent starts in one place")
        self.start = int(starts[0]) if len(starts) else 0
        self.cell_at = np.full(grid.shape, -1)
        self.cell_at[self.rows, self.columns] = np.arange(len(self.rows))

    def after(self, cell: Any, held: Any, down: int, right: int) -> Any:
        """Return the cell after a move [S]; the same one if it is not possible."""
        here = self.cell_at[self.rows[cell], self.columns[cell]]
        to = self._at(cell, down, right, held)
        if down and right:  # not around a corner
            corner = (self._at(cell, down, 0, held) < 0) | (self._at(cell, 0, right, held) < 0)
            to = np.where(corner, -1, to)
        return np.where(to < 0, here, to)

    def _at(self, cell: Any, down: int, right: int, held: Any) -> Any:
        """Return the cell at an offset, -1 for walls and closed doors."""
        row, column = self.rows[cell] + down, self.columns[cell] + right
        inside = (
            (row >= 0) & (row < self.grid.shape[0]) & (column >= 0) & (column < self.grid.shape[1])
        )
        to = np.where(
            inside, self.cell_at[np.where(inside, row, 0), np.where(inside, column, 0)], -1
        )
        for door, key in self.doors.items():
            closed = (self.signs[to] == door) & ((held >> self.keys.index(key) & 1) == 0)
            to = np.where(closed & (to >= 0), -1, to)
        return to

    def states(self, to: Any, held: Any, cells: int) -> Any:
        """Return the numbers of states from cells [S, way], a key held once its cell is entered."""
        after = np.broadcast_to(held[:, None], to.shape)
        for i, key in enumerate(self.keys):
            after = after | ((self.signs[to] == key) << i)
        return after * cells + to
