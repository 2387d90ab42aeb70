"""Which cells matter: fields of costs are worked out until these are known."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part
from hbtom.world import Phase

EVERYWHERE = np.empty((0, 0, 0), dtype=np.bool_)
START, HELD, OPEN = int(Phase.START), int(Phase.HELD), int(Phase.OPEN)  # for kernels


@part
def in_phase(
    needed: Annotated[Bools, "phase row column"], phase: int, to_lock: Floats, to_key: Floats
) -> Annotated[Ints, "cell 2"]:
    """Return the cells that matter in a phase: also those in which others begin, or end."""
    if needed.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    marked = needed[phase] | (to_key < np.inf)
    if to_lock.size > 0:
        marked |= to_lock < np.inf
    return _cells(marked)


@part
def in_any_phase(needed: Annotated[Bools, "phase row column"]) -> Annotated[Ints, "cell 2"]:
    """Return the cells that matter in any phase."""
    if needed.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    return _cells(needed[START] | needed[HELD] | needed[OPEN])


@part
def _cells(marked: Bools) -> Ints:
    """Return the cells that are marked in a map, as rows and columns."""
    rows, columns = marked.shape
    cells, count = np.empty((marked.sum(), 2), dtype=np.int64), 0
    for r in range(rows):
        for c in range(columns):
            if marked[r, c]:
                cells[count, 0], cells[count, 1] = r, c
                count += 1
    return cells
