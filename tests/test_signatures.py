"""Kernels take tuples; compiled ones receive their fields one by one."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import pytest

from hbtom.arrays import FROZEN, Floats, Ints
from hbtom.signatures import flattened, hints_of

numba = pytest.importorskip("numba")


class Inner(NamedTuple):
    size: float
    marks: Annotated[Ints, "mark"]


class Outer(NamedTuple):
    name: int
    inner: Inner
    values: Annotated[Floats, "row column", FROZEN]


def gathered(outer: Outer, inner: Inner, more: Annotated[Floats, "value"], last: bool) -> tuple:
    return outer, inner, more, last


def test_tuples_are_flattened_and_restored() -> None:
    inner = Inner(0.5, np.arange(3))
    given = Outer(7, inner, np.eye(2)), inner._replace(size=2.5), np.ones(4), True
    flat = flattened(gathered, hints_of(gathered))
    handed = []

    def spy(*fields):
        handed.extend(fields)
        return flat.function(*fields)

    assert flat.called_by(spy)(*given) == given
    assert not any(isinstance(one, tuple) for one in handed)
    assert len(handed) == len(flat.types) == 8
    assert handed[:2] == [7, 0.5]


def test_only_arrays_made_by_kernels_are_writable() -> None:
    flat = flattened(gathered, hints_of(gathered))
    arrays = [one for one in flat.types if isinstance(one, numba.types.Array)]
    assert [one.mutable for one in arrays] == [True, False, True, False]
    assert [one.ndim for one in arrays] == [1, 2, 1, 1]
