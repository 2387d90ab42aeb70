"""The evidence tensor: log P(step | goal, efficiency), the seam between worlds and minds.

Every motion model ends in one; inference, surprise and plots know nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe import Look, Trial

UNIT = 10.0  # pixels of walking that cost 1: the side of the paper's grid cell
KEY = Look("key")  # keys are drawn in four rotations; all are one kind of goal


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the steps of one trial say about each goal and efficiency."""

    goals: tuple[Look, ...]
    reachable: Annotated[Bools, "goal"]
    log: Annotated[Floats, "step goal efficiency"]
    frame: Annotated[Ints, "step"]  # at which each step is complete
    excess: Annotated[Floats, "step goal"]  # what each step wasted
    options: Annotated[Floats, "step option goal"]  # what else it could have wasted; inf: nothing
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.frame)


def name_goals(trial: Trial) -> tuple[Look, ...]:
    """Return who is who among the items: looks, and ``key`` for the key; twins are numbered."""
    looks = [KEY if item is trial.key else item.look for item in trial.items]
    return tuple(
        replace(look, twin=looks[: index + 1].count(look)) for index, look in enumerate(looks)
    )
