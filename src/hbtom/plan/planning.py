"""Planning for a trial: each motion has its own way to plan, registered by its type."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from hbtom.model import Continuous, Grid, Model
from hbtom.plan.cost_to_go import CostToGo, cost_to_go, plan
from hbtom.plan.field import CONTINUOUS, GRID
from hbtom.plan.slippery import slippery_cost_to_go
from hbtom.plan.wanted import wanted_in_cells, wanted_in_pixels
from hbtom.world.seeing import Seen


def plan_trial(model: Model, seen: Seen) -> CostToGo:
    """Return the cost-to-go in the world of a trial, as far as its trajectory needs it.

    Where agents are seen with noise, costs are needed everywhere.
    """
    return plan_motion(model.motion, seen, model.observation.noise > 0)


@singledispatch
def plan_motion(motion: Any, seen: Seen, everywhere: bool) -> CostToGo:
    """Plan under a motion. Motions register their own functions."""
    raise TypeError(f"no way is known to plan under {motion!r}")


@plan_motion.register
def _grid(motion: Grid, seen: Seen, everywhere: bool) -> CostToGo:
    world, steps = seen.world, seen.trajectory
    if motion.slip > 0:
        return slippery_cost_to_go(world, motion.slip)
    if everywhere:
        return cost_to_go(world, GRID)
    return CostToGo(world, plan(world, GRID.table, wanted_in_cells(world, steps)))


@plan_motion.register
def _continuous(motion: Continuous, seen: Seen, everywhere: bool) -> CostToGo:
    world, steps = seen.world, seen.trajectory
    if everywhere:
        column, row = world.cell_of(*steps.first)
        return cost_to_go(world, CONTINUOUS, (row, column))
    return CostToGo(world, plan(world, CONTINUOUS.table, wanted_in_pixels(world, steps)))
