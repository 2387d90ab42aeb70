"""Evidence under the paper's dynamics: Boltzmann over all legal actions of a gridworld."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.evidence import Evidence, name_goals
from hbtom.mind.policy import log_boltzmann
from hbtom.model import Acts, Grid
from hbtom.observe import Trial
from hbtom.plan import GRID, Costs, Plans, make_plans
from hbtom.plan.field import legal_moves
from hbtom.world import Act, Course, Phase, grid_course, grid_floor

_MOVES = np.array(GRID.moves)


def grid_evidence(
    motion: Grid,
    acts: Acts,
    efficiency: Annotated[Floats, "efficiency"],
    trial: Trial,
    opening: float,
) -> Evidence:
    """Return the evidence of a trial; ``opening`` is what opening a lock costs."""
    floor = grid_floor(trial, motion.cell)
    key = None if trial.key is None else len(trial.objects)
    plans = make_plans(floor, GRID, Costs(1.0, acts.cost, opening), key=key)
    course = grid_course(trial, floor, final=acts.final)
    legal = legal_actions(plans, course, key)
    taken = _taken(course)
    steps = np.arange(len(course))
    column, row = course.start.astype(np.int64).T
    off_floor = np.where(
        course.phase == Phase.OPEN, floor.open[row, column], floor.closed[row, column]
    )
    known = (legal[steps, taken] | (course.act != Act.MOVE)) & ~off_floor
    legal[steps, taken] = True  # what was done could be done
    q = np.where(legal[:, :, None], q_values(plans, course, key), -np.inf)
    q = _unless_hopeless(q, legal)
    log = log_boltzmann(q, efficiency)[steps, taken]
    options = q.max(axis=1, keepdims=True) - q
    column, row = floor.cell_of(*trial.path[0])
    return Evidence(
        goals=name_goals(trial),
        reachable=np.isfinite(plans.cost[:, plans.layer[Phase.START], row, column]),
        log=np.where(known[:, None, None], log, 0.0),
        frame=course.frame,
        excess=np.where(known[:, None], options[steps, taken], 0.0),
        options=np.where(known[:, None, None], options, 0.0),
        warnings=_illegal(int((~known).sum())),
    )


def legal_actions(plans: Plans, course: Course, key: int | None) -> Annotated[Bools, "step action"]:
    """Tell what could be done before each step: eight moves, a touch of each item, opening."""
    floor = plans.floor
    column, row = course.start.astype(np.int64).T
    moves = np.stack(
        [legal_moves(floor.blocked(phase), GRID) for phase in (Phase.START, Phase.OPEN)]
    )
    legal_move = moves[(course.phase == Phase.OPEN).astype(np.int64), :, row, column]
    touch = (floor.to_item[:, row, column] == 0).T
    if key is not None:
        touch[:, key] &= course.phase == Phase.START
    opening = np.zeros((len(course), 1), dtype=bool)
    if floor.to_lock is not None:
        opening[:, 0] = (floor.to_lock[row, column] == 0) & (course.phase == Phase.HELD)
    return np.concatenate([legal_move, touch, opening], axis=1)


def q_values(
    plans: Plans, course: Course, key: int | None
) -> Annotated[Floats, "step action goal"]:
    """Return Q(s, a) = -(cost(a) + C(s')) for every action before each step, and every goal."""
    column, row = course.start.astype(np.int64).T
    padded = np.pad(plans.cost, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=np.inf)
    phase = course.phase

    def to_go(phase: Ints | int, row: Ints, column: Ints) -> Floats:
        return np.moveaxis(padded[:, plans.layer[phase], row + 1, column + 1], 0, -1)

    lengths = np.array([GRID.length(move) for move in GRID.moves])
    moves = lengths[:, None] + to_go(
        phase[:, None], row[:, None] + _MOVES[:, 0], column[:, None] + _MOVES[:, 1]
    )
    here = to_go(phase, row, column)
    touches = np.repeat(plans.costs.act + here[:, None], len(plans.cost), axis=1)
    if key is not None:
        touches[:, key] = plans.costs.act + to_go(Phase.HELD, row, column)
    goals = np.arange(len(plans.cost))
    touches[:, goals, goals] = plans.costs.act  # who touches its goal has nothing left to do
    opening = plans.costs.opening + to_go(Phase.OPEN, row, column)
    return -np.concatenate([moves, touches, opening[:, None]], axis=1)


def _taken(course: Course) -> Annotated[Ints, "step"]:
    """Return the index of the action taken in each step."""
    moved = (course.stop - course.start)[:, ::-1]
    move = (moved[:, None] == _MOVES).all(axis=2).argmax(axis=1)
    items = np.where(course.item >= 0, course.item, 0)
    return np.choose(course.act, [move, len(_MOVES) + items, -1])


def _unless_hopeless(q: Floats, legal: Bools) -> Floats:
    """Make all legal actions equal for goals to which none of them leads."""
    hopeless = np.isinf(q).all(axis=1, keepdims=True)
    return np.where(hopeless & legal[:, :, None], 0.0, q)


def _illegal(count: int) -> tuple[str, ...]:
    if count == 0:
        return ()
    return (f"{count} moves go where the gridworld has no way; they are left out of the evidence",)
