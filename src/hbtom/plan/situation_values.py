"""Planning for graded wants over knowledge: the value of a situation to an agent.

Having a thing is worth its utility u, and doing nothing is worth 0. With K the worlds that are
still possible to the agent in a situation s, and b(. | K) its belief,

    V(s)    = max(0,  max over things there of u,  max over a of Q(s, a))
    Q(s, a) = -c(a) + sum over what it may see of b(K' | K) V(s').

Most actions reveal nothing new. An agent takes them until it has a thing, or takes an action that
reveals something. These two ends are the exits e. There are few of them, and the rest of a plan is
a cheapest path to one of them:

    V(s) = max(0,  max over e of [worth(e) - d(s, e)])

Exits into situations in which more is known are planned first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.assumptions import Desires
from hbtom.errors import BadInput
from hbtom.plan.transitions import Transitions, cheapest
from hbtom.plan.utility_grids import Minds, minds_of
from hbtom.world.possible_worlds import (
    MOST_SITUATIONS,
    Situations,
    Uncertain,
    Walk,
    situations,
    start_of,
)

MOST_NUMBERS = 1 << 26  # to keep in memory: half a gigabyte

Worth = Annotated[Floats, "utility belief"]  # with only one belief if beliefs do not matter
Exit = tuple[int, ...]  # the situations to which an action that reveals something may lead


@dataclass(frozen=True, eq=False)
class Valued:
    """The values of situations to an agent, for all utilities and beliefs that it may have."""

    situations: Situations
    utilities: Annotated[Floats, "utility thing"]
    exits: dict[Exit, int]  # the index of each exit in what follows
    worths: tuple[Worth, ...]  # of having each thing, and of each exit, before costs
    away: Annotated[Floats, "thing+exit situation"]  # the cost of each, from each situation

    def worth(self, situation: int) -> Worth:
        """Return V(s)."""
        return _worth(self.worths, self.away[:, situation])

    def options(self, situation: int) -> Iterator[Worth]:
        """Yield Q(s, a) of all choices, then of waiting, and of having what is there, if any.

        Waiting costs nothing, so no option is worth more. If several things are there, the agent
        has the best one.
        """
        some = self.situations
        for choice in range(*some.choices[situation : situation + 2]):
            targets = _targets(some, choice)
            later = (
                self.worth(targets[0]) if len(targets) == 1 else self.worths[self.exits[targets]]
            )
            yield later - some.cost[choice]
        yield self.worth(situation)
        there = some.offers[situation]
        if there.any():
            yield self.utilities[:, there].max(axis=1, keepdims=True)


def _worth(worths: Sequence[Worth], away: Annotated[Floats, "exit"]) -> Worth:
    """Return the value of the best exit, or 0."""
    best = np.zeros((len(worths[0]), 1))
    for worth, far in zip(worths, away.tolist(), strict=True):
        if far < np.inf:
            best = np.maximum(best, worth - far)
    return best


def _shares(
    beliefs: Annotated[Floats, "belief world"], possible: Annotated[Bools, "target world"]
) -> Annotated[Floats, "target belief"]:
    """Return the probability, to the agent, of each situation that an action may lead to.

    If its belief has no mass left, all possible worlds are equally probable.
    """
    any_of = possible.any(axis=0)
    left = np.where((beliefs @ any_of > 0)[:, None], beliefs * any_of, any_of)
    return (left @ possible.T / left.sum(axis=1, keepdims=True)).T


def value(
    some: Situations,
    utilities: Annotated[Floats, "utility thing"],
    beliefs: Annotated[Floats, "belief world"],
) -> Valued:
    """Plan in all situations, for all utilities and all beliefs."""
    exits = _exits(some)
    numbers = len(exits) * (len(utilities) * len(beliefs) + len(some.offers))
    if numbers > MOST_NUMBERS:
        problem = f"{len(utilities):,} utilities and {len(beliefs):,} beliefs are too many here"
        hint = "use coarser grids: fewer desires.utilities, or a smaller desires.fineness"
        raise BadInput(problem, hint=hint)
    worths, away = list(utilities.T[:, :, None]), _away(some, exits)
    for targets in exits:
        shares = _shares(beliefs, some.possible[list(targets)])
        later = [_worth(worths, away[: len(worths), target]) for target in targets]
        worths.append(np.sum([s * v for s, v in zip(shares, later, strict=True)], axis=0))
    number = {targets: utilities.shape[1] + index for index, targets in enumerate(exits)}
    return Valued(some, utilities, number, tuple(worths), away)


class PlannedWorlds(NamedTuple):
    """The plans for several possible worlds, which all walks in them share."""

    uncertain: Uncertain
    minds: Minds
    valued: Valued


def plan_walks(
    assumed: Desires, uncertain: Uncertain, walks: Sequence[Walk], most: int = MOST_SITUATIONS
) -> PlannedWorlds:
    """Plan for all situations that agents can reach from the starts of the walks."""
    minds = minds_of(assumed, uncertain)
    some = situations(uncertain.worlds, [start_of(uncertain.worlds, one) for one in walks], most)
    return PlannedWorlds(uncertain, minds, value(some, minds.utilities, minds.beliefs))


def _targets(some: Situations, choice: int) -> Exit:
    return tuple(some.target[slice(*some.outcomes[choice : choice + 2])].tolist())


def _exits(some: Situations) -> list[Exit]:
    """Return the exits; those after which fewer worlds are possible come first."""
    telling = np.flatnonzero(np.diff(some.outcomes) > 1).tolist()
    found = dict.fromkeys(_targets(some, choice) for choice in telling)
    return sorted(found, key=lambda one: int(some.possible[list(one)].sum()))


def _away(some: Situations, exits: Sequence[Exit]) -> Annotated[Floats, "thing+exit situation"]:
    """Return the cost of every thing and of every exit, from every situation.

    Things and exits are additional states: having a thing costs nothing, an exit costs its action.
    """
    many, things = some.offers.shape
    number = {one: many + things + index for index, one in enumerate(exits)}
    state = np.repeat(np.arange(many), np.diff(some.choices))
    led = [_targets(some, choice) for choice in range(len(some.cost))]
    target = np.array([one[0] if len(one) == 1 else number[one] for one in led], dtype=np.int64)
    at, thing = np.nonzero(some.offers)
    states, targets = np.append(state, at), np.append(target, many + thing)
    order, every = np.argsort(states, kind="stable"), many + things + len(exits)
    graph = Transitions(
        np.searchsorted(states[order], np.arange(every + 1)),
        np.append(some.cost, np.zeros(len(at)))[order],
        np.arange(len(states) + 1),
        targets[order],
        np.ones(len(states)),
    )
    found = [cheapest(graph, np.arange(every) == one)[:many] for one in range(many, every)]
    return np.array(found).reshape(-1, many)
