"""What sentences about a trial need: names, the trial, the beliefs, and the earlier trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.judgement.accounts import detour
from hbtom.mind import Posterior
from hbtom.observe import Identity, Trial
from hbtom.show.plots.signs import called

CLEAR_LEAD = 0.1  # how much likelier than the next a goal must be to lead


def names_of(judgement: Judgement) -> dict[Identity, str]:
    """Return a name for each item and each agent of an episode, such as "heart"."""
    items = (look for one in judgement.posteriors for look in (*one.preferred, *one.goals))
    agents = [posterior.agent for posterior in judgement.posteriors]
    others = (o.look for trial in judgement.episode for o in trial.others if o.kind == "agent")
    return {**called(dict.fromkeys((*agents, *others))), **called(dict.fromkeys(items))}


@dataclass(frozen=True, eq=False)
class Scene:
    """One trial of a judged episode, with everything that sentences about it need."""

    judgement: Judgement
    index: int
    names: Mapping[Identity, str]

    @property
    def trial(self) -> Trial:
        return self.judgement.episode[self.index]

    @property
    def steady(self) -> Trial:
        """The trial without noise, from which events are read."""
        return self.judgement.planned[self.index].seen.steady

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
        """What the same agent most probably wanted each time it had a choice."""
        return tuple(
            one.goals[int(one.goal[-1].argmax())] for one in self.earlier if one.reachable.sum() > 1
        )

    @cached_property
    def leaders(self) -> tuple[int | None, ...]:
        """The likeliest goal before the first step and after each step; see :func:`leaders`."""
        return leaders(self.posterior.goal)

    @property
    def went(self) -> int:
        """The index of the likeliest goal at the end."""
        return int(self.posterior.goal[-1].argmax())

    @cached_property
    def reached(self) -> int | None:
        """The index of the item that the agent touched last."""
        items = [event.item for event in self.steady.events if event.item is not None]
        return items[-1] if items else None

    def the(self, goal: int) -> str:
        """Return the name of a goal with its article."""
        return f"the {self.names[self.posterior.goals[goal]]}"

    def item(self, index: int) -> str:
        """Return the name of an item with its article; in some models the key is not a goal."""
        return self.the(index) if index < len(self.posterior.goals) else "the key"

    @property
    def agent(self) -> str:
        return f"the {self.names[self.posterior.agent]}"

    def times(self, goal: int) -> int:
        """Return how often the agent took a goal when it had a choice."""
        return self.choices.count(self.posterior.goals[goal])

    @cached_property
    def detour(self) -> float:
        """How many times longer than necessary the way to the likeliest goal was."""
        return detour(self.judgement.planned[self.index], self.posterior)


def scenes(judgement: Judgement) -> tuple[Scene, ...]:
    """Return one scene a trial."""
    names = names_of(judgement)
    return tuple(Scene(judgement, index, names) for index in range(len(judgement.episode)))


def leaders(belief: Annotated[Floats, "time goal"]) -> tuple[int | None, ...]:
    """Return the leading goal at each time; None until one leads.

    A goal leads once it is clearly the likeliest, until another one clearly is.
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
    """Return a probability in per cent; a non-breaking space keeps the sign with the number."""
    if share >= 0.995:
        return "over 99\u00a0%"
    return "under 1\u00a0%" if share < 0.005 else f"{100 * share:.0f}\u00a0%"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
