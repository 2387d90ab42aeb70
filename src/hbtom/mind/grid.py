"""Effort under the paper's dynamics: all legal actions of a gridworld."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.mind.regret import Actions, Regret, name_goals
from hbtom.model import Acts, Grid
from hbtom.observe import Trial
from hbtom.observe.events import without_gaps
from hbtom.plan import GRID, CostToGo
from hbtom.plan.plans import plan_costs
from hbtom.world import Trajectory
from hbtom.world.floor import cell_of, grid_cells, world_of
from hbtom.world.trajectory import HELD, MOVE, OPEN, START, TOUCH, course_of, grid_steps

_NO_LOCK = np.empty((0, 0))


def grid_regret(motion: Grid, acts: Acts, trial: Trial, opening: float) -> Regret:
    """Return the effort of a trial; ``opening`` is what opening a lock costs. Nobody slips."""
    frame, step_regret, options, reachable, unknown = _grid_effort(
        *world_of(trial), *course_of(trial), acts.final, motion.cell, acts.cost, opening, GRID.table
    )
    return Regret(
        name_goals(trial),
        reachable,
        frame,
        step_regret,
        Actions(options),
        warnings=illegal(unknown),
    )


@kernel
def _grid_effort(
    width: float,
    height: float,
    walls: Annotated[Floats, "wall 4"],
    barrier: Annotated[Floats, "block 4"],
    items: Annotated[Floats, "item 3"],
    lock: Annotated[Floats, "lock 2"],
    radius: float,
    objects: int,
    path: Annotated[Floats, "frame 2"],
    key_path: Annotated[Floats, "frame 2"],
    barrier_left: Annotated[Floats, "frame"],
    lock_there: Annotated[Bools, "frame"],
    final: bool,
    cell: float,
    act_cost: float,
    opening: float,
    moves: Annotated[Ints, "move 2"],
) -> tuple[Ints, Floats, Floats, Bools, int]:
    """From what was seen to what was wasted, in one go."""
    path = without_gaps(path)
    closed, opened, to_item, to_lock = grid_cells(width, height, walls, barrier, items, lock, cell)
    frame, act, item, phase, start, stop = grid_steps(
        items,
        radius,
        objects,
        path,
        key_path,
        barrier_left,
        lock_there,
        final,
        closed,
        opened,
        cell,
    )
    key = objects if len(items) > objects else -1
    row, column = cell_of(path[0, 1], cell, len(closed)), cell_of(path[0, 0], cell, closed.shape[1])
    needed = _needed(row, column, act, phase, start, closed)
    cost = plan_costs(closed, opened, to_item, to_lock, moves, 1.0, act_cost, opening, key, needed)
    legal, q = _actions(
        cost, closed, opened, to_item, to_lock, moves, act_cost, opening, key, phase, start
    )
    step_regret, options, unknown = wasted(
        legal, q, closed, opened, moves, act, item, phase, start, stop
    )
    return frame, step_regret, options, cost[:, 0, row, column] < np.inf, unknown


def actions(
    plans: CostToGo, trajectory: Trajectory, key: int | None
) -> tuple[Annotated[Bools, "step action"], Annotated[Floats, "step action goal"]]:
    """Return which actions could be taken before each step, and Q(s, a) = -(cost(a) + C(s')).

    The actions are eight moves, a touch of each item, and opening.
    """
    floor, costs = plans.floor, plans.costs
    to_lock = _NO_LOCK if floor.to_lock is None else floor.to_lock
    fields = plans.cost, floor.closed, floor.open, floor.to_item, to_lock, GRID.table
    price = costs.act, costs.opening, -1 if key is None else key
    return _actions(*fields, *price, trajectory.phase, trajectory.start)


@kernel
def _actions(
    cost: Annotated[Floats, "goal layer row column"],
    closed: Annotated[Bools, "row column"],
    opened: Annotated[Bools, "row column"],
    to_item: Annotated[Floats, "goal row column"],
    to_lock: Annotated[Floats, "row column"],
    moves: Annotated[Ints, "move 2"],
    act: float,
    opening: float,
    key: int,
    phase: Annotated[Ints, "step"],
    start: Annotated[Floats, "step 2"],
) -> tuple[Bools, Floats]:
    goals, steps, many = len(cost), len(phase), len(moves)
    legal = np.zeros((steps, many + goals + 1), dtype=np.bool_)
    q = np.full((steps, many + goals + 1, goals), -np.inf)
    for step in range(steps):
        column, row = int(start[step, 0]), int(start[step, 1])
        blocked = opened if phase[step] == OPEN else closed
        for move in range(many):
            legal[step, move] = _legal(blocked, row, column, moves[move, 0], moves[move, 1])
        for item in range(goals):
            lies = item != key or phase[step] == START
            legal[step, many + item] = lies and to_item[item, row, column] == 0
        held = to_lock.size > 0 and phase[step] == HELD
        legal[step, -1] = held and to_lock[row, column] == 0
        for goal in range(goals):
            for move in range(many):
                r, c = row + moves[move, 0], column + moves[move, 1]
                if 0 <= r < closed.shape[0] and 0 <= c < closed.shape[1]:
                    length = math.sqrt(moves[move, 0] ** 2 + moves[move, 1] ** 2)
                    q[step, move, goal] = -(length + _layer(cost[goal], phase[step])[r, c])
            for item in range(goals):
                after = HELD if item == key else phase[step]
                left = 0.0 if item == goal else _layer(cost[goal], after)[row, column]
                q[step, many + item, goal] = -(act + left)
            q[step, -1, goal] = -(opening + _layer(cost[goal], OPEN)[row, column])
    return legal, q


@part
def _layer(layers: Floats, phase: int) -> Floats:
    return layers[phase if len(layers) > 1 else 0]


@part
def _legal(blocked: Bools, row: int, column: int, down: int, right: int) -> bool:
    """Tell whether a move leads from a free cell to a free cell, with no corner cut."""
    r, c = row + down, column + right
    if not (0 <= r < blocked.shape[0] and 0 <= c < blocked.shape[1]):
        return False
    inner = blocked[row, c] or blocked[r, column]  # for a straight move these are its own ends
    return not (blocked[row, column] or blocked[r, c] or inner)


@part
def wasted(
    legal: Annotated[Bools, "step action"],
    q: Annotated[Floats, "step action goal"],
    closed: Annotated[Bools, "row column"],
    opened: Annotated[Bools, "row column"],
    moves: Annotated[Ints, "move 2"],
    act: Annotated[Ints, "step"],
    item: Annotated[Ints, "step"],
    phase: Annotated[Ints, "step"],
    start: Annotated[Floats, "step 2"],
    stop: Annotated[Floats, "step 2"],
) -> tuple[Floats, Floats, int]:
    """Return what each step wasted, what each action would have; how many steps are not known.

    A move where the gridworld has no way, or from where nobody can stand, says nothing: it counts
    as the only thing that could be done. Where no action leads to a goal, all are equal.
    """
    steps, many, goals = q.shape
    step_regret, options = np.zeros((steps, goals)), np.full((steps, many, goals), np.inf)
    unknown = 0
    for step in range(steps):
        taken = _taken(moves, act[step], item[step], start[step], stop[step])
        column, row = int(start[step, 0]), int(start[step, 1])
        off_floor = opened[row, column] if phase[step] == OPEN else closed[row, column]
        if off_floor or (act[step] == MOVE and (taken < 0 or not legal[step, taken])):
            unknown += 1
            options[step, 0] = 0.0
            continue
        taken = taken if taken >= 0 else many - 1
        for goal in range(goals):
            best = -np.inf
            for action in range(many):
                if legal[step, action] or action == taken:  # what was done could be done
                    best = max(best, q[step, action, goal])
            for action in range(many):
                if legal[step, action] or action == taken:
                    waste = best - q[step, action, goal] if best > -np.inf else 0.0
                    options[step, action, goal] = waste
            step_regret[step, goal] = options[step, taken, goal]
    return step_regret, options, unknown


@part
def _taken(moves: Ints, act: int, item: int, start: Floats, stop: Floats) -> int:
    """Return the index of the action that a step is; -1 for opening, the last, or for none."""
    if act == TOUCH:
        return len(moves) + item
    if act == MOVE:
        for move in range(len(moves)):
            if stop[1] - start[1] == moves[move, 0] and stop[0] - start[0] == moves[move, 1]:
                return move
    return -1


def illegal(count: int) -> tuple[str, ...]:
    """Return the warning about moves that the gridworld does not have, if there are any."""
    if count == 0:
        return ()
    return (f"{count} moves go where the gridworld has no way; they are left out of the evidence",)


@part
def _needed(
    row: int, column: int, act: Ints, phase: Ints, start: Floats, closed: Bools
) -> Annotated[Bools, "phase row column"]:
    """Tell whose costs matter: cells that the agent was in and those around them, in that phase.

    An act may lead from a phase to any other.
    """
    rows, columns = closed.shape
    needed = np.zeros((3, rows, columns), dtype=np.bool_)
    needed[START, row, column] = True
    for step in range(len(start)):
        c, r = int(start[step, 0]), int(start[step, 1])
        needed[phase[step], max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2] = True
        if act[step] != MOVE:
            needed[:, r, c] = True
    return needed
