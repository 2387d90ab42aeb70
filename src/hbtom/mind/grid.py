"""Regret under the paper's dynamics: all legal actions in a gridworld.

The actions in a state are the eight moves, then touching each thing: the items and the lock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.errors import count
from hbtom.mind.regret import Actions, ChosenSteps
from hbtom.plan.cost_to_go import CostToGo, Plans, cost_to_go_at
from hbtom.plan.stencil import Stencil
from hbtom.world.modes import THINGS, PlaceWorld, exit_at
from hbtom.world.trajectory import MOVE, Trajectories, Trajectory, trajectory_at

NO_SLIPS = np.empty((0, 0, 0))  # moves never slip


def action_regrets(
    plans: Plans,
    steps: Trajectories,
    goals: Sequence[int],
    stencil: Stencil,
    values: Annotated[Floats, "step action goal"] = NO_SLIPS,
) -> list[ChosenSteps]:
    """Return the regret in several trials, each of which has so many ``goals``.

    ``values`` is Q if moves may slip, with room for the most actions and goals; ``NO_SLIPS`` stands
    for that of :func:`action_values`. A move that the gridworld does not allow, or from a blocked
    cell, carries no information: it counts as the only available action. Where no action leads to a
    goal, all are equal.
    """
    every = _regrets(plans, steps, np.array(goals), stencil.table, values)
    (regret, options, initial, impossible), (_, widest, most) = every, every[1].shape
    begin, things = steps.begin.tolist(), plans.worlds.first[:, THINGS].tolist()
    near, found = initial < np.inf, list[ChosenSteps]()
    for trial, (many, wrong) in enumerate(zip(goals, impossible.tolist(), strict=True)):
        some = slice(begin[trial], begin[trial + 1])
        actions = len(stencil.moves) + things[trial + 1] - things[trial]
        mine, choice, first, can = regret[some], options[some], initial[trial], near[trial]
        if many < most or actions < widest:  # others in the series have more
            first, can = first[:many], can[:many]
            mine = np.ascontiguousarray(mine[:, :many])
            choice = np.ascontiguousarray(choice[:, :actions, :many])
        warnings = impossible_moves_warning(wrong)
        found.append(ChosenSteps(mine, first, can, Actions(choice), warnings))
    return found


@kernel
def _regrets(
    plans: Plans,
    steps: Trajectories,
    goals: Annotated[Ints, "trial"],
    moves: Annotated[Ints, "move 2"],
    values: Annotated[Floats, "step action goal"],
) -> tuple[Floats, Floats, Floats, Ints]:
    """Return the regret of steps and actions, with room for the most goals and actions.

    The others are the cost-to-go before the first step of each trial, and the number of its
    impossible steps.
    """
    most, things = 0, 0
    for trial in range(len(goals)):
        first, last = plans.worlds.first[trial], plans.worlds.first[trial + 1]
        most, things = max(most, goals[trial]), max(things, last[THINGS] - first[THINGS])
    regret = np.zeros((len(steps.act), most))
    options = np.full((len(steps.act), len(moves) + things, most), np.inf)
    initial = np.full((len(goals), most), np.inf)
    impossible = np.zeros(len(goals), dtype=np.int64)
    for trial in range(len(goals)):
        walk, costs, many = trajectory_at(steps, trial), cost_to_go_at(plans, trial), goals[trial]
        column, row = int(walk.first[0]), int(walk.first[1])
        for goal in range(many):
            initial[trial, goal] = costs.cost[goal, 0, row, column]
        legal, q = action_values(CostToGo(costs.world, costs.cost[:many]), walk, moves)
        for step in range(len(q)):
            at, taken = steps.begin[trial] + step, _taken(moves, walk, step)
            if not _is_possible(costs.world, walk, step, legal[step], taken):
                impossible[trial] += 1
                taken = -1
            value = values[at] if values.shape[1] > 0 else q[step]
            for goal in range(many):
                _compare(value, legal[step], taken, goal, options[at])
                if taken >= 0:
                    regret[at, goal] = options[at, taken, goal]
    return regret, options, initial, impossible


@part
def _is_possible(
    world: PlaceWorld, steps: Trajectory, step: int, legal: Annotated[Bools, "action"], taken: int
) -> bool:
    """Return whether the gridworld allows a step."""
    column, row = int(steps.start[step, 0]), int(steps.start[step, 1])
    if world.blocked[steps.mode[step], row, column]:
        return False
    return bool(steps.act[step] != MOVE or (taken >= 0 and legal[taken]))


@part
def _compare(value: Floats, legal: Bools, taken: int, goal: int, options: Floats) -> None:
    """Fill in the regret of all actions, given the one that was taken (-1 if it is impossible)."""
    if taken < 0:
        options[0, goal] = 0.0
        return
    best = -np.inf
    for action in range(len(legal)):
        if legal[action] or action == taken:  # the action taken was possible
            best = max(best, value[action, goal])
    for action in range(len(legal)):
        if legal[action] or action == taken:
            options[action, goal] = best - value[action, goal] if best > -np.inf else 0.0


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
    """Return whether a move leads from a free cell to a free cell, through free cells.

    A diagonal needs both cells beside it, a knight's move the two that it crosses.
    """
    r, c = row + down, column + right
    if not (0 <= r < blocked.shape[0] and 0 <= c < blocked.shape[1]):
        return False
    if abs(down) == 2:
        half = row + down // 2
        inner = blocked[half, column] or blocked[half, c]
    elif abs(right) == 2:
        half = column + right // 2
        inner = blocked[row, half] or blocked[r, half]
    else:
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
