"""Array types, frozen arrays, and ranges of numbers.

A type can carry the shape: ``Annotated[Floats, "time goal"]`` is a float array with one row per
time step and one column per goal.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)
FROZEN = "frozen"  # as in ``Annotated[Floats, "wall 4", FROZEN]``, a read-only array


def read_only(array: NDArray[T]) -> NDArray[T]:
    """Return a view of an array that cannot be written."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def frozen(values: ArrayLike) -> Floats:
    """Return a read-only float copy of ``values``."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def concat_ranges(
    first: Annotated[Ints, "run"], count: Annotated[Ints, "run"]
) -> Annotated[Ints, "all"]:
    """Return ``count`` consecutive numbers from ``first`` on, for each run in turn."""
    before = np.cumsum(count) - count
    return np.arange(count.sum()) - np.repeat(before - first, count)
