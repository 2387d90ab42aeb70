"""From a trial to the regret of its steps, in one call."""

from __future__ import annotations

from hbtom import Model, Trial
from hbtom.mind import Regret, find_regrets
from hbtom.mind.motion_regret import motion_regret
from hbtom.observe import layout_of
from hbtom.observe.events import track_of
from hbtom.plan import CostToGo
from hbtom.plan.planning import plan_in, plan_trial
from hbtom.world import Trajectory
from hbtom.world.seeing import Seen, TrajectoryInput, see, steps_of, world_of


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
    return motion_regret(model.motion, model, trial, seen, costs)


def planned_at(
    model: Model, trial: Trial, opening: float, *, everywhere: bool = False
) -> tuple[CostToGo, Trajectory]:
    """Return the plans behind this regret, and the steps."""
    layout = layout_of(trial)
    world = world_of(model.motion, model.acts, opening, layout)
    walk = TrajectoryInput(layout, track_of(trial), model.acts.final)
    steps = steps_of(model.motion, walk, world)
    return plan_in(model.motion, world, steps, everywhere), steps
