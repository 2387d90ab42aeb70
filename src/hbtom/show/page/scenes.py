"""The context of sentences about a trial: names, the trial, beliefs, and earlier trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.judgement.accounts import find_detour
from hbtom.judgement.approaches import Approach, approach, goal_item, touch_tolerance
from hbtom.mind import Posterior
from hbtom.mind.company_hypotheses import COPY
from hbtom.mind.regret import NOTHING, name_goals
from hbtom.observe import Identity, Trial
from hbtom.show.company_beliefs import PlacedGoal, aims
from hbtom.show.plots.signs import called
from hbtom.show.trial_deeds import Teller, TrialDeed, deeds
from hbtom.world.denoising import steadied

CLEAR_LEAD = 0.1  # a goal leads if it is this much more probable than the next


def names_of(judgement: Judgement) -> dict[Identity, str]:
    """Return a name for each item and each agent of an episode, such as "heart"."""
    items = (look for one in judgement.posteriors for look in (*one.preferred, *one.goals))
    agents = [posterior.agent for posterior in judgement.posteriors]
    others = (o.look for trial in judgement.episode for o in trial.others if o.kind == "agent")
    return {**called(dict.fromkeys((*agents, *others))), **called(dict.fromkeys(items))}


@dataclass(frozen=True, eq=False)
class TrialScene:
    """One trial of a judged episode, with everything that sentences about it need."""

    judgement: Judgement
    index: int
    names: Mapping[Identity, str]

    @property
    def trial(self) -> Trial:
        return self.judgement.episode[self.index]

    @cached_property
    def steady(self) -> Trial:
        """The trial without noise, from which events are read."""
        if self.judgement.episode.company:  # only a part of the trial may be planned
            return steadied(self.trial, self.judgement.model.observation)
        return self.judgement.planned[self.index].steady

    @property
    def posterior(self) -> Posterior:
        return self.judgement.posteriors[self.index]

    @property
    def in_company(self) -> bool:
        """Whether others, or things that move, are modelled."""
        return self.judgement.planned[self.index].company is not None

    @property
    def is_test(self) -> bool:
        return self.index == len(self.judgement.episode) - 1

    @cached_property
    def earlier(self) -> tuple[Posterior, ...]:
        """Earlier trials of the same agent."""
        before = self.judgement.posteriors[: self.index]
        return tuple(one for one in before if one.agent == self.posterior.agent)

    @cached_property
    def _chosen(self) -> tuple[TrialScene, ...]:
        """Earlier trials in which the same agent had a choice."""
        before = (replace(self, index=index) for index in range(self.index))
        same = (one for one in before if one.posterior.agent == self.posterior.agent)
        return tuple(one for one in same if one.posterior.reachable.sum() > 1)

    @cached_property
    def choices(self) -> tuple[Identity | None, ...]:
        """What the same agent seemed to choose each time it could; None where it came to nothing.

        In company, it may copy another agent, or only approach it.
        """
        return tuple(one._choice for one in self._chosen)

    @cached_property
    def found(self) -> bool:
        """Whether the same agent reached anything in earlier trials."""
        before = (replace(self, index=index) for index in range(self.index))
        same = (one for one in before if one.posterior.agent == self.posterior.agent)
        return any(one.reached is not None for one in same)

    @property
    def _choice(self) -> Identity | None:
        near = self.approaches[self.went]
        friendly = self.is_agent(self.went) and near.last < near.first
        reached = near.reached or friendly or self._copies
        return self.posterior.goals[self.went] if reached else None

    @property
    def _copies(self) -> bool:
        """Whether the agent copies another one."""
        posterior = self.posterior
        return posterior.hypotheses.processes[int(posterior.process[-1].argmax())] == COPY

    @cached_property
    def aims(self) -> tuple[PlacedGoal, ...]:
        """The goals, with each place where the agent may look for them."""
        return aims(self.posterior)

    @cached_property
    def leaders(self) -> tuple[int | None, ...]:
        """The likeliest aim before the first step and after each step; see :func:`leaders`."""
        return leaders(np.stack([aim.chance for aim in self.aims], axis=1))

    @property
    def went(self) -> int:
        """The index of the likeliest goal at the end."""
        return int(self.posterior.goal[-1].argmax())

    @cached_property
    def approaches(self) -> tuple[Approach, ...]:
        """How near the agent came to each goal, or to where the goal was when it set off."""
        if NOTHING in self.posterior.goals:
            return ()
        planned = self.judgement.planned[self.index]
        tolerance = touch_tolerance(self.judgement.model)
        items = (goal_item(planned, goal) for goal in range(len(self.posterior.goals)))
        return tuple(approach(planned, item, tolerance, self.trial) for item in items)

    @property
    def arrived(self) -> bool:
        """Whether the agent came to the likeliest goal, and to nothing else after it."""
        return self.reached == self.posterior.goals[self.went]

    @cached_property
    def things(self) -> tuple[Identity, ...]:
        """The identities of the items, in their order; ``nothing`` if there is none."""
        return name_goals(self.trial)

    @cached_property
    def deeds(self) -> tuple[TrialDeed, ...]:
        """All deeds of agents to the world and to each other; none without company."""
        return deeds(self.trial)

    @cached_property
    def teller(self) -> Teller:
        """Puts deeds into words, with the names of this page."""
        names = ["it", *(f"the {self.names[one.look]}" for one in self.trial.actors[1:])]
        return Teller(self.trial, names.__getitem__, self.item)

    @cached_property
    def reached(self) -> Identity | None:
        """The item that the agent came to last, or another agent if agents may be goals."""
        met = [self.trial.actors[one.thing or 0].look for one in self.deeds if one.kind == "reach"]
        if met and met[-1] in self.posterior.goals:
            return met[-1]
        touches = (event for event in self.steady.events if event.item is not None)
        items = [event.item for event in touches if event.frame > 0]
        if items and items[-1] is not None:
            return self.things[items[-1]]
        near = bool(self.approaches) and self.approaches[self.went].reached
        return self.posterior.goals[self.went] if near else None

    def the(self, goal: int) -> str:
        """Return the name of a goal with its article."""
        return f"the {self.names[self.posterior.goals[goal]]}"

    def aim(self, aim: int) -> str:
        """Return the name of a goal, and where the agent looks for it if that is uncertain."""
        return f"{self.the(self.aims[aim].goal)} {self.aims[aim].where}".strip()

    def is_agent(self, goal: int) -> bool:
        return self.posterior.goals[goal] in {one.look for one in self.trial.actors[1:]}

    def copied(self, goal: int) -> bool:
        """Return whether the agent copied a goal more often than it approached it."""
        both = zip(self._chosen, self.choices, strict=True)
        manners = [one._copies for one, choice in both if choice == self.posterior.goals[goal]]
        return 2 * sum(manners) > self.times(goal)

    def item(self, index: int) -> str:
        """Return the name of an item with its article; in some models the key is not a goal."""
        return f"the {self.names.get(self.things[index], 'key')}"

    @property
    def agent(self) -> str:
        return f"the {self.names[self.posterior.agent]}"

    def times(self, goal: int) -> int:
        """Return how often the agent took a goal when it had a choice."""
        return self.choices.count(self.posterior.goals[goal])

    @cached_property
    def detour(self) -> float:
        """The ratio of the way to the likeliest goal to the shortest way; 1 if undefined."""
        return find_detour(self.judgement.planned[self.index], self.posterior)


def scenes(judgement: Judgement) -> tuple[TrialScene, ...]:
    """Return one scene per trial."""
    names = names_of(judgement)
    return tuple(TrialScene(judgement, index, names) for index in range(len(judgement.episode)))


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
