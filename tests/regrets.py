"""From a trial to the regret of its steps, in one go."""

from __future__ import annotations

from hbtom import Model, Trial
from hbtom.mind import Regret, find_regret
from hbtom.mind.motions import motion_regret
from hbtom.plan.planning import plan_trial
from hbtom.world.seeing import Seen, see, see_motion


def regret_of(model: Model, trial: Trial, openings: tuple[float, ...] = ()) -> Regret:
    """Return the regret of a trial, after locks that took so long to open."""
    seen = see(model, trial, openings)
    return find_regret(model, trial, seen, plan_trial(model, seen))


def regret_at(model: Model, trial: Trial, opening: float) -> Regret:
    """Return the regret of a trial seen without noise, if opening a lock costs so much.

    The key counts as a goal, whatever the model says.
    """
    world, trajectory = see_motion(model.motion, model, trial, trial, opening)
    seen = Seen(trial, world, trajectory, ())
    return motion_regret(model.motion, model, trial, seen, plan_trial(model, seen))
