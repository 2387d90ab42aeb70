"""From steps to frames: a step is two frames of the benchmark, but more while a barrier vanishes.

What lies between two steps is filled in: a thing that moves is seen half way. Of a barrier no more
than a piece vanishes in each frame, as in the benchmark, so that the frames in which it changes are
as many as they were. Still steps give still frames, which carry no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints, frozen

FRAMES = 2  # a step
BURNING = 5  # frames a step, at most, while a barrier vanishes
JUMP = 12.0  # pixels in a step; what moves farther is put there, and is nowhere in between


@dataclass(frozen=True, eq=False)
class Pace:
    """The step that each frame shows, and which share of the way to the next one is done."""

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
    """Return values in each frame, given those at each step; there is nothing within a jump."""
    moved = np.diff(values, axis=0, append=values[-1:])
    moved[~(np.hypot.reduce(moved, axis=1) <= JUMP)] = 0.0  # nor on the way to or from nowhere
    return frozen(values[at.step] + at.share[:, None] * moved[at.step])


def shrinking(
    at: Pace, left: Annotated[Floats, "step"], vanishing: Annotated[Ints, "step"]
) -> Annotated[Floats, "frame"]:
    """Return how much of a barrier is left in each frame: one piece goes at once, more in turn."""
    lost = np.diff(left, append=left[-1:])
    lost[vanishing < FRAMES] = 0.0
    return frozen(left[at.step] + at.share * lost[at.step])
