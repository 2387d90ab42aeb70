"""How well a track shows where an agent is: jitter, from still frames, and how fast agents walk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe.episode import Sight

_WINDOW = 12  # frames over which the agent is checked for rest
_SEEN = 8  # fewest of these frames in which it must be seen
_STILL = 1.5  # most that a resting agent's positions vary, in multiples of the tremble
_STRIDE = 5  # frames over which walking is measured, and as many more for each pixel of jitter
_FEWEST = 3  # fewest windows at rest from which jitter is measured
_EXACT = 0.1  # pixels; less jitter than this counts as none
_PACE = 2.0  # pixels per frame, if the agent never walks

Path = Annotated[Floats, "frame 2"]


def guess_sight(paths: Sequence[Path]) -> tuple[Sight, int]:
    """Return the jitter and the pace of paths, and the number of frames in which the agent rests.

    White noise of standard deviation s makes second differences vary by 6 s^2, at rest and while an
    agent walks evenly; their median absolute deviation is a first guess. Where positions vary as
    little as this guess allows, the agent is at rest, and the jitter is measured there.
    """
    tremble = _tremble(paths)
    still = [
        spread
        for path in paths
        for first in range(0, len(path) - _WINDOW + 1, _WINDOW)
        if (spread := _spread(path[first : first + _WINDOW])) is not None
        and spread <= (_STILL * tremble) ** 2
    ]
    noise = math.sqrt(float(np.mean(still))) if len(still) >= _FEWEST else tremble
    noise = round(noise, 2) if noise >= _EXACT else 0.0
    rests = len(still) * _WINDOW if len(still) >= _FEWEST else 0
    return Sight(noise, _pace(paths, noise)), rests


def _tremble(paths: Sequence[Path]) -> float:
    """Return the standard deviation of the noise in paths, from their second differences."""
    bends = np.concatenate([np.diff(path, n=2, axis=0).ravel() for path in paths])
    bends = np.abs(bends[~np.isnan(bends)])
    return 1.4826 * float(np.median(bends)) / math.sqrt(6.0) if len(bends) else 0.0


def _spread(window: Path) -> float | None:
    """Return the variance of positions along x and y; None if few were seen."""
    seen = window[~np.isnan(window[:, 0])]
    return None if len(seen) < _SEEN else float(seen.var(axis=0, ddof=1).mean())


def _pace(paths: Sequence[Path], noise: float) -> float:
    """Return the typical number of pixels that the agent walks in a frame."""
    stride = round(_STRIDE * (1.0 + noise))
    strides = [np.hypot(*(path[stride:] - path[:-stride]).T) for path in paths]
    far = np.concatenate(strides) if strides else np.empty(0)
    walked = far[far > max(5.0 * noise, 0.5)]
    pace = float(np.median(walked)) / stride if len(walked) else _PACE
    return min(max(round(pace, 2), 0.01), 100.0)
