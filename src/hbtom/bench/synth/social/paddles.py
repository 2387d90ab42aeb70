"""The paddle, which turns all the time and hits anything in its way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng
from hbtom.bench.synth.layouts import attempt, ensure
from hbtom.bench.synth.social.cases import pick
from hbtom.bench.synth.social.courts import off, straight
from hbtom.bench.synth.social.staging import SLOW, Place
from hbtom.bench.synth.sprites import AGENT_R

PADDLE = (10, 40)  # width and height in pixels
UNTOUCHED = 7.0  # least gap between the paddle and a thing that starts by itself, in pixels
_DEEPEST = -2.0  # least gap between the paddle and a thing that is pushed, in pixels


@dataclass(frozen=True, slots=True)
class ObjectApproach:
    """How a thing reaches one of the objects: by itself, or pushed from farther back."""

    start: Point  # of a thing that moves by itself
    back: Point  # of a thing that is pushed
    goal: Point
    onset: int  # steps before it starts by itself
    earlier: int  # steps by which it starts earlier if it is pushed
    paddle: Point
    turn: float  # degrees, of the paddle when it hits

    def angles(self, spin: float, pushed: bool, steps: int) -> list[float]:
        """Return the paddle's angle at each step.

        A thing that is pushed starts when the paddle hits it; otherwise, the paddle is a sixth of a
        turn off.
        """
        first = self.turn - spin * (self.onset - self.earlier) + (0 if pushed else 60)
        return [(first + spin * step) % 360 for step in range(steps)]


def found_way(
    rng: Rng, floor: FreeSpace, ends: tuple[Point, Point], onset: int, spin: float
) -> ObjectApproach:
    """Draw a run-up and a paddle for a way from a start to a goal."""
    return attempt(lambda r: _way(r, floor, ends, onset, spin), rng, 60)


def _way(
    rng: Rng, floor: FreeSpace, ends: tuple[Point, Point], onset: int, spin: float
) -> ObjectApproach:
    start, goal = ends
    heading = math.degrees(math.atan2(goal[1] - start[1], goal[0] - start[0]))
    run_up = int(rng.integers(22, 37))
    back = off(start, heading + 180, run_up)
    straight(floor, back, goal)
    turn = heading + float(rng.uniform(3, 14)) * pick(rng, (-1, 1))
    along = float(rng.uniform(5, 15)) * -np.sign(spin)  # the half of its face that moves forward
    centre = off(off(back, turn + 180, PADDLE[0] / 2 + AGENT_R - 0.5), turn + 270, along)
    ensure(min(centre) >= 28 and max(centre) <= 172)
    way = ObjectApproach(start, back, goal, onset, run_up // SLOW, centre, round(turn, 2))
    _check_gaps(way, spin)
    return way


def _check_gaps(way: ObjectApproach, spin: float) -> None:
    """Refuse a paddle that does not hit when it should, or does when it should not."""
    onset = way.onset - way.earlier
    ensure(onset >= 4)
    pushed = [gap(way.back, way.paddle, turn) for turn in way.angles(spin, True, onset + 1)]
    ensure(_DEEPEST <= pushed[-1] <= 0 < min(pushed[:-1]))
    alone = [gap(way.start, way.paddle, turn) for turn in way.angles(spin, False, way.onset + 1)]
    ensure(min(alone) >= UNTOUCHED)


def gap(centre: Place, paddle: Point, turn: float) -> float:
    """Return the distance between the outlines of an agent and the paddle."""
    angle = math.radians(turn)
    dx, dy = centre[0] - paddle[0], centre[1] - paddle[1]
    across = abs(math.cos(angle) * dx + math.sin(angle) * dy) - PADDLE[0] / 2
    along = abs(math.cos(angle) * dy - math.sin(angle) * dx) - PADDLE[1] / 2
    outside = math.hypot(max(across, 0), max(along, 0))
    return outside + min(max(across, along), 0) - AGENT_R
