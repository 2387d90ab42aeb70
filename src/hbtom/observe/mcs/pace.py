"""From steps to frames: a step is two frames of the benchmark, but more while a barrier vanishes.

Positions between two steps are interpolated. At most one piece of a barrier vanishes per frame, as
in the benchmark, so that a barrier changes in as many frames as there. Still steps give still
frames, which mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints, frozen

FRAMES = 2  # per step
BURNING = 5  # frames per step, at most, while a barrier vanishes
JUMP = 12.0  # pixels per step, at most, of something that moves; anything more is a jump


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
