"""Interpreting what is seen: trials become worlds and trajectories in them.

Each type of motion registers its own functions for this: see :func:`worlds_of` and
:func:`trajectories_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.assumptions import Acts, Continuous, Grid
from hbtom.compiled import kernel, part_or
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.observe.events import Track, find_marks
from hbtom.world.denoising import steadied
from hbtom.world.modes import UNIT, Costs, PlaceWorld, Space, Worlds, world_at, worlds_from
from hbtom.world.occupancy import Openings, continuous_worlds, grid_worlds
from hbtom.world.stages import at_frame, joined, staged
from hbtom.world.steps import continuous_trajectories, grid_trajectories
from hbtom.world.trajectory import (
    Trajectories,
    Trajectory,
    distance,
    trajectories_from,
    trajectory_at,
)
from hbtom.world.trial_arrays import Scenes, scenes_of, track_at


class Seen(NamedTuple):
    """What a trial means: the world, and what the agent did in it."""

    steady: Trial  # the trial with the noise removed
    world: PlaceWorld
    trajectory: Trajectory
    waited: tuple[float, ...]  # the cost of waiting for a barrier, if there was one
    stages: tuple[PlaceWorld, ...]  # the parts of the world: one, unless the world changes

    @property
    def walked(self) -> float:
        """The length of the agent's path in pixels, with the noise removed."""
        return float(np.hypot(*np.diff(self.steady.whole_path, axis=0).T).sum())


class SeenTrials(NamedTuple):
    """What several trials mean, all of the same size and without changes."""

    steady: Sequence[Trial]
    worlds: Worlds
    trajectories: Trajectories
    waited: Sequence[tuple[float, ...]]
    stages: tuple[PlaceWorld, ...] = ()  # of the only trial, if its world changes

    def one(self, trial: int) -> Seen:
        """Return what one of the trials means."""
        world, steps = world_at(self.worlds, trial), trajectory_at(self.trajectories, trial)
        stages = self.stages or (world,)
        return Seen(self.steady[trial], world, steps, self.waited[trial], stages)


def seen_alone(seen: Seen) -> SeenTrials:
    """Return what one trial means, as that of the only one of several."""
    worlds, steps = worlds_from(seen.world), trajectories_from(seen.trajectory)
    return SeenTrials((seen.steady,), worlds, steps, (seen.waited,), seen.stages)


def see(model: Model, trial: Trial, openings: tuple[float, ...] = ()) -> Seen:
    """Return the world of a trial and the trajectory in it, as the model interprets them.

    ``openings`` are the costs of waiting for barriers in earlier trials.
    """
    if trial.changes:
        return _in_stages(model, trial, openings)
    return see_trials(model, (trial,), (Earlier(openings),)).one(0)


class Earlier(NamedTuple):
    """What came before a trial in its episode."""

    openings: tuple[float, ...] = ()  # the costs of waiting for barriers
    trials: Sequence[int] = ()  # after that, some of the trials that are seen together with it


def see_trials(model: Model, trials: Sequence[Trial], earlier: Sequence[Earlier]) -> SeenTrials:
    """Return the worlds of several trials, and the trajectories in them.

    The trials have the same size, and their worlds do not change.
    """
    steady = [steadied(trial, model.observation) for trial in trials]
    scenes = scenes_of(trials)
    paths = scenes if steady[0] is trials[0] else scenes_of(steady)
    waited = _waits(paths)
    before = (sum((waited[other] for other in one.trials), one.openings) for one in earlier)
    opening = np.array([_opening(model.acts, one) for one in before])
    worlds = worlds_of(model.motion, model.acts, opening, scenes)
    steps = trajectories_of(model.motion, paths, worlds, model.acts.final)
    return SeenTrials(steady, worlds, steps, waited)


def _opening(acts: Acts, openings: tuple[float, ...]) -> float:
    """Return the cost that an agent expects of opening a lock, given the costs so far."""
    learnt = acts.learn_opening and len(openings) > 0
    return float(sum(openings) / len(openings)) if learnt else float(acts.cost)


