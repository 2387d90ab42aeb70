"""Walks: an agent's way to an object on a given stage, and the trial it makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .geometry import Box, Point, Space, square
from .layouts import Cells, boxes_of, wall_list
from .motion import STILL_FRAMES, TRAILING_FRAMES, frames_along, natural, until
from .script import Moment, Take, Thing
from .shapes import OBJECT_R, Look, touching

Walk = tuple[Point, ...]  # the agent's centre in every frame from home to contact


def walk_to(
    rng: np.random.Generator,
    space: Space,
    start: Point,
    agent: Look,
    goal: Thing,
    r: int = OBJECT_R,
    route: Sequence[Point] | None = None,
) -> Walk | None:
    """The walk along the shortest route until the shapes touch; None if there is no route."""
    way = route if route is not None else space.route(start, goal.centre)
    if way is None:
        return None
    frames = frames_along(natural(way, space, rng))
    return stop_at(frames, agent, goal, r)


def stop_at(frames: Sequence[Point], agent: Look, goal: Thing, r: int = OBJECT_R) -> Walk | None:
    """Cut a walk at the first frame in which this agent touches the goal."""
    cut = until(frames, lambda p: touching(agent, p, goal.look, goal.centre, r))
    return tuple(cut) if cut is not None and len(cut) > 1 else None


def obstacles(cells: Cells, others: Iterable[Thing] = (), more: Iterable[Box] = ()) -> list[Box]:
    """Everything an agent walks around: walls, the objects it does not want, and more."""
    return [*boxes_of(cells), *(square(o.centre, OBJECT_R) for o in others), *more]


def still_then(walk: Sequence[Point]) -> tuple[Point, ...]:
    """Add the still frames before and after a walk."""
    return (walk[0],) * (STILL_FRAMES - 1) + tuple(walk) + (walk[-1],) * TRAILING_FRAMES


def plain_trial(cells: Cells, objects: Sequence[Thing], agent: Look, walk: Walk) -> Take:
    """A trial in which only the agent moves."""
    moments = tuple(Moment(p) for p in still_then(walk))
    return Take(wall_list(cells), tuple(objects), walk[0], agent, moments)


class Order:
    """The order in which an episode lists its objects: fixed, or new in every trial."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._flip = bool(rng.random() < 0.5)
        self._fixed = bool(rng.random() < 0.5)

    def of(self, objects: Sequence[Thing]) -> tuple[Thing, ...]:
        """The objects as this trial lists them."""
        flip = self._flip if self._fixed else bool(self._rng.random() < 0.5)
        return tuple(reversed(objects)) if flip else tuple(objects)
