"""Exact filtering in the gridworld when the agent's position is seen with noise.

The denoised path gives the number of moves, and the frames in which the agent stays in a cell: one
stay before the first move of a leg, and one after each move. The agent may be anywhere in the cell,
so the mean position o over the n frames of a stay has the likelihood

    P(o | cell) ~ integral over the cell of N(o; x, noise^2 / n) dx,

which is 1 or 0 without noise. The filter sums over cells and over the outcomes of slips.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.mind.action_noise import MOVES, noisy_values
from hbtom.mind.forward import Belief, Successors, advance
from hbtom.mind.grid import action_values
from hbtom.mind.regret import Efficiencies, LogSteps
from hbtom.plan import GRID, CostToGo
from hbtom.plan.slippery import Slippery
from hbtom.world import PlaceWorld, Trajectory
from hbtom.world.trajectory import MOVE

_FAR = 6.0  # standard deviations; farther cells are left out


class Stay(NamedTuple):
    """The cells in which an agent may have been, and P(what was seen | cell) for each."""

    cells: Annotated[Ints, "cell"]  # row times columns plus column
    likely: Annotated[Floats, "cell"]


class Stays(NamedTuple):
    """Where a step ends, and where it begins if it does not continue the step before it."""

    begin: Stay | None
    end: Stay


def stays(
    trajectory: Trajectory,
    world: PlaceWorld,
    steady: Annotated[Floats, "frame 2"],
    seen: Annotated[Floats, "frame 2"],
    noise: float,
) -> tuple[Stays, ...]:
    """Return where the agent may have stayed before and after each step of a trajectory."""
    cells = np.array([world.cell_of(x, y) for x, y in steady.tolist()])
    places = np.where(np.isnan(seen), steady, seen)
    found: list[Stays] = []
    for step in range(len(trajectory.act)):
        frame, begin = int(trajectory.frame[step]), None
        if not _goes_on(trajectory, step):
            before = _until(cells, trajectory.start[step], frame)
            begin = _stay(world, trajectory.start[step], places[before], noise)
        until = int(trajectory.frame[step + 1]) if _goes_on(trajectory, step + 1) else len(cells)
        after = _since(cells[:until], trajectory.stop[step], frame)
        found.append(Stays(begin, _stay(world, trajectory.stop[step], places[after], noise)))
    return tuple(found)


def _goes_on(trajectory: Trajectory, step: int) -> bool:
    """Return whether a step begins where the one before it ends: both are on the same leg."""
    return (
        0 < step < len(trajectory.act)
        and trajectory.act[step - 1] == MOVE
        and trajectory.mode[step - 1] == trajectory.mode[step]
    )


def _since(cells: Annotated[Ints, "frame 2"], cell: Annotated[Floats, "2"], frame: int) -> slice:
    """Return the frames, from the given one, during which the denoised path stays in a cell.

    There are none if the path only crosses the cell between two frames.
    """
    elsewhere = (cells[frame:] != cell).any(axis=1)
    count = int(elsewhere.argmax()) if elsewhere.any() else len(elsewhere)
    return slice(frame, frame + count)


def _until(cells: Annotated[Ints, "frame 2"], cell: Annotated[Floats, "2"], frame: int) -> slice:
    """Return the last run of frames, up to the given one, with the denoised path in a cell."""
    there = np.flatnonzero((cells[: frame + 1] == cell).all(axis=1))
    if not len(there):
        return slice(0, 0)
    gaps = np.flatnonzero(np.diff(there) > 1)
    return slice(int(there[gaps[-1] + 1 if len(gaps) else 0]), int(there[-1]) + 1)


def _stay(
    world: PlaceWorld,
    cell: Annotated[Floats, "2"],
    places: Annotated[Floats, "frame 2"],
    noise: float,
) -> Stay:
    """Return the cells that the places may be in; without places, cells near the cell's middle."""
    middle = places.mean(axis=0) if len(places) else (cell + 0.5) * world.space.cell
    spread = noise / math.sqrt(max(len(places), 1))
    rows, columns = world.blocked.shape[1:]
    column, across = _within(middle[0], spread, world.space.cell, columns)
    row, down = _within(middle[1], spread, world.space.cell, rows)
    cells = (row[:, None] * columns + column).ravel()
    likely = (down[:, None] * across).ravel()
    return Stay(cells[likely > 0], likely[likely > 0])


