"""From a trial to the regret of its steps, in one call."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from hbtom import Model, Trial
from hbtom.mind import Regret, find_regrets
from hbtom.mind.motion_regret import find_regret
from hbtom.plan import CostToGo
from hbtom.plan.planning import plan_in, plan_trial
from hbtom.world import Trajectory
from hbtom.world.modes import world_at
from hbtom.world.seeing import Seen, gait_of, see, worlds_of
from hbtom.world.steps import find_trajectories
from hbtom.world.trajectory import trajectory_at
from hbtom.world.trial_arrays import scenes_of


def regret_of(model: Model, trial: Trial, openings: tuple[float, ...] = ()) -> Regret:
    """Return the regret of a trial, given how long earlier locks took to open."""
    seen = see(model, trial, openings)
    return find_regrets(model, trial, seen, plan_trial(model, seen))[0]


def regret_at(model: Model, trial: Trial, opening: float) -> Regret:
    """Return the regret of a trial seen without noise, given the cost of opening a lock.

    The key counts as a goal in any model.
    """
    costs, steps = planned_at(model, trial, opening)
    seen = Seen(trial, costs.world, steps, (), (costs.world,))
    return find_regret(
        replace(model, preference=replace(model.preference, keys=True)), trial, seen, costs
    )


def planned_at(
    model: Model, trial: Trial, opening: float, *, everywhere: bool = False
) -> tuple[CostToGo, Trajectory]:
    """Return the plans behind this regret, and the steps."""
    scenes = scenes_of([trial])
    worlds = worlds_of(model.motion, model.acts, np.array([opening]), scenes)
    every = find_trajectories(scenes, worlds, gait_of(model.motion), model.acts.final)
    steps = trajectory_at(every, 0)
    return plan_in(model.motion, world_at(worlds, 0), steps, everywhere), steps
