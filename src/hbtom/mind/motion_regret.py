"""The regret of steps: each motion has its own choices, registered by its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats, Ints
from hbtom.assumptions import Continuous, Grid
from hbtom.mind.action_noise import action_noise, noisy_values
from hbtom.mind.cell_filter import CellFilter, stays
from hbtom.mind.continuous import heading_regrets, regret_at
from hbtom.mind.grid import NO_SLIPS, action_regrets, action_values
from hbtom.mind.noisy_strides import strides
from hbtom.mind.particles import ParticleFilter, trial_hash
from hbtom.mind.regret import (
    ActionNoise,
    ChosenSteps,
    Regret,
    empty_regret,
    name_goals,
    share_done,
)
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.plan import GRID, CostToGo, Plans
from hbtom.plan.cost_to_go import cost_to_go_at, plans_from
from hbtom.plan.interpolation import cost_at
from hbtom.world import Seen, Trajectories, Trajectory
from hbtom.world.modes import UNIT
from hbtom.world.stages import outdated
from hbtom.world.trajectory import MOVE, trajectories_from, trajectory_at


def find_regrets(
    model: Model, trial: Trial, seen: Seen, costs: CostToGo
) -> tuple[Regret, Regret | None]:
    """Return the regret of every step of a trial, given the cost-to-go in its world.

    Where the world changes, the second is the regret of the same steps in the world as it was at
    first; otherwise there is none.
    """
    true = find_regret(model, trial, seen, costs)
    changes = len(seen.stages) > 1 and count_goals(model, trial) > 0
    if not changes or model.hypotheses.outdated == 0:
        return true, None
    missed = seen._replace(trajectory=outdated(seen.trajectory, seen.stages[0]))
    return true, find_regret(model, trial, missed, costs)


def find_regret(model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    """Return the regret of every step of a trial, in the world as it is."""
    steps, stages = trajectories_from(seen.trajectory), len(seen.stages)
    alone = PlannedSteps(model, (trial,), (seen.steady,), steps, plans_from(costs), stages)
    return regrets_of(alone)[0]


def count_goals(model: Model, trial: Trial) -> int:
    """Return the number of goals in a trial; the key may be no goal but only a tool."""
    return len(trial.items if model.preference.keys else trial.objects)


class PlannedSteps(NamedTuple):
    """The steps of several trials, and the cost-to-go in their worlds.

    Either all trials have goals, or none has.
    """

    model: Model
    trials: Sequence[Trial]
    steady: Sequence[Trial]  # the same with the noise removed
    steps: Trajectories
    plans: Plans
    stages: int = 1  # of the only trial's world, if it changes

    @property
    def goals(self) -> list[int]:
        """The number of goals in each trial."""
        return [count_goals(self.model, one) for one in self.trials]

    def one(self, trial: int) -> tuple[Trajectory, CostToGo]:
        """Return the steps of one trial, and the cost-to-go of its goals."""
        costs, goals = cost_to_go_at(self.plans, trial), count_goals(self.model, self.trials[trial])
        return trajectory_at(self.steps, trial), costs._replace(cost=costs.cost[:goals])

    def changes(self, trial: int) -> bool:
        """Return whether the agent enters another mode, or another stage of its world."""
        begin, end = self.steps.begin[trial : trial + 2]
        return bool(self.steps.mode[begin:end].any())


@singledispatch
def choices_of(motion: Any, planned: PlannedSteps) -> list[ChosenSteps]:
    """Return what each step was chosen from. Each type of motion registers its own function."""
    raise TypeError(f"choices_of has no function for {motion!r}")


def regrets_of(planned: PlannedSteps) -> list[Regret]:
    """Return the regret of every step of several trials."""
    if not count_goals(planned.model, planned.trials[0]):
        return [empty_regret()] * len(planned.trials)
    begin, found = planned.steps.begin.tolist(), list[Regret]()
    for trial, one in enumerate(choices_of(planned.model.motion, planned)):
        goals = name_goals(planned.trials[trial])[: len(one.initial)]
        frame, share = planned.steps.frame[begin[trial] : begin[trial + 1]], None
        if planned.model.goals.switching > 0:
            share = _share(*planned.one(trial), one.initial)
        known = goals, one.reachable, frame, one.step_regret, one.choice, one.warnings, share
        found.append(Regret(*known))
    return found


def _share(
    steps: Trajectory, costs: CostToGo, initial: Annotated[Floats, "goal"]
) -> Annotated[Floats, "step"]:
    """Return the share of a plan done just before each step."""
    unit, price = 1.0 if costs.world.space.in_cells else UNIT, costs.world.exits.price
    walked = np.hypot(*(steps.stop - steps.start).T) / unit
    spent = np.where(steps.act == MOVE, walked, np.append(price, 0.0)[steps.exit])
    return share_done(spent, initial)


# Actions in a gridworld


@choices_of.register
def _actions(motion: Grid, planned: PlannedSteps) -> list[ChosenSteps]:
    """Compare each step with all legal actions; with noise, a forward filter sums over cells."""
    values, noise = _slips(planned, motion.slip) if motion.slip > 0 else (NO_SLIPS, [])
    chosen = action_regrets(planned.plans, planned.steps, planned.goals, GRID, values)
    for trial, one in enumerate(chosen):
        if False in one.reachable.tolist() and planned.changes(trial):
            near = _in_reach(*planned.one(trial), planned.stages, _cost_in_cells)
            chosen[trial] = one._replace(reachable=np.any(near, axis=0))
    if noise:
        both = zip(chosen, noise, strict=True)
        chosen = [one._replace(choice=replace(one.choice, noise=seen)) for one, seen in both]
    if planned.model.observation.noise > 0:
        filters = (cells_filter(planned, trial, motion.slip) for trial in range(len(chosen)))
        return [one.filtered(each) for one, each in zip(chosen, filters, strict=True)]
    return chosen


def _slips(
    planned: PlannedSteps, slip: float
) -> tuple[Annotated[Floats, "step action goal"], list[ActionNoise]]:
    """Return Q for all steps, and what is seen of their actions, if moves may slip."""
    values, noise = list[Floats](), list[ActionNoise]()
    for trial in range(len(planned.trials)):
        steps, costs = planned.one(trial)
        legal, q = action_values(costs, steps, GRID.table)
        values.append(noisy_values(q, costs, steps, slip))
        noise.append(action_noise(legal, costs.world, steps, slip))
    actions, goals = (max(one.shape[axis] for one in values) for axis in (1, 2))
    padded = [np.zeros((len(one), actions, goals)) for one in values]
    for one, wide in zip(values, padded, strict=True):
        wide[:, : one.shape[1], : one.shape[2]] = one
    return np.concatenate(padded), noise


def cells_filter(planned: PlannedSteps, trial: int, slip: float) -> CellFilter:
    """Return the filter that sums over the cells in which the agent may have been."""
    (steps, costs), noise = planned.one(trial), planned.model.observation.noise
    paths = planned.steady[trial].whole_path, planned.trials[trial].path
    return CellFilter(costs, steps, stays(steps, costs.world, *paths, noise), slip)


# Headings


@choices_of.register
def _headings(motion: Continuous, planned: PlannedSteps) -> list[ChosenSteps]:
    """Compare each step with all headings; with noise, a particle filter sums over places."""
    act, several = planned.model.acts.cost, planned.stages > 1
    chosen = heading_regrets(planned.plans, planned.steps, planned.goals, act)
    for trial, one in enumerate(chosen):
        if (several or False in one.reachable.tolist()) and planned.changes(trial):
            chosen[trial] = _coming_into_reach(planned, trial, one)
    if planned.model.observation.noise > 0:
        reachable = (one.reachable for one in chosen)
        filters = (places_filter(planned, trial, near) for trial, near in enumerate(reachable))
        return [one.filtered(each) for one, each in zip(chosen, filters, strict=True)]
    return chosen


def _coming_into_reach(planned: PlannedSteps, trial: int, one: ChosenSteps) -> ChosenSteps:
    """Return steps before which some goals are out of reach: these say nothing about them."""
    steps, costs = planned.one(trial)
    near = _in_reach(steps, costs, planned.stages, cost_at)
    by_goal, _, _ = regret_at(costs, steps, steps.start[None], steps.stop[None])
    reachable, silent = np.any(near, axis=0), ~near[1:]
    regret = np.ascontiguousarray(np.where(silent | ~reachable, 0.0, by_goal.T))
    headings = replace(one.choice, step_regret=regret, silent=silent)
    return ChosenSteps(regret, one.initial, reachable, headings)


def places_filter(
    planned: PlannedSteps, trial: int, reachable: Annotated[Bools, "goal"]
) -> ParticleFilter:
    """Return the filter that sums over the places where the agent may have been."""
    (steps, costs), sight = planned.one(trial), planned.model.observation
    paths = planned.steady[trial].whole_path, planned.trials[trial].path
    seed = (sight.seed, trial_hash(planned.trials[trial]))
    where = strides(steps, *paths, sight.noise)
    return ParticleFilter(costs, steps, where, reachable, sight.noise, sight.particles, seed)


# Goals that come into reach


def _in_reach(
    steps: Trajectory,
    costs: CostToGo,
    stages: int,
    read: Callable[[CostToGo, Floats, Ints], Floats],
) -> Annotated[Bools, "1+step goal"]:
    """Return which goals are in reach before the first step, and at each step.

    A goal is in reach if there is a path to it from where the agent begins, or from where it enters
    another mode. It stays in reach until the world changes.
    """
    entered = np.flatnonzero(np.diff(steps.mode, prepend=0))
    places = np.concatenate([steps.first[None], steps.start[entered]])
    modes = np.append(0, steps.mode[entered])
    lies = costs.world.lying[modes, : len(costs.cost)]  # or has been picked up
    near = (read(costs, places[None], modes) < np.inf).T & lies
    stage = modes // (len(costs.world.blocked) // stages)
    found = np.repeat(near[:1], 1 + len(steps.act), axis=0)
    for entry, step in enumerate(entered, start=1):
        near[entry] |= near[entry - 1] & (~lies[entry] | (stage[entry] == stage[entry - 1]))
        found[1 + step :] = near[entry]
    return found


def _cost_in_cells(costs: CostToGo, places: Floats, modes: Ints) -> Annotated[Floats, "goal place"]:
    column, row = places[0].T.astype(np.int64)
    return costs.cost[:, modes, row, column]