def _within(at: float, spread: float, cell: float, cells: int) -> tuple[Ints, Floats]:
    """Return the rows or columns near a coordinate, and the integral over each.

    Everything beyond an edge counts towards the outermost row or column.
    """
    low = min(max(int((at - _FAR * spread) / cell), 0), cells - 1)
    high = min(max(int((at + _FAR * spread) / cell), 0), cells - 1)
    if low == high:
        return np.array([low]), np.ones(1)
    edges = (np.arange(low + 1, high + 1) * cell - at) / (spread * math.sqrt(2.0))
    below = np.array([0.0, *(0.5 * (1.0 + math.erf(edge)) for edge in edges), 1.0])
    return np.arange(low, high + 1), np.diff(below)


@dataclass(frozen=True, eq=False)
class CellFilter:
    """A filter that, called with efficiencies, returns the likelihood."""

    costs: CostToGo
    trajectory: Trajectory
    stays: tuple[Stays, ...]
    slip: float

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_t | o_<t, g, beta).

        A step that is impossible from every cell carries no information; belief then restarts where
        the agent was seen.
        """
        goals, many = len(self.costs.cost), len(efficiency)
        log = np.zeros((len(self.trajectory.act), goals, many))
        belief = Belief.in_states(np.zeros(1, dtype=np.int64), np.ones(1), goals, many)
        for step, (begin, end) in enumerate(self.stays):
            if begin is not None:
                belief = self._at(begin, step, goals, many)
            successors = self._successors(belief.states, step, end)
            if successors.likely.any():
                told, belief = advance(belief, successors, efficiency)
                if np.isfinite(told).all():
                    log[step] = told[:goals]
                    continue
            belief = self._at(end, step, goals, many)
        return log

    def _at(self, stay: Stay, step: int, goals: int, many: int) -> Belief:
        """Return the belief that the agent is where it was seen, in cells that are not blocked."""
        blocked = self.costs.world.blocked[self.trajectory.mode[step]].ravel()
        share = np.where(blocked[stay.cells], 0.0, stay.likely)
        return Belief.in_states(stay.cells, share if share.any() else stay.likely, goals, many)

    def _successors(self, cells: Annotated[Ints, "state"], step: int, end: Stay) -> Successors:
        """Return the possible actions in the given cells; blocked cells have none."""
        world, trajectory = self.costs.world, self.trajectory
        mode, act = int(trajectory.mode[step]), int(trajectory.act[step])
        columns = world.blocked.shape[2]
        here = np.stack([cells % columns, cells // columns], axis=1).astype(np.float64)
        modes, none = np.full(len(cells), mode), np.full(len(cells), MOVE)
        some = Trajectory(none, none, none, modes, here, here, trajectory.first, none)
        legal, q = action_values(self.costs, some, GRID.table)
        if self.slip > 0:
            q = noisy_values(q, self.costs, some, self.slip)
        legal &= ~world.blocked[mode].ravel()[cells][:, None]
        taken = MOVES + int(trajectory.thing[step])
        if act != MOVE:  # the action taken was possible
            legal[:, taken] = ~world.blocked[mode].ravel()[cells]
        state, action = np.nonzero(legal)
        choice, target, chance = self._outcomes(mode, cells[state], action)
        if act == MOVE:
            near = dict(zip(end.cells.tolist(), end.likely.tolist(), strict=True))
            fits = np.array([near.get(one, 0.0) for one in target.tolist()])
            fits = np.where(action[choice] < MOVES, fits, 0.0)
        else:
            fits = (action[choice] == taken).astype(np.float64)
        visible = np.bincount(choice, chance, len(state)).astype(np.float64)
        return Successors(state, -q[state, action].T, choice, target, chance * fits, visible)

    def _outcomes(
        self, mode: int, cells: Annotated[Ints, "choice"], action: Annotated[Ints, "choice"]
    ) -> tuple[
        Annotated[Ints, "outcome"], Annotated[Ints, "outcome"], Annotated[Floats, "outcome"]
    ]:
        """Return the visible outcomes of actions: the choice, target and probability of each.

        A slip that leaves the agent where it was is not seen.
        """
        moves, ground = action < MOVES, self._ground[mode]
        target = np.repeat(cells[:, None], 3, axis=1)
        target[moves] = ground.outcomes[cells[moves], action[moves]]
        chance = np.where(moves[:, None], ground.probability, [1.0, 0.0, 0.0])
        seen = (chance > 0) & ((target != cells[:, None]) | ~moves[:, None])
        return np.nonzero(seen)[0], target[seen], chance[seen]

    @cached_property
    def _ground(self) -> tuple[Slippery, ...]:
        return tuple(Slippery(blocked, self.slip) for blocked in self.costs.world.blocked)
