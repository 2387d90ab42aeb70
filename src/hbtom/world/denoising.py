"""An agent's path with the noise removed: rests are still again, and motion is smooth.

Nothing is assumed about what agents want. The steady path shows what happens in a trial and when
decisions are made. Exactly where the agent was is left to the mind's filters, which know the noise.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.assumptions import Observation
from hbtom.observe import Trial

_APART = 3.7  # standard deviations; an agent that is farther from where it stayed has moved
_SETTLED = 4.0  # a stay is a rest if it takes this many times as long as walking that distance


def steadied(trial: Trial, sight: Observation) -> Trial:
    """Return an estimate of a trial without noise, and without gaps.

    Contact is judged leniently: the agent's radius grows by one standard deviation of the noise.
    """
    if sight.noise == 0:
        return trial
    path, radius = steady_path(trial.path, sight), trial.agent.radius + sight.noise
    agent = replace(trial.agent, centre=tuple(path[0].tolist()), radius=radius)
    return replace(trial, path=path, agent=agent)


def steady_path(
    path: Annotated[Floats, "frame 2"], sight: Observation
) -> Annotated[Floats, "frame 2"]:
    """Return an estimate of an agent's path: the mean of each rest, and smooth motion elsewhere.

    While the agent is not seen, it does not move.
    """
    smooth, spread = smoothed(path, sight.noise, sight.pace / 2)
    seen = ~np.isnan(path[:, 0])
    steady = smooth.copy()
    for frame in np.flatnonzero(~seen[1:]) + 1:
        steady[frame] = steady[frame - 1]
    apart = _APART * spread
    for first, last in _stays(smooth, apart):
        if last - first > _SETTLED * apart / sight.pace and seen[first:last].any():
            steady[first:last] = path[first:last][seen[first:last]].mean(axis=0)
    return frozen(steady)


def smoothed(
    path: Annotated[Floats, "frame 2"], noise: float, drift: float
) -> tuple[Annotated[Floats, "frame 2"], float]:
    """Return the mean of a random walk given noisy observations, and its usual standard error.

        x_f ~ N(x_f-1, drift^2),    o_f ~ N(x_f, noise^2)

    by a Kalman filter forwards and a Rauch-Tung-Striebel smoother backwards. The prior over the
    first place is flat.
    """
    seen: Bools = ~np.isnan(path[:, 0])
    mean, variance = path[seen.argmax()], noise * noise
    means, variances = np.empty_like(path), np.empty(len(path))
    for frame in range(len(path)):
        variance += drift * drift if frame else 0.0
        if frame and seen[frame]:
            gain = variance / (variance + noise * noise)
            mean, variance = mean + gain * (path[frame] - mean), (1.0 - gain) * variance
        means[frame], variances[frame] = mean, variance
    for frame in range(len(path) - 2, -1, -1):
        gain = variances[frame] / (variances[frame] + drift * drift)
        means[frame] += gain * (means[frame + 1] - means[frame])
    # The variance in the middle of a long path: the predictions of two filters and one observation.
    ahead = (drift**2 + math.sqrt(drift**4 + 4.0 * drift**2 * noise**2)) / 2.0
    return means, math.sqrt(ahead * noise**2 / (2.0 * noise**2 + ahead))


def _stays(smooth: Annotated[Floats, "frame 2"], apart: float) -> list[tuple[int, int]]:
    """Cut a path into stays, each from first to last + 1, near the mean of their earlier frames."""
    stays, first = [], 0
    mean_x, mean_y = smooth[0]
    for frame, (x, y) in enumerate(smooth.tolist()):
        if math.hypot(x - mean_x, y - mean_y) > apart:
            stays.append((first, frame))
            first, mean_x, mean_y = frame, x, y
        else:
            share = 1.0 / (frame - first + 1)
            mean_x, mean_y = mean_x + share * (x - mean_x), mean_y + share * (y - mean_y)
    return [*stays, (first, len(smooth))]
