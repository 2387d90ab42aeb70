"""Motion in the plane: any heading for every stride, distances on a fine lattice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.core.policy import Headings
from hbtom.observe.trial import Trial
from hbtom.places.maps import (
    LOCK,
    MARGIN,
    SIXTEEN,
    blocked_maps,
    centres,
    closed_margin,
    cover,
)
from hbtom.places.planning import escape_cost
from hbtom.places.steps import UNIT, Steps, distances, steps_of, strides
from hbtom.places.world import Costs, Places, Plan, Space, for_axes


@dataclass(frozen=True)
class Plane(Space):
    """How trials are interpreted as motion in the plane; lengths are pixels."""

    cell: float = 4.0
    clearance: float = 7.0  # of agents' centres from walls
    stride: float = 15.0  # walked per decision; 0: every frame is a decision
    berth: float = 8.0  # from things that agents pass; 0: none
    push: float = 20.0
    contact: bool = True
    reluctance: float = 0.0
    act: float = 1.0
    final: bool = True  # the touch that ends a trial is a step
    keys: bool = True  # a key can be wanted for itself
    learn_opening: bool = True

    def world(self, trial: Trial, opening: float | None = None) -> PlaneWorld:
        """Return the world of a trial, in which opening a lock costs so much, or an act."""
        price = self.act if opening is None else opening
        costs = Costs(self.cell / UNIT, self.act, price, self.push, self.reluctance, self.contact)
        x, y = centres(trial.size[0], self.cell), centres(trial.size[1], self.cell)
        blocked = blocked_maps(trial, x, y, self.clearance)
        radius = trial.agent.radius
        reach = [self._reach(one.centre, radius + one.radius, x, y) for one in trial.items]
        if len(blocked) > 1:
            far = LOCK / 2 + max(radius, self.clearance) + self.cell
            none = np.full(blocked.shape[1:], np.inf)
            reach.append(self._reach(trial.lock.centre, far, x, y) if trial.lock else none)
        maps = blocked, np.array(reach), self._boxes(trial, x, y)
        return PlaneWorld(trial, self.cell, costs, self.keys, SIXTEEN, *maps, self)

    def _reach(
        self, place: Any, far: float, x: Floats, y: Floats
    ) -> Annotated[Floats, "row column"]:
        """Return the distance to a place in cells, inf beyond ``far`` pixels.

        Agents head for the middle of things, so the distance to the middle is part of the cost,
        although contact ends the walk earlier.
        """
        across, down = x - place[0], y[:, None] - place[1]
        away = np.sqrt(down * down + across * across)
        away[away > far] = np.inf
        return closed_margin(away) / self.cell

    def _boxes(self, trial: Trial, x: Floats, y: Floats) -> Annotated[Bools, "item row column"]:
        """Return the cells in the square around each item, with the berth."""
        many = len(trial.items) if self.berth and len(trial.items) > 1 else 0
        boxes = np.zeros((many, len(y), len(x)), dtype=bool)
        for box, item in zip(boxes, trial.items, strict=False):
            (across, down), r = item.centre, item.radius
            cover(box, np.array([[across - r, down - r, 2 * r, 2 * r]]), x, y, self.berth)
        return boxes


@dataclass(frozen=True, eq=False)
class PlaneWorld(Places):
    """A world in which each stride has a heading."""

    how: Plane

    def steps_of(self, trial: Any) -> Steps:
        """Return the strides and acts of a trial."""
        cut = lambda trial, lengths, leg, mode: strides(trial, lengths, leg, self.how.stride)  # noqa: E731
        return steps_of(trial, self, self.how.final, cut, np.asarray)

    def chosen_from(self, steps: Steps, plan: Plan) -> Headings:
        """Return what steps were chosen from.

            regret = price of the step + cost-to-go after it - cost-to-go before it

        bounded by 0 and by what turning back, or an act in vain, would waste. Where a goal cannot
        be reached, a step says nothing about it, and its regret counts as 0.
        """
        many = len(steps)
        places = np.concatenate([steps.first[None], steps.start, steps.stop])
        modes = np.concatenate([[0], steps.mode, steps.after])
        value = self.cost_at(plan.cost, places, modes)  # [goal, place]
        initial, before, left = value[:, 0], value[:, 1 : many + 1], value[:, many + 1 :]
        attained = steps.goal >= 0
        left[steps.goal[attained], np.flatnonzero(attained)] = 0.0
        length = distances(steps.stop, steps.start) / UNIT
        price = np.where(steps.moves, length, steps.price)
        most = np.where(steps.moves, 2.0 * length, self.costs.act)
        with np.errstate(invalid="ignore"):
            regret = np.clip(price + left - before, 0.0, most)
        regret = np.where(left == np.inf, most, np.where(before == np.inf, 0.0, regret))
        reachable = initial < np.inf
        known = np.broadcast_to(reachable[:, None], (len(initial), many))
        if not reachable.all() and steps.mode.any():
            near = self.in_reach(steps, lambda *where: self.cost_at(plan.cost, *where))
            reachable, known = near[-1], near[1:].T
        regret = np.where(known, regret, 0.0)
        of = plan.axes
        return Headings(
            for_axes(regret, of), for_axes(-initial, of), for_axes(reachable, of), length,
            steps.moves, self.costs.act, for_axes(known, of),
        )  # fmt: skip

    def cost_at(self, cost: Floats, places: Floats, modes: Any) -> Annotated[Floats, "goal place"]:
        """Return the cost-to-go at places [place, 2], interpolated bilinearly.

        Only corners from which the goal can be reached count. If these have less than half of the
        weight, the place is on the far side of a wall, at infinite cost.
        """
        rows, columns = self.blocked.shape[1:]
        most = np.array([columns, rows]) - 2 * MARGIN - 2
        at = places / self.cell - 0.5
        low = np.clip(np.floor(at), 0, most)
        across, down = np.clip(at - low, 0.0, 1.0).T
        column, row = low.astype(int).T + MARGIN
        corner = ((modes * rows + row) * columns + column)[:, None] + (0, 1, columns, columns + 1)
        share = np.stack([1 - across, across, 1 - across, across], axis=1)
        share *= np.stack([1 - down, 1 - down, down, down], axis=1)  # [place, corner]
        value = cost.reshape(len(cost), -1)[:, corner]  # [goal, place, corner]
        hidden = (value == np.inf) & self.blocked.ravel()[corner]
        if hidden.any():
            goal, place, which = np.nonzero(hidden)
            cells = goal * self.blocked.size + corner[place, which]
            solid = np.broadcast_to(self.blocked, cost.shape)
            value[hidden] = escape_cost(cost, solid, cells, self.costs.walk)
        known = value < np.inf
        total = np.where(known, value, 0.0) * share
        weight = np.where(known, share, 0.0).sum(axis=-1)
        found: Floats = np.where(
            weight >= 0.5, total.sum(axis=-1) / np.maximum(weight, 0.5), np.inf
        )
        return found
