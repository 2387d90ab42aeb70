"""Imitation: the agent copies one of two others, and then approaches one."""

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
from hbtom.bench.synth.social.courts import anywhere, court, floor_of, near
from hbtom.bench.synth.social.gestures import two_gestures
from hbtom.bench.synth.social.staging import cast, mirror

_COPIES = "it copies one agent and misses the object"
_REACHES = "it reaches the object each time by way of a gesture"


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a pair; B is the one that the agent copies in familiarization."""

    told: tuple[Told, Told]
    instrumental: tuple[bool, bool]
    to_b: tuple[bool, bool]  # whom each member approaches at test
    usual: tuple[bool, ...]  # in which social trials it copies B
    cut: bool
    order: str  # who gestures in each trial


def draw(rng: Rng) -> Case:
    """Draw a case: members differ in whom it approaches, or in why it made its gestures."""
    levels: tuple[Level, Level] = pick(
        rng, ((EXPECTED, UNEXPECTED), (EXPECTED, NEITHER), (NEITHER, UNEXPECTED)), (2, 2, 1)
    )
    to_b = (EXPECTED in levels, UNEXPECTED not in levels)
    instrumental = tuple(level == NEITHER for level in levels)
    told = tuple(
        Told(
            level,
            f"{_REACHES if level == NEITHER else _COPIES}; at test it approaches "
            f"{'that agent' if to else 'the other agent'}",
        )
        for level, to in zip(levels, to_b, strict=True)
    )
    order = pick(rng, ("BBBBCCCC", "CCCCBBBB", "BCBCBCBC", "CBCBCBCB", ""))
    order = order or "".join(rng.permutation(list("BBBBCCCC")).tolist())
    usual, cut = consistent(rng), chance(rng, 0.5)
    return Case((told[0], told[1]), (instrumental[0], instrumental[1]), to_b, usual, cut, order)


def pair(case: Case, rng: Rng) -> Pair:
    """Make the episodes of a case."""
    who = cast(rng, court(rng))
    floor = floor_of(who.walls)
    shows = attempt(lambda r: _shows(r, floor), rng, TRIES)
    shifts = [attempt(lambda r: _shifted(r, floor, shows), rng, TRIES) for _ in range(8)]
    test = attempt(lambda r: _spots(r, floor), rng, TRIES)
    glass, seeds = mirror(rng), rng.integers(1 << 30, size=9).tolist()
    made = []
    for to_b, instrumental in zip(case.to_b, case.instrumental, strict=True):
        trials = [
            copying(
                who,
                replace(shows[instrumental], spots=spots),
                name,
                usual or instrumental,
                cut=case.cut,
                rng=np.random.default_rng(seed),
            )
            for spots, name, usual, seed in zip(shifts, case.order, case.usual, seeds, strict=False)
        ]
        trials.append(approach(who, test, to_b, np.random.default_rng(seeds[-1])))
        made.append(glass.episode(trials))
    return made[0], made[1]


def _spots(rng: Rng, floor: FreeSpace) -> Spots:
    """Draw where all agents stand at test."""
    return meeting(rng, floor, anywhere(rng, floor))


def _shows(rng: Rng, floor: FreeSpace) -> tuple[GestureDisplay, GestureDisplay]:
    """Draw gestures, once with an object that they miss, and once with one that B's runs into."""
    shown = GestureDisplay(
        *two_gestures(rng), Spots(*(anywhere(rng, floor) for _ in range(3))), (0, 0)
    )
    shown.check_spots(floor, (True, False))
    way = shown.b.pixels(shown.spots.a)
    social = attempt(lambda r: _missing(floor, replace(shown, thing=beside(r, way))), rng, 40)
    into = attempt(lambda r: _running_into(floor, replace(shown, thing=upon(r, way))), rng, 40)
    return social, into


def _missing(floor: FreeSpace, shown: GestureDisplay) -> GestureDisplay:
    shown.check_thing(floor)
    ensure(NEAR_MISS[0] <= gap_of(shown, True) <= NEAR_MISS[1])
    ensure(gap_of(shown, False) >= NEAR_MISS[0])
    return shown


def _running_into(floor: FreeSpace, shown: GestureDisplay) -> GestureDisplay:
    shown.check_thing(floor)
    ensure(gap_of(shown, True) < -2)
    return shown


def _shifted(rng: Rng, floor: FreeSpace, shows: tuple[GestureDisplay, GestureDisplay]) -> Spots:
    """Draw where the others stand in one trial: near their usual places."""
    a, b, c = (getattr(shows[0].spots, name) for name in "abc")
    spots = Spots(a, near(rng, b, 6), near(rng, c, 6))
    replace(shows[0], spots=spots).check(floor, (True, False))
    replace(shows[1], spots=spots).check_thing(floor)
    return spots
