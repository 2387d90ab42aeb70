"""What each step of a trial wasted, and what it could have wasted, for every goal.

Effort depends on the world and on how agents move in it, not on their efficiency: that comes in
when effort is weighed into evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe import Look, Trial

UNIT = 10.0  # pixels of walking that cost 1: the side of the paper's grid cell
KEY = Look("key")  # keys are drawn in four rotations; all are one kind of goal
NOTHING = Look("nothing")  # the goal in a trial in which there is nothing that can be wanted
_HEADINGS = 72  # enough to tell how much an agent of some efficiency is likely to waste


@dataclass(frozen=True, eq=False)
class Actions:
    """A choice among actions: what each would have wasted; infinite for what cannot be done."""

    options: Annotated[Floats, "step option goal"]

    def among(self, goals: slice) -> Actions:
        return Actions(self.options[..., goals].copy())


@dataclass(frozen=True, eq=False)
class Headings:
    """A choice of a heading for every move of some length, and whether to do an act or not."""

    moves: Annotated[Bools, "step"]
    length: Annotated[Floats, "step"]  # in units of cost
    excess: Annotated[Floats, "step goal"]
    act: float

    def among(self, goals: slice) -> Headings:
        return replace(self, excess=self.excess[:, goals].copy())

    @cached_property
    def options(self) -> Annotated[Floats, "step option goal"]:
        """What any of many headings would have wasted; for an act, doing it or not."""
        headings = np.linspace(0.0, 2.0 * np.pi, _HEADINGS, endpoint=False)
        turned = self.length[:, None] * (1.0 - np.cos(headings))
        choice = np.full((*self.excess.shape, _HEADINGS), np.inf)
        choice[..., 0], choice[..., 1] = self.excess, self.act - self.excess
        chosen = np.moveaxis(choice, -1, 1)
        return np.where(self.moves[:, None, None], turned[:, :, None], chosen)


@dataclass(frozen=True, eq=False)
class Effort:
    """What the steps of one trial wasted."""

    goals: tuple[Look, ...]
    reachable: Annotated[Bools, "goal"]
    frame: Annotated[Ints, "step"]  # at which each step is complete
    excess: Annotated[Floats, "step goal"]  # what each step wasted
    choice: Actions | Headings  # what else there was to do
    warnings: tuple[str, ...] = ()

    def among(self, goals: slice) -> Effort:
        """Return the effort for some of the goals."""
        return replace(
            self,
            goals=self.goals[goals],
            reachable=self.reachable[goals].copy(),
            excess=self.excess[:, goals].copy(),
            choice=self.choice.among(goals),
        )


def aimless() -> Effort:
    """Return the effort of a trial in which there is nothing to want: no step can be weighed."""
    no_moves, no_lengths = np.zeros(0, dtype=bool), np.zeros(0)
    no_excess = np.zeros((0, 1))
    return Effort(
        goals=(NOTHING,),
        reachable=np.zeros(1, dtype=bool),
        frame=np.zeros(0, dtype=np.int64),
        excess=no_excess,
        choice=Headings(no_moves, no_lengths, no_excess, 1.0),
    )


def name_goals(trial: Trial) -> tuple[Look, ...]:
    """Return who is who among the items: looks, and ``key`` for the key; twins are numbered.

    Without items the one goal is ``nothing``.
    """
    if not trial.items:
        return (NOTHING,)
    looks = [KEY if item is trial.key else item.look for item in trial.items]
    if len(set(looks)) == len(looks):
        return tuple(looks)
    return tuple(
        replace(look, twin=looks[: index + 1].count(look)) for index, look in enumerate(looks)
    )