def _in_stages(model: Model, trial: Trial, openings: tuple[float, ...]) -> Seen:
    """Return what a trial means whose world changes."""
    steady, acts = steadied(trial, model.observation), model.acts
    opening = np.array([_opening(acts, openings)])

    def world_in(still: Trial) -> PlaceWorld:
        return world_at(worlds_of(model.motion, acts, opening, scenes_of((still,))), 0)

    # Blocked everywhere, so that no diagonals are made yet: they depend on the stage.
    worlds = worlds_of(model.motion, acts, opening, scenes_of((at_frame(trial, 0),)))
    worlds = worlds._replace(blocked=np.ones_like(worlds.blocked))
    scenes = scenes_of((at_frame(steady, -1),))
    steps = trajectory_at(trajectories_of(model.motion, scenes, worlds, acts.final), 0)
    diagonal = isinstance(model.motion, Grid)
    stages, steps = staged(trial, steps, scenes.path, world_in, diagonal)
    return Seen(steady, joined(stages), steps, _waits(scenes)[0], stages)


@singledispatch
def worlds_of(motion: Any, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    """Return the worlds of trials under a motion, given what opening a lock costs in each.

    Each type of motion registers its own function.
    """
    raise TypeError(f"worlds_of has no function for {motion!r}")


@singledispatch
def trajectories_of(motion: Any, scenes: Scenes, worlds: Worlds, final: bool) -> Trajectories:
    """Return the trajectories in worlds; with ``final``, the touch that ends a trial is a step.

    Each type of motion registers its own function.
    """
    raise TypeError(f"trajectories_of has no function for {motion!r}")


@worlds_of.register
def _grid_worlds(motion: Grid, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    costs = Costs(1.0, float(acts.cost))
    return grid_worlds(scenes, Space(float(motion.cell)), costs, opening)


@trajectories_of.register
def _grid_steps(motion: Grid, scenes: Scenes, worlds: Worlds, final: bool) -> Trajectories:
    return grid_trajectories(scenes, worlds, final)


@worlds_of.register
def _continuous_worlds(motion: Continuous, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    pace, push, tool = motion.cell / UNIT, float(motion.push), float(motion.reluctance)
    costs = Costs(pace, float(acts.cost), push=push, tool=tool, contact=motion.contact)
    space = Space(float(motion.cell), float(motion.clearance), float(motion.berth))
    return continuous_worlds(scenes, space, costs, opening)


@trajectories_of.register
def _continuous_steps(
    motion: Continuous, scenes: Scenes, worlds: Worlds, final: bool
) -> Trajectories:
    return continuous_trajectories(scenes, worlds, float(motion.stride), final)


def waits(trial: Trial) -> tuple[float, ...]:
    """Return the cost of waiting for the barrier, if the agent did."""
    return _waits(scenes_of((trial,)))[0]


def _waits(scenes: Scenes) -> list[tuple[float, ...]]:
    if not len(scenes.barrier) and not len(scenes.lock):
        return [()] * len(scenes.numbers)
    return [(cost,) if cost >= 0 else () for cost in waiting_costs(scenes).tolist()]


@kernel
def waiting_costs(scenes: Scenes) -> Annotated[Floats, "trial"]:
    """Return the cost of waiting in each trial, or -1 if the agent did not wait."""
    costs = np.empty(len(scenes.numbers))
    for trial in range(len(costs)):
        costs[trial] = cost_of_waiting(track_at(scenes, trial))
    return costs


def _all_waiting(track: Track) -> float:
    """Compute the same on whole arrays; lengths are added in the same order."""
    marks = find_marks(track)
    if marks.reached < 0 or marks.gone < 0:
        return -1.0
    frames = int(np.count_nonzero(np.diff(track.barrier_left[: marks.gone + 1])))
    across, down = np.diff(track.path[: marks.reached + 1], axis=0).T
    length = np.sqrt(across * across + down * down)
    moving = int(np.count_nonzero(length))
    if frames == 0 or moving == 0:
        return 0.0 if frames else -1.0
    return frames * (float(length.cumsum()[-1]) / moving) / UNIT


@part_or(_all_waiting)
def cost_of_waiting(track: Track) -> float:
    """Return the cost of waiting: how far the agent could have walked, or -1 if it did not wait.

    Only frames in which the barrier changes count, so that repeated frames change nothing. A lock
    without a barrier causes no waiting.
    """
    path, marks = track.path, find_marks(track)
    if marks.reached < 0 or marks.gone < 0:
        return -1.0
    frames = moving = 0
    for frame in range(1, marks.gone + 1):
        frames += track.barrier_left[frame] != track.barrier_left[frame - 1]
    if frames == 0:
        return -1.0
    walked = 0.0
    for frame in range(1, marks.reached + 1):
        length = distance(path[frame - 1], path[frame])
        walked += length
        moving += length > 0
    return frames * (walked / moving) / UNIT if moving > 0 else 0.0
