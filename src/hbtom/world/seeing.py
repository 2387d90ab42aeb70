"""Interpreting what is seen: trials become worlds and trajectories in them.

Each type of motion registers its own functions for this: see :func:`worlds_of` and :func:`gait_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, singledispatch
from itertools import chain
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
from hbtom.world.occupancy import Openings, make_worlds
from hbtom.world.stages import at_frame, joined, staged
from hbtom.world.steps import Gait, find_trajectories
from hbtom.world.trajectory import Trajectories, Trajectory, distance, trajectory_at
from hbtom.world.trial_arrays import Scenes, layout_at, scenes_of, track_at


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
    """What several trials of the same size mean, whose worlds do not change."""

    steady: Sequence[Trial]
    worlds: Worlds
    trajectories: Trajectories
    waited: Sequence[tuple[float, ...]]

    def one(self, trial: int) -> Seen:
        """Return what one of the trials means."""
        world, steps = world_at(self.worlds, trial), trajectory_at(self.trajectories, trial)
        return Seen(self.steady[trial], world, steps, self.waited[trial], (world,))


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
    steady, scenes = trials, scenes_of(trials)
    paths = scenes
    if model.observation.noise > 0:
        steady = [steadied(trial, model.observation) for trial in trials]
        paths = scenes_of(steady)
    waited = _waits(paths)
    opening = np.full(len(trials), float(model.acts.cost))
    if model.acts.learn_opening and (any(waited) or any(one.openings for one in earlier)):
        before = ((one.openings, *(waited[other] for other in one.trials)) for one in earlier)
        opening = np.array([expected_opening(model.acts, *one) for one in before])
    worlds = worlds_of(model.motion, model.acts, opening, scenes)
    steps = find_trajectories(paths, worlds, gait_of(model.motion), model.acts.final)
    return SeenTrials(steady, worlds, steps, waited)


def expected_opening(acts: Acts, *openings: tuple[float, ...]) -> float:
    """Return the cost that an agent expects of opening a lock, given the costs so far."""
    known = [*chain.from_iterable(openings)] if acts.learn_opening else []
    return float(sum(known) / len(known)) if known else float(acts.cost)


def world_of(model: Model, trial: Trial, opening: float) -> PlaceWorld:
    """Return the world of a trial that does not change, given the cost of opening a lock."""
    worlds = worlds_of(model.motion, model.acts, np.array([opening]), scenes_of((trial,)))
    return world_at(worlds, 0)


def _in_stages(model: Model, trial: Trial, openings: tuple[float, ...]) -> Seen:
    """Return what a trial means whose world changes."""
    steady, gait = steadied(trial, model.observation), gait_of(model.motion)
    world_in = partial(world_of, model, opening=expected_opening(model.acts, openings))
    scenes, world = scenes_of((at_frame(steady, -1),)), world_in(at_frame(trial, 0))
    # No diagonals are made yet: they depend on the stage.
    straight = gait._replace(diagonals=False)
    every = find_trajectories(scenes, worlds_from(world), straight, model.acts.final)
    diagonals = world.space.in_cells and gait.diagonals
    stages, steps = staged(trial, trajectory_at(every, 0), scenes.path, world_in, diagonals)
    return Seen(steady, joined(stages), steps, _waits(scenes)[0], stages)


@singledispatch
def worlds_of(motion: Any, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    """Return the worlds of trials under a motion, given what opening a lock costs in each.

    Each type of motion registers its own function.
    """
    raise TypeError(f"worlds_of has no function for {motion!r}")


@singledispatch
def gait_of(motion: Any) -> Gait:
    """Return how paths are cut into moves. Each type of motion registers its own function."""
    raise TypeError(f"gait_of has no function for {motion!r}")


@worlds_of.register
def _grid_worlds(motion: Grid, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    space = Space(float(motion.cell), in_cells=True)
    return make_worlds(scenes, space, Costs(1.0, float(acts.cost)), opening)


@gait_of.register
def _from_cell_to_cell(motion: Grid) -> Gait:
    return Gait()


@worlds_of.register
def _continuous_worlds(motion: Continuous, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    pace, push, tool = motion.cell / UNIT, float(motion.push), float(motion.reluctance)
    costs = Costs(pace, float(acts.cost), push, tool, motion.contact)
    space = Space(float(motion.cell), float(motion.clearance), float(motion.berth))
    return make_worlds(scenes, space, costs, opening)


@gait_of.register
def _by_strides(motion: Continuous) -> Gait:
    return Gait(float(motion.stride))


def waits(trial: Trial) -> tuple[float, ...]:
    """Return the cost of waiting for the barrier, if the agent did."""
    return _waits(scenes_of((trial,)))[0]


def _waits(scenes: Scenes) -> list[tuple[float, ...]]:
    if not len(scenes.barrier) and not len(scenes.lock):  # as in most episodes
        return [()] * len(scenes.numbers)
    return [(cost,) if cost >= 0 else () for cost in waiting_costs(scenes).tolist()]


@kernel
def waiting_costs(scenes: Scenes) -> Annotated[Floats, "trial"]:
    """Return the cost of waiting in each trial, or -1 if the agent did not wait."""
    costs = np.empty(len(scenes.numbers))
    for trial in range(len(costs)):
        layout = layout_at(scenes, trial)
        waits = len(layout.barrier) > 0 or len(layout.lock) > 0
        costs[trial] = cost_of_waiting(track_at(scenes, trial)) if waits else -1.0
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
