"""What each step of a trial wasted, and what it could have wasted, for every goal.

Effort depends on the world and on how agents move in it, not on their efficiency: that comes in
when effort is weighed into evidence.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.observe import Identity, Trial

KEY = Identity("key")  # keys are drawn in four rotations; all are one kind of goal
NOTHING = Identity("nothing")  # the goal in a trial in which there is nothing that can be wanted
_HEADINGS = 72  # enough to tell how much an agent of some efficiency is likely to waste


class ActionNoise(Struct, frozen=True, eq=False):
    """Where the observer sees what came of an action: one may be seen as another, or not at all."""

    chance: Annotated[Floats, "step option seen"]  # P(seen as an option | option chosen)
    seen: Annotated[Ints, "step"]  # the option that each step looks like

    @property
    def likelihood(self) -> Annotated[Floats, "step option"]:
        """P(what was seen | option chosen)."""
        return np.take_along_axis(self.chance, self.seen[:, None, None], axis=2)[:, :, 0]

    @property
    def visible(self) -> Annotated[Floats, "step option"]:
        """P(anything is seen | option chosen)."""
        return self.chance.sum(axis=2)


class Actions(Struct, frozen=True, eq=False):
    """A choice among actions: what each would have wasted; infinite for what cannot be done."""

    options: Annotated[Floats, "step option goal"]
    slips: ActionNoise | None = None  # None: what is seen is what was chosen

    def among(self, goals: slice) -> Actions:
        return replace(self, options=self.options[..., goals].copy())


class Headings(Struct, frozen=True, eq=False, dict=True):
    """A choice of a heading for every move of some length, and whether to do an act or not."""

    moves: Annotated[Bools, "step"]
    length: Annotated[Floats, "step"]  # in units of cost
    step_regret: Annotated[Floats, "step goal"]
    act: float

    def among(self, goals: slice) -> Headings:
        return replace(self, step_regret=self.step_regret[:, goals].copy())

    @cached_property
    def options(self) -> Annotated[Floats, "step option goal"]:
        """What any of many headings would have wasted; for an act, doing it or not."""
        headings = np.linspace(0.0, 2.0 * np.pi, _HEADINGS, endpoint=False)
        turned = self.length[:, None] * (1.0 - np.cos(headings))
        choice = np.full((*self.step_regret.shape, _HEADINGS), np.inf)
        choice[..., 0], choice[..., 1] = self.step_regret, self.act - self.step_regret
        chosen = np.moveaxis(choice, -1, 1)
        return np.where(self.moves[:, None, None], turned[:, :, None], chosen)


class Filter(Protocol):
    """What turns efficiencies into evidence where steps were not seen for certain."""

    def __call__(
        self, efficiency: Annotated[Floats, "efficiency"]
    ) -> Annotated[Floats, "step goal efficiency"]: ...


class FilteredChoice(Struct, frozen=True, eq=False):
    """A choice that was not seen for certain: of all that it may have been, a filter takes care."""

    filter: Filter
    nearest: Actions | Headings | None = None  # the choice on the way nearest to what was seen
    goals: slice | None = None  # of those that the filter knows; None for all

    def among(self, goals: slice) -> FilteredChoice:
        return FilteredChoice(self.filter, self.nearest and self.nearest.among(goals), goals)

    @property
    def options(self) -> Annotated[Floats, "step option goal"]:
        if self.nearest is None:
            raise BadInput("what could have been wasted is not known: some actions were not seen")
        return self.nearest.options

    def log(
        self, efficiency: Annotated[Floats, "efficiency"]
    ) -> Annotated[Floats, "step goal efficiency"]:
        """Return log P(o_t | o_<t, g, beta): by how much each observation confirms each."""
        log = self.filter(efficiency)
        return log if self.goals is None else log[:, self.goals].copy()


class Regret(Struct, frozen=True, eq=False):
    """What the steps of one trial wasted."""

    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]
    frame: Annotated[Ints, "step"]  # at which each step is complete
    step_regret: Annotated[Floats, "step goal"]  # what each step wasted
    choice: Actions | Headings | FilteredChoice  # what else there was to do
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        total = ", ".join(
            f"{goal} {sum(one):.2f}"
            for goal, one in zip(self.goals, self.step_regret.T, strict=True)
        )
        return f"<Regret of {len(self.frame)} steps, in all: {total}>"

    def seen_through(self, filter: Filter) -> Regret:
        """Return the effort of steps that were not seen for certain, but are nearest to it."""
        assert not isinstance(self.choice, FilteredChoice)
        return replace(self, choice=FilteredChoice(filter, self.choice))

    def among(self, goals: slice) -> Regret:
        """Return the effort for some of the goals."""
        return replace(
            self,
            goals=self.goals[goals],
            reachable=self.reachable[goals].copy(),
            step_regret=self.step_regret[:, goals].copy(),
            choice=self.choice.among(goals),
        )


def aimless() -> Regret:
    """Return the effort of a trial in which there is nothing to want: no step can be weighed."""
    no_moves, no_lengths = np.zeros(0, dtype=bool), np.zeros(0)
    no_excess = np.zeros((0, 1))
    return Regret(
        goals=(NOTHING,),
        reachable=np.zeros(1, dtype=bool),
        frame=np.zeros(0, dtype=np.int64),
        step_regret=no_excess,
        choice=Headings(no_moves, no_lengths, no_excess, 1.0),
    )


def name_goals(trial: Trial) -> tuple[Identity, ...]:
    """Return who is who among the items: looks, and ``key`` for the key; twins are numbered.

    Without items the one goal is ``nothing``.
    """
    if not trial.items:
        return (NOTHING,)
    looks = [KEY if item is trial.key else item.look for item in trial.items]
    if len(set(looks)) == len(looks):
        return tuple(looks)
    return tuple(
        Identity(look.image, look.colour, twin=looks[: index + 1].count(look))
        for index, look in enumerate(looks)
    )
