"""What noisy observations say about the places between strides, whatever the agent wants.

An agent decides at some frames, and walks straight from place to place. In frame f of a stride,
when it has walked the share s of it, it is seen near the line between the stride's ends,

    o_f ~ N((1 - s) z + s z', noise^2 + wobble^2),        o_last ~ N(z', noise^2).

The prior of z' is flat. Since everything is normal, a stride comes down to a few numbers: what it
says about the place where it begins, and where it ends given that place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.world import Trajectory
from hbtom.world.stages import step_onsets
from hbtom.world.trajectory import MOVE

WOBBLE = 1.5  # pixels; strides are not quite straight, and not quite even


@dataclass(frozen=True)
class Stride:
    """What was seen during a move, as two normal densities; x and y have the same variance.

        P(seen | z) ~ exp(-precision |z|^2 / 2 + toward . z)
        z' | z      ~ N(base + slope z, variance)

    The first stride of a leg also holds where the leg was seen to begin.
    """

    precision: float
    toward: Annotated[Floats, "2"]
    base: Annotated[Floats, "2"]
    slope: float
    variance: float
    begin: Annotated[Floats, "2"] | None = None  # where the leg was seen to begin


def strides(
    trajectory: Trajectory,
    steady: Annotated[Floats, "frame 2"],
    seen: Annotated[Floats, "frame 2"],
    noise: float,
) -> tuple[Stride | None, ...]:
    """Return what was seen during each step along a denoised path; None for acts."""
    rest, begins = _rests(steady), step_onsets(trajectory, steady)
    found: list[Stride | None] = []
    for step in range(len(trajectory.act)):
        if trajectory.act[step] != MOVE:
            found.append(None)
            continue
        first, last, begin = begins[step], int(trajectory.frame[step]), None
        if step == 0 or found[-1] is None or trajectory.mode[step - 1] != trajectory.mode[step]:
            first = int(rest[first, 0])
            begin = _sight(seen, steady, first)
        end = int(rest[last, 1])
        share = np.append(_shares(steady, first, last), np.ones(end - last))
        frames = np.arange(first, end + 1)
        other = (frames > first) & (frames != last) & ~np.isnan(seen[frames, 0])
        at = _sight(seen, steady, last)
        found.append(stride_of(share[other], seen[frames[other]], at, noise, begin))
    return tuple(found)


def stride_of(
    share: Annotated[Floats, "frame"],
    seen: Annotated[Floats, "frame 2"],
    last: Annotated[Floats, "2"],
    noise: float,
    begin: Annotated[Floats, "2"] | None,
) -> Stride:
    """Return what the frames of a stride say together.

    Given the last sighting, z' ~ N(last, noise^2). The others are normal around what z and the last
    sighting predict, with covariance S = noise^2 s s' + (noise^2 + wobble^2) I, whose inverse is
    written out.
    """
    left, own = 1.0 - share, noise**2 + WOBBLE**2
    whole = own + noise**2 * float(share @ share)
    off = seen - share[:, None] * last
    both = float(left @ share)
    precision = (float(left @ left) - noise**2 * both * both / whole) / own
    toward = (left @ off - noise**2 * both * (share @ off) / whole) / own
    base = last + noise**2 * (share @ off) / whole
    return Stride(
        precision, toward, base, -(noise**2) * both / whole, noise**2 * own / whole, begin
    )


def _sight(seen: Floats, steady: Floats, frame: int) -> Annotated[Floats, "2"]:
    """Return where the agent was seen in a frame, or its place on the denoised path if unseen."""
    return steady[frame] if np.isnan(seen[frame, 0]) else seen[frame]


def _rests(steady: Floats) -> Annotated[Ints, "frame 2"]:
    """Return, for each frame, the first and last frame of the denoised path's stay there."""
    moves = np.flatnonzero((steady[1:] != steady[:-1]).any(axis=1))
    first, last = np.append(0, moves + 1), np.append(moves, len(steady) - 1)
    return np.repeat(np.stack([first, last], axis=1), last - first + 1, axis=0)


def _shares(steady: Floats, first: int, last: int) -> Annotated[Floats, "frame"]:
    """Return the share of the path between two frames that is walked by each frame."""
    walked = np.hypot(*np.diff(steady[first : last + 1], axis=0).T).cumsum()
    return np.append(0.0, walked / walked[-1])
