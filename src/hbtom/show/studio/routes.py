"""Routes for an agent: the shortest path to an object, a path to another one, and detours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any, Literal

from hbtom.bench.synth.errands import REACH
from hbtom.bench.synth.geometry import (
    CELL,
    WORLD,
    Box,
    FreeSpace,
    Point,
    free_space,
    path_length,
    square,
)
from hbtom.bench.synth.motion import pixel_line
from hbtom.bench.synth.walks import ITEM_R
from hbtom.errors import BadInput
from hbtom.show.studio.raw_trials import (
    Frames,
    Place,
    Thing,
    agent_in,
    centre_of,
    thing_in,
    tool_fields,
)
from hbtom.show.studio.stepping import GRASP, steps_along, steps_of

Manner = Literal["straighten", "swap", "detour"]
CONTACT = 0.8  # distance at which the agent stops, as a share of both radii
NOTABLE, USUAL = 1.25, 1.7  # least and preferred detour, as multiples of the shortest way


def goals(frames: Frames) -> list[Thing]:
    """Return the possible goals: the objects, and last the key if there is one."""
    first = frames[0]
    key = thing_in(first.get(tool_fields(first)[0], ()))
    return [*map(list, first["objects"]), *([] if key is None else [key])]


def goal_of(frames: Frames) -> int:
    """Return which goal is nearest to where the agent ends."""
    end, centres = steps_of(frames)[-1], [centre_of(one) for one in goals(frames)]
    if not centres:
        raise BadInput("there is no object to go to", hint="draw one first")
    return min(range(len(centres)), key=lambda index: math.dist(end, centres[index]))


def way(frames: Frames, manner: Manner) -> list[Place]:
    """Return the steps of the test trial of the other member of a pair.

    The other goal is the next object. If there is only one object, it is the key.
    """
    goal, objects = goal_of(frames), len(frames[0]["objects"])
    if manner == "swap":
        if len(goals(frames)) < 2:
            raise BadInput("there is only one object", hint="draw another one to swap the goal")
        goal = (goal + 1) % (objects if objects > 1 else 2)
    return steps_to(frames, goal, detour=manner == "detour")


def steps_to(frames: Frames, goal: int, *, detour: bool = False) -> list[Place]:
    """Return the steps of the shortest way to a goal, or of a detour, until they touch."""
    if list(frames[0]["size"]) != [WORLD, WORLD]:
        hint = "draw the path instead"
        problem = f"paths can be suggested only in worlds of {WORLD} × {WORLD} pixels"
        raise BadInput(problem, hint=hint)
    home, target = _point(steps_of(frames)[0]), goals(frames)[goal]
    route = _route(frames, home, goal)
    if detour:
        route = _detour(frames, home, goal, path_length(route))
    reach = CONTACT * (agent_in(frames)[1] + target[1])
    steps, end = steps_along(route), centre_of(target)
    last = next((at for at, place in enumerate(steps) if math.dist(place, end) <= reach), None)
    return steps if last is None else steps[: last + 1]


def _route(frames: Frames, start: Point, goal: int) -> list[Point]:
    """Return the shortest way to a goal, by way of key and lock if there is no other."""
    end = _point(centre_of(goals(frames)[goal]))
    found = _space(frames, goal).route(start, end) or _space(frames).route(start, end)
    found = found or _by_key(frames, start, end)
    if found is None:
        hint = "make room, or move them away from walls: agents keep a distance of 9 pixels"
        raise BadInput("there is no way from the agent to the object", hint=hint)
    return found


def _by_key(frames: Frames, start: Point, end: Point) -> list[Point] | None:
    """Return the shortest way by way of key and lock, each of which the agent just reaches."""
    key, lock = (thing_in(frames[0].get(name, ())) for name in tool_fields(frames[0]))
    if key is None or lock is None:
        return None
    closed, opened = _space(frames), _space(frames, unlocked=True)
    taken, (x, y) = _point(centre_of(key)), _point(centre_of(lock))
    first = _until(closed.route(start, taken), taken, GRASP * (agent_in(frames)[1] + key[1]))
    if not first:
        return None
    ways: list[list[Point]] = []
    for door in ((x - CELL, y), (x + CELL, y), (x, y - CELL), (x, y + CELL)):
        if to_door := closed.route(first[-1], door):
            then = _until([*to_door, (x, y)], (x, y), REACH)
            if last := opened.route(then[-1], end):
                ways.append([*first, *then[1:], *last[1:]])
    return min(ways, key=path_length, default=None)


def _until(route: list[Point] | None, centre: Point, reach: float) -> list[Point]:
    """Return the turning points of a route, cut off where it comes within reach of a place."""
    way = [] if route is None else route[:1]
    for start, end in pairwise(route or ()):
        for place in pixel_line(start, end):
            if math.dist(place, centre) <= reach:
                return [*way, place]
        way.append(end)
    return way


def _detour(frames: Frames, home: Point, goal: int, shortest: float) -> list[Point]:
    """Return a way through a place that makes it about as long as the usual detour."""
    space, middles = _space(frames, goal), range(CELL + CELL // 2, WORLD - CELL, CELL)
    ways: list[list[Point]] = []
    for via in product(middles, middles):
        first = space.route(home, via)
        if first:
            ways.append([*first, *_route(frames, via, goal)[1:]])
    longer = [one for one in ways if path_length(one) >= NOTABLE * shortest]
    if not longer:
        raise BadInput("there is no room for a detour", hint="draw the path instead")
    return min(longer, key=lambda one: abs(path_length(one) - USUAL * shortest))


def _space(frames: Frames, around: int | None = None, *, unlocked: bool = False) -> FreeSpace:
    """Return where the agent may be; all goals except ``around`` are obstacles."""
    first = frames[0]
    blocks: Sequence[Any] = first["walls"]
    others = [] if around is None else goals(frames)
    things = [one for index, one in enumerate(others) if index != around]
    solid = [square(_point(centre_of(one)), ITEM_R) for one in things]
    if not unlocked:
        lock = thing_in(first.get(tool_fields(first)[1], ()))
        solid += [square(_point(centre_of(lock)), round(lock[1]))] if lock else []
        blocks = [*blocks, *first.get("fuse_walls", ())]
    return free_space([*solid, *map(_box, blocks)])


def _box(block: Sequence[Any]) -> Box:
    (x, y), (width, height) = block
    return round(x), round(y), round(x + width), round(y + height)


def _point(place: Place) -> Point:
    return round(place[0]), round(place[1])
