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
def marked(needed: Annotated[Bools, "phase row column"], phase: int) -> Annotated[Ints, "cell 2"]:
    """Return the cells that are marked in a phase."""
    if needed.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    return np.argwhere(needed[phase])


@part
def in_phase(
    needed: Annotated[Bools, "phase row column"], phase: int, to_lock: Floats, to_key: Floats
) -> Annotated[Ints, "cell 2"]:
    """Return the cells that matter in a phase: also those in which others begin, or end."""
    if needed.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    cells = needed[phase] | (to_key < np.inf)
    if to_lock.size > 0:
        cells |= to_lock < np.inf
    return np.argwhere(cells)


@part
def in_any_phase(needed: Annotated[Bools, "phase row column"]) -> Annotated[Ints, "cell 2"]:
    """Return the cells that matter in any phase."""
    if needed.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    return np.argwhere(needed[START] | needed[HELD] | needed[OPEN])
