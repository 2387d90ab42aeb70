"""How much longer an agent's way to a thing was than the shortest one.

Both ways begin where the agent starts and end where it first touches the thing. The shortest one
leads around walls and other things. It keeps as far from each as the agent is wide, or as far as
the agent itself kept, if that was less; what the agent passed through is no obstacle. So no way is
shorter than the shortest one.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from itertools import combinations
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe import Trial
from hbtom.observe.contact import TOUCH
from hbtom.world.occupancy import LOCK_HALF

MOST_BOXES = 1000  # walls and things that are looked at
MOST_TESTS = 20_000_000  # lines between corners times boxes; beyond that, no way is looked for
_SLACK = 1e-6  # pixels; lines may graze boxes
_OUTSIDE = 1e-3  # pixels; how far from a corner its surroundings are probed
_DIRECTIONS = 180  # from which a target may be touched

Boxes = Annotated[Floats, "box 4"]  # left, top, right, bottom
Places = Annotated[Floats, "place 2"]


class Rim(NamedTuple):
    """What an agent touches: its centre, and how far from it the agent's centre is then."""

    centre: Annotated[Floats, "2"]
    reach: float


def detour(trial: Trial, item: int, *, tolerance: float = TOUCH) -> float | None:
    """Return the way to an item in multiples of the shortest one.

    It is None where this is not defined: the agent does not come to the item, or begins there; the
    item or a wall changes; or the agent uses a key or a lock on its way. It is also None if there
    are too many walls to look for the shortest way.
    """
    body, path, marks = trial.items[item], trial.whole_path, trial.marks
    touch = trial.agent.radius + body.radius
    away = np.hypot(*(path - body.centre).T)
    reach = max(touch, float(away.min()))  # less than touching counts, too, within the tolerance
    if reach > touch + tolerance or away[0] <= touch + tolerance:
        return None
    frame = int((away <= reach).argmax())
    acts = [at for at in (marks.picked, marks.started) if at >= 0]
    if (acts and min(acts) < frame) or _changes(trial, item, frame):
        return None
    target = Rim(np.array(body.centre), reach)
    way = np.vstack([path[:frame], _entry(path[frame - 1], path[frame], target)])
    boxes = _obstacles(trial, item)
    if len(boxes) > MOST_BOXES or len(boxes) * len(way) > MOST_TESTS:
        return None
    boxes = _kept_away(boxes, way, trial.agent.radius)
    shortest = shortest_way(way[0], way[-1], target, boxes)
    return None if shortest is None else _length(way) / shortest


def _changes(trial: Trial, item: int, frame: int) -> bool:
    """Return whether the item or a wall has changed by a frame."""
    walls, places = trial.walls_there, trial.object_paths
    if walls is not None and (walls[: frame + 1] != walls[0]).any():
        return True
    moves = places is not None and item < len(trial.objects)
    return moves and bool((trial.objects_at[: frame + 1, item] != trial.objects_at[0, item]).any())


def _entry(before: Places, after: Places, target: Rim) -> Annotated[Floats, "2"]:
    """Return where a line comes within reach of a target."""
    step, from_centre = after - before, before - target.centre
    a, b = float(step @ step), float(step @ from_centre)
    c = float(from_centre @ from_centre) - target.reach**2
    share = (-b - math.sqrt(max(b * b - a * c, 0.0))) / a
    entry: Floats = before + min(max(share, 0.0), 1.0) * step
    return entry


def _length(way: Places) -> float:
    return float(np.hypot(*np.diff(way, axis=0).T).sum())


# Obstacles


def _obstacles(trial: Trial, item: int) -> Boxes:
    """Return walls, barrier, lock, all things but an item, and what is beyond the world."""
    (width, height), far = trial.size, sum(trial.size)
    beyond = np.array(
        [
            (-far, -far, far, 3 * far),
            (width, -far, far, 3 * far),
            (-far, -far, 3 * far, far),
            (-far, height, 3 * far, far),
        ]
    )
    walls = trial.walls if trial.walls_there is None else trial.walls[trial.walls_there[0]]
    corners = [beyond, walls, trial.barrier]
    squares = [
        (*one.centre, one.radius)
        for index, one in enumerate(trial.items)
        if index != item and math.dist(one.centre, trial.items[item].centre) > _SLACK
    ]
    if trial.lock is not None:
        squares.append((*trial.lock.centre, LOCK_HALF))
    for x, y, half in squares:
        corners.append(np.array([[x - half, y - half, 2 * half, 2 * half]]))
    boxes = np.concatenate(corners)
    boxes = np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    return np.concatenate([_rows(boxes, 0), _rows(boxes, 1)])  # both: no line between two boxes


def _rows(boxes: Boxes, axis: int) -> Boxes:
    """Join boxes that touch along an axis and are equally wide across it."""
    joined: list[list[float]] = []
    low, high = axis, axis + 2
    for box in sorted(boxes.tolist(), key=lambda one: (one[1 - axis], one[3 - axis], one[low])):
        last = joined[-1] if joined else None
        alike = last is not None and (last[1 - axis], last[3 - axis]) == (
            box[1 - axis],
            box[3 - axis],
        )
        if last is not None and alike and box[low] <= last[high]:
            last[high] = max(last[high], box[high])
        else:
            joined.append(box)
    return np.array(joined).reshape(-1, 4)


