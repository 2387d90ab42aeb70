"""Agent or not: things that move by themselves, and things that a turning paddle pushes.

A thing that starts by itself and always goes to one of two objects wants that object. A thing that
starts only when the paddle hits it wants nothing. At test, a board may hide the start from the
camera.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng
from hbtom.bench.synth.layouts import attempt, ensure
from hbtom.bench.synth.social.cases import (
    EXPECTED,
    NEITHER,
    TRIES,
    UNEXPECTED,
    Pair,
    Told,
    chance,
    consistent,
    pick,
)
from hbtom.bench.synth.social.courts import court, floor_of, least, near, off
from hbtom.bench.synth.social.paddles import PADDLE, ObjectApproach, found_way
from hbtom.bench.synth.social.staging import (
    MEETING,
    OFF_STAGE,
    SLOW,
    Place,
    StageCast,
    StagedPanel,
    cast,
    mirror,
    pause,
    played,
    staged,
    walk_up_to,
)
from hbtom.observe import Trial

CAMERA = (260.0, -60.0)
BOARD = (10, 42)  # width and height in pixels
BOARD_TURN = 315.0  # degrees: it faces the camera

_SELF = "it starts by itself while the paddle is away"
_PUSHED = "it starts only when the paddle hits it"
_SAME, _OTHER = "and goes to the object it went to before", "and goes to the other object"
_HIDDEN = "a board hides its start at test, "


@dataclass(frozen=True, slots=True)
class MemberContent:
    """The content of one episode."""

    pushed: bool  # in familiarization
    same: bool  # whether it goes to the usual object at test
    hidden: bool  # whether a board hides how it starts at test
    hit: bool = False  # whether it is seen to be hit at test


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a pair."""

    told: tuple[Told, Told]
    members: tuple[MemberContent, MemberContent]
    usual: tuple[bool, ...]  # in which familiarization trials it goes to the usual object


def draw(rng: Rng) -> Case:
    """Draw a case: members differ in the cause, the goal, or the start at test."""
    kind = pick(rng, ("goal", "cause", "cause, other goal", "start"), (4, 3, 2, 1))
    hidden = chance(rng, 0.75) if kind == "goal" else kind != "start" and chance(rng, 0.8)
    usual = consistent(rng)
    view = _HIDDEN if hidden else ""
    if kind == "goal":
        members = MemberContent(False, True, hidden), MemberContent(False, False, hidden)
        told = (
            Told(EXPECTED, f"{_SELF}, {view}{_SAME}"),
            Told(UNEXPECTED, f"{_SELF}, {view}{_OTHER}"),
        )
    elif kind == "start":
        members = MemberContent(True, True, False, hit=True), MemberContent(True, True, False)
        told = (
            Told(NEITHER, f"{_PUSHED}, also at test"),
            Told(UNEXPECTED, f"{_PUSHED}, but at test it is seen to start by itself"),
        )
    elif kind == "cause" and not hidden:
        members = MemberContent(False, True, False), MemberContent(True, True, False)
        told = (
            Told(EXPECTED, f"{_SELF}, {_SAME}"),
            Told(UNEXPECTED, f"{_PUSHED}, but at test it is seen to start by itself"),
        )
    elif kind == "cause":
        members = MemberContent(False, True, True), MemberContent(True, True, True)
        told = Told(EXPECTED, f"{_SELF}, {view}{_SAME}"), Told(NEITHER, f"{_PUSHED}, {view}{_SAME}")
    else:
        members = MemberContent(True, False, True), MemberContent(False, False, True)
        told = (
            Told(NEITHER, f"{_PUSHED}, {_HIDDEN}{_OTHER}"),
            Told(UNEXPECTED, f"{_SELF}, {_HIDDEN}{_OTHER}"),
        )
    return Case(told, members, usual)


