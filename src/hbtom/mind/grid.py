"""Regret under the paper's dynamics: all legal actions in a gridworld.

The actions in a state are the eight moves, then touching each thing: the items and the lock.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.errors import count
from hbtom.plan.cost_to_go import CostToGo
from hbtom.world.modes import exit_at
from hbtom.world.trajectory import MOVE, Trajectory

NO_SLIPS = np.empty((0, 0, 0))  # moves never slip


@kernel
def action_regret(
    costs: CostToGo,
    steps: Trajectory,
    moves: Annotated[Ints, "move 2"],
    values: Annotated[Floats, "step action goal"],
) -> tuple[Annotated[Floats, "step goal"], Annotated[Floats, "step action goal"], int]:
    """Return the regret of each step and of each action, and the number of impossible steps.

    ``values`` is Q if moves may slip; ``NO_SLIPS`` stands for that of :func:`action_values`. A move
    that the gridworld does not allow, or from a blocked cell, carries no information: it counts as
    the only available action. Where no action leads to a goal, all are equal.
    """
    legal, q = action_values(costs, steps, moves)
    regret, options = np.zeros((len(q), q.shape[2])), np.empty(q.shape)
    unknown = 0
    for step in range(len(q)):
        taken = _taken(moves, steps, step)
        column, row = int(steps.start[step, 0]), int(steps.start[step, 1])
        off_floor = costs.world.blocked[steps.mode[step], row, column]
        if off_floor or (steps.act[step] == MOVE and (taken < 0 or not legal[step, taken])):
            unknown += 1
            taken = -1
        value = values[step] if values.shape[1] > 0 else q[step]
        _compare(value, legal[step], taken, regret[step], options[step])
    return regret, options, unknown


@part
def _compare(value: Floats, legal: Bools, taken: int, regret: Floats, options: Floats) -> None:
    """Store the regret of the action that was taken (-1 if it is impossible), and of all."""
    for goal in range(len(regret)):
        best = -np.inf
        for action in range(len(legal)):
            if legal[action] or action == taken:  # the action taken was possible
                best = max(best, value[action, goal])
        for action in range(len(legal)):
            options[action, goal] = np.inf
            if taken >= 0 and (legal[action] or action == taken):
                options[action, goal] = best - value[action, goal] if best > -np.inf else 0.0
        if taken >= 0:
            regret[goal] = options[taken, goal]
        else:
            options[0, goal] = 0.0


@kernel
def action_values(
    costs: CostToGo, steps: Trajectory, moves: Annotated[Ints, "move 2"]
) -> tuple[Annotated[Bools, "step action"], Annotated[Floats, "step action goal"]]:
    """Return which actions could be taken before each step, and Q(s, a) = -(cost(a) + C(s'))."""
    world, cost, many = costs.world, costs.cost, len(moves)
    goals, things, exits = len(cost), len(world.reach), world.exits
    _, rows, columns = world.blocked.shape
    legal = np.zeros((len(steps.act), many + things), dtype=np.bool_)
    q = np.full((len(steps.act), many + things, goals), -np.inf)
    for step in range(len(steps.act)):
        column, row, mode = int(steps.start[step, 0]), int(steps.start[step, 1]), steps.mode[step]
        for move in range(many):
            down, right = moves[move, 0], moves[move, 1]
            legal[step, move] = _legal(world.blocked[mode], row, column, down, right)
            r, c = row + down, column + right
            if 0 <= r < rows and 0 <= c < columns:
                length = math.sqrt(down * down + right * right)
                for goal in range(goals):
                    q[step, move, goal] = -(length + cost[goal, mode, r, c])
        for thing in range(things):
            one = exit_at(exits.source, exits.thing, mode, thing)
            if one < 0:
                continue
            legal[step, many + thing] = world.reach[thing, row, column] == 0
            for goal in range(goals):
                left = cost[goal, exits.target[one], row, column]
                if exits.goal[one] == goal:
                    left = 0.0
                q[step, many + thing, goal] = -(exits.price[one] + left)
    return legal, q


@part
def _legal(blocked: Bools, row: int, column: int, down: int, right: int) -> bool:
    """Return whether a move leads from a free cell to a free cell without cutting a corner."""
    r, c = row + down, column + right
    if not (0 <= r < blocked.shape[0] and 0 <= c < blocked.shape[1]):
        return False
    inner = blocked[row, c] or blocked[r, column]  # for a straight move these are its own ends
    return not (blocked[row, column] or blocked[r, c] or inner)


@part
def _taken(moves: Ints, steps: Trajectory, step: int) -> int:
    """Return the index of a step's action, or -1 for a move that does not exist."""
    if steps.act[step] != MOVE:
        return len(moves) + steps.thing[step]
    down = steps.stop[step, 1] - steps.start[step, 1]
    right = steps.stop[step, 0] - steps.start[step, 0]
    for move in range(len(moves)):
        if down == moves[move, 0] and right == moves[move, 1]:
            return move
    return -1


def impossible_moves_warning(many: int) -> tuple[str, ...]:
    """Return the warning about impossible moves, if there are any."""
    if many == 0:
        return ()
    left_out = "it is left out" if many == 1 else "they are left out"
    verb = "is" if many == 1 else "are"
    return (f"{count(many, 'move')} {verb} impossible in the gridworld; {left_out}",)
