"""The evidence tensor: log P(step | goal, efficiency), the seam between worlds and minds.

Every motion model ends in one; inference, surprise and plots know nothing else.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.policy import log_boltzmann, log_headings, log_seen
from hbtom.mind.regret import Actions, FilteredChoice, Regret
from hbtom.observe import Identity


class Likelihood(Struct, frozen=True, eq=False):
    """What the steps of one trial say about each goal and efficiency."""

    regret: Regret
    log: Annotated[Floats, "step goal efficiency"]
    efficiencies: Annotated[Floats, "efficiency"]

    @property
    def goals(self) -> tuple[Identity, ...]:
        return self.regret.goals

    @property
    def reachable(self) -> Annotated[Bools, "goal"]:
        return self.regret.reachable

    @property
    def frame(self) -> Annotated[Ints, "step"]:
        return self.regret.frame

    def __len__(self) -> int:
        return len(self.log)


def log_likelihood(regret: Regret, efficiency: Annotated[Floats, "efficiency"]) -> Likelihood:
    """Weigh what each step wasted, for agents of every efficiency."""
    choice, step_regret = regret.choice, regret.step_regret
    if isinstance(choice, Actions) and choice.slips is not None:
        seen = choice.slips.likelihood, choice.slips.visible
        return Likelihood(regret, log_seen(choice.options, *seen, efficiency), efficiency)
    if isinstance(choice, Actions):
        return Likelihood(
            regret, log_boltzmann(step_regret, choice.options, efficiency), efficiency
        )
    if isinstance(choice, FilteredChoice):
        return Likelihood(regret, choice.log(efficiency), efficiency)
    moves = choice.length, choice.moves, choice.act
    log = log_headings(step_regret, *moves, regret.reachable, efficiency)
    return Likelihood(regret, log, efficiency)
