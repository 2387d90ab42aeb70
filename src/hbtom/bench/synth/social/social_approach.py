"""Approach: the agent likes one of two others, and copies one when both gesture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hbtom.bench.synth.geometry import FreeSpace, Rng
from hbtom.bench.synth.layouts import attempt, ensure
from hbtom.bench.synth.social.cases import (
    EXPECTED,
    NEITHER,
    TRIES,
    UNEXPECTED,
    Level,
    Pair,
    Told,
    chance,
    consistent,
    pick,
)
from hbtom.bench.synth.social.companions import (
    NEAR_MISS,
    GestureDisplay,
    Spots,
    approach,
    beside,
    copying,
    gap_of,
    meeting,
    upon,
)
from hbtom.bench.synth.social.courts import anywhere, court, floor_of
from hbtom.bench.synth.social.gestures import two_gestures
from hbtom.bench.synth.social.staging import cast, mirror

_WHY: dict[Level, str] = {
    EXPECTED: "it copies the agent that it used to approach, and misses the object",
    NEITHER: "it touches the object by way of a gesture",
    UNEXPECTED: "it copies the other agent, and misses the object",
}


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a pair; B is the one that the agent approaches in familiarization."""

    told: tuple[Told, Told]
    like_b: tuple[bool, bool]  # whose gesture each member makes
    usual: tuple[bool, ...]  # in which familiarization trials it approaches B
    cut: bool  # whether a gesture is cut short at the object
    order: str  # who gestures first
    crossing: bool  # whether the gesture that is not made would run into the object


def draw(rng: Rng) -> Case:
    """Draw a case: members differ in whom it copies, in whether it reaches the object, or both."""
    levels: tuple[Level, Level] = pick(
        rng, ((EXPECTED, UNEXPECTED), (EXPECTED, NEITHER), (NEITHER, UNEXPECTED)), (2, 2, 1)
    )
    others = chance(rng, 0.25)  # the object may also be reached by way of the other gesture
    like_b = tuple(level == EXPECTED or (level == NEITHER and not others) for level in levels)
    told = Told(levels[0], _WHY[levels[0]]), Told(levels[1], _WHY[levels[1]])
    flags = chance(rng, 0.5), pick(rng, ("BC", "CB")), chance(rng, 0.3)
    return Case(told, (like_b[0], like_b[1]), consistent(rng), *flags)


def pair(case: Case, rng: Rng) -> Pair:
    """Make the episodes of a case."""
    who = cast(rng, court(rng))
    floor = floor_of(who.walls)
    home = attempt(lambda r: anywhere(r, floor), rng, 100)
    before = [attempt(lambda r: meeting(r, floor, home), rng, 300) for _ in range(8)]
    tests = attempt(lambda r: _tests(r, floor, case), rng, TRIES)
    glass, seeds = mirror(rng), rng.integers(1 << 30, size=9).tolist()
    familiar = [
        approach(who, spots, to_b, np.random.default_rng(seed))
        for spots, to_b, seed in zip(before, case.usual, seeds, strict=False)
    ]
    made = []
    for shown, like_b in zip(tests, case.like_b, strict=True):
        chosen = np.random.default_rng(seeds[-1])
        test = copying(who, shown, case.order, like_b, cut=case.cut, rng=chosen)
        made.append(glass.episode([*familiar, test]))
    return made[0], made[1]


def _tests(rng: Rng, floor: FreeSpace, case: Case) -> tuple[GestureDisplay, GestureDisplay]:
    """Draw both tests, with the same gestures: the agent's misses the object or reaches it."""
    shown = GestureDisplay(
        *two_gestures(rng), Spots(*(anywhere(rng, floor) for _ in range(3))), (0, 0)
    )
    shown.check_spots(floor, case.like_b)
    first, second = attempt(lambda r: _with_things(r, floor, shown, case), rng, 60)
    if first.thing != second.thing and chance(rng, 0.5):  # move the agents, not the object
        dx, dy = (first.thing[i] - second.thing[i] for i in (0, 1))
        second = replace(second, spots=shown.spots.shifted(dx, dy), thing=first.thing)
        second.check(floor, (case.like_b[1],))
    return first, second


def _with_things(
    rng: Rng, floor: FreeSpace, shown: GestureDisplay, case: Case
) -> tuple[GestureDisplay, GestureDisplay]:
    """Draw where the object is in each test."""
    made: list[GestureDisplay] = []
    both_miss = NEITHER not in {told.level for told in case.told}
    for told, like_b in zip(case.told, case.like_b, strict=True):
        instrumental = told.level == NEITHER
        if made and both_miss:
            made.append(made[0])  # the same test, except for whom it copies
        else:
            crossing = case.crossing and not instrumental and not both_miss
            way = shown.own(like_b ^ crossing).pixels(shown.spots.a)
            draws = upon if instrumental or crossing else beside
            made.append(replace(shown, thing=draws(rng, way)))
            made[-1].check_thing(floor)
        gap = gap_of(made[-1], like_b)
        ensure(gap < -2 if instrumental else gap >= NEAR_MISS[0])
        ensure(both_miss or gap <= NEAR_MISS[1])
    return made[0], made[1]
