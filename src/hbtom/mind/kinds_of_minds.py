"""Kinds of minds: beliefs about an agent that may be of several kinds.

See :mod:`hbtom.mind.company_inference` for what a kind is, and for the inference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Floats, frozen
from hbtom.assumptions import Social
from hbtom.mind.beliefs import AgentBeliefs
from hbtom.model import Model
from hbtom.observe import Identity

ATTITUDES = -1, 0, 1  # wishes it ill, is indifferent, wishes it well
ATTITUDE_NAMES = "hinders", "neutral", "helps"
CAUSES = "self", "moved"
MOST_KINDS = 100  # this leaves room for the attitudes of four other agents


class Kind(NamedTuple):
    """What an agent may be like in all of its trials."""

    moved: bool = False  # it moves only when it is pushed; then attitudes do not matter
    attitudes: tuple[int, ...] = ()  # of each other agent that has acted, towards this one


class Mixture(Struct, frozen=True, eq=False):
    """Beliefs about an agent that may be of several kinds: P(kind, counts, efficiency), jointly."""

    kinds: tuple[Kind, ...]
    known: tuple[AgentBeliefs, ...]  # for each kind; the weights include the kind's probability
    actors: tuple[Identity, ...] = ()  # other agents that have acted on the agent's world
    meant: Annotated[Floats, "actor attitude"] = frozen(np.zeros((0, 3)))  # P(attitude | deeds)

    @staticmethod
    def of(known: AgentBeliefs, model: Model, social: Social) -> Mixture:
        """Return beliefs about an agent that was never seen in company."""
        itself = replace(known, log_weight=known.log_weight + math.log1p(-social.moved))
        if social.moved == 0:
            return Mixture((Kind(),), (itself,))
        pushed = AgentBeliefs.prior(model.log_character + math.log(social.moved))
        pushed = pushed.knowing(known.goals)
        return Mixture((Kind(), Kind(moved=True)), (itself, pushed))

    @property
    def average(self) -> AgentBeliefs:
        """Beliefs if the agent moves by itself, averaged over attitudes."""
        own = [known for kind, known in zip(self.kinds, self.known, strict=True) if not kind.moved]
        log = np.logaddexp.reduce([one.log_weight for one in own], axis=0)
        return replace(own[0], log_weight=log - np.logaddexp.reduce(log, axis=None))

    def liking(self, kind: Kind, social: Social) -> dict[Identity, float]:
        """Return how much more, or less, a kind likes the agents that have acted."""
        warm = (social.warmth**one for one in kind.attitudes)
        return {} if kind.moved else dict(zip(self.actors, warm, strict=True))

    def regarding(self, actor: Identity) -> Mixture:
        """Return beliefs with an attitude for one more actor, unless it already has one."""
        if actor in self.actors or len(self.kinds) * len(ATTITUDES) > MOST_KINDS:
            return self
        kinds: list[Kind] = []
        known: list[AgentBeliefs] = []
        third = -math.log(len(ATTITUDES))
        for kind, one in zip(self.kinds, self.known, strict=True):
            if kind.moved:
                kinds, known = [*kinds, kind], [*known, one]
                continue
            kinds += [Kind(False, (*kind.attitudes, attitude)) for attitude in ATTITUDES]
            known += [replace(one, log_weight=one.log_weight + third)] * len(ATTITUDES)
        meant = np.concatenate([self.meant, np.full((1, len(ATTITUDES)), math.exp(third))])
        return Mixture(tuple(kinds), tuple(known), (*self.actors, actor), meant)

    def seeing(self, actor: Identity, chance: Annotated[Floats, "attitude"]) -> Mixture:
        """Return beliefs after a deed, given how probable it is under each attitude."""
        index = self.actors.index(actor)
        both = self.meant[index] * chance
        meant = self.meant.copy()
        meant[index] = both / both.sum()
        log = [
            math.log(both.sum() if kind.moved else chance[kind.attitudes[index] + 1])
            for kind in self.kinds
        ]
        return replace(self, known=scaled(self.known, log), meant=meant)


def scaled(known: Sequence[AgentBeliefs], log: Sequence[float]) -> tuple[AgentBeliefs, ...]:
    """Return beliefs with the probability of each kind multiplied."""
    both = zip(known, log, strict=True)
    return tuple(replace(one, log_weight=one.log_weight + more) for one, more in both)


class CompanyPosterior(Struct, frozen=True, eq=False):
    """Beliefs about kinds of minds during a trial; row 0 is before the first step."""

    kinds: tuple[Kind, ...]
    actors: tuple[Identity, ...]
    meant: Annotated[Floats, "actor attitude"]  # P(attitude | deeds alone)
    full: Annotated[Floats, "kind 1+step goal place manner efficiency"]
    places: Mapping[Identity, tuple[tuple[tuple[float, float], float], ...]]

    def __repr__(self) -> str:
        itself = f"moves by itself {self.cause[-1, 0]:.3f}"
        helps = (f"{actor} helps {chance[-1, 2]:.3f}" for actor, chance in self.attitudes.items())
        places = (f"{goal} in {len(some)} places" for goal, some in self.places.items() if some[1:])
        return f"<CompanyPosterior: {', '.join([itself, *helps, *places])}>"

    @property
    def kind(self) -> Annotated[Floats, "1+step kind"]:
        """P(kind | o_1:t)."""
        return self.full.sum(axis=(2, 3, 4, 5)).T

    @property
    def cause(self) -> Annotated[Floats, "1+step cause"]:
        """P(the agent moves by itself) and P(it moves only when it is pushed)."""
        moved = np.array([kind.moved for kind in self.kinds])
        return np.stack([self.kind[:, ~moved].sum(axis=1), self.kind[:, moved].sum(axis=1)], axis=1)

    @property
    def attitudes(self) -> dict[Identity, Annotated[Floats, "1+step attitude"]]:
        """P(hinders), P(neutral) and P(helps) for each other agent that has acted."""
        return {actor: self._attitude(index) for index, actor in enumerate(self.actors)}

    @property
    def by_attitude(self) -> Annotated[Floats, "1+step goal place manner efficiency cause ..."]:
        """P(all | o_1:t), with an axis for the cause and one for the attitude of each actor.

        For an agent that is pushed, attitudes follow from deeds alone.
        """
        meant = np.ones(())
        for each in self.meant:
            meant = np.multiply.outer(meant, each)
        one: tuple[int | slice, ...]
        found = np.zeros((*self.full.shape[1:], 2, *meant.shape))
        for kind, full in zip(self.kinds, self.full, strict=True):
            if kind.moved:
                one = (1, *(slice(None) for _ in self.actors))
                found[(..., *one)] += np.multiply.outer(full, meant)
            else:
                one = (0, *(1 + attitude for attitude in kind.attitudes))
                found[(..., *one)] += full
        return found

    def _attitude(self, actor: int) -> Annotated[Floats, "1+step attitude"]:
        """Sum over kinds; for an agent that is pushed, attitudes follow from deeds alone."""
        found = self.cause[:, 1:] * self.meant[actor]
        for index, kind in enumerate(self.kinds):
            if not kind.moved:
                found[:, kind.attitudes[actor] + 1] += self.kind[:, index]
        return found
