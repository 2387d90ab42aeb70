"""Columns of numbers as arrays, without copying them."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Ints


def numbers(column: Any, kind: type = np.float64) -> Any:
    """Return the values of a column without nulls, without copying them.

    Arrow's own ``to_numpy`` would import pandas, which takes as much memory again.
    """
    _, values = column.buffers()
    if values is None:
        return np.empty(0, dtype=kind)
    return np.frombuffer(values, kind)[column.offset : column.offset + len(column)]


def truths(column: Any) -> Any:
    """Return the truth values of a column without nulls; Arrow stores them as bits."""
    _, values = column.buffers()
    bits = np.unpackbits(np.frombuffer(values or b"", np.uint8), bitorder="little")
    return bits[column.offset : column.offset + len(column)].astype(bool)


def starts(rows: Any, name: str) -> Annotated[Ints, "row + 1"]:
    """Return where the list of each row starts among the values of all lists."""
    return numbers(rows.column(name).offsets, np.int32)


def has_others(rows: Any) -> bool:
    """Return whether anything other than agent and items is seen in any row."""
    return "others" in rows.schema.names and len(rows.column("others").flatten()) > 0
