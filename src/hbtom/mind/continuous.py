"""Evidence under any-angle motion: a heading for every stride, a choice for every act."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.evidence import UNIT, Evidence, name_goals
from hbtom.mind.policy import log_choice, log_heading
from hbtom.model import Acts, Continuous
from hbtom.observe import Trial
from hbtom.plan import CONTINUOUS, Costs, Plans, make_plans
from hbtom.plan.field import spilled
from hbtom.world import Act, Course, Phase, continuous_course, continuous_floor

HEADINGS = 72  # enough to tell how much an agent of some efficiency is likely to waste


def continuous_evidence(
    motion: Continuous,
    acts: Acts,
    efficiency: Annotated[Floats, "efficiency"],
    trial: Trial,
    opening: float,
) -> Evidence:
    """Return the evidence of a trial; ``opening`` is what opening a lock costs."""
    floor = continuous_floor(trial, motion.cell, motion.clearance)
    costs = Costs(motion.cell / UNIT, acts.cost, opening)
    key = None if trial.key is None else len(trial.objects)
    plans = make_plans(floor, CONTINUOUS, costs, key=key)
    course = continuous_course(trial, stride=motion.stride, final=acts.final)
    to_go = _Field(plans)

    excess, length = _excess(course, to_go, costs, key)
    moves = course.act == Act.MOVE
    excess = np.clip(excess, 0.0, np.where(moves, 2.0 * length, acts.cost)[:, None])
    log = np.where(
        moves[:, None, None],
        log_heading(excess, length, efficiency),
        log_choice(excess, acts.cost, efficiency),
    )
    reachable = np.isfinite(to_go(trial.path[:1], np.array([Phase.START])))[0]
    # An agent that wants what it cannot reach may go anywhere: a random heading has log-density 0.
    log = np.where(reachable[:, None], log, 0.0)
    options = _options(moves, length, excess, acts.cost)
    return Evidence(
        goals=name_goals(trial),
        reachable=reachable,
        log=log,
        frame=course.frame,
        excess=np.where(reachable, excess, 0.0),
        options=np.where(reachable, options, 0.0),
    )


def _options(
    moves: Annotated[Bools, "step"],
    length: Annotated[Floats, "step"],
    excess: Annotated[Floats, "step goal"],
    act: float,
) -> Annotated[Floats, "step option goal"]:
    """Return what any of many headings would have wasted; for an act, doing it or not."""
    headings = np.linspace(0.0, 2.0 * np.pi, HEADINGS, endpoint=False)
    turned = length[:, None] * (1.0 - np.cos(headings))
    choice = np.full((*excess.shape, HEADINGS), np.inf)
    choice[..., 0], choice[..., 1] = excess, act - excess
    return np.where(moves[:, None, None], turned[:, :, None], np.moveaxis(choice, -1, 1))


def _excess(
    course: Course, to_go: _Field, costs: Costs, key: int | None
) -> tuple[Annotated[Floats, "step goal"], Annotated[Floats, "step"]]:
    """Return what each step wastes for each goal, and how long it is, in units of cost."""
    length = np.hypot(*(course.stop - course.start).T) / UNIT
    price = np.choose(course.act, [length, costs.act, costs.opening])
    after = np.where(course.act == Act.OPEN, Phase.OPEN, course.phase)
    if key is not None:
        after = np.where(course.item == key, Phase.HELD, after)
    left = to_go(course.stop, after)
    for step in np.flatnonzero(course.act == Act.TOUCH):
        left[step, course.item[step]] = 0.0  # who touches its goal has nothing left to do
    with np.errstate(invalid="ignore"):  # no way before nor after: as bad as can be
        excess = price[:, None] + left - to_go(course.start, course.phase)
    return np.where(np.isnan(excess), np.inf, excess), length


class _Field:
    """Cost-to-go between the cells: bilinear, over those corners that have a way to the goal."""

    def __init__(self, plans: Plans) -> None:
        self._cell, self._layer = plans.floor.cell, plans.layer
        layers = [
            spilled(plans.cost[:, layer], plans.floor.blocked(layer), plans.costs.cell)
            for layer in range(plans.cost.shape[1])
        ]
        self._cost = np.stack(layers, axis=1)

    def __call__(
        self, places: Annotated[Floats, "step 2"], phase: Annotated[Ints, "step"]
    ) -> Annotated[Floats, "step goal"]:
        rows, columns = self._cost.shape[-2:]
        column, row = (places / self._cell - 0.5).T
        total = np.zeros((len(places), len(self._cost)))
        weight = np.zeros_like(total)
        for r, row_share in _corners(row, rows):
            for c, column_share in _corners(column, columns):
                value = self._cost[:, self._layer[phase], r, c].T
                known = np.isfinite(value)
                share = (row_share * column_share)[:, None] * known
                total += np.where(known, value, 0.0) * share
                weight += share
        # Less than half a cell with a way out is the far side of a wall.
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(weight >= 0.5, total / weight, np.inf)


def _corners(at: Floats, cells: int) -> list[tuple[Ints, Floats]]:
    """Return the two cells on either side of each coordinate, with their shares."""
    low = np.clip(np.floor(at), 0, cells - 2).astype(np.int64)
    share = np.clip(at - low, 0.0, 1.0)
    return [(low, 1.0 - share), (low + 1, share)]
