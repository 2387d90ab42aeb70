"""The regret of steps: each motion has its own choices, registered by its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.assumptions import Continuous, Grid
from hbtom.mind.action_noise import action_noise, noisy_values
from hbtom.mind.cell_filter import CellFilter, stays
from hbtom.mind.continuous import heading_regrets, regret_at
from hbtom.mind.grid import NO_SLIPS, action_regrets, action_values, impossible_moves_warning
from hbtom.mind.noisy_strides import strides
from hbtom.mind.particles import ParticleFilter, trial_hash
from hbtom.mind.regret import (
    ActionNoise,
    Actions,
    FilteredChoice,
    Headings,
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
from hbtom.world.seeing import count_goals
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
    if not count_goals(model, trial):
        return empty_regret()
    steps, stages = trajectories_from(seen.trajectory), len(seen.stages)
    alone = PlannedSteps(model, (trial,), (seen.steady,), steps, plans_from(costs), stages)
    return regrets_of(alone)[0]


class PlannedSteps(NamedTuple):
    """The steps of several trials, all with goals, and the cost-to-go in their worlds."""

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


class ChosenSteps(NamedTuple):
    """What a motion says about the steps of one trial."""

    step_regret: Annotated[Floats, "step goal"]
    initial: Annotated[Floats, "goal"]  # the cost-to-go before the first step
    choice: Actions | Headings | FilteredChoice
    reachable: Annotated[Bools, "goal"] | None = None  # None: where the initial cost is finite
    warnings: tuple[str, ...] = ()


@singledispatch
def choices_of(motion: Any, planned: PlannedSteps) -> list[ChosenSteps]:
    """Return what each step was chosen from. Each type of motion registers its own function."""
    raise TypeError(f"choices_of has no function for {motion!r}")


def regrets_of(planned: PlannedSteps) -> list[Regret]:
    """Return the regret of every step of several trials."""
    begin, found = planned.steps.begin.tolist(), list[Regret]()
    for trial, one in enumerate(choices_of(planned.model.motion, planned)):
        goals = name_goals(planned.trials[trial])[: len(one.initial)]
        reachable = one.initial < np.inf if one.reachable is None else one.reachable
        frame, share = planned.steps.frame[slice(*begin[trial : trial + 2])], None
        if planned.model.goals.switching > 0:
            share = _share(*planned.one(trial), one.initial)
        known = goals, reachable, frame, one.step_regret, one.choice, one.warnings, share
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
    values, noise = NO_SLIPS, list[ActionNoise | None]([None] * len(planned.trials))
    if motion.slip > 0:
        values, noise = _slips(planned, motion.slip)
    every = action_regrets(planned.plans, planned.steps, planned.goals, GRID, values)
    chosen = list[ChosenSteps]()
    for trial, one in enumerate(every):
        actions = Actions(one.action_regret, noise[trial])
        choice: Actions | FilteredChoice = actions
        if planned.model.observation.noise > 0:
            choice = FilteredChoice(cells_filter(planned, trial, motion.slip), actions)
        reachable, warnings = None, impossible_moves_warning(one.impossible)
        if np.inf in one.initial.tolist() and planned.changes(trial):
            near = _in_reach(*planned.one(trial), planned.stages, _cost_in_cells)
            reachable = np.any(near, axis=0)
        chosen.append(ChosenSteps(one.step_regret, one.initial, choice, reachable, warnings))
    return chosen


def _slips(
    planned: PlannedSteps, slip: float
) -> tuple[Annotated[Floats, "step action goal"], list[ActionNoise | None]]:
    """Return Q for all steps, and what is seen of their actions, if moves may slip."""
    values, noise = list[Floats](), list[ActionNoise | None]()
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
    model, moves, begin = planned.model, planned.steps.act == MOVE, planned.steps.begin.tolist()
    chosen = list[ChosenSteps]()
    for trial, one in enumerate(heading_regrets(planned.plans, planned.steps, planned.goals)):
        regret, reachable, silent = one.step_regret, None, None
        far = planned.stages > 1 or np.inf in one.initial.tolist()
        if far and planned.changes(trial):
            regret, reachable, silent = _coming_into_reach(planned, trial)
        own = moves[slice(*begin[trial : trial + 2])]
        headings = Headings(own, one.length, regret, model.acts.cost, silent)
        choice: Headings | FilteredChoice = headings
        if model.observation.noise > 0:
            known = one.initial < np.inf if reachable is None else reachable
            choice = FilteredChoice(places_filter(planned, trial, known), headings)
        chosen.append(ChosenSteps(regret, one.initial, choice, reachable))
    return chosen


def _coming_into_reach(
    planned: PlannedSteps, trial: int
) -> tuple[Annotated[Floats, "step goal"], Annotated[Bools, "goal"], Annotated[Bools, "step goal"]]:
    """Return regret where goals come into reach, which ones do, and the steps before they do."""
    steps, costs = planned.one(trial)
    near = _in_reach(steps, costs, planned.stages, cost_at)
    by_goal, _, _ = regret_at(costs, steps, steps.start[None], steps.stop[None])
    reachable, silent = np.any(near, axis=0), ~near[1:]
    regret = np.where(silent | ~reachable, 0.0, by_goal.T)
    return np.ascontiguousarray(regret), reachable, silent


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
