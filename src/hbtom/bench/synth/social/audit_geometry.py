"""Plane geometry for the audit of social episodes: contact, lines of sight, paths."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.bench.synth.ground import Rect
from hbtom.observe import Identity, Trial
from hbtom.observe.bodies import Other

Places = Annotated[Floats, "frame 2"]
Spot = Annotated[Floats, "2"]
Ways = dict[Identity, list[Places]]  # the ways that each agent has moved

_SAMPLES = 120  # places on a way at which it is compared with another one
_REST = 6  # frames for which a thing must stay in place to be at rest
_SAME = 3.0  # largest distance between places that count as the same, in pixels
_FINE = 0.5  # pixels between points of a line of sight


class Box(NamedTuple):
    """A rectangle, turned about its centre."""

    centre: Spot
    half: Spot  # of its width and height
    turn: float  # in degrees

    @property
    def rect(self) -> Rect:
        """Its sides, if it is not turned."""
        (x, y), (wide, high) = self.centre.tolist(), self.half.tolist()
        return x - wide, y - high, x + wide, y + high


def box_of(panel: Other, at: int) -> Box:
    """Return a panel as it stands in a frame."""
    return Box(panel.path[at], np.array(panel.size) / 2, float(panel.angle[at]))


def box_gap(place: Spot, box: Box) -> float:
    """Return the distance from a place to the outline of a box; 0 inside it."""
    x, y = _from_box(place, box)
    return math.hypot(max(abs(x) - box.half[0], 0.0), max(abs(y) - box.half[1], 0.0))


def _from_box(place: Spot, box: Box) -> tuple[float, float]:
    """Return a place in the box's own coordinates, whose axes are its sides."""
    turn, (dx, dy) = math.radians(box.turn), (place - box.centre).tolist()
    cos, sin = math.cos(turn), math.sin(turn)
    return cos * dx + sin * dy, cos * dy - sin * dx


def in_between(one: Spot, other: Spot, box: Box) -> bool:
    """Return whether a box is on the straight line between two places, point by point."""
    start, stop = np.array(_from_box(one, box)), np.array(_from_box(other, box))
    many = 2 + int(np.hypot(*(stop - start)) / _FINE)
    points = start + np.linspace(0, 1, many)[:, None] * (stop - start)
    return bool((np.abs(points) <= box.half).all(axis=1).any())


def touching(path: Places, other: Places, reach: float) -> bool:
    """Return whether two things ever touch."""
    away = np.hypot(*(path - other).T)
    return bool(np.nanmin(away, initial=np.inf) <= reach)


def is_still_at(path: Places) -> bool:
    """Return whether something never moves."""
    return bool((np.nan_to_num(path) == np.nan_to_num(path[0])).all())


def onset(path: Places) -> int:
    """Return the last frame before something first moves."""
    return int((path != path[0]).any(axis=1).argmax()) - 1


def way_from(path: Places) -> Places:
    """Return the displacement of something at equal steps along its way."""
    steps = np.hypot(*np.diff(path, axis=0).T)
    length = np.append(0.0, np.cumsum(steps))
    at = np.linspace(0, length[-1], _SAMPLES)
    return np.stack([np.interp(at, length, axis) for axis in (path - path[0]).T], axis=1)


def rests(path: Places) -> list[Spot]:
    """Return the places where something rests, each once."""
    found: list[Spot] = []
    still = np.append(np.hypot(*np.diff(path, axis=0).T) == 0, False)
    first = 0
    for at, stays in enumerate(still):
        if stays:
            continue
        if at - first >= _REST and all(math.dist(path[at], one) > _SAME for one in found):
            found.append(path[at])
        first = at + 1
    return found


def inside(walls: Annotated[Floats, "wall 4"], place: Spot) -> bool:
    """Return whether a place is within the walls."""
    low, high = walls[:, :2].min(axis=0), (walls[:, :2] + walls[:, 2:]).max(axis=0)
    return bool((place >= low).all() and (place <= high).all())


def nearest(place: Spot, places: list[Spot]) -> int:
    """Return the number of the place that is nearest."""
    return int(np.argmin([math.dist(place, one) for one in places]))


def departure(trial: Trial) -> int:
    """Return the frame in which the agent sets out for good."""
    still = np.hypot(*np.diff(trial.path, axis=0).T) == 0
    last = int(np.flatnonzero(~still)[-1])
    before = np.flatnonzero(still[:last])
    return int(before[-1]) + 1 if len(before) else 0


def sees(trial: Trial, place: Spot, at: int) -> bool:
    """Return whether the agent is in the room and no board blocks its view of a place."""
    if trial.agent_there is not None and not trial.agent_there[at]:
        return False
    if not inside(trial.walls, trial.path[at]) or np.isnan(place[0]):
        return False
    boards = [
        one for one in trial.others if one.kind == "occluder" and not np.isnan(one.path[at, 0])
    ]
    return not any(in_between(trial.path[at], place, box_of(one, at)) for one in boards)
