"""From what is seen to what it means: a trial becomes a world and a trajectory in it.

Each motion has its own way to see a trial, registered by its type: see :func:`see`.
"""

from __future__ import annotations

import math
from functools import partial, singledispatch
from typing import Annotated, Any, NamedTuple

from hbtom.arrays import Floats
from hbtom.compiled import kernel
from hbtom.model import Acts, Continuous, Grid, Model
from hbtom.observe import Trial
from hbtom.world.modes import Costs, Layout, Space, World
from hbtom.world.occupancy import continuous_world, grid_world, layout_of
from hbtom.world.stages import at_frame, changes, joined, staged
from hbtom.world.steady import steadied
from hbtom.world.trajectory import Trajectory, continuous_trajectory, grid_trajectory

UNIT = 10.0  # pixels of walking that cost 1: the side of the paper's grid cell


class Seen(NamedTuple):
    """What a trial means: the world, and what the agent did in it."""

    trial: Trial  # as it is seen; without noise, as far as one can tell
    world: World
    trajectory: Trajectory
    waited: tuple[float, ...]  # what waiting for a barrier cost, if there was one
    stages: tuple[World, ...] = ()  # of which the world is made, if it changes


def see(model: Model, trial: Trial, openings: tuple[float, ...] = ()) -> Seen:
    """Return the world of a trial and the trajectory in it, as a model takes them.

    ``openings`` is what waiting for barriers cost in the trials before.
    """
    learnt = model.acts.learn_opening and len(openings) > 0
    opening = sum(openings) / len(openings) if learnt else model.acts.cost
    steady, make = steadied(trial, model.observation), partial(world_of, model.motion)
    still = at_frame(trial, 0) if changes(trial) else trial
    world = make(model.acts, float(opening), still)
    shown = layout_of(at_frame(trial, -1) if changes(trial) else trial)
    if steady is not trial:  # seen with noise, contact is judged leniently
        shown = shown._replace(radius=float(steady.agent.radius))
    steps = steps_of(model.motion, shown, steady, world, model.acts.final)
    if not changes(trial):
        return Seen(steady, world, steps, waits(steady))
    stages, steps = staged(trial, steps, partial(make, model.acts, float(opening)))
    return Seen(steady, joined(stages), steps, waits(steady), stages)


@singledispatch
def world_of(motion: Any, acts: Acts, opening: float, trial: Trial) -> World:
    """Return the world of a trial under a motion; ``opening`` is what opening a lock costs.

    Motions register their own functions.
    """
    raise TypeError(f"no world is known for {motion!r}")


@singledispatch
def steps_of(motion: Any, layout: Layout, steady: Trial, world: World, final: bool) -> Trajectory:
    """Return the trajectory of a trial, seen without noise, in its world.

    ``final`` tells whether the touch that ends the trial is a step. Motions register their own
    functions.
    """
    raise TypeError(f"no trajectory is known for {motion!r}")


@world_of.register
def _grid_world(motion: Grid, acts: Acts, opening: float, trial: Trial) -> World:
    costs = Costs(1.0, float(acts.cost), opening)
    return grid_world(layout_of(trial), Space(float(motion.cell)), costs)


@steps_of.register
def _grid_steps(
    motion: Grid, layout: Layout, steady: Trial, world: World, final: bool
) -> Trajectory:
    return grid_trajectory(layout, steady.whole_path, steady.marks, world, final)


@world_of.register
def _continuous_world(motion: Continuous, acts: Acts, opening: float, trial: Trial) -> World:
    walk, push, tool = motion.cell / UNIT, float(motion.push), float(motion.reluctance)
    costs = Costs(walk, float(acts.cost), opening, push, tool, motion.contact)
    space = Space(float(motion.cell), float(motion.clearance), float(motion.berth))
    return continuous_world(layout_of(trial), space, costs)


@steps_of.register
def _continuous_steps(
    motion: Continuous, layout: Layout, steady: Trial, world: World, final: bool
) -> Trajectory:
    path = steady.whole_path, steady.marks
    return continuous_trajectory(layout, *path, world, float(motion.stride), final)


def waits(trial: Trial) -> tuple[float, ...]:
    """Return what waiting for the barrier cost: the way the agent could have walked meanwhile.

    Only frames in which the barrier changes count, so that repeated frames change nothing.
    """
    if trial.lock is None and len(trial.barrier) == 0:
        return ()
    reached, gone = trial.marks.reached, trial.marks.gone
    if reached < 0 or gone < 0:
        return ()
    cost = _waiting(trial.whole_path, trial.barrier_left, reached, gone)
    return (cost,) if cost >= 0 else ()  # there may be a lock without a barrier


@kernel
def _waiting(
    path: Annotated[Floats, "frame 2"],
    barrier_left: Annotated[Floats, "frame"],
    reached: int,
    gone: int,
) -> float:
    """Return the frames in which the barrier changes times the agent's speed; -1 without such."""
    frames = 0
    for frame in range(1, gone + 1):
        frames += barrier_left[frame] != barrier_left[frame - 1]
    if frames == 0:
        return -1.0
    walked, moving = 0.0, 0
    for frame in range(1, reached + 1):
        across, down = path[frame, 0] - path[frame - 1, 0], path[frame, 1] - path[frame - 1, 1]
        length = math.sqrt(across * across + down * down)
        walked, moving = walked + length, moving + (length > 0)
    return frames * (walked / moving) / UNIT if moving > 0 else 0.0
