"""Planning for a trial. Each type of motion registers its own function: see :func:`plan_in`."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from hbtom.assumptions import Continuous, Grid
from hbtom.model import Model
from hbtom.plan.cost_to_go import CostToGo, cost_to_go, plan_steps
from hbtom.plan.needed_cells import BETWEEN, CELLS
from hbtom.plan.slippery import slippery_cost_to_go
from hbtom.plan.stencil import CONTINUOUS, GRID
from hbtom.world import PlaceWorld, Trajectory
from hbtom.world.seeing import Seen


def plan_trial(model: Model, seen: Seen) -> CostToGo:
    """Return the cost-to-go in the world of a trial, as far as its trajectory needs it.

    If agents are seen with noise, or the world changes, costs are needed everywhere.
    """
    everywhere = model.observation.noise > 0 or len(seen.stages) > 1
    plans = [plan_in(model.motion, one, seen.trajectory, everywhere) for one in seen.stages]
    if len(plans) == 1:
        return plans[0]
    return CostToGo(seen.world, np.concatenate([one.cost for one in plans], axis=1))


@singledispatch
def plan_in(motion: Any, world: PlaceWorld, steps: Trajectory, everywhere: bool) -> CostToGo:
    """Plan in a world under a motion, everywhere or as far as the steps need it.

    Each type of motion registers its own function.
    """
    raise TypeError(f"plan_in has no function for {motion!r}")


@plan_in.register
def _grid(motion: Grid, world: PlaceWorld, steps: Trajectory, everywhere: bool) -> CostToGo:
    if motion.slip > 0:
        return slippery_cost_to_go(world, motion.slip)
    if everywhere:
        return cost_to_go(world, GRID)
    return CostToGo(world, plan_steps(world, GRID.table, steps, CELLS))


@plan_in.register
def _continuous(
    motion: Continuous, world: PlaceWorld, steps: Trajectory, everywhere: bool
) -> CostToGo:
    if everywhere:
        column, row = world.cell_of(*steps.first)
        return cost_to_go(world, CONTINUOUS, (row, column))
    return CostToGo(world, plan_steps(world, CONTINUOUS.table, steps, BETWEEN))
