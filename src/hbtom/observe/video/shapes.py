"""The shapes of key and lock in a flat picture, and how similar two masks are."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools

Mask = Annotated[Bools, "row column"]

SLOT = 0.6  # width of the slot, as a share of the lock's width

_LOPSIDED = 0.69  # share of a triangle in one half of its box, at least; 0.75 if drawn well
_HALF = 0.68  # share of its box that a triangle fills, at most
_LIKE = 0.76  # similarity of a lock to its template, at least
_SAME = 0.7  # similarity of two masks of the same shape, at least
_FULL = 0.93  # share of its box that a whole rectangle fills, at least


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
    other = _sized(other, one.shape)
    return float((one & other).sum() / max((one | other).sum(), 1))


def _sized(mask: Mask, shape: tuple[int, ...]) -> Mask:
    rows, columns = (
        ((np.arange(new) + 0.5) * old / new).astype(np.int64)
        for new, old in zip(shape, mask.shape, strict=True)
    )
    return mask[np.ix_(rows, columns)]


def _slot(side: int) -> Mask:
    """Return the slot of a lock of this width: a triangle that points upwards, in the middle."""
    middles = ((np.arange(side) + 0.5) * 2.0 / side - 1.0) / SLOT
    x, y = middles[None, :], middles[:, None]
    return np.asarray((np.abs(x) <= (y + 1.0) / 2.0) & (np.abs(y) <= 1.0))
