"""From steps to frames: a step is two frames of the benchmark, or five while a barrier vanishes.

What lies between two steps is filled in: a thing that moves is seen half way, and a barrier shrinks
a bit in each frame. Still steps give still frames, which carry no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints, frozen

FRAMES = 2  # a step
BURNING = 5  # frames a step while the barrier vanishes
JUMP = 12.0  # pixels in a step; what moves farther is put there, and is nowhere in between


@dataclass(frozen=True, eq=False)
class Pace:
    """The step that each frame shows, and which share of the way to the next one is done."""

    step: Annotated[Ints, "frame"]
    share: Annotated[Floats, "frame"]


def pace(left: Annotated[Floats, "step"]) -> Pace:
    """Return the frames of a trial, given how much of its barrier stands at each step."""
    frames = np.where(left[1:] != left[:-1], BURNING, FRAMES)
    step = np.arange(len(frames)).repeat(frames)
    first = (np.cumsum(frames) - frames).repeat(frames)
    share = (np.arange(len(step)) - first) / frames.repeat(frames)
    return Pace(np.append(step, len(frames)), np.append(share, 0.0))


def along(
    at: Pace, values: Annotated[Floats, "step value"], *, longest: float = JUMP
) -> Annotated[Floats, "frame value"]:
    """Return values in each frame, given those at each step; there is nothing within a jump."""
    moved = np.diff(values, axis=0, append=values[-1:])
    moved[~(np.hypot.reduce(moved, axis=1) <= longest)] = 0.0  # nor to or from nowhere
    return frozen(values[at.step] + at.share[:, None] * moved[at.step])
