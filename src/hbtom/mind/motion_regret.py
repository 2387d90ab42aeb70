"""The regret of steps: each motion has its own choices, registered by its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.assumptions import Continuous, Grid, Observation
from hbtom.mind.action_noise import action_noise, noisy_values
from hbtom.mind.cell_filter import CellFilter, stays
from hbtom.mind.continuous import heading_regrets, regret_at
from hbtom.mind.grid import NO_SLIPS, action_regrets, action_values, impossible_moves_warning
from hbtom.mind.noisy_strides import strides
from hbtom.mind.particles import ParticleFilter, trial_hash
from hbtom.mind.regret import (
    ActionNoise,
    Actions,
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
from hbtom.world import SeenTrials
from hbtom.world.modes import MODES, THINGS, UNIT
from hbtom.world.seeing import Seen, seen_alone
from hbtom.world.stages import outdated
from hbtom.world.trajectory import MOVE


def find_regrets(
    model: Model, trial: Trial, seen: Seen, costs: CostToGo
) -> tuple[Regret, Regret | None]:
    """Return the regret of every step of a trial, given the cost-to-go in its world.

    Where the world changes, the second is the regret of the same steps in the world as it was at
    first; otherwise there is none.
    """
    true = find_regret(model, trial, seen, costs)
    if len(seen.stages) == 1 or model.hypotheses.outdated == 0:
        return true, None
    cell = seen.world.space.cell if isinstance(model.motion, Continuous) else 1.0
    missed = seen._replace(trajectory=outdated(seen.trajectory, seen.stages[0], cell))
    return true, find_regret(model, trial, missed, costs)


def find_regret(model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    """Return the regret of every step of a trial, in the world as it is."""
    return regrets_of(model.motion, planned_alone(model, trial, seen, costs))[0]


class PlannedTrials(NamedTuple):
    """Several trials, what they mean, and the cost-to-go in their worlds."""

    model: Model
    trials: Sequence[Trial]
    seen: SeenTrials
    plans: Plans

    @property
    def goals(self) -> list[int]:
        """The number of goals in each trial; the key may be no goal but only a tool."""
        keys = self.model.preference.keys
        return [len(one.items if keys else one.objects) for one in self.trials]

    def one(self, trial: int) -> tuple[Seen, CostToGo]:
        """Return what one of the trials means, and the cost-to-go of its goals."""
        costs = cost_to_go_at(self.plans, trial)
        return self.seen.one(trial), costs._replace(cost=costs.cost[: self.goals[trial]])

    def changes(self, trial: int) -> bool:
        """Return whether the agent enters another mode, or another stage of its world."""
        first, (begin, end) = self.plans.worlds.first, self.seen.trajectories.begin[trial:][:2]
        several = first[trial + 1, MODES] - first[trial, MODES] > 1
        return bool(several and self.seen.trajectories.mode[begin:end].any())


def planned_alone(model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> PlannedTrials:
    """Return a trial as the only one of several."""
    return PlannedTrials(model, (trial,), seen_alone(seen), plans_from(costs))


@singledispatch
def regrets_of(motion: Any, planned: PlannedTrials) -> list[Regret]:
    """Return the regret of the steps of trials. Motions register their own functions."""
    raise TypeError(f"regrets_of has no function for {motion!r}")


@regrets_of.register
def _grid(motion: Grid, planned: PlannedTrials) -> list[Regret]:
    """Compare each step with all legal actions; with noise, a forward filter sums over cells."""
    steps, goals, sight = planned.seen.trajectories, planned.goals, planned.model.observation
    values, noise = _slips(planned, motion.slip) if motion.slip > 0 else (NO_SLIPS, None)
    every = action_regrets(planned.plans, steps, np.array(goals), GRID.table, values)
    things = planned.plans.worlds.first[:, THINGS]
    actions = len(GRID.moves) + things[1:] - things[:-1]
    begin, impossible, found = steps.begin.tolist(), every.impossible.tolist(), list[Regret]()
    near = every.initial < np.inf
    for trial, (many, wide) in enumerate(zip(goals, actions.tolist(), strict=True)):
        some, first = slice(begin[trial], begin[trial + 1]), every.initial[trial, :many]
        reachable = near[trial, :many]
        if False in reachable.tolist() and planned.changes(trial):
            reachable = np.any(_in_reach(*planned.one(trial), _cost_in_cells), axis=0)
        options = np.ascontiguousarray(every.action_regret[some, :wide, :many])
        one = Regret(
            name_goals(planned.trials[trial])[:many],
            reachable,
            steps.frame[some],
            np.ascontiguousarray(every.step_regret[some, :many]),
            Actions(options, None if noise is None else noise[trial]),
            impossible_moves_warning(impossible[trial]),
            _share(planned, trial, 1.0, first),
        )
        if many and sight.noise > 0:
            seen, costs = planned.one(trial)
            path, track = planned.trials[trial].path, seen.trajectory
            where = stays(track, seen.world, seen.steady.whole_path, path, sight.noise)
            one = one.with_filter(CellFilter(costs, track, where, motion.slip))
        found.append(one if many else empty_regret())
    return found


def _slips(
    planned: PlannedTrials, slip: float
) -> tuple[Annotated[Floats, "step action goal"], list[ActionNoise]]:
    """Return Q for all steps, and what is seen of their actions, if moves may slip."""
    values, noise = list[Floats](), list[ActionNoise]()
    for trial in range(len(planned.trials)):
        seen, costs = planned.one(trial)
        legal, q = action_values(costs, seen.trajectory, GRID.table)
        values.append(noisy_values(q, costs, seen.trajectory, slip))
        noise.append(action_noise(legal, seen.world, seen.trajectory, slip))
    actions, goals = (max(one.shape[axis] for one in values) for axis in (1, 2))
    padded = [np.zeros((len(one), actions, goals)) for one in values]
    for one, wide in zip(values, padded, strict=True):
        wide[:, : one.shape[1], : one.shape[2]] = one
    return np.concatenate(padded), noise


@regrets_of.register
def _continuous(motion: Continuous, planned: PlannedTrials) -> list[Regret]:
    """Compare each step with all headings; with noise, a particle filter sums over places."""
    steps, goals, sight = planned.seen.trajectories, planned.goals, planned.model.observation
    every = heading_regrets(planned.plans, steps, np.array(goals))
    begin, moves, act = steps.begin.tolist(), steps.act == MOVE, planned.model.acts.cost
    near, several, found = every.initial < np.inf, len(planned.seen.stages) > 1, list[Regret]()
    for trial, many in enumerate(goals):
        some, first = slice(begin[trial], begin[trial + 1]), every.initial[trial, :many]
        regret = np.ascontiguousarray(every.step_regret[some, :many])
        reachable, silent = near[trial, :many], None
        if (several or False in reachable.tolist()) and planned.changes(trial):
            regret, reachable, silent = _changing_reach(*planned.one(trial))
        one = Regret(
            name_goals(planned.trials[trial])[:many],
            reachable,
            steps.frame[some],
            regret,
            Headings(moves[some], every.length[some], regret, act, silent),
            share=_share(planned, trial, UNIT, first),
        )
        if many and sight.noise > 0:
            known = planned.trials[trial], *planned.one(trial), reachable
            one = one.with_filter(places_filter(sight, *known))
        found.append(one if many else empty_regret())
    return found


def _changing_reach(
    seen: Seen, costs: CostToGo
) -> tuple[Annotated[Floats, "step goal"], Annotated[Bools, "goal"], Annotated[Bools, "step goal"]]:
    """Return regret where goals come into reach, which do, and the steps before they do."""
    steps, near = seen.trajectory, _in_reach(seen, costs, cost_at)
    by_goal, _, _ = regret_at(costs, steps, steps.start[None], steps.stop[None])
    reachable, silent = np.any(near, axis=0), ~near[1:]
    regret = np.where(silent | ~reachable, 0.0, by_goal.T)
    return np.ascontiguousarray(regret), reachable, silent


def places_filter(
    sight: Observation, trial: Trial, seen: Seen, costs: CostToGo, reachable: Bools
) -> ParticleFilter:
    """Return the filter that sums over the places where the agent may have been."""
    steps = seen.trajectory
    where = strides(steps, seen.steady.whole_path, trial.path, sight.noise)
    seed = (sight.seed, trial_hash(trial))
    return ParticleFilter(costs, steps, where, reachable, sight.noise, sight.particles, seed)


def _share(
    planned: PlannedTrials, trial: int, unit: float, first: Annotated[Floats, "goal"]
) -> Annotated[Floats, "step"] | None:
    """Return the share of a plan done just before each step, if goals may change."""
    if planned.model.goals.switching == 0:
        return None
    seen = planned.seen.one(trial)
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
