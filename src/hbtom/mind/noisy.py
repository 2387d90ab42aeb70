"""Effort where places are seen with noise.

What happened, and when the agent decided, is told from the steadied way; where it was is left open,
for a filter to sum over.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.mind.cells import CellFilter, stays
from hbtom.mind.continuous import continuous_costs
from hbtom.mind.effort import Effort, Headings, name_goals
from hbtom.mind.grid import grid_effort
from hbtom.mind.particles import ParticleFilter
from hbtom.mind.sight import strides
from hbtom.mind.slip import planned_effort
from hbtom.mind.waste import Waste
from hbtom.model import Acts, Continuous, Grid, Model, Observation
from hbtom.observe import Trial
from hbtom.plan import CONTINUOUS, GRID, Costs, make_plans
from hbtom.plan.slip import slippery_plans
from hbtom.world import Course, Phase, continuous_course, continuous_floor, grid_course, grid_floor
from hbtom.world.course import MOVE
from hbtom.world.steady import steadied


def noisy_effort(model: Model, trial: Trial, opening: float) -> Effort:
    """Return the effort of a trial; ``opening`` is what opening a lock costs."""
    acts, sight = model.acts, model.observation
    if isinstance(model.motion, Grid):
        return _grid(model.motion, acts, sight, trial, opening)
    return _continuous(model.motion, acts, sight, trial, opening)


def _continuous(
    motion: Continuous, acts: Acts, sight: Observation, trial: Trial, opening: float
) -> Effort:
    """Return the effort of a trial under any-angle motion; a particle filter weighs it."""
    steady = steadied(trial, sight)
    floor = continuous_floor(trial, motion.cell, motion.clearance, motion.berth)
    course = continuous_course(steady, stride=motion.stride, final=acts.final)
    key = None if trial.key is None else len(trial.objects)
    costs = continuous_costs(motion, acts, opening)
    column, row = floor.cell_of(*steady.whole_path[0])
    plans = make_plans(floor, CONTINUOUS, costs, key=key, first=(row, column))
    waste = Waste.of(plans, -1 if key is None else key)
    first = np.broadcast_to(steady.whole_path[0], (len(trial.items), 2))
    reachable = waste.to_go(first, Phase.START) < np.inf
    nearest = _nearest(waste, course, reachable, acts.cost)
    seen = strides(course, steady.whole_path, trial.path, sight.noise)
    seed = (sight.seed, content(trial))
    particles = ParticleFilter(
        course, seen, sight.noise, waste, reachable, acts.cost, sight.particles, seed
    )
    effort = Effort(name_goals(trial), reachable, course.frame, nearest.excess, nearest)
    return effort.seen_through(particles)


def _grid(motion: Grid, acts: Acts, sight: Observation, trial: Trial, opening: float) -> Effort:
    """Return the effort of a trial in the gridworld; a forward filter over cells weighs it."""
    steady = steadied(trial, sight)
    floor = grid_floor(trial, motion.cell)
    course = grid_course(steady, floor, final=acts.final)
    key = None if trial.key is None else len(trial.objects)
    costs = Costs(1.0, acts.cost, opening)
    if motion.slip > 0:
        plans = slippery_plans(floor, costs, key=key, slip=motion.slip)
        effort = planned_effort(plans, course, steady, motion.slip)
    else:
        plans = make_plans(floor, GRID, costs, key=key)
        effort = grid_effort(motion, acts, steady, opening)
    seen = stays(course, floor, steady.whole_path, trial.path, sight.noise)
    return effort.seen_through(CellFilter(plans, course, key, seen, motion.slip))


def _nearest(
    waste: Waste, course: Course, reachable: Annotated[Bools, "goal"], act: float
) -> Headings:
    """Return what was wasted on the steadied way."""
    excess, length = np.zeros((len(course), len(reachable))), np.zeros(len(course))
    for step in range(len(course)):
        start, stop = (
            np.broadcast_to(place[step], (len(reachable), 2))
            for place in (course.start, course.stop)
        )
        phase = int(course.phase[step])
        if course.act[step] == MOVE:
            excess[step], lengths = waste.of_moves(start, stop, phase)
            length[step] = lengths[0]
        else:
            excess[step] = waste.of_act(start, int(course.act[step]), int(course.item[step]), phase)
    return Headings(course.act == MOVE, length, np.where(reachable, excess, 0.0), act)


def content(trial: Trial) -> int:
    """Return a number that two trials share if the same was seen in the same world.

    Random numbers depend on it, and so neither on the order of trials nor on who works on them.
    """
    parts: tuple[Floats, ...] = (trial.path, trial.places, trial.walls, trial.barrier)
    text = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
