"""From steps to frames: a step is two frames of the benchmark, but more while a barrier vanishes.

Positions between two steps are interpolated. At most one piece of a barrier vanishes per frame, as
in the benchmark, so that a barrier changes in as many frames as there. Still steps give still
frames, which mean nothing.

The touch at the end of a trial is evidence, but the last step before it is not. Scenes are made
from episodes of the benchmark such that shapes do not overlap: steps at which the agent would
overlap what it touches are left out, and the step before them is moved by up to eight pixels until
outlines just meet. The reader therefore replaces all steps in contact by one: straight from the
last unaltered step to where agent and thing touch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints, frozen
from hbtom.observe.episode import Body

FRAMES = 2  # per step
BURNING = 5  # frames per step, at most, while a barrier vanishes
JUMP = 12.0  # pixels per step, at most, of something that moves; anything more is a jump
NEARLY = 3.0  # pixels between outlines that touch, at most; real scenes leave up to 1.4
_INSIDE = 0.01  # pixels of overlap, so that rounding does not undo a touch

Disc = tuple[Annotated[Floats, "2"], float]  # centre and radius of what can be touched


@dataclass(frozen=True, eq=False)
class Pace:
    """The step that each frame shows, and how much of the way to the next step is covered."""

    step: Annotated[Ints, "frame"]
    share: Annotated[Floats, "frame"]


def pace(vanishing: Annotated[Ints, "step"]) -> Pace:
    """Return the frames of a trial, given how many pieces of a barrier vanish after each step."""
    frames = np.clip(vanishing[:-1], FRAMES, BURNING)
    step = np.arange(len(frames)).repeat(frames)
    first = (np.cumsum(frames) - frames).repeat(frames)
    share = (np.arange(len(step)) - first) / frames.repeat(frames)
    return Pace(np.append(step, len(frames)), np.append(share, 0.0))


def along(at: Pace, values: Annotated[Floats, "step value"]) -> Annotated[Floats, "frame value"]:
    """Return the values in each frame, given those at each step; jumps are not interpolated."""
    moved = np.diff(values, axis=0, append=values[-1:])
    moved[~(np.hypot.reduce(moved, axis=1) <= JUMP)] = 0.0  # also if either is NaN
    return frozen(values[at.step] + at.share[:, None] * moved[at.step])


def shrinking(
    at: Pace, left: Annotated[Floats, "step"], vanishing: Annotated[Ints, "step"]
) -> Annotated[Floats, "frame"]:
    """Return how much of a barrier is left in each frame; pieces vanish one at a time."""
    lost = np.diff(left, append=left[-1:])
    lost[vanishing < FRAMES] = 0.0
    return frozen(left[at.step] + at.share * lost[at.step])


def discs(bodies: Iterable[Body]) -> list[Disc]:
    """Return bodies as things that can be touched."""
    return [(np.array(body.centre), body.radius) for body in bodies]


def settled(
    path: Annotated[Floats, "step 2"], radius: float, things: Sequence[Disc]
) -> Annotated[Floats, "step 2"]:
    """Return the path with its end replaced by a straight line to what it touches, if anything."""
    found = last_apart(path, radius, things, NEARLY)
    if found is None:
        return path
    last, (centre, size) = found
    way = centre - path[last]
    far = float(np.hypot(*way))
    contact = path[last] + way * ((far - radius - size + _INSIDE) / far)
    return np.concatenate([path[: last + 1], np.tile(contact, (len(path) - last - 1, 1))])


def last_apart(
    path: Annotated[Floats, "step 2"], radius: float, things: Sequence[Disc], near: float
) -> tuple[int, Disc] | None:
    """Return the last step before a path touches what it ends at, and that thing.

    None if it ends at nothing or touches it from the beginning. A gap of up to ``near`` between
    outlines counts as a touch.
    """
    touched = min(things, key=lambda thing: _gap(path[-1:], radius, thing)[0], default=None)
    if touched is None:
        return None
    apart = np.flatnonzero(_gap(path, radius, touched) > near)
    if not len(apart) or apart[-1] == len(path) - 1:
        return None
    return int(apart[-1]), touched


def _gap(
    path: Annotated[Floats, "step 2"], radius: float, thing: Disc
) -> Annotated[Floats, "step"]:
    centre, size = thing
    return np.hypot(*(path - centre).T) - radius - size
