"""Planning for trials. Each type of motion registers its own function: see :func:`plans_in`."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from hbtom.assumptions import Continuous, Grid
from hbtom.model import Model
from hbtom.plan.cost_to_go import CostToGo, Plans, cost_to_go_at, plan_worlds
from hbtom.plan.slippery import slippery_cost_to_go
from hbtom.plan.stencil import CONTINUOUS, GRID
from hbtom.world import PlaceWorld, Trajectories, Trajectory, Worlds
from hbtom.world.modes import world_at, worlds_from
from hbtom.world.seeing import Seen
from hbtom.world.trajectory import trajectories_from


def plan_trial(model: Model, seen: Seen) -> CostToGo:
    """Return the cost-to-go in the world of a trial, as far as its trajectory needs it.

    If agents are seen with noise, or the world changes, costs are needed everywhere.
    """
    everywhere = model.observation.noise > 0 or len(seen.stages) > 1
    plans = [plan_in(model.motion, one, seen.trajectory, everywhere) for one in seen.stages]
    if len(plans) == 1:
        return plans[0]
    return CostToGo(seen.world, np.concatenate([one.cost for one in plans], axis=1))


def plan_in(motion: Any, world: PlaceWorld, steps: Trajectory, everywhere: bool) -> CostToGo:
    """Plan in one world under a motion, everywhere or as far as the steps need it."""
    steps_of_one = trajectories_from(steps)
    return cost_to_go_at(plans_in(motion, worlds_from(world), steps_of_one, everywhere), 0)


@singledispatch
def plans_in(motion: Any, worlds: Worlds, steps: Trajectories, everywhere: bool) -> Plans:
    """Plan in worlds under a motion, everywhere or as far as the steps need it.

    Each type of motion registers its own function.
    """
    raise TypeError(f"plans_in has no function for {motion!r}")


@plans_in.register
def _grid(motion: Grid, worlds: Worlds, steps: Trajectories, everywhere: bool) -> Plans:
    if motion.slip == 0:
        return plan_worlds(worlds, GRID, steps, everywhere=everywhere)
    every = [world_at(worlds, one) for one in range(len(worlds.first) - 1)]
    costs = [slippery_cost_to_go(one, motion.slip).cost for one in every]
    return Plans(worlds, np.concatenate([one.reshape(-1, *one.shape[2:]) for one in costs]))


@plans_in.register
def _continuous(motion: Continuous, worlds: Worlds, steps: Trajectories, everywhere: bool) -> Plans:
    return plan_worlds(worlds, CONTINUOUS, steps, everywhere=everywhere)
