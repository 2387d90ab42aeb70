"""The regret of a trial's steps: each motion has its own choices, registered by its type."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from hbtom.mind.action_noise import noisy_actions
from hbtom.mind.cell_filter import CellFilter, stays
from hbtom.mind.continuous import heading_regret
from hbtom.mind.grid import action_regret, action_values, illegal
from hbtom.mind.particles import ParticleFilter, content
from hbtom.mind.regret import Actions, Headings, Regret, aimless, name_goals
from hbtom.mind.sight import strides
from hbtom.model import Continuous, Grid, Model, Observation
from hbtom.observe import Trial
from hbtom.plan import GRID, CostToGo
from hbtom.world.seeing import Seen
from hbtom.world.stages import outdated
from hbtom.world.trajectory import MOVE


def find_regrets(
    model: Model, trial: Trial, seen: Seen, costs: CostToGo
) -> tuple[Regret, Regret | None]:
    """Return the regret of every step of a trial, given the cost-to-go in its world.

    Where the world changes and agents may miss that, the second is the regret of the same steps in
    the world as it was at first; otherwise there is none.
    """
    if not trial.items:
        return aimless(), None
    if not model.preference.keys:  # nobody wants the key itself
        costs = costs._replace(cost=costs.cost[: len(trial.objects)])
    true = motion_regret(model.motion, model, trial, seen, costs)
    if not seen.stages or model.hypotheses.outdated == 0:
        return true, None
    missed = seen._replace(trajectory=outdated(seen.trajectory, seen.stages[0]))
    return true, motion_regret(model.motion, model, trial, missed, costs)


@singledispatch
def motion_regret(motion: Any, model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    """Return the regret under a motion. Motions register their own functions."""
    raise TypeError(f"no way is known to compare what agents do under {motion!r}")


@motion_regret.register
def _grid(motion: Grid, model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    """Compare each step with all legal actions; with noise, a forward filter sums over cells."""
    world, steps, sight = seen.world, seen.trajectory, model.observation
    legal, q = action_values(costs, steps, GRID.table)
    noise = None
    if motion.slip > 0:
        q, noise = noisy_actions(legal, q, costs, steps, motion.slip)
    regret, options, unknown = action_regret(legal, q, world, steps, GRID.table)
    column, row = steps.first.astype(np.int64)
    reachable = costs.cost[:, 0, row, column] < np.inf
    choice, warnings = Actions(options, noise), illegal(unknown)
    goals = name_goals(trial)[: len(costs.cost)]
    found = Regret(goals, reachable, steps.frame, regret, choice, warnings)
    if sight.noise == 0:
        return found
    where = stays(steps, world, seen.trial.whole_path, trial.path, sight.noise)
    return found.seen_through(CellFilter(costs, steps, where, motion.slip))


@motion_regret.register
def _continuous(
    motion: Continuous, model: Model, trial: Trial, seen: Seen, costs: CostToGo
) -> Regret:
    """Compare each step with all headings; with noise, a particle filter sums over places."""
    steps, act = seen.trajectory, model.acts.cost
    by_goal, length, first = heading_regret(costs, steps)
    reachable = first[:, 0] < np.inf
    regret = np.where(reachable[:, None], by_goal, 0.0).T.copy()
    choice = Headings(steps.act == MOVE, length[0], regret, act)
    goals = name_goals(trial)[: len(costs.cost)]
    found = Regret(goals, reachable, steps.frame, regret, choice)
    if model.observation.noise == 0:
        return found
    return found.seen_through(_particles(model.observation, trial, seen, costs, reachable))


def _particles(
    sight: Observation, trial: Trial, seen: Seen, costs: CostToGo, reachable: np.ndarray
) -> ParticleFilter:
    steps = seen.trajectory
    where = strides(steps, seen.trial.whole_path, trial.path, sight.noise)
    seed = (sight.seed, content(trial))
    return ParticleFilter(costs, steps, where, reachable, sight.noise, sight.particles, seed)
