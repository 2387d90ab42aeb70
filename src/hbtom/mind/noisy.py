"""Effort where places are seen with noise.

What happened, and when the agent decided, is told from the steadied way; where it was is left open,
for a filter to sum over.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.mind.action_noise import planned_regret
from hbtom.mind.cell_filter import CellFilter, stays
from hbtom.mind.continuous import continuous_costs
from hbtom.mind.grid import grid_regret
from hbtom.mind.particles import ParticleFilter
from hbtom.mind.regret import Headings, Regret, name_goals
from hbtom.mind.sight import strides
from hbtom.mind.waste import Waste
from hbtom.model import Acts, Continuous, Grid, Model, Observation
from hbtom.observe import Trial
from hbtom.plan import CONTINUOUS, GRID, Costs, plan_costs_to_go
from hbtom.plan.slippery import slippery_cost_to_go
from hbtom.world import (
    Phase,
    Trajectory,
    continuous_floor,
    continuous_trajectory,
    grid_floor,
    grid_trajectory,
)
from hbtom.world.steady import steadied
from hbtom.world.trajectory import MOVE


def noisy_regret(model: Model, trial: Trial, opening: float) -> Regret:
    """Return the effort of a trial; ``opening`` is what opening a lock costs."""
    acts, sight = model.acts, model.observation
    if isinstance(model.motion, Grid):
        return _grid(model.motion, acts, sight, trial, opening)
    return _continuous(model.motion, acts, sight, trial, opening)


def _continuous(
    motion: Continuous, acts: Acts, sight: Observation, trial: Trial, opening: float
) -> Regret:
    """Return the effort of a trial under any-angle motion; a particle filter weighs it."""
    steady = steadied(trial, sight)
    floor = continuous_floor(trial, motion.cell, motion.clearance, motion.berth)
    trajectory = continuous_trajectory(steady, stride=motion.stride, final=acts.final)
    key = None if trial.key is None else len(trial.objects)
    costs = continuous_costs(motion, acts, opening)
    column, row = floor.cell_of(*steady.whole_path[0])
    plans = plan_costs_to_go(floor, CONTINUOUS, costs, key=key, first=(row, column))
    waste = Waste.of(plans, -1 if key is None else key)
    first = np.broadcast_to(steady.whole_path[0], (len(trial.items), 2))
    reachable = waste.to_go(first, Phase.START) < np.inf
    nearest = _nearest(waste, trajectory, reachable, acts.cost)
    seen = strides(trajectory, steady.whole_path, trial.path, sight.noise)
    seed = (sight.seed, content(trial))
    particles = ParticleFilter(
        trajectory, seen, sight.noise, waste, reachable, acts.cost, sight.particles, seed
    )
    regret = Regret(name_goals(trial), reachable, trajectory.frame, nearest.step_regret, nearest)
    return regret.seen_through(particles)


def _grid(motion: Grid, acts: Acts, sight: Observation, trial: Trial, opening: float) -> Regret:
    """Return the effort of a trial in the gridworld; a forward filter over cells weighs it."""
    steady = steadied(trial, sight)
    floor = grid_floor(trial, motion.cell)
    trajectory = grid_trajectory(steady, floor, final=acts.final)
    key = None if trial.key is None else len(trial.objects)
    costs = Costs(1.0, acts.cost, opening)
    if motion.slip > 0:
        plans = slippery_cost_to_go(floor, costs, key=key, slip=motion.slip)
        regret = planned_regret(plans, trajectory, steady, motion.slip)
    else:
        plans = plan_costs_to_go(floor, GRID, costs, key=key)
        regret = grid_regret(motion, acts, steady, opening)
    seen = stays(trajectory, floor, steady.whole_path, trial.path, sight.noise)
    return regret.seen_through(CellFilter(plans, trajectory, key, seen, motion.slip))


def _nearest(
    waste: Waste, trajectory: Trajectory, reachable: Annotated[Bools, "goal"], act: float
) -> Headings:
    """Return what was wasted on the steadied way."""
    step_regret, length = np.zeros((len(trajectory), len(reachable))), np.zeros(len(trajectory))
    for step in range(len(trajectory)):
        start, stop = (
            np.broadcast_to(place[step], (len(reachable), 2))
            for place in (trajectory.start, trajectory.stop)
        )
        phase = int(trajectory.phase[step])
        if trajectory.act[step] == MOVE:
            step_regret[step], lengths = waste.of_moves(start, stop, phase)
            length[step] = lengths[0]
        else:
            step_regret[step] = waste.of_act(
                start, int(trajectory.act[step]), int(trajectory.item[step]), phase
            )
    return Headings(trajectory.act == MOVE, length, np.where(reachable, step_regret, 0.0), act)


def content(trial: Trial) -> int:
    """Return a number that two trials share if the same was seen in the same world.

    Random numbers depend on it, and so neither on the order of trials nor on who works on them.
    """
    parts: tuple[Floats, ...] = (trial.path, trial.places, trial.walls, trial.barrier)
    text = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
