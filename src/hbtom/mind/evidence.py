"""The evidence tensor: log P(step | goal, efficiency), the seam between worlds and minds.

Every motion model ends in one; inference, surprise and plots know nothing else.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.effort import Actions, Effort, Hidden
from hbtom.mind.policy import log_boltzmann, log_headings, log_seen
from hbtom.observe import Look


class Evidence(Struct, frozen=True, eq=False):
    """What the steps of one trial say about each goal and efficiency."""

    effort: Effort
    log: Annotated[Floats, "step goal efficiency"]
    efficiencies: Annotated[Floats, "efficiency"]

    @property
    def goals(self) -> tuple[Look, ...]:
        return self.effort.goals

    @property
    def reachable(self) -> Annotated[Bools, "goal"]:
        return self.effort.reachable

    @property
    def frame(self) -> Annotated[Ints, "step"]:
        return self.effort.frame

    def __len__(self) -> int:
        return len(self.log)


def weigh(effort: Effort, efficiency: Annotated[Floats, "efficiency"]) -> Evidence:
    """Weigh what each step wasted, for agents of every efficiency."""
    choice, excess = effort.choice, effort.excess
    if isinstance(choice, Actions) and choice.slips is not None:
        seen = choice.slips.likelihood, choice.slips.visible
        return Evidence(effort, log_seen(choice.options, *seen, efficiency), efficiency)
    if isinstance(choice, Actions):
        return Evidence(effort, log_boltzmann(excess, choice.options, efficiency), efficiency)
    if isinstance(choice, Hidden):
        return Evidence(effort, choice.log(efficiency), efficiency)
    moves = choice.length, choice.moves, choice.act
    log = log_headings(excess, *moves, effort.reachable, efficiency)
    return Evidence(effort, log, efficiency)
