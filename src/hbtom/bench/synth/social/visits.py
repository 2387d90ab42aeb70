"""Visits: another agent enters the house, moves an object, and leaves; and what the agent sees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng, meets
from hbtom.bench.synth.layouts import ensure
from hbtom.bench.synth.social.houses import HOME, box_around, route
from hbtom.bench.synth.social.staging import BRISK, MEETING, Place, Track, walk

BOARD, SCREEN = (10, 34), (10, 42)
SCREEN_AT: Point = (134, 100)  # right in front of the agent
CORRIDOR, DOORSTEP, INSIDE = (192, 0), (192, 100), (171, 100)
EXIT: Point = (192, 180)
ROOM = 180  # x where the room ends
PLAIN = 25.0  # where it matters, one place is nearer than another by at least this many pixels


@dataclass(frozen=True, slots=True)
class Visit:
    """Where the visitor and the object are at each step, and when the object is moved."""

    other: Track
    thing: Track
    lifted: int
    put_down: int


def visit(rng: Rng, floor: FreeSpace, start: Point, stop: Point) -> Visit:
    """Return how the visitor enters, carries an object from one place to another, and leaves."""
    coming = walk([CORRIDOR, DOORSTEP, *route(floor, INSIDE, start)], BRISK)
    carrying = walk(route(floor, start, stop), BRISK)
    rest = int(rng.integers(2, 5))
    leaving = walk([*route(floor, stop, INSIDE), DOORSTEP, EXIT], BRISK)
    other: list[Place] = [CORRIDOR, *coming, *[start] * rest, *carrying, *[stop] * rest, *leaving]
    # It is lifted once the visitor touches it or arrives at it.
    touch = next(i for i, place in enumerate(other) if math.dist(place, start) <= MEETING)
    lifted = touch if rng.random() < 0.5 else 1 + len(coming)
    put_down = 1 + len(coming) + rest + len(carrying)
    thing = [*[start] * lifted, *other[lifted:put_down], stop]
    return Visit([*other, None], thing, lifted, put_down)


def entering(rng: Rng) -> Track:
    """Return how the agent enters from the corridor."""
    return [CORRIDOR, *walk([CORRIDOR, DOORSTEP, HOME], BRISK - int(rng.integers(2)))]


def leaving() -> Track:
    """Return how the agent leaves."""
    return [*walk([HOME, DOORSTEP, CORRIDOR], BRISK), None]


def last_seen(tracks: Mapping[str, Track], boards: Mapping[str, tuple[int, int]]) -> Place | None:
    """Return where the agent last saw the object, given all tracks; None if it never did."""
    last = None
    for step, (agent, thing) in enumerate(zip(tracks["A"], tracks["O"], strict=True)):
        if agent is None or thing is None or agent[0] > ROOM:
            continue
        walls = [
            box_around(at, size)  # type: ignore[arg-type]
            for name, size in boards.items()
            if (at := tracks[name][step]) is not None
        ]
        if not any(meets(agent, thing, wall) for wall in walls):  # type: ignore[arg-type]
            last = thing
    return last


def check_belief(seen: Place | None, places: tuple[Point, Point], believed: int) -> None:
    """Refuse a trial in which the agent does not clearly believe what it should.

    If it has not seen the object, it believes that the object is in its usual, first place.
    """
    if seen is None:
        ensure(believed == 0)
    else:
        nearer = math.dist(seen, places[1 - believed]) - math.dist(seen, places[believed])
        ensure(nearer >= PLAIN)


def check_apart(way: Sequence[Place], bodies: Sequence[Place], reach: float) -> None:
    """Refuse a way that comes too near to any of these bodies."""
    for a, b in pairwise(way):
        middle = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
        ensure(all(math.dist(one, body) > reach for one in (a, middle, b) for body in bodies))
