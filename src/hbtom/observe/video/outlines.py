"""Convex outlines, described by how far they extend in a number of directions.

The outline of points p is the support function h(d) = max_p d·p for unit vectors d. A point q lies
within it if d·q <= h(d) for all d. This way, no corners have to be found in a picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen

_ANGLES = np.arange(64) * (2.0 * np.pi / 64)
DIRECTIONS = frozen(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1))
_SMALL = 1e-4  # by how much unknowns are changed to find slopes

Outline = Annotated[Floats, "direction"]
Residual = Callable[[Floats], Floats]


def outline(points: Annotated[Floats, "point 2"]) -> Outline:
    """Return how far points extend in each direction."""
    reach: Outline = (points @ DIRECTIONS.T).max(axis=0)
    return reach


def within(reach: Outline, points: Annotated[Floats, "point 2"]) -> Annotated[Bools, "point"]:
    """Return which points lie within an outline."""
    inside: Bools = np.all(points @ DIRECTIONS.T <= reach, axis=1)
    return inside


def least_squares(residual: Residual, start: Floats, rounds: int = 60) -> tuple[Floats, float]:
    """Return the least-squares solution by Levenberg-Marquardt, and the root mean square."""
    at, damping = start.astype(np.float64), 1e-3
    now = residual(at)
    for _ in range(rounds):
        nudges = _SMALL * np.eye(len(at))
        slopes = np.stack([(residual(at + nudge) - now) / _SMALL for nudge in nudges], 1)
        curve = slopes.T @ slopes
        damped = curve + damping * np.diag(np.diag(curve) + 1e-9)
        step = np.linalg.lstsq(damped, -slopes.T @ now, rcond=None)[0]
        then = residual(at + step)
        if np.isfinite(then).all() and then @ then < now @ now:
            gained = 1.0 - (then @ then) / (now @ now)
            at, now, damping = at + step, then, damping / 3.0
            if gained < 1e-9:
                break
        else:
            damping *= 4.0
    return at, float(np.sqrt(np.mean(now * now)))