def _kept_away(boxes: Boxes, way: Places, radius: float) -> Boxes:
    """Grow boxes by a radius, or as far as a way leaves room; leave out those that it crosses."""
    grown = []
    step = np.abs(np.diff(way, axis=0)).max(axis=1, initial=0.0)
    for left, top, right, bottom in boxes.tolist():
        x, y = way.T
        sides = np.stack([left - x, x - right, top - y, y - bottom])  # the largest counts
        away = sides.max(axis=0)
        near = np.flatnonzero(np.minimum(away[:-1], away[1:]) - step < radius)
        kept = min(_least(sides[:, near], sides[:, near + 1]), float(away.min()), radius)
        if kept >= 0:
            kept = max(kept - 2 * _OUTSIDE, 0.0)  # a gap that is just wide enough stays open
            grown.append((left - kept, top - kept, right + kept, bottom + kept))
    return np.array(grown).reshape(-1, 4)


def _least(first: Annotated[Floats, "side line"], last: Annotated[Floats, "side line"]) -> float:
    """Return the least of the largest side on lines, between whose ends sides change evenly."""
    least, slope = np.inf, last - first
    for one, other in combinations(range(len(first)), 2):
        turn = slope[other] - slope[one]
        with np.errstate(divide="ignore", invalid="ignore"):
            at = np.nan_to_num((first[one] - first[other]) / turn, posinf=0.0, neginf=0.0)
        values = first + np.clip(at, 0.0, 1.0) * slope
        least = min(least, float(values.max(axis=0).min(initial=np.inf)))
    return least


# The shortest way


def shortest_way(
    start: Annotated[Floats, "2"], end: Annotated[Floats, "2"], target: Rim, boxes: Boxes
) -> float | None:
    """Return the length of the shortest way around boxes to where a target is touched.

    It is the best of the ways by way of corners. It may end at ``end``, too, which is one of the
    places where the target is touched. It is None if this would take too long.
    """
    corners = _corners(boxes)
    if len(corners) ** 2 * len(boxes) > MOST_TESTS:
        return None
    circle = np.linspace(0.0, 2.0 * np.pi, _DIRECTIONS, endpoint=False)
    rim = target.centre + target.reach * np.stack([np.cos(circle), np.sin(circle)], axis=1)
    places, far = np.vstack([start, corners]), np.full(1 + len(corners), np.inf)
    least, far[0], open_places = np.inf, 0.0, [(0.0, 0)]
    left = np.hypot(*(places - target.centre).T) - target.reach  # at least
    while open_places:
        most, here = heappop(open_places)
        if most >= least:
            break
        if most > far[here] + left[here] + _SLACK:
            continue
        place = places[here]
        toward = target.centre - place
        nearest = target.centre - toward * (target.reach / max(float(np.hypot(*toward)), _SLACK))
        ends = np.vstack([nearest, end, rim])
        ends = ends[_free(place, ends, boxes)]
        least = min(least, far[here] + float(np.hypot(*(ends - place).T).min(initial=np.inf)))
        way = far[here] + np.hypot(*(places - place).T)
        better = np.flatnonzero(way < far - _SLACK)
        better = better[_free(place, places[better], boxes)]
        far[better] = way[better]
        for index in better.tolist():
            heappush(open_places, (float(far[index] + left[index]), index))
    return float(least) if least < np.inf else None


def _corners(boxes: Boxes) -> Places:
    """Return the corners around which a way may turn: outside of all boxes, and convex."""
    found = [np.empty((0, 2))]
    for column, row, across, down in ((0, 1, -1, -1), (2, 1, 1, -1), (0, 3, -1, 1), (2, 3, 1, 1)):
        corner, out = boxes[:, [column, row]], _OUTSIDE * np.array([across, down])
        beside = [out, out * (-1, 1), out * (1, -1)]
        free = [~_inside(corner + shift, boxes) for shift in beside]
        found.append(corner[np.logical_and.reduce(free)])
    return np.unique(np.vstack(found), axis=0)


def _inside(places: Places, boxes: Boxes) -> Annotated[Bools, "place"]:
    x, y = places.T[:, :, None]
    left, top, right, bottom = boxes.T
    within: Bools = ((left < x) & (x < right) & (top < y) & (y < bottom)).any(axis=1)
    return within


def _free(place: Annotated[Floats, "2"], others: Places, boxes: Boxes) -> Annotated[Bools, "place"]:
    """Return which places can be reached on a straight line that passes through no box."""
    step = (others - place)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        low = (boxes[None, :, :2] + _SLACK - place) / step
        high = (boxes[None, :, 2:] - _SLACK - place) / step
    enter, leave = np.fmin(low, high), np.fmax(low, high)
    along = step != 0  # else the line is beside the box or not, all along
    between = (boxes[None, :, :2] + _SLACK < place) & (place < boxes[None, :, 2:] - _SLACK)
    enter = np.where(along, enter, np.where(between, -np.inf, np.inf))
    leave = np.where(along, leave, np.where(between, np.inf, -np.inf))
    first, last = enter.max(axis=2), leave.min(axis=2)
    crossed = (first < last) & (last > 0.0) & (first < 1.0)
    free: Bools = ~crossed.any(axis=1)
    return free