def pair(case: Case, rng: Rng) -> Pair:
    """Make the episodes of a case."""
    who = cast(rng, court(rng), CAMERA)
    floor = floor_of(who.walls)
    start = near(rng, (80, 88), 10)
    spin = float(rng.integers(2, 7) * pick(rng, (-1, 1)))
    layouts = [attempt(lambda r: _layout(r, floor, start, spin), rng, TRIES) for _ in range(8)]
    tests = [attempt(lambda r: _tested(r, floor, start, spin, case), rng, TRIES)]
    glass = mirror(rng)
    seeds = rng.integers(1 << 30, size=9).tolist()
    made = []
    for member in case.members:
        trials = [
            _trial(who, one, (usual, member.pushed, False), np.random.default_rng(seed))
            for one, usual, seed in zip(layouts, case.usual, seeds, strict=False)
        ]
        how = member.same, member.hit, member.hidden
        trials.append(_trial(who, tests[0], how, np.random.default_rng(seeds[-1])))
        made.append(glass.episode(trials))
    return made[0], made[1]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of a trial, for either object."""

    usual: ObjectApproach
    other: ObjectApproach
    spin: float
    board: Point = OFF_STAGE


def _layout(rng: Rng, floor: FreeSpace, middle: Point, spin: float) -> _Layout:
    """Draw two objects that are equally far from the start, and a paddle for each of them."""
    start, heading = near(rng, middle, 1), float(rng.uniform(5, 85))
    between, far = float(rng.uniform(22, 65)) * pick(rng, (-1, 1)), float(rng.uniform(65, 97))
    ensure(5 <= heading + between <= 85)
    onset = int(rng.integers(22, 42))
    goals = off(start, heading, far), off(start, heading + between, far)
    ensure(abs(math.dist(start, goals[0]) - math.dist(start, goals[1])) <= 1)
    ensure(math.dist(*goals) >= 2 * MEETING - 4)
    usual, other = (found_way(rng, floor, (start, goal), onset, spin) for goal in goals)
    return _Layout(usual, other, spin)


def _tested(rng: Rng, floor: FreeSpace, middle: Point, spin: float, case: Case) -> _Layout:
    """Draw the test, and a board that hides the start and the place of a hit."""
    one = _layout(rng, floor, middle, spin)
    if not case.members[0].hidden:
        return one
    places = [place for way in (one.usual, one.other) for place in (way.start, way.back)]
    mean = (sum(x for x, _ in places) / 4, sum(y for _, y in places) / 4)
    toward = math.degrees(math.atan2(CAMERA[1] - mean[1], CAMERA[0] - mean[0]))
    board = off((round(mean[0]), round(mean[1])), toward, float(rng.uniform(32, 60)))
    ensure(all(_hides(board, place) for place in places))
    used = [at for way in (one.usual, one.other) for at in walk_up_to([way.back, way.goal], SLOW)]
    ensure(least([*used, one.usual.goal, one.other.goal], board) > 22 + MEETING)
    return _Layout(one.usual, one.other, spin, board)


def _hides(board: Point, place: Point) -> bool:
    """Return whether a board clearly hides a place from the camera."""
    turn = math.radians(BOARD_TURN)
    normal = np.array([math.cos(turn), math.sin(turn)])
    eye, there = (np.array(one) - np.array(board) for one in (CAMERA, place))
    share = (eye @ normal) / (eye @ normal - there @ normal)
    crossing = eye + share * (there - eye)
    return 0 < share < 1 and abs(crossing @ np.array([-normal[1], normal[0]])) < BOARD[1] / 2 - 3


def _trial(who: StageCast, layout: _Layout, how: tuple[bool, bool, bool], rng: Rng) -> Trial:
    """Stage a trial; how: to the usual object, pushed, with the board in the camera's view."""
    usual, pushed, hidden = how
    way = layout.usual if usual else layout.other
    first = way.back if pushed else way.start
    walked = walk_up_to([first, way.goal], SLOW)
    waited = way.onset - way.earlier if pushed else way.onset
    begin: dict[str, Place | None] = {
        "A": first,
        "O": layout.usual.goal,
        "P": layout.other.goal,
        "board": layout.board if hidden else OFF_STAGE,
        "paddle": way.paddle,
    }
    tracks = played(begin, [pause(waited), {"A": walked}, pause(int(rng.integers(2, 31)))])
    turns: Sequence[float] = way.angles(layout.spin, pushed, len(tracks["A"]))
    panels = {
        "board": StagedPanel("occluder", BOARD, BOARD_TURN if hidden else 0.0),
        "paddle": StagedPanel("paddle", PADDLE, turns),
    }
    return staged(who, tracks, panels, rng)
