"""From what is seen to what it means: a trial becomes a world and a trajectory in it.

Each motion has its own way to see a trial, registered by its type: see :func:`see`.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Annotated, Any, NamedTuple

from hbtom.arrays import Floats
from hbtom.compiled import kernel
from hbtom.model import Continuous, Grid, Model
from hbtom.observe import Trial
from hbtom.world.modes import Costs, Layout, Space, World
from hbtom.world.occupancy import continuous_world, grid_world, layout_of
from hbtom.world.steady import steadied
from hbtom.world.trajectory import Trajectory, continuous_trajectory, grid_trajectory

UNIT = 10.0  # pixels of walking that cost 1: the side of the paper's grid cell


class Seen(NamedTuple):
    """What a trial means: the world, and what the agent did in it."""

    trial: Trial  # as it is seen; without noise, as far as one can tell
    world: World
    trajectory: Trajectory
    waited: tuple[float, ...]  # what waiting for a barrier cost, if there was one


def see(model: Model, trial: Trial, openings: tuple[float, ...] = ()) -> Seen:
    """Return the world of a trial and the trajectory in it, as a model takes them.

    ``openings`` is what waiting for barriers cost in the trials before.
    """
    learnt = model.acts.learn_opening and len(openings) > 0
    opening = sum(openings) / len(openings) if learnt else model.acts.cost
    steady = steadied(trial, model.observation)
    world, trajectory = see_motion(model.motion, model, trial, steady, opening)
    return Seen(steady, world, trajectory, waits(steady))


@singledispatch
def see_motion(
    motion: Any, model: Model, trial: Trial, steady: Trial, opening: float
) -> tuple[World, Trajectory]:
    """Return world and trajectory under a motion; ``opening`` is what opening a lock costs.

    ``steady`` is the trial without noise. Motions register their own functions.
    """
    raise TypeError(f"no way is known to see a trial under {motion!r}")


@see_motion.register
def _grid(
    motion: Grid, model: Model, trial: Trial, steady: Trial, opening: float
) -> tuple[World, Trajectory]:
    layout, costs = layout_of(trial), Costs(1.0, float(model.acts.cost), float(opening))
    world = grid_world(layout, Space(float(motion.cell)), costs)
    path = steady.whole_path, steady.marks
    return world, grid_trajectory(_grown(layout, steady), *path, world, model.acts.final)


@see_motion.register
def _continuous(
    motion: Continuous, model: Model, trial: Trial, steady: Trial, opening: float
) -> tuple[World, Trajectory]:
    layout, walk = layout_of(trial), motion.cell / UNIT
    act, push, tool = float(model.acts.cost), float(motion.push), float(motion.reluctance)
    costs = Costs(walk, act, float(opening), push, tool, motion.contact)
    space = Space(float(motion.cell), float(motion.clearance), float(motion.berth))
    world = continuous_world(layout, space, costs)
    how = world, float(motion.stride), model.acts.final
    path = steady.whole_path, steady.marks
    return world, continuous_trajectory(_grown(layout, steady), *path, *how)


def _grown(layout: Layout, steady: Trial) -> Layout:
    """Return a layout with the agent as large as it counts for contact when seen with noise."""
    radius = float(steady.agent.radius)
    return layout if layout.radius == radius else layout._replace(radius=radius)


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
