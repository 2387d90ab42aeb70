"""Company: three agents on a court that approach each other, gesture, and copy gestures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng
from hbtom.bench.synth.layouts import ensure
from hbtom.bench.synth.social.cases import chance, pick
from hbtom.bench.synth.social.courts import anywhere, apart, least, straight
from hbtom.bench.synth.social.gestures import GestureShape
from hbtom.bench.synth.social.staging import (
    MEETING,
    SLOW,
    Act,
    Place,
    StageCast,
    delayed,
    pause,
    played,
    staged,
    walk_up_to,
)
from hbtom.bench.synth.sprites import AGENT_R
from hbtom.observe import Trial

ROOM = 4  # least gap between bodies, in pixels, so that agents do not touch in passing
NEAR_MISS = (3, 20)  # least and largest gap between an object and a gesture that misses it


@dataclass(frozen=True, slots=True)
class Spots:
    """Where the agent and the two others stand."""

    a: Point
    b: Point
    c: Point

    def shifted(self, dx: int, dy: int) -> Spots:
        """Return all three, moved together."""
        return Spots(*((x + dx, y + dy) for x, y in (self.a, self.b, self.c)))


def still(rng: Rng, least_steps: int = 2) -> int:
    """Draw the number of steps in which nothing happens: mostly few, up to thirty."""
    return int(rng.integers(least_steps, 31 if chance(rng, 0.2) else 6))


# Walking up to another agent


def meeting(rng: Rng, floor: FreeSpace, start: Point, nearest: int = 30) -> Spots:
    """Draw where two others stand so that the agent can walk straight to either of them."""
    spots = Spots(start, anywhere(rng, floor), anywhere(rng, floor))
    ways = [
        walk_up_to([start, to], SLOW, 2 * AGENT_R) for to in (spots.b, spots.c) if _far(to, start)
    ]
    ensure(len(ways) == 2)
    ensure(all(nearest <= math.dist(start, to) - 2 * AGENT_R <= 148 for to in (spots.b, spots.c)))
    for to in (spots.b, spots.c):
        straight(floor, start, to)
    ensure(least(ways[0], spots.c) > 2 * AGENT_R + ROOM)
    ensure(least(ways[1], spots.b) > 2 * AGENT_R + ROOM)
    return spots


def _far(one: Point, other: Point) -> bool:
    return math.dist(one, other) > 2 * AGENT_R + 4


def approach(who: StageCast, spots: Spots, to_b: bool, rng: Rng) -> Trial:
    """Stage a trial in which the agent walks up to one of the others."""
    way = walk_up_to([spots.a, spots.b if to_b else spots.c], SLOW, 2 * AGENT_R)
    begin: dict[str, Place | None] = {"A": spots.a, "B": spots.b, "C": spots.c}
    tracks = played(begin, [pause(still(rng)), {"A": way}, pause(still(rng))])
    return staged(who, tracks, order=rng)


# Gestures


@dataclass(frozen=True, slots=True)
class GestureDisplay:
    """Two gestures, and where the agents and an object are."""

    b: GestureShape
    c: GestureShape
    spots: Spots
    thing: Point

    def own(self, like_b: bool) -> GestureShape:
        """Return the gesture that the agent makes."""
        return self.b if like_b else self.c

    def check(self, floor: FreeSpace, like_b: tuple[bool, ...]) -> None:
        """Refuse bodies too near to walls or each other; the agent may make any of ``like_b``."""
        self.check_spots(floor, like_b)
        self.check_thing(floor)

    def check_spots(self, floor: FreeSpace, like_b: tuple[bool, ...]) -> None:
        """Refuse agents that are too near to walls or to each other."""
        others = {"b": self.b.pixels(self.spots.b), "c": self.c.pixels(self.spots.c)}
        own = [self.own(one).pixels(self.spots.a) for one in like_b]
        ways = [*others.values(), *own]
        ensure(all(floor.free(way[-1]) for way in ways))
        ensure(all(floor.free(place) for way in ways for place in way[::4]))
        ensure(apart(others["b"][::3], others["c"][::3]) > 2 * AGENT_R + ROOM)
        ensure(
            all(
                apart(way[::3], other[::3]) > 2 * AGENT_R + ROOM
                for way in own
                for other in others.values()
            )
        )

    def check_thing(self, floor: FreeSpace) -> None:
        """Refuse an object too near to walls or agents, except for the agent's gesture."""
        ensure(floor.free(self.thing))
        ensure(math.dist(self.thing, self.spots.a) > MEETING + 8)
        for way in (self.b.pixels(self.spots.b), self.c.pixels(self.spots.c)):
            ensure(least(way, self.thing) > MEETING + ROOM)


def gap_of(shown: GestureDisplay, like_b: bool) -> float:
    """Return how far the agent's gesture misses the object; negative where they overlap."""
    return least(shown.own(like_b).pixels(shown.spots.a), shown.thing) - MEETING


def beside(rng: Rng, way: list[Point]) -> Point:
    """Draw a place that a gesture just misses."""
    x, y = pick(rng, way)
    away, turn = float(rng.uniform(*NEAR_MISS)) + MEETING, float(rng.uniform(0, 2 * math.pi))
    return round(x + away * math.cos(turn)), round(y + away * math.sin(turn))


def upon(rng: Rng, way: list[Point]) -> Point:
    """Draw a place that a gesture runs into: where it turns, or anywhere on its way."""
    if chance(rng, 0.5):
        return way[-1]
    x, y = pick(rng, way[len(way) // 4 :])
    aside = rng.integers(-8, 9, size=2).tolist()
    return x + aside[0], y + aside[1]


def gesturing(shown: GestureDisplay, rng: Rng, order: str) -> list[Act]:
    """Return the gestures of the others, in this order; now and then they overlap."""
    acts: list[Act] = []
    for name in order:
        one, spot = (shown.b, shown.spots.b) if name == "B" else (shown.c, shown.spots.c)
        acts += [{name: one.steps(spot)}, pause(still(rng, 0))]
    if len(order) == 2 and chance(rng, 0.15):
        first, second = acts[0], acts[2]
        ahead = len(first[order[0]]) - int(rng.integers(5, 20))
        return [{**first, **delayed(second, ahead)}, acts[3]]
    return acts


def copied(shown: GestureDisplay, like_b: bool, rng: Rng, *, cut: bool) -> Act:
    """Return the agent's own gesture, from its own place; cut short at the object, or not."""
    own, start = shown.own(like_b), shown.spots.a
    if cut and gap_of(shown, like_b) < 0:
        return {"A": own.cut(start, shown.thing, MEETING, int(rng.integers(1, 6)))}
    return {"A": own.steps(start)}


def copying(
    who: StageCast, shown: GestureDisplay, order: str, like_b: bool, *, cut: bool, rng: Rng
) -> Trial:
    """Stage a trial in which others gesture, and the agent then makes one of the gestures."""
    spots = shown.spots
    begin: dict[str, Place | None] = {
        "A": spots.a,
        "B": spots.b,
        "C": spots.c,
        "O": shown.thing,
    }
    acts = [pause(still(rng)), *gesturing(shown, rng, order)]
    acts += [copied(shown, like_b, rng, cut=cut), pause(still(rng))]
    return staged(who, played(begin, acts), order=rng)
