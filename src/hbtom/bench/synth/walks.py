"""Walks: an agent's way to an object on a given stage, and the trial it makes.

Agents walk around items that they are not going to, as they do around walls. Where an item cannot
be avoided, because it seals the way, they walk through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .geometry import CLEARANCE, Box, Field, Point, Space, meets, path_length, square
from .layouts import Cells, wall_list
from .motion import STILL_FRAMES, TRAILING_FRAMES, frames_along, natural, until
from .script import Moment, Take, Thing
from .sprites import OBJECT_R, Look, touching

ITEM_R = 9  # an item that is avoided takes up a square of twice this, be it an object or a key
PLAIN = 2  # pixels by which an item could be larger or smaller with the same way being open
NOTABLE = 2.0  # pixels that a detour around an item adds to a way, to be one
MIDST = 10  # how near the line of a way items are put that are to lie in it

Walk = tuple[Point, ...]  # the agent's centre in every frame from home to contact


def ways(solid: Sequence[Box], start: Point, goal: Point, other: Point | None = None) -> Field:
    """Ways of an agent that is going to the goal while another item lies there."""
    if other is not None:
        field = _around(solid, other, start)
        if np.isfinite(field.length(goal)):
            return field
    return Space.around(solid).field(start)


@dataclass(frozen=True, slots=True)
class Passage:
    """Lengths of the way to a goal past another item, in pixels; infinity where there is none."""

    through: float  # as if the item were not there
    around: float  # about

    @property
    def length(self) -> float:
        """Length of the way that an agent takes."""
        return self.around if np.isfinite(self.around) else self.through

    @property
    def obstructed(self) -> bool:
        """Whether the item lies in the way, more than in passing, and can be walked around."""
        return self.through + NOTABLE <= self.around < np.inf


def passage(solid: Sequence[Box], start: Point, goal: Point, other: Point) -> Passage | None:
    """How to get past another item; None if a pixel or two decide which way is open."""
    route = Space.around(solid).route(start, goal)
    if route is None:
        return Passage(np.inf, np.inf)
    through = path_length(route)
    if not in_the_way(other, route, ITEM_R + CLEARANCE + PLAIN):
        return Passage(through, through)
    slim, wide = (_around(solid, other, start, by).length(goal) for by in (-PLAIN, PLAIN))
    if np.isinf(slim):
        return Passage(through, np.inf)
    if wide > slim + 6 * PLAIN:  # there is another way, or none
        return None
    return Passage(through, (slim + wide) / 2 if in_the_way(other, route) else through)


def in_the_way(item: Point, route: Sequence[Point], reach: int = ITEM_R + CLEARANCE) -> bool:
    """Whether an agent that kept to this route would come too close to an item."""
    box = square(item, reach)
    return any(meets(a, b, box) for a, b in pairwise(route))


def _around(solid: Sequence[Box], item: Point, start: Point, wider: int = 0) -> Field:
    return Space.around([*solid, square(item, ITEM_R + wider)]).field(start)


def walk_to(
    rng: np.random.Generator,
    field: Field,
    agent: Look,
    goal: Thing,
    r: int = OBJECT_R,
) -> Walk | None:
    """The walk along the shortest way until the shapes touch; None if there is no way."""
    route = field.route(goal.centre)
    if route is None:
        return None
    return stop_at(frames_along(natural(route, field.space, rng)), agent, goal, r)


def stop_at(frames: Sequence[Point], agent: Look, goal: Thing, r: int = OBJECT_R) -> Walk | None:
    """Cut a walk at the first frame in which this agent touches the goal."""
    cut = until(frames, lambda p: touching(agent, p, goal.look, goal.centre, r))
    return tuple(cut) if cut is not None and len(cut) > 1 else None


def still_before_and_after(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """Add the still frames before and after what happens in a trial."""
    first, last = moments[0], moments[-1]
    return (first,) * (STILL_FRAMES - 1) + tuple(moments) + (last,) * TRAILING_FRAMES


def plain_trial(cells: Cells, objects: Sequence[Thing], agent: Look, walk: Walk) -> Take:
    """A trial in which only the agent moves."""
    moments = still_before_and_after([Moment(p) for p in walk])
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
