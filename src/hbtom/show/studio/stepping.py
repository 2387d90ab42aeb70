"""Make the frames of a trial from an agent's steps: it carries the key, the barrier opens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.bench.synth.errands import REACH
from hbtom.bench.synth.motion import STILL_FRAMES, TRAILING_FRAMES, frames_along
from hbtom.errors import BadInput
from hbtom.show.studio.raw_trials import (
    Frame,
    Frames,
    Place,
    Thing,
    agent_in,
    centre_of,
    in_field,
    moved,
    shared,
    thing_in,
    tool_fields,
)

GRASP = 0.85  # distance at which the key is taken, as a share of both radii
OPENING = 20  # frames in which the barrier opens
DETAIL = 1.5  # largest distance between a path and its simplified version, in pixels
PIECE = 5_000  # steps that are simplified at once, because of the time that this takes
LONGEST = 20_000  # most frames in a trial


class FrameState(NamedTuple):
    """The part of a frame that changes."""

    agent: Place
    key: Thing | None
    lock: Thing | None
    barrier: Sequence[Any]


def agent_places(frames: Frames) -> list[Place | None]:
    """Return where the agent is in each frame; None where it is not seen."""
    found = (thing_in(frame["agent"]) for frame in frames)
    return [None if agent is None else centre_of(agent) for agent in found]


def steps_of(frames: Frames) -> list[Place]:
    """Return the places of the agent in order, without frames in which it rests."""
    steps: list[Place] = []
    for place in agent_places(frames):
        if place is not None and (not steps or steps[-1] != place):
            steps.append(place)
    return steps


def points_of(frames: Frames) -> list[Place]:
    """Return a few points that describe the path, within a pixel or two."""
    return _simplified(steps_of(frames))


def _simplified(steps: list[Place]) -> list[Place]:
    """Return the ends of a line and the necessary points in between (Douglas and Peucker)."""
    ends = [*range(0, len(steps) - 1, PIECE), len(steps) - 1]
    places, kept, todo = np.array(steps, float), {*ends}, [*pairwise(ends)]
    while todo:
        first, last = todo.pop()
        away = _distances(places[first : last + 1])
        most = int(away.argmax())
        if away[most] > DETAIL:
            kept.add(first + most)
            todo += [(first, first + most), (first + most, last)]
    return [steps[at] for at in sorted(kept)]


def _distances(line: Floats) -> Floats:
    """Return how far each place on a line is from the straight line between its ends."""
    away, (dx, dy) = line - line[0], line[-1] - line[0]
    share = np.clip(away @ (dx, dy) / (dx * dx + dy * dy or 1.0), 0.0, 1.0)
    return np.hypot(away[:, 0] - share * dx, away[:, 1] - share * dy)


def steps_along(points: Sequence[Place]) -> list[Place]:
    """Return the steps along straight lines between points, two pixels each."""
    corners = [(round(x), round(y)) for x, y in points]
    lengths = (max(abs(a - c), abs(b - d)) for (a, b), (c, d) in pairwise(corners))
    _check_length(sum(length + 1 for length in lengths) // 2)
    steps: list[Place] = [*frames_along(corners)]
    return steps if steps[-1] == corners[-1] else [*steps, corners[-1]]


def walked(frames: Frames, steps: Sequence[Place]) -> Frames:
    """Return the trial in which the agent takes these steps.

    It takes the key when it reaches it. With the key it opens the lock, waits until the barrier is
    gone, and continues. The number of still frames before and after stays the same, and fields that
    hbtom does not know are kept frame by frame.
    """
    before, after = _rests(frames)
    agent = agent_in(frames)
    moments = list(_moments(frames[0], agent, steps))
    moments = [moments[0]] * (before - 1) + moments + [moments[-1]] * after
    _check_length(len(moments))
    known = (frames[min(at, len(frames) - 1)] for at in range(len(moments)))
    return _from_home([_frame(old, one, agent) for old, one in zip(known, moments, strict=True)])


def _check_length(frames: int) -> None:
    if frames > LONGEST:
        raise BadInput(f"the path takes {frames} frames", hint="draw a shorter one")


def _rests(frames: Frames) -> tuple[int, int]:
    """Return the number of still frames before the agent moves, and afterwards."""
    places = agent_places(frames)
    moves = [at for at in range(1, len(places)) if places[at] != places[at - 1]]
    if not moves:
        return STILL_FRAMES, TRAILING_FRAMES
    return moves[0], len(places) - 1 - moves[-1]


def _moments(first: Frame, agent: Thing, steps: Sequence[Place]) -> Iterator[FrameState]:
    key, lock = (thing_in(first.get(name, ())) for name in tool_fields(first))
    barrier = first.get("fuse_walls", [])
    carried = False
    for at, place in enumerate(steps):
        yield FrameState(place, moved(key, place) if key and carried else key, lock, barrier)
        if key and lock and carried and math.dist(place, centre_of(lock)) <= REACH:
            inserted = moved(key, centre_of(lock))
            for time in range(OPENING):
                rest = barrier[len(barrier) * time // OPENING :]
                yield FrameState(place, inserted, lock, rest)
            yield from (FrameState(later, None, None, []) for later in steps[at:])
            return
        if key and not carried:
            carried = math.dist(place, centre_of(key)) <= GRASP * (agent[1] + key[1])


def _frame(old: Frame, moment: FrameState, agent: Thing) -> Frame:
    key, lock = tool_fields(old)
    wrapped = old["agent"] if old["agent"] else agent
    new = {**old, "agent": in_field(wrapped, moved(agent, moment.agent))}
    for name, value in ((key, moment.key), (lock, moment.lock)):
        if value is not None or name in old:
            new[name] = [] if value is None else [value]
    if moment.barrier or "fuse_walls" in old:
        new["fuse_walls"] = moment.barrier
    return new


def _from_home(frames: Sequence[Frame]) -> Frames:
    """Return the frames with the home where the agent starts."""
    start = centre_of(agent_in(tuple(frames)))

    def change(frame: Frame) -> Frame:
        home = thing_in(frame.get("home", ()))
        if home is None or centre_of(home) == start:
            return frame
        return {**frame, "home": in_field(frame["home"], moved(home, start))}

    return shared([change(frame) for frame in frames])
