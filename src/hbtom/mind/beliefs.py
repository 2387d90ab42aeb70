"""What the observer has learnt: about each agent, and about how long barriers take to vanish.

Given the goals an agent has had so far, what it will want next depends only on how often it had
each (Dirichlet-categorical conjugacy). So beliefs about an agent are one weight for each table of
counts and each efficiency; nothing is sampled. This is exact as long as the sets of goals on offer
are the same, nested or disjoint (:mod:`hbtom.mind.preference_tree`). Where sets overlap in other
ways, all choices count alike, which is the usual approximation.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Floats, Ints
from hbtom.mind.believed_places import EMPTY_MEMORY, Memory
from hbtom.mind.preference_tree import PreferenceTree
from hbtom.observe import Identity

if TYPE_CHECKING:
    from hbtom.mind.kinds_of_minds import Mixture

_NO_AGENTS: Mapping[Identity, AgentBeliefs] = MappingProxyType({})
_NO_MINDS: Mapping[Identity, Mixture] = MappingProxyType({})


class AgentBeliefs(Struct, frozen=True, eq=False):
    """Beliefs about one agent: P(counts, efficiency), jointly."""

    goals: tuple[Identity, ...]  # everything that it could have wanted so far
    counts: Annotated[Ints, "history goal"]  # how often it wanted each
    log_weight: Annotated[Floats, "history efficiency"]  # their log-probability
    tree: PreferenceTree = PreferenceTree()  # what it chose from

    @staticmethod
    def prior(log_efficiency: Annotated[Floats, "efficiency"]) -> AgentBeliefs:
        """Return beliefs about an agent never seen before, given log P(efficiency)."""
        return AgentBeliefs((), np.zeros((1, 0), dtype=np.int64), log_efficiency[None].copy())

    def most_likely(self, most: int) -> AgentBeliefs:
        """Return the same beliefs with only the ``most`` most probable histories."""
        likely = np.logaddexp.reduce(self.log_weight, axis=1)
        kept = np.sort(np.argsort(-likely, kind="stable")[:most])
        return replace(self, counts=self.counts[kept], log_weight=self.log_weight[kept])

    def knowing(self, goals: tuple[Identity, ...]) -> AgentBeliefs:
        """Return the same beliefs with new goals added, which the agent has never wanted so far."""
        if goals == self.goals:
            return self
        new = tuple(goal for goal in goals if goal not in self.goals)
        never = np.zeros((len(self.counts), len(new)), dtype=np.int64)
        counts = np.concatenate([self.counts, never], axis=1)
        return replace(self, goals=self.goals + new, counts=counts)


class Beliefs(Struct, frozen=True, eq=False):
    """Everything that the observer has learnt so far in an episode; empty at first."""

    agents: Mapping[Identity, AgentBeliefs] = _NO_AGENTS
    openings: tuple[float, ...] = ()  # what waiting for a barrier cost in each trial that had one
    minds: Mapping[Identity, Mixture] = _NO_MINDS  # agents seen in company
    memory: Memory = EMPTY_MEMORY

    def after(self, waits: tuple[float, ...], learnt: Mapping[Identity, AgentBeliefs]) -> Beliefs:
        """Return beliefs updated by those in ``learnt``, with the cost of waiting added."""
        agents = MappingProxyType({**self.agents, **learnt})
        return Beliefs(agents, self.openings + waits, self.minds, self.memory)

    def about(self, agent: Identity) -> AgentBeliefs | Mixture | None:
        """Return what is believed about an agent, if it was seen before."""
        return self.minds.get(agent) or self.agents.get(agent)

    def knowing(self, agent: Identity, mind: Mixture) -> Beliefs:
        """Return beliefs with those about an agent in company replaced."""
        minds = MappingProxyType({**self.minds, agent: mind})
        return replace(self.after((), {agent: mind.average}), minds=minds)

    def __reduce__(self) -> tuple[object, ...]:
        """Make beliefs picklable for other processes; views of mappings are not."""
        return _unpickled, (dict(self.agents), self.openings, dict(self.minds), self.memory)


def _unpickled(
    agents: dict[Identity, AgentBeliefs],
    openings: tuple[float, ...],
    minds: dict[Identity, Mixture],
    memory: Memory,
) -> Beliefs:
    views = MappingProxyType(agents), MappingProxyType(minds)
    return Beliefs(views[0], openings, views[1], memory)
