"""The regret of a trial's steps: each motion has its own choices, registered by its type."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.assumptions import Continuous, Grid, Observation
from hbtom.mind.action_noise import action_noise, noisy_values
from hbtom.mind.cell_filter import CellFilter, stays
from hbtom.mind.continuous import heading_regret
from hbtom.mind.grid import NO_SLIPS, action_regret, action_values, impossible_moves_warning
from hbtom.mind.noisy_strides import strides
from hbtom.mind.particles import ParticleFilter, trial_hash
from hbtom.mind.regret import Actions, Headings, Regret, empty_regret, name_goals, share_done
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.plan import GRID, CostToGo
from hbtom.plan.interpolation import cost_at
from hbtom.world.modes import UNIT
from hbtom.world.seeing import Seen
from hbtom.world.stages import outdated
from hbtom.world.trajectory import MOVE


def find_regrets(
    model: Model, trial: Trial, seen: Seen, costs: CostToGo
) -> tuple[Regret, Regret | None]:
    """Return the regret of every step of a trial, given the cost-to-go in its world.

    Where the world changes, the second is the regret of the same steps in the world as it was at
    first; otherwise there is none.
    """
    wanted = trial.items if model.preference.keys else trial.objects  # else the key is only a tool
    if not wanted:
        return empty_regret(), None
    if len(wanted) < len(costs.cost):
        costs = costs._replace(cost=costs.cost[: len(wanted)])
    true = motion_regret(model.motion, model, trial, seen, costs)
    if len(seen.stages) == 1 or model.hypotheses.outdated == 0:
        return true, None
    cell = seen.world.space.cell if isinstance(model.motion, Continuous) else 1.0
    missed = seen._replace(trajectory=outdated(seen.trajectory, seen.stages[0], cell))
    return true, motion_regret(model.motion, model, trial, missed, costs)


@singledispatch
def motion_regret(motion: Any, model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    """Return the regret under a motion. Motions register their own functions."""
    raise TypeError(f"no regret is defined for {motion!r}")


@motion_regret.register
def _grid(motion: Grid, model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    """Compare each step with all legal actions; with noise, a forward filter sums over cells."""
    world, steps, sight = seen.world, seen.trajectory, model.observation
    values, noise = NO_SLIPS, None
    if motion.slip > 0:
        legal, q = action_values(costs, steps, GRID.table)
        values = noisy_values(q, costs, steps, motion.slip)
        noise = action_noise(legal, world, steps, motion.slip)
    regret, options, unknown = action_regret(costs, steps, GRID.table, values)
    column, row = map(int, steps.first.tolist())
    first = costs.cost[:, 0, row, column]
    reachable: Bools = first < np.inf
    if len(world.blocked) > 1 and steps.mode.any() and not reachable.all():
        reachable = np.any(_in_reach(seen, costs, _cost_in_cells), axis=0)
    choice, warnings = Actions(options, noise), impossible_moves_warning(unknown)
    goals = name_goals(trial)[: len(costs.cost)]
    share = _share(model, seen, 1.0, first)
    found = Regret(goals, reachable, steps.frame, regret, choice, warnings, share)
    if sight.noise == 0:
        return found
    where = stays(steps, world, seen.steady.whole_path, trial.path, sight.noise)
    return found.with_filter(CellFilter(costs, steps, where, motion.slip))


@motion_regret.register
def _continuous(
    motion: Continuous, model: Model, trial: Trial, seen: Seen, costs: CostToGo
) -> Regret:
    """Compare each step with all headings; with noise, a particle filter sums over places."""
    steps, act = seen.trajectory, model.acts.cost
    by_goal, length, first = heading_regret(costs, steps)
    reachable, silent = first < np.inf, None
    changed = len(seen.world.blocked) > 1 and steps.mode.any()
    if changed and (len(seen.stages) > 1 or not reachable.all()):
        near = _in_reach(seen, costs, cost_at)
        reachable, silent = np.any(near, axis=0), ~near[1:]
        by_goal = np.where(silent.T, 0.0, by_goal)
    regret = np.where(reachable[:, None], by_goal, 0.0).T.copy()
    choice = Headings(steps.act == MOVE, length, regret, act, silent)
    goals = name_goals(trial)[: len(costs.cost)]
    share = _share(model, seen, UNIT, first)
    found = Regret(goals, reachable, steps.frame, regret, choice, share=share)
    if model.observation.noise == 0:
        return found
    return found.with_filter(_particles(model.observation, trial, seen, costs, reachable))


def _share(
    model: Model, seen: Seen, unit: float, first: Annotated[Floats, "goal"]
) -> Annotated[Floats, "step"] | None:
    """Return the share of a plan done just before each step, if goals may change."""
    if model.goals.switching == 0:
        return None
    steps, price = seen.trajectory, np.append(seen.world.exits.price, 0.0)
    walked = np.hypot(*(steps.stop - steps.start).T) / unit
    return share_done(np.where(steps.act == MOVE, walked, price[steps.exit]), first)


def _in_reach(
    seen: Seen, costs: CostToGo, read: Callable[[CostToGo, Floats, Ints], Floats]
) -> Annotated[Bools, "1+step goal"]:
    """Return which goals are in reach before the first step, and at each step.

    A goal is in reach if there is a path to it from where the agent begins, or from where it enters
    another mode. It stays in reach until the world changes.
    """
    steps = seen.trajectory
    entered = np.flatnonzero(np.diff(steps.mode, prepend=0))
    places = np.concatenate([steps.first[None], steps.start[entered]])
    modes = np.append(0, steps.mode[entered])
    lies = costs.world.lying[modes, : len(costs.cost)]  # or has been picked up
    near = (read(costs, places[None], modes) < np.inf).T & lies
    stage = modes // len(seen.stages[0].blocked)
    found = np.repeat(near[:1], 1 + len(steps.act), axis=0)
    for entry, step in enumerate(entered, start=1):
        near[entry] |= near[entry - 1] & (~lies[entry] | (stage[entry] == stage[entry - 1]))
        found[1 + step :] = near[entry]
    return found


def _cost_in_cells(costs: CostToGo, places: Floats, modes: Ints) -> Annotated[Floats, "goal place"]:
    column, row = places[0].T.astype(np.int64)
    return costs.cost[:, modes, row, column]


def _particles(
    sight: Observation, trial: Trial, seen: Seen, costs: CostToGo, reachable: np.ndarray
) -> ParticleFilter:
    steps = seen.trajectory
    where = strides(steps, seen.steady.whole_path, trial.path, sight.noise)
    seed = (sight.seed, trial_hash(trial))
    return ParticleFilter(costs, steps, where, reachable, sight.noise, sight.particles, seed)
