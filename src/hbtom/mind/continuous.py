"""Regret under any-angle motion: a heading for every stride, a choice for every act."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.compiled import kernel, part_or
from hbtom.mind.regret import ChosenSteps, Headings
from hbtom.plan.cost_to_go import CostToGo, Plans, cost_to_go_at
from hbtom.plan.interpolation import cost_at
from hbtom.world.modes import NO_GOAL, UNIT
from hbtom.world.trajectory import MOVE, Trajectories, Trajectory, trajectory_at


def heading_regrets(
    plans: Plans, steps: Trajectories, goals: Sequence[int], act: float
) -> list[ChosenSteps]:
    """Return the regret in several trials, each of which has so many ``goals``; acts cost ``act``.

    regret = price of the step + cost-to-go after it - cost-to-go before it, in units of cost,
    no less than 0 and no more than turning back or doing the act in vain.
    """
    regret, length, initial = _regrets(plans, steps, np.array(goals))
    begin, moves, near = steps.begin.tolist(), steps.act == MOVE, initial < np.inf
    most, found = initial.shape[1], list[ChosenSteps]()
    for trial, many in enumerate(goals):
        some = slice(begin[trial], begin[trial + 1])
        mine, first, can = regret[some], initial[trial], near[trial]
        if many < most:  # others in the series have more
            mine, first, can = np.ascontiguousarray(mine[:, :many]), first[:many], can[:many]
        found.append(ChosenSteps(mine, first, can, Headings(moves[some], length[some], mine, act)))
    return found


@kernel
def _regrets(
    plans: Plans, steps: Trajectories, goals: Annotated[Ints, "trial"]
) -> tuple[Floats, Floats, Floats]:
    """Return the regret and length of steps, and the cost-to-go before the first of each trial."""
    most = 0
    for trial in range(len(goals)):
        most = max(most, goals[trial])
    regret, length = np.zeros((len(steps.act), most)), np.empty(len(steps.act))
    initial = np.full((len(goals), most), np.inf)
    for trial in range(len(goals)):
        walk, costs, begin = trajectory_at(steps, trial), cost_to_go_at(plans, trial), steps.begin
        some = CostToGo(costs.world, costs.cost[: goals[trial]])
        start = walk.start.reshape((1, len(walk.act), 2))
        stop = walk.stop.reshape((1, len(walk.act), 2))
        mine, own_length, first = regret_at(some, walk, start, stop)
        for step in range(len(walk.act)):
            length[begin[trial] + step] = own_length[0, step]
        for goal in range(goals[trial]):
            initial[trial, goal] = first[goal, 0]
            for step in range(len(walk.act) if first[goal, 0] < np.inf else 0):
                regret[begin[trial] + step, goal] = mine[goal, step]
    return regret, length, initial


@kernel
def regret_at(
    costs: CostToGo,
    steps: Trajectory,
    start: Annotated[Floats, "goal place 2"],
    stop: Annotated[Floats, "goal place 2"],
) -> tuple[Floats, Floats, Floats]:
    """Return the regret of steps anywhere [goal place], their lengths, and the initial cost.

    A step is a move from start to stop or, if it has an exit (not -1), the act of taking it. Places
    may be the same for all goals (one row). The places in ``steps`` are ignored.
    """
    exits, mode, exit, many = costs.world.exits, steps.mode, steps.exit, len(steps.mode)
    place_of_first, mode_at_first = np.empty((1, 1, 2)), np.zeros(1, dtype=np.int64)
    place_of_first[0, 0, 0], place_of_first[0, 0, 1] = steps.first[0], steps.first[1]
    first = cost_at(costs, place_of_first, mode_at_first)
    length = _lengths(start, stop)
    after, goal = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    price = np.empty(many)
    for place in range(many):
        after[place], goal[place], price[place] = mode[place], NO_GOAL, -1.0
        one = exit[place]
        if one >= 0:
            after[place], goal[place] = exits.target[one], exits.goal[one]
            price[place] = exits.price[one]
    before, left = cost_at(costs, start, mode), cost_at(costs, stop, after)
    for place in range(many):
        if 0 <= goal[place] < len(left):
            left[goal[place], place] = 0.0  # the goal is attained: nothing is left to do
    return _bounded(left, before, length, price, costs.world.costs.act), length, first


def _all_lengths(start: Floats, stop: Floats) -> Floats:
    across, down = stop[..., 0] - start[..., 0], stop[..., 1] - start[..., 1]
    return np.sqrt(across * across + down * down) / UNIT


@part_or(_all_lengths)
def _lengths(start: Floats, stop: Floats) -> Annotated[Floats, "goal place"]:
    """Return the lengths of moves, in units of cost."""
    rows, many, _ = start.shape
    length = np.empty((rows, many))
    for row in range(rows):
        for place in range(many):
            across = stop[row, place, 0] - start[row, place, 0]
            down = stop[row, place, 1] - start[row, place, 1]
            length[row, place] = math.sqrt(across * across + down * down) / UNIT
    return length


def _all_bounded(left: Floats, before: Floats, length: Floats, price: Floats, act: float) -> Floats:
    lost = left == np.inf
    known = (before < np.inf) & ~lost
    cost = np.where(price < 0, length, price)
    most = np.where(price < 0, 2.0 * length, act)
    regret = cost + np.where(known, left, 0.0) - np.where(known, before, 0.0)
    bounded = np.minimum(np.maximum(regret, 0.0), most)
    return np.where(lost, most, np.where(known, bounded, 0.0))


@part_or(_all_bounded)
def _bounded(
    left: Floats, before: Floats, length: Floats, price: Floats, act: float
) -> Annotated[Floats, "goal place"]:
    """Return price + cost-to-go after - cost-to-go before, between 0 and the maximum.

    A move, which has a price of -1 here, costs its length. Regret is the maximum if the step makes
    the goal unreachable, and 0 if it was unreachable before.
    """
    goals, many = left.shape
    regret = np.zeros((goals, many))
    for goal in range(goals):
        for place in range(many):
            way = length[min(goal, len(length) - 1), place]
            moves = price[place] < 0
            cost, most = (way, 2.0 * way) if moves else (price[place], act)
            if left[goal, place] == np.inf:
                regret[goal, place] = most
            elif before[goal, place] < np.inf:
                lost = cost + left[goal, place] - before[goal, place]
                regret[goal, place] = min(max(lost, 0.0), most)
    return regret
