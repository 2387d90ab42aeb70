"""The paper's gridworld: eight moves on square cells, and acts on things in adjacent cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.core.axes import HOPELESS
from hbtom.core.policy import Options
from hbtom.observe.trial import Trial
from hbtom.places.maps import (
    EIGHT,
    LOCK,
    MARGIN,
    blocked_maps,
    cell_of,
    centres,
    closed_margin,
    without_margin,
)
from hbtom.places.steps import HELD, OPEN, START, Steps, cells_passed, steps_of
from hbtom.places.world import Costs, Places, Plan, Space, for_axes

_WAYS = {
    (-1, -1): "up-left", (-1, 0): "up", (-1, 1): "up-right", (0, -1): "left",
    (0, 1): "right", (1, -1): "down-left", (1, 0): "down", (1, 1): "down-right",
}  # fmt: skip


@dataclass(frozen=True)
class Grid(Space):
    """How trials are interpreted as moves between cells of a given side in pixels."""

    cell: float = 10.0
    act: float = 1.0
    final: bool = False  # whether the touch that ends a trial is a step
    keys: bool = True  # a key can be wanted for itself
    learn_opening: bool = False

    def world(self, trial: Trial, opening: float | None = None) -> GridWorld:
        """Return the world of a trial, in which opening a lock costs so much, or an act."""
        price = self.act if opening is None else opening
        x, y = centres(trial.size[0], self.cell), centres(trial.size[1], self.cell)
        blocked = blocked_maps(trial, x, y, 0.0)
        none = np.zeros((0, *blocked.shape[1:]), dtype=bool)
        maps = blocked, self._reach(trial, blocked, x, y), none
        return GridWorld(
            trial, self.cell, Costs(1.0, self.act, price), self.keys, EIGHT, *maps, self
        )

    def _reach(
        self, trial: Trial, blocked: Bools, x: Floats, y: Floats
    ) -> Annotated[Floats, "thing row column"]:
        """Return 0 where things are in reach, inf elsewhere.

        An item is in reach of its own cell and of adjacent ones, but not around a blocked corner; a
        lock of the cells in its square and of those around it.
        """
        closed, lock = blocked[START], len(blocked) > 1
        reach = np.full((len(trial.items) + lock, *closed.shape), np.inf)
        for item, thing in enumerate(trial.items):
            row, column = cell_of(thing.centre, self.cell, closed)
            rows, columns = np.ogrid[row - 1 : row + 2, column - 1 : column + 2]
            around = closed[row, columns] & closed[rows, column]
            near = reach[item, row - 1 : row + 2, column - 1 : column + 2]
            near[~around] = 0.0
        if trial.lock is not None:
            far = LOCK / 2 + self.cell
            across, down = abs(x - trial.lock.centre[0]), abs(y - trial.lock.centre[1])
            reach[-1][(down < far)[:, None] & (across < far)] = 0.0
        return closed_margin(reach)


@dataclass(frozen=True, eq=False)
class GridWorld(Places):
    """A world in which steps lead from cell to cell."""

    how: Grid

    @property
    def side(self) -> float:
        """The side of a cell in the units of steps' places, which are cells."""
        return 1.0

    def steps_of(self, trial: Any) -> Steps:
        """Return the moves and acts of a trial."""
        free = without_margin(self.blocked)
        cut = lambda trial, lengths, leg, mode: cells_passed(  # noqa: E731
            trial, lengths, leg, self.cell, free[mode]
        )
        return steps_of(trial, self, self.how.final, cut, self.cell_at)

    def cell_at(self, place: Any) -> Annotated[Floats, "2"]:
        """Return the column and row of the cell that holds a point."""
        row, column = cell_of(place, self.cell, self.blocked)
        return np.array([column, row], dtype=float) - MARGIN

    def chosen_from(self, steps: Steps, plan: Plan) -> Options:
        """Return what steps were chosen from: the moves, and then touching each thing.

        A step that the gridworld does not allow says nothing.
        """
        legal, q = self.q_values(steps, plan.cost)
        offset = (steps.stop - steps.start)[:, None, ::-1] == self.moves  # [step, move, 2]
        is_move = offset.all(axis=2)
        taken = np.where(steps.moves, is_move.argmax(axis=1), len(self.moves) + steps.thing)
        every = np.arange(len(steps))
        column, row = steps.start.astype(int).T + MARGIN
        possible = ~steps.moves | (is_move.any(axis=1) & legal[every, taken])
        possible &= ~self.blocked[steps.mode, row, column]
        legal[every, taken] = True
        q = np.where(legal, np.maximum(q, HOPELESS), -np.inf)

        def read(places: Any, modes: Any) -> Floats:
            found: Floats = plan.cost[:, modes, *(places[:, ::-1].astype(int) + MARGIN).T]
            return found

        reachable = self.in_reach(steps, read)[-1]
        initial = read(steps.first[None], np.zeros(1, dtype=int))[:, 0]
        known = np.broadcast_to(possible, (len(initial), len(steps)))
        before = np.append(-1, taken)[: len(taken), None]
        context = {"previous": before, "time": every[:, None], "world": self}
        of = plan.axes
        return Options(
            for_axes(q, of), for_axes(-initial, of), taken, known=for_axes(known, of),
            names=self.names, in_reach=for_axes(reachable, of), context=context,
        )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the actions."""
        things = [str(item.look) for item in self.trial.items]
        return (*_WAYS.values(), *things, "lock")[: len(_WAYS) + len(self.reach)]

    def q_values(
        self, steps: Steps, cost: Floats
    ) -> tuple[Annotated[Bools, "step action"], Annotated[Floats, "goal step action"]]:
        """Return which actions are legal, and Q.

        Q_g(s, a) = -(price(a) + C_g(s')), and -price(a) if a attains the goal
        """
        column, row = steps.start.astype(int).T + MARGIN
        mode, goals, things = steps.mode, len(self.goals), len(self.reach)
        down, right = np.array(self.moves).T
        free, here = ~self.blocked, mode[:, None]
        to_row, to_column = row[:, None] + down, column[:, None] + right
        moves = free[here, row[:, None], column[:, None]] & free[here, to_row, to_column]
        moves &= free[here, to_row, column[:, None]] & free[here, row[:, None], to_column]
        length = np.sqrt(down * down + right * right)
        legal = np.concatenate([moves, np.zeros((len(steps), things), dtype=bool)], axis=1)
        q = np.full((goals, len(steps), len(down) + things), -np.inf)
        q[..., : len(down)] = -(length + cost[:, here, to_row, to_column])
        for thing in range(things):
            possible = np.ones(len(steps), dtype=bool)
            if thing >= self.objects:  # the lock needs the key; the key can be fetched once
                possible = mode == (HELD if thing == self.items else START)
            action = len(down) + thing
            legal[:, action] = possible & (self.reach[thing, row, column] == 0)
            if len(self.blocked) == 1 or thing < self.objects:
                after = mode
            else:
                after = np.full(len(steps), OPEN if thing == self.items else HELD)
            price = self.costs.opening if thing == self.items else self.costs.act
            q[..., action] = -(price + cost[:, after, row, column])
            if thing < goals:
                q[thing, :, action] = -price
            q[:, ~possible, action] = -np.inf
        return legal, q
