"""Shapes in a picture: connected regions, convex outlines, and the masks of key and lock.

An outline says how far points p extend in a number of directions: it is the support function
h(d) = max_p d·p for unit vectors d. A point q lies within it if d·q <= h(d) for all d. This way, no
corners have to be found in a picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges, frozen

Region = Annotated[Ints, "pixel 2"]  # column and row of each pixel
Mask = Annotated[Bools, "row column"]
SLOT = 0.6  # width of the slot, as a share of the lock's width
_LOPSIDED = 0.69  # least share of a triangle in one half of its box; 0.75 if drawn well
_HALF = 0.68  # largest share of its box that a triangle fills
_LIKE = 0.76  # least similarity of a lock to its template
_SAME = 0.7  # least similarity of two masks of the same shape
_FULL = 0.93  # least share of its box that a whole rectangle fills
_ANGLES = np.arange(64) * (2.0 * np.pi / 64)
DIRECTIONS = frozen(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1))
_SMALL = 1e-4  # step by which unknowns are changed to find slopes
Outline = Annotated[Floats, "direction"]
Residual = Callable[[Floats], Floats]


def regions(mask: Annotated[Bools, "row column"]) -> list[Region]:
    """Return the connected regions of a mask: pixels are connected if they share a side.

    Pixels are grouped into runs along rows. Runs that overlap in consecutive rows belong to the
    same region; to merge regions, each run points to an earlier one of its region.
    """
    rows, starts, ends = runs_in(mask)
    parent = list(range(len(rows)))
    for one, other in _neighbours(rows, starts, ends):
        first, second = _root(parent, one), _root(parent, other)
        parent[max(first, second)] = min(first, second)
    roots = np.array([_root(parent, run) for run in range(len(rows))], dtype=np.int64)
    order = np.argsort(roots, kind="stable")
    cuts = np.flatnonzero(np.diff(roots[order])) + 1
    pieces = np.split(order, cuts) if len(order) else []
    lengths = ends - starts
    return [
        np.column_stack([concat_ranges(starts[run], lengths[run]), rows[run].repeat(lengths[run])])
        for run in pieces
    ]


def middles(region: Region) -> Annotated[Floats, "pixel 2"]:
    """Return the centres of a region's pixels, which are squares."""
    return region.astype(np.float64) + 0.5


def runs_in(mask: Bools) -> tuple[Ints, Ints, Ints]:
    """Return row, start and end of all runs, from top to bottom and left to right."""
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = mask
    steps = np.diff(padded, axis=1)
    rows, starts = np.nonzero(steps == 1)
    _, ends = np.nonzero(steps == -1)
    return rows, starts, ends


def _neighbours(rows: Ints, starts: Ints, ends: Ints) -> list[tuple[int, int]]:
    """Return pairs of runs that touch: each run with those in the row above that overlap it."""
    wide = int(ends.max()) + 2 if len(ends) else 1
    above = (rows - 1) * wide
    first = np.searchsorted(rows * wide + ends, above + starts, side="right")
    last = np.searchsorted(rows * wide + starts, above + ends, side="left")
    return [
        (run, other)
        for run, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True))
        for other in range(low, high)
    ]


def _root(parent: list[int], run: int) -> int:
    while parent[run] != run:
        parent[run] = parent[parent[run]]
        run = parent[run]
    return run


def is_key(mask: Mask) -> bool:
    """Return whether a mask is a triangle that points in one of four directions.

    A triangle fills half of its box, and three quarters of it lie in one half of the box. This
    holds even if a small picture blurs its edges.
    """
    halves = [np.array_split(np.rot90(mask, turn), 2)[0] for turn in range(4)]
    heavier = max(half.sum() for half in halves) / max(mask.sum(), 1)
    return bool(heavier > _LOPSIDED and mask.mean() < _HALF)


def is_lock(mask: Mask) -> bool:
    """Return whether a mask is a square with a triangular slot."""
    rows, columns = mask.shape
    if max(rows, columns) > 1.2 * min(rows, columns) or is_block(mask):
        return False
    slots = [~np.rot90(_slot(max(rows, columns)), turn) for turn in range(4)]
    return max(likeness(mask, slotted) for slotted in slots) > _LIKE


def is_block(mask: Mask) -> bool:
    """Return whether a mask is a whole rectangle."""
    return bool(mask.mean() > _FULL)


def same_shape(one: Mask, other: Mask) -> bool:
    """Return whether two masks have about the same shape and size."""
    if abs(one.shape[0] - other.shape[0]) > 0.25 * one.shape[0]:
        return False
    return likeness(one, other) > _SAME


def likeness(one: Mask, other: Mask) -> float:
    """Return |A and B| / |A or B| of two masks; the second is scaled to the size of the first."""
    rows, columns = (
        ((np.arange(new) + 0.5) * old / new).astype(np.int64)
        for new, old in zip(one.shape, other.shape, strict=True)
    )
    other = other[np.ix_(rows, columns)]
    return float((one & other).sum() / max((one | other).sum(), 1))


def _slot(side: int) -> Mask:
    """Return the slot of a lock of this width: a triangle that points upwards, in the middle."""
    middles = ((np.arange(side) + 0.5) * 2.0 / side - 1.0) / SLOT
    x, y = middles[None, :], middles[:, None]
    return np.asarray((np.abs(x) <= (y + 1.0) / 2.0) & (np.abs(y) <= 1.0))


def outline(points: Annotated[Floats, "point 2"]) -> Outline:
    """Return how far points extend in each direction."""
    return (points @ DIRECTIONS.T).max(axis=0)


def within(reach: Outline, points: Annotated[Floats, "point 2"]) -> Annotated[Bools, "point"]:
    """Return which points lie within an outline."""
    return np.all(points @ DIRECTIONS.T <= reach, axis=1)


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
