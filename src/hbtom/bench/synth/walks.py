"""Walks: an agent's path to an object on a given stage, and the resulting trial.

Agents walk around items that are not their goal, just as they walk around walls. If an item seals
the way and cannot be avoided, they walk through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hbtom.bench.synth.geometry import (
    CLEARANCE,
    Box,
    Point,
    Rng,
    RouteField,
    free_space,
    meets,
    path_length,
    square,
)
from hbtom.bench.synth.layouts import Cells, boxes_of, ensure, found, wall_list
from hbtom.bench.synth.motion import STILL_FRAMES, TRAILING_FRAMES, frames_along, natural, until
from hbtom.bench.synth.script import Moment, Take, Thing
from hbtom.bench.synth.sprites import OBJECT_R, shapes_touch
from hbtom.observe import Identity

ITEM_R = 9  # half the side of the square that an item (object or key) takes up
PLAIN = 2  # an item this many pixels larger or smaller must not change which path is open
NOTABLE = 2.0  # least extra length of walking around an item that counts, in pixels
MIDST = 10  # largest distance between a path and an item placed in the way, in pixels

Walk = tuple[Point, ...]  # the agent's centre in every frame from home to contact


def routes_from(
    solid: Sequence[Box], start: Point, goal: Point, other: Point | None = None
) -> RouteField:
    """Routes of an agent that goes to the goal, past another item if there is one."""
    if other is not None:
        field = _around(solid, other, start)
        if np.isfinite(field.length(goal)):
            return field
    return free_space(solid).field(start)


def routes_on(cells: Cells, start: Point) -> RouteField:
    """Shortest routes from one start on a layout."""
    return free_space(boxes_of(cells)).field(start)


@dataclass(frozen=True, slots=True)
class PathLengths:
    """Lengths of the path to a goal past another item, in pixels; infinity if there is none."""

    through: float  # as if the item were not there
    around: float  # approximately

    @property
    def length(self) -> float:
        """Length of the path that an agent takes."""
        return self.around if np.isfinite(self.around) else self.through

    @property
    def obstructed(self) -> bool:
        """Whether the item is clearly in the way and can be walked around."""
        return self.through + NOTABLE <= self.around < np.inf


def passage(solid: Sequence[Box], start: Point, goal: Point, other: Point) -> PathLengths | None:
    """How to get past another item; None if a pixel or two decide which path is open."""
    route = free_space(solid).route(start, goal)
    if route is None:
        return PathLengths(np.inf, np.inf)
    through = path_length(route)
    if not in_the_way(other, route, ITEM_R + CLEARANCE + PLAIN):
        return PathLengths(through, through)
    slim, wide = (_around(solid, other, start, by).length(goal) for by in (-PLAIN, PLAIN))
    if np.isinf(slim):
        return PathLengths(through, np.inf)
    if wide > slim + 6 * PLAIN:  # the path is a different one, or there is none
        return None
    return PathLengths(through, (slim + wide) / 2 if in_the_way(other, route) else through)


def in_the_way(item: Point, route: Sequence[Point], reach: int = ITEM_R + CLEARANCE) -> bool:
    """Whether an agent on this route would come too close to an item."""
    box = square(item, reach)
    return any(meets(a, b, box) for a, b in pairwise(route))


def _around(solid: Sequence[Box], item: Point, start: Point, wider: int = 0) -> RouteField:
    return free_space([*solid, square(item, ITEM_R + wider)]).field(start)


def walk_to(rng: Rng, field: RouteField, agent: Identity, goal: Thing, r: int = OBJECT_R) -> Walk:
    """The walk along the shortest path until the shapes touch."""
    frames = frames_along(natural(found(field.route(goal.centre)), field.space, rng))
    cut = found(until(frames, lambda p: shapes_touch(agent, p, goal.look, goal.centre, r)))
    ensure(len(cut) > 1)
    return tuple(cut)


def still_before_and_after(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """Add the still frames at the beginning and at the end of a trial."""
    first, last = moments[0], moments[-1]
    return (first,) * (STILL_FRAMES - 1) + tuple(moments) + (last,) * TRAILING_FRAMES


def plain_trial(cells: Cells, objects: Sequence[Thing], agent: Identity, walk: Walk) -> Take:
    """A trial in which only the agent moves."""
    moments = still_before_and_after([Moment(p) for p in walk])
    return Take(wall_list(cells), tuple(objects), walk[0], agent, moments)


class Order:
    """The order in which an episode lists its objects: always the same, or random in each trial."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._flip = bool(rng.random() < 0.5)
        self._fixed = bool(rng.random() < 0.5)

    def of(self, objects: Sequence[Thing]) -> tuple[Thing, ...]:
        """The objects as this trial lists them."""
        flip = self._flip if self._fixed else bool(self._rng.random() < 0.5)
        return tuple(reversed(objects)) if flip else tuple(objects)
