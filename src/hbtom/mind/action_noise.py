"""Effort in a gridworld in which moves may go astray: what is seen need not be what was meant.

The observer sees where the agent went, not where it meant to go, so the evidence of a move is

    P(s' | s, g, beta) = sum over actions a of  pi(a | s, g, beta) P(s' | s, a)

Who slips and stays is not seen at all, since still frames are dropped. So all of this is given that
something is seen: it is divided by one less the probability of staying. Acts are seen as they are.
Moves where the gridworld has no way say nothing, as without slips.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.grid import actions, illegal, wasted
from hbtom.mind.regret import ActionNoise, Actions, Regret, name_goals
from hbtom.model import Acts, Grid
from hbtom.observe import Trial
from hbtom.plan import GRID, Costs, CostToGo
from hbtom.plan.slippery import BESIDE, LENGTH, Slippery, slippery_cost_to_go
from hbtom.world import Act, Occupancy, Phase, Trajectory, grid_floor, grid_trajectory

MOVES = len(GRID.moves)


def slippery_regret(motion: Grid, acts: Acts, trial: Trial, opening: float) -> Regret:
    """Return the effort of a trial; a move that was seen wasted what it would have if meant."""
    floor = grid_floor(trial, motion.cell)
    trajectory = grid_trajectory(trial, floor, final=acts.final)
    key = None if trial.key is None else len(trial.objects)
    plans = slippery_cost_to_go(floor, Costs(1.0, acts.cost, opening), key=key, slip=motion.slip)
    return planned_regret(plans, trajectory, trial, motion.slip)


def planned_regret(plans: CostToGo, trajectory: Trajectory, trial: Trial, slip: float) -> Regret:
    """Return the same for a trial of which plans and course are known."""
    floor, key = plans.floor, None if trial.key is None else len(trial.objects)
    legal, q = slippery_actions(plans, trajectory, key, slip)
    steps = trajectory.act, trajectory.item, trajectory.phase, trajectory.start, trajectory.stop
    step_regret, options, unknown = wasted(legal, q, floor.closed, floor.open, GRID.table, *steps)
    column, row = floor.cell_of(*trial.whole_path[0])
    return Regret(
        name_goals(trial),
        plans.cost[:, 0, row, column] < np.inf,
        trajectory.frame,
        step_regret,
        Actions(options, _slips(legal, floor, trajectory, slip)),
        warnings=illegal(unknown),
    )


def slippery_actions(
    plans: CostToGo, trajectory: Trajectory, key: int | None, slip: float
) -> tuple[Annotated[Bools, "step action"], Annotated[Floats, "step action goal"]]:
    """Return which actions could be taken, and Q(s, a) = -(cost(a) + sum of P(s' | s, a) C(s'))."""
    legal, q = actions(plans, trajectory, key)
    cost = plans.cost.reshape(*plans.cost.shape[:2], -1)
    column, row = trajectory.start.astype(np.int64).T
    here = row * plans.floor.closed.shape[1] + column
    for phase in Phase:
        some = np.flatnonzero(trajectory.phase == phase)
        ground = Slippery(plans.floor.blocked(phase), slip)
        later = cost[:, plans.layer[phase]][:, ground.outcomes[here[some]]] @ ground.probability
        q[some, :MOVES] = -(LENGTH[:, None] + np.moveaxis(later, 0, 2))
    return legal, q


def _slips(
    legal: Annotated[Bools, "step action"], floor: Occupancy, trajectory: Trajectory, slip: float
) -> ActionNoise:
    """Return how probable it is that an action is seen as another, and which each was seen as.

    A step that is not known counts as the only thing that could be done, and is seen as it is.
    """
    seen, known = _seen(legal, floor, trajectory)
    chance = np.zeros((*legal.shape, legal.shape[1]))
    same, move = np.arange(legal.shape[1]), np.arange(MOVES)
    chance[:, same, same] = 1.0
    chance[:, move, move] = np.where(known, 1.0 - slip, 1.0)[:, None]
    astray = legal[:, BESIDE] & known[:, None, None]
    chance[:, move[:, None], BESIDE] = np.where(astray, slip / 2, 0.0)
    return ActionNoise(chance, seen)


def _seen(
    legal: Annotated[Bools, "step action"], floor: Occupancy, trajectory: Trajectory
) -> tuple[Annotated[Ints, "step"], Annotated[Bools, "step"]]:
    """Return as which action each step was seen, and whether it is known; else the action is 0."""
    column, row = trajectory.start.astype(np.int64).T
    off = np.where(
        trajectory.phase == Phase.OPEN, floor.open[row, column], floor.closed[row, column]
    )
    moved = (trajectory.stop - trajectory.start)[:, ::-1]
    is_move = (moved[:, None] == GRID.table).all(axis=2)
    act = np.where(trajectory.act == Act.TOUCH, MOVES + trajectory.item, legal.shape[1] - 1)
    seen = np.where(trajectory.act == Act.MOVE, is_move.argmax(axis=1), act)
    possible = is_move.any(axis=1) & legal[np.arange(len(seen)), seen]
    known = ~off & np.where(trajectory.act == Act.MOVE, possible, True)
    return np.where(known, seen, 0), known
