"""Effort under any-angle motion: a heading for every stride, a choice for every act."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.mind.regret import UNIT, Headings, Regret, name_goals
from hbtom.model import Acts, Continuous
from hbtom.observe import Trial
from hbtom.observe.events import without_gaps
from hbtom.plan import CONTINUOUS, Costs
from hbtom.plan.around import plan_legs
from hbtom.plan.field import spilled
from hbtom.plan.plans import plan_costs
from hbtom.world.floor import Space, cell_of, continuous_cells, world_of
from hbtom.world.trajectory import (
    HELD,
    MOVE,
    OPEN,
    OPENING,
    START,
    TOUCH,
    continuous_steps,
    course_of,
)

_SPILL = 2  # cells; agents are seen a few pixels inside the margin they are supposed to keep


def continuous_regret(motion: Continuous, acts: Acts, trial: Trial, opening: float) -> Regret:
    """Return the effort of a trial; ``opening`` is what opening a lock costs."""
    frame, step_regret, length, moves, reachable = _continuous_effort(
        *world_of(trial),
        *course_of(trial),
        acts.final,
        motion.stride,
        Space(motion.cell, motion.clearance, motion.berth),
        continuous_costs(motion, acts, opening),
        CONTINUOUS.table,
    )
    choice = Headings(moves, length, step_regret, acts.cost)
    return Regret(name_goals(trial), reachable, frame, step_regret, choice)


def continuous_costs(motion: Continuous, acts: Acts, opening: float) -> Costs:
    """Return what things cost, in units of 10 pixels of walking."""
    walk, tool = motion.cell / UNIT, motion.reluctance
    return Costs(walk, acts.cost, opening, motion.push, tool, motion.contact)


@kernel
def _continuous_effort(
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
    stride: float,
    space: Space,
    costs: Costs,
    moves: Annotated[Ints, "move 2"],
) -> tuple[Ints, Floats, Floats, Bools, Bools]:
    """From what was seen to what was wasted, in one go."""
    path = without_gaps(path)
    closed, opened, to_item, to_lock, boxes = continuous_cells(
        width, height, walls, barrier, items, lock, radius, space
    )
    frame, act, item, phase, start, stop = continuous_steps(
        items, radius, objects, path, key_path, barrier_left, lock_there, final, stride
    )
    key = objects if len(items) > objects else -1
    cell, act_cost, opening = space.cell, costs.act, costs.opening
    needed = _marked(path[0], act, phase, start, stop, closed, cell, _SPILL)
    if costs.contact or len(boxes) > 0:
        read = needed
        if len(boxes) > 0:
            solid = _solid(closed, boxes)
            needed = _marked(path[0], act, phase, start, stop, solid, cell, 2 * _SPILL)
        rows, columns = closed.shape
        first = np.empty(2, dtype=np.int64)
        first[0], first[1] = cell_of(path[0, 1], cell, rows), cell_of(path[0, 0], cell, columns)
        cost = plan_legs(
            closed, opened, to_item, to_lock, boxes, moves, costs, key, first, needed, read
        )
    else:
        price = costs.cell
        cost = plan_costs(
            closed, opened, to_item, to_lock, moves, price, act_cost, opening, key, needed
        )
    step_regret, length, moving, reachable = _efforts(
        cost, closed, opened, cell, act_cost, opening, key, path[0], act, item, phase, start, stop
    )
    return frame, step_regret, length, moving, reachable


@part
def _efforts(
    cost: Annotated[Floats, "goal layer row column"],
    closed: Annotated[Bools, "row column"],
    opened: Annotated[Bools, "row column"],
    cell: float,
    act_cost: float,
    opening: float,
    key: int,
    first: Annotated[Floats, "2"],
    act: Annotated[Ints, "step"],
    item: Annotated[Ints, "step"],
    phase: Annotated[Ints, "step"],
    start: Annotated[Floats, "step 2"],
    stop: Annotated[Floats, "step 2"],
) -> tuple[Floats, Floats, Bools, Bools]:
    """Return what each step wastes for each goal, its length, if it is a move; what is reachable.

    excess = price of the step + cost-to-go after it - cost-to-go before it, in units of cost,
    no less than 0 and no more than turning back or doing the act in vain.
    """
    steps, goals = len(act), len(cost)
    step_regret, length = np.zeros((steps, goals)), np.empty(steps)
    moves, reachable = act == MOVE, np.empty(goals, dtype=np.bool_)
    for goal in range(goals):
        before = _to_go(cost[goal], closed, opened, cell, first[0], first[1], START)
        reachable[goal] = before < np.inf
    for step in range(steps):
        across, down = stop[step, 0] - start[step, 0], stop[step, 1] - start[step, 1]
        length[step] = math.sqrt(across * across + down * down) / UNIT
        price = length[step] if moves[step] else act_cost if act[step] == TOUCH else opening
        after = OPEN if act[step] == OPENING else phase[step]
        after = HELD if key >= 0 and item[step] == key else after
        most = 2.0 * length[step] if moves[step] else act_cost
        for goal in range(goals):
            if not reachable[goal]:
                continue
            here, there = start[step], stop[step]
            before = _to_go(cost[goal], closed, opened, cell, here[0], here[1], phase[step])
            left = _to_go(cost[goal], closed, opened, cell, there[0], there[1], after)
            if act[step] == TOUCH and item[step] == goal:
                left = 0.0  # who touches its goal has nothing left to do
            if left == np.inf:  # no way from there: as bad as can be
                step_regret[step, goal] = most
            elif before < np.inf:
                step_regret[step, goal] = min(max(price + left - before, 0.0), most)
    return step_regret, length, moves, reachable


# Cost-to-go between the cells


@part
def _to_go(
    layers: Floats, closed: Bools, opened: Bools, cell: float, x: float, y: float, phase: int
) -> float:
    """Return the cost-to-go at a place: bilinear, over those corners that have a way to the goal.

    Less than half a cell with a way out is the far side of a wall.
    """
    layer = phase if len(layers) > 1 else 0
    cost, blocked = layers[layer], opened if layer == OPEN else closed
    rows, columns = cost.shape
    row, down = _corner(y / cell - 0.5, rows)
    column, across = _corner(x / cell - 0.5, columns)
    total = weight = 0.0
    for r in range(2):
        for c in range(2):
            share = (down if r == 1 else 1.0 - down) * (across if c == 1 else 1.0 - across)
            # where there is one cell only, both corners are in it
            value = spilled(cost, blocked, cell / UNIT, max(row + r, 0), max(column + c, 0))
            if value < np.inf:
                total += value * share
                weight += share
    return total / weight if weight >= 0.5 else np.inf


@part
def _corner(at: float, cells: int) -> tuple[int, float]:
    """Return the cell before a coordinate (-1 if there is none), and the share of the one after."""
    low = min(max(math.floor(at), 0), cells - 2)
    return low, min(max(at - low, 0.0), 1.0)


@part
def _solid(closed: Bools, boxes: Annotated[Bools, "item row column"]) -> Bools:
    """Return the cells that are blocked, or in a box."""
    solid = closed.copy()
    for item in range(len(boxes)):
        solid |= boxes[item]
    return solid


@part
def _marked(
    first: Floats,
    act: Ints,
    phase: Ints,
    start: Floats,
    stop: Floats,
    solid: Bools,
    cell: float,
    spill: int,
) -> Annotated[Bools, "phase row column"]:
    """Mark whose costs matter: cells around every place in its phase, further out beside walls.

    An act may lead from a phase to any other.
    """
    rows, columns = solid.shape
    marked = np.zeros((3, rows, columns), dtype=np.bool_)
    _mark(marked[START], solid, cell, first[0], first[1], spill)
    for step in range(len(start)):
        for layer in range(3):
            if layer == phase[step] or act[step] != MOVE:
                _mark(marked[layer], solid, cell, start[step, 0], start[step, 1], spill)
                _mark(marked[layer], solid, cell, stop[step, 0], stop[step, 1], spill)
    return marked


@part
def _mark(marked: Bools, solid: Bools, cell: float, x: float, y: float, spill: int) -> None:
    rows, columns = marked.shape
    row, _ = _corner(y / cell - 0.5, rows)
    column, _ = _corner(x / cell - 0.5, columns)
    if solid[row : row + 2, column : column + 2].any():
        marked[
            max(row - spill, 0) : row + 2 + spill, max(column - spill, 0) : column + 2 + spill
        ] = True
    else:
        marked[row : row + 2, column : column + 2] = True
