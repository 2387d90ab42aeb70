"""A gridworld in which moves may slip: the move that is seen need not be the intended one.

The observer sees where the agent went, not where it meant to go, so the likelihood of a move is

    P(s' | s, g, beta) = sum over actions a of  pi(a | s, g, beta) P(s' | s, a)

A slip that leaves the agent where it was is not seen at all, since still frames are dropped. The
likelihood is therefore conditioned on something being seen: it is divided by one minus the
probability of staying. Acts are seen as they are. As without slips, moves that are impossible in
the gridworld carry no information.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.regret import ActionNoise
from hbtom.plan import GRID, CostToGo
from hbtom.plan.slippery import BESIDE, LENGTH, Slippery
from hbtom.world import Act, PlaceWorld, Trajectory

MOVES = len(GRID.moves)


def noisy_values(
    q: Annotated[Floats, "step action goal"], costs: CostToGo, steps: Trajectory, slip: float
) -> Annotated[Floats, "step action goal"]:
    """Return Q(s, a) = -(cost(a) + sum over s' of P(s' | s, a) C(s')), for moves."""
    q, world = q.copy(), costs.world
    cost = costs.cost.reshape(*costs.cost.shape[:2], -1)
    column, row = steps.start.astype(np.int64).T
    here = row * world.blocked.shape[2] + column
    for mode, blocked in enumerate(world.blocked):
        some = np.flatnonzero(steps.mode == mode)
        ground = Slippery(blocked, slip)
        later = cost[:, mode][:, ground.outcomes[here[some]]] @ ground.probability
        q[some, :MOVES] = -(LENGTH[:, None] + np.moveaxis(later, 0, 2))
    return q


def action_noise(
    legal: Annotated[Bools, "step action"], world: PlaceWorld, steps: Trajectory, slip: float
) -> ActionNoise:
    """Return P(action seen | action chosen), and the action that each step was seen as.

    Regret is that of the move that was seen, as if it had been intended. An impossible step counts
    as the only available action, and is seen as it is.
    """
    seen, known = _seen(legal, world, steps)
    chance = np.zeros((*legal.shape, legal.shape[1]))
    same, move = np.arange(legal.shape[1]), np.arange(MOVES)
    chance[:, same, same] = 1.0
    chance[:, move, move] = np.where(known, 1.0 - slip, 1.0)[:, None]
    astray = legal[:, BESIDE] & known[:, None, None]
    chance[:, move[:, None], BESIDE] = np.where(astray, slip / 2, 0.0)
    return ActionNoise(chance, seen)


def _seen(
    legal: Annotated[Bools, "step action"], world: PlaceWorld, steps: Trajectory
) -> tuple[Annotated[Ints, "step"], Annotated[Bools, "step"]]:
    """Return the action that each step was seen as, or 0, and whether the step is possible."""
    column, row = steps.start.astype(np.int64).T
    off = world.blocked[steps.mode, row, column]
    moved = (steps.stop - steps.start)[:, ::-1]
    is_move = (moved[:, None] == GRID.table).all(axis=2)
    is_act = steps.act != Act.MOVE
    seen = np.where(is_act, MOVES + steps.thing, is_move.argmax(axis=1))
    possible = is_move.any(axis=1) & legal[np.arange(len(seen)), seen]
    known = ~off & (is_act | possible)
    return np.where(known, seen, 0), known
