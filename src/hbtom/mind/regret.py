"""Regret: how much more each step of a trial cost than the best one, for every goal.

Regret depends on the world and on how agents move in it, but not on their efficiency. Efficiency
comes in when regret is turned into a likelihood.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, NamedTuple, Protocol

import numpy as np
from msgspec import Struct

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput, count
from hbtom.observe import Identity, Trial

KEY = Identity("key")  # keys are drawn in four rotations; all are one kind of goal
NOTHING = Identity("nothing")  # the goal in a trial in which there is nothing to want
_HEADINGS = 72  # enough to show how much regret an agent is likely to have


class ActionNoise(Struct, frozen=True, eq=False):
    """What the observer sees of actions: one may look like another, or not be seen at all."""

    chance: Annotated[Floats, "step action seen"]  # P(seen as an action | action chosen)
    seen: Annotated[Ints, "step"]  # the action that each step looks like

    @property
    def likelihood(self) -> Annotated[Floats, "step action"]:
        """P(what was seen | action chosen)."""
        return np.take_along_axis(self.chance, self.seen[:, None, None], axis=2)[:, :, 0]

    @property
    def visible(self) -> Annotated[Floats, "step action"]:
        """P(anything is seen | action chosen)."""
        return self.chance.sum(axis=2)


class Actions(Struct, frozen=True, eq=False):
    """A choice among actions, with the regret of each; infinite for impossible ones."""

    action_regret: Annotated[Floats, "step action goal"]
    noise: ActionNoise | None = None  # None: what is seen is what was chosen
    legal: Annotated[Ints, "step"] | None = None  # number of actions; None: those of finite regret


class Headings(Struct, frozen=True, eq=False, dict=True):
    """A choice of a heading for every move, and of doing an act or not."""

    moves: Annotated[Bools, "step"]
    length: Annotated[Floats, "step"]  # in units of cost
    step_regret: Annotated[Floats, "step goal"]
    act: float  # what acts cost
    silent: Annotated[Bools, "step goal"] | None = None  # steps before a goal is in reach, if any

    @cached_property
    def action_regret(self) -> Annotated[Floats, "step action goal"]:
        """The regret of many headings; for an act, of doing it or not."""
        headings = np.linspace(0.0, 2.0 * np.pi, _HEADINGS, endpoint=False)
        turned = self.length[:, None] * (1.0 - np.cos(headings))
        choice = np.full((*self.step_regret.shape, _HEADINGS), np.inf)
        choice[..., 0], choice[..., 1] = self.step_regret, self.act - self.step_regret
        chosen = np.moveaxis(choice, -1, 1)
        return np.where(self.moves[:, None, None], turned[:, :, None], chosen)


Efficiencies = Annotated[Floats, "efficiency"]
LogSteps = Annotated[Floats, "step goal efficiency"]  # log P(step | goal, efficiency)


class Filter(Protocol):
    """Returns the likelihood of steps that were not seen with certainty."""

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_t | o_<t, g, beta)."""


class FilteredChoice(Struct, frozen=True, eq=False):
    """A choice that was not seen with certainty: a filter sums over all possibilities."""

    filter: Filter
    nearest: Actions | Headings | None = None  # the choice on the path nearest to what was seen

    @property
    def action_regret(self) -> Annotated[Floats, "step action goal"]:
        """The regret of all actions on the nearest path."""
        if self.nearest is None:
            raise BadInput("regret is not known: some actions were not seen")
        return self.nearest.action_regret


class ChosenSteps(NamedTuple):
    """What a motion says about the steps of one trial."""

    step_regret: Annotated[Floats, "step goal"]
    initial: Annotated[Floats, "goal"]  # the cost-to-go before the first step
    reachable: Annotated[Bools, "goal"]
    choice: Actions | Headings | FilteredChoice
    warnings: tuple[str, ...] = ()

    def filtered(self, filter: Filter) -> ChosenSteps:
        """Return the same steps if they were not seen with certainty; these are the nearest."""
        assert not isinstance(self.choice, FilteredChoice)
        return self._replace(choice=FilteredChoice(filter, self.choice))


class Regret(Struct, frozen=True, eq=False):
    """How much more the steps of one trial cost than the best ones."""

    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]
    frame: Annotated[Ints, "step"]  # at which each step is complete
    step_regret: Annotated[Floats, "step goal"]
    choice: Actions | Headings | FilteredChoice  # what each step was chosen from
    warnings: tuple[str, ...] = ()
    share: Annotated[Floats, "step"] | None = None  # of a plan that was done just before, if known

    @property
    def nearest(self) -> Actions | Headings | None:
        """The choice on the path nearest to what was seen; None if some actions were not seen."""
        return self.choice.nearest if isinstance(self.choice, FilteredChoice) else self.choice

    def __repr__(self) -> str:
        totals: dict[Identity, list[float]] = {}
        for goal, steps in zip(self.goals, self.step_regret.T, strict=True):
            totals.setdefault(goal, []).append(float(steps.sum()))
        told = ", ".join(f"{goal} {_range(some)}" for goal, some in totals.items())
        return f"<Regret of {count(len(self.frame), 'step')}, in all: {told}>"


def _range(totals: list[float]) -> str:
    """Return the total regret under all hypotheses of a goal: one number, or the least and most."""
    if np.isnan(totals).any():
        return "unknown"
    least, most = f"{min(totals):.2f}", f"{max(totals):.2f}"
    return least if least == most else f"{least} to {most}"


class BeliefRegret(Struct, frozen=True, eq=False):
    """What an agent may believe at first about where things are, and its regret in that case."""

    name: str
    prior: float
    regret: Regret


def price_regret(price: Floats, least: Floats) -> Floats:
    """Return how much more choices cost than the cheapest; 0 where none leads to the goal."""
    hopeless = np.isinf(least)
    return np.where(hopeless, 0.0, price - np.where(hopeless, 0.0, least))


def mean_cost(cost: Annotated[Floats, "goal"]) -> float:
    """Return the mean cost of the reachable goals; infinite if it is 0."""
    known = cost[cost < np.inf]
    return float(known.mean()) if known.any() else np.inf


def share_done(
    spent: Annotated[Floats, "step"], first: Annotated[Floats, "goal"]
) -> Annotated[Floats, "step"]:
    """Return the share of a plan that was done just before each step.

    It is the cost of the step before, divided by the mean cost of the goals reachable at first.
    """
    return np.append(0.0, spent)[: len(spent)] / mean_cost(first)


def empty_regret() -> Regret:
    """Return the regret of a trial in which there is nothing to want: it has no steps."""
    no_steps, no_regret = np.zeros(0), np.zeros((0, 1))
    return Regret(
        goals=(NOTHING,),
        reachable=np.zeros(1, dtype=bool),
        frame=np.zeros(0, dtype=np.int64),
        step_regret=no_regret,
        choice=Headings(np.zeros(0, dtype=bool), no_steps, no_regret, 1.0),
        share=no_steps,
    )


def name_goals(trial: Trial) -> tuple[Identity, ...]:
    """Return the identities of the items. The key is always ``key``, and twins are numbered.

    Without items, the one goal is ``nothing``.
    """
    looks = [item.look for item in trial.objects]
    if trial.key is not None:
        looks.append(KEY)
    if not looks:
        return (NOTHING,)
    if not any(look in looks[:index] for index, look in enumerate(looks)):
        return tuple(looks)
    return tuple(
        Identity(look.image, look.colour, twin=looks[: index + 1].count(look))
        for index, look in enumerate(looks)
    )
