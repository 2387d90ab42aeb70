"""Interpreting what is seen: a trial becomes a world and a trajectory in it.

Each type of motion registers its own functions for this: see :func:`world_of` and :func:`steps_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, singledispatch
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from hbtom.assumptions import Acts, Continuous, Grid
from hbtom.compiled import kernel_or
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.observe.events import Track, find_marks, track_of
from hbtom.observe.layout import Layout, layout_of
from hbtom.world.cell_trajectory import grid_trajectory
from hbtom.world.denoising import steadied
from hbtom.world.modes import UNIT, Costs, PlaceWorld, Space
from hbtom.world.occupancy import continuous_world, grid_world
from hbtom.world.stages import at_frame, joined, staged
from hbtom.world.trajectory import Trajectory, continuous_trajectory, distance


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


def see(model: Model, trial: Trial, openings: tuple[float, ...] = ()) -> Seen:
    """Return the world of a trial and the trajectory in it, as the model interprets them.

    ``openings`` are the costs of waiting for barriers in earlier trials.
    """
    return see_all(model, (trial,), openings)[0]


def see_all(model: Model, trials: Sequence[Trial], openings: tuple[float, ...] = ()) -> list[Seen]:
    """Return the worlds of consecutive trials, and the trajectories in them.

    Each kind of value is computed for all trials before the next kind, so that its code stays in
    the processor's caches.
    """
    steady = [steadied(trial, model.observation) for trial in trials]
    layouts = [layout_of(at_frame(one, 0) if one.changes else one) for one in trials]
    tracks = list(map(track_of, steady))
    waited = list(map(waits, steady, tracks))
    opening = [_opening(model.acts, one) for one in accumulate(waited, initial=openings)]
    kind = type(model.motion)
    make = partial(world_of.dispatch(kind), model.motion, model.acts)
    worlds = list(map(make, opening, layouts))
    ends = map(_at_end, trials, steady, layouts)
    walks = [TrajectoryInput(*one, model.acts.final) for one in zip(ends, tracks, strict=True)]
    walled = [
        world._replace(blocked=np.ones_like(world.blocked)) if trial.changes else world
        for trial, world in zip(trials, worlds, strict=True)
    ]  # blocked everywhere, so that no diagonals are made yet: they depend on the stage
    steps = list(map(partial(steps_of.dispatch(kind), model.motion), walks, walled))
    seen = [Seen(*one, (one[1],)) for one in zip(steady, worlds, steps, waited, strict=True)]
    for index, trial in enumerate(trials):
        if trial.changes:
            each = partial(make, opening[index])
            seen[index] = _in_stages(trial, walks[index], seen[index], each, issubclass(kind, Grid))
    return seen


def _opening(acts: Acts, openings: tuple[float, ...]) -> float:
    """Return the cost that an agent expects of opening a lock, given the costs so far."""
    learnt = acts.learn_opening and len(openings) > 0
    return float(sum(openings) / len(openings)) if learnt else float(acts.cost)


def _at_end(trial: Trial, steady: Trial, layout: Layout) -> Layout:
    """Return the layout at the end of a trial; with noise, contact is judged leniently."""
    ends = layout_of(at_frame(trial, -1)) if trial.changes else layout
    return ends if steady is trial else ends._replace(radius=float(steady.agent.radius))


def _in_stages(
    trial: Trial,
    walk: TrajectoryInput,
    seen: Seen,
    make: Callable[[Layout], PlaceWorld],
    diagonal: bool,
) -> Seen:
    """Return the interpretation of a trial whose world changes; ``seen`` has its steps."""
    steps = seen.trajectory
    path, world_in = walk.track.path, lambda one: make(layout_of(one))
    stages, steps = staged(trial, steps, path, world_in, diagonal)
    return seen._replace(world=joined(stages), trajectory=steps, stages=stages)


class TrajectoryInput(NamedTuple):
    """The input of a trajectory."""

    layout: Layout  # at the end of the trial
    track: Track  # without gaps or noise
    final: bool  # whether the touch that ends the trial is a step


@singledispatch
def world_of(motion: Any, acts: Acts, opening: float, layout: Layout) -> PlaceWorld:
    """Return the world of a trial under a motion; ``opening`` is the cost of opening a lock.

    Each type of motion registers its own function.
    """
    raise TypeError(f"world_of has no function for {motion!r}")


@singledispatch
def steps_of(motion: Any, walk: TrajectoryInput, world: PlaceWorld) -> Trajectory:
    """Return the trajectory in a world. Each type of motion registers its own function."""
    raise TypeError(f"steps_of has no function for {motion!r}")


@world_of.register
def _grid_world(motion: Grid, acts: Acts, opening: float, layout: Layout) -> PlaceWorld:
    costs = Costs(1.0, float(acts.cost), opening)
    return grid_world(layout, Space(float(motion.cell)), costs)


@steps_of.register
def _grid_steps(motion: Grid, walk: TrajectoryInput, world: PlaceWorld) -> Trajectory:
    return grid_trajectory(walk.layout, walk.track, world, walk.final)


@world_of.register
def _continuous_world(motion: Continuous, acts: Acts, opening: float, layout: Layout) -> PlaceWorld:
    pace, push, tool = motion.cell / UNIT, float(motion.push), float(motion.reluctance)
    costs = Costs(pace, float(acts.cost), opening, push, tool, motion.contact)
    space = Space(float(motion.cell), float(motion.clearance), float(motion.berth))
    return continuous_world(layout, space, costs)


@steps_of.register
def _continuous_steps(motion: Continuous, walk: TrajectoryInput, world: PlaceWorld) -> Trajectory:
    stride = float(motion.stride)
    return continuous_trajectory(walk.layout, walk.track, world, stride, walk.final)


def waits(trial: Trial, track: Track | None = None) -> tuple[float, ...]:
    """Return the cost of waiting for the barrier, if the agent did; ``track`` is the trial's."""
    if trial.lock is None and len(trial.barrier) == 0:
        return ()
    cost = cost_of_waiting(track_of(trial) if track is None else track)
    return (cost,) if cost >= 0 else ()


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


@kernel_or(_all_waiting)
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
