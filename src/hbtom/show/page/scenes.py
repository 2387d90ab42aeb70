"""What a sentence about a trial can be about: the trial, what is believed, and what went before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.judgement.account import detour
from hbtom.mind import Posterior
from hbtom.observe import Identity, Trial
from hbtom.show.page.labels import names_of
from hbtom.world.steady import steadied

CLEAR_LEAD = 0.1  # by which a goal must lead the next to be called the likeliest


@dataclass(frozen=True, eq=False)
class Scene:
    """One trial of a judged episode, with all that the sentences about it need."""

    judgement: Judgement
    index: int
    names: Mapping[Identity, str]

    @property
    def trial(self) -> Trial:
        return self.judgement.episode[self.index]

    @cached_property
    def steady(self) -> Trial:
        """The trial without its noise: what happens is told from it."""
        return steadied(self.trial, self.judgement.model.observation)

    @property
    def posterior(self) -> Posterior:
        return self.judgement.posteriors[self.index]

    @property
    def is_test(self) -> bool:
        return self.index == len(self.judgement.episode) - 1

    @cached_property
    def earlier(self) -> tuple[Posterior, ...]:
        """Earlier trials of the same agent."""
        before = self.judgement.posteriors[: self.index]
        return tuple(one for one in before if one.agent == self.posterior.agent)

    @cached_property
    def choices(self) -> tuple[Identity, ...]:
        """What the same agent seems to have wanted whenever it had a choice."""
        return tuple(
            one.goals[int(one.goal[-1].argmax())] for one in self.earlier if one.reachable.sum() > 1
        )

    @cached_property
    def leaders(self) -> tuple[int | None, ...]:
        """The likeliest goal before the first step and after each; see :func:`leaders`."""
        return leaders(self.posterior.goal)

    @property
    def went(self) -> int:
        """The likeliest goal at the end, by its index."""
        return int(self.posterior.goal[-1].argmax())

    @cached_property
    def reached(self) -> int | None:
        """The item that it touched last, by its index in the trial's items."""
        items = [event.item for event in self.steady.events if event.item is not None]
        return items[-1] if items else None

    def the(self, goal: int) -> str:
        """Return a goal's name with its article."""
        return f"the {self.names[self.posterior.goals[goal]]}"

    def item(self, index: int) -> str:
        """Return an item's name with its article; in some models a key is none of the goals."""
        return self.the(index) if index < len(self.posterior.goals) else "the key"

    @property
    def agent(self) -> str:
        return f"the {self.names[self.posterior.agent]}"

    def times(self, goal: int) -> int:
        """Return how often the agent took a goal when it had a choice."""
        return self.choices.count(self.posterior.goals[goal])

    @cached_property
    def detour(self) -> float:
        """How many times longer than needed the way to the likeliest goal was."""
        return detour(self.trial, self.posterior, self.judgement.model.observation)


def scenes(judgement: Judgement) -> tuple[Scene, ...]:
    """Return one scene a trial."""
    names = names_of(judgement)
    return tuple(Scene(judgement, index, names) for index in range(len(judgement.episode)))


def leaders(belief: Annotated[Floats, "time goal"]) -> tuple[int | None, ...]:
    """Return the likeliest goal at each time, None as long as there was none.

    A goal must lead clearly to become the likeliest, and is it until another one leads clearly.
    """
    found: list[int | None] = []
    last: int | None = None
    for row in belief:
        order = np.argsort(row)
        if len(row) == 1 or row[order[-1]] - row[order[-2]] >= CLEAR_LEAD:
            last = int(order[-1])
        found.append(last)
    return tuple(found)


def per_cent(share: float) -> str:
    """Return a probability as people say it; the sign stays with its number."""
    if share >= 0.995:
        return "over 99\u00a0%"
    return "under 1\u00a0%" if share < 0.005 else f"{100 * share:.0f}\u00a0%"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
