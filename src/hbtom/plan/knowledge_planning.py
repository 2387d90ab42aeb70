"""Planning over knowledge: the cost-to-go of an agent that does not know where a thing lies.

A state is a place, a mode, and the set K of places where the thing may still be. With b the agent's
belief and V(s) the places that can be seen from s,

    C_{j}(s) = cost-to-go with the thing at j
    C_K(s)   = solve(blocked, Z_K),
    Z_K(s)   = sum over j in K and V(s) of b(j | K) C_{j}(s)  +  b(K - V(s) | K) C_{K - V(s)}(s)

where V(s) and K have a place in common; elsewhere Z_K is infinite. Looking never does harm, so C_K
equals Z_K where Z_K is finite. There are 2^n - 1 sets for n places, and one field for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.plan.blocked_costs import spilled
from hbtom.world.modes import NO_GOAL, PlaceWorld

Known = frozenset[int]  # the places where a thing may still be
Field = Annotated[Floats, "mode row column"]
Planner = Callable[[PlaceWorld], Annotated[Floats, "goal mode row column"]]


class Lookout(NamedTuple):
    """The input of planning over knowledge of one thing."""

    goal: int  # the number of the thing among the items
    worlds: tuple[PlaceWorld, ...]  # with the thing at each of the places
    sees: Annotated[Bools, "place row column"]  # from where each place can be seen
    attained: tuple[Field, ...]  # the cost-to-go with the thing at each of the places
    start: tuple[int, int]  # row and column where the agent sets out
    plan: Planner


def lookout(
    goal: int, worlds: tuple[PlaceWorld, ...], sight: Bools, plan: Planner, start: tuple[int, int]
) -> Lookout:
    """Return the input of planning over knowledge, given from where places can be seen.

    An agent within reach of a place knows whether the thing lies there, even if it cannot see it.
    """
    attained = tuple(plan(_only(one, goal))[goal] for one in worlds)
    return Lookout(goal, worlds, sight | at_hand(worlds, goal), attained, start, plan)


def at_hand(worlds: Sequence[PlaceWorld], goal: int) -> Annotated[Bools, "place row column"]:
    """Return in which cells a thing is within reach, if it lies at each of the places."""
    return np.array([np.isfinite(one.reach[goal]) for one in worlds])


def knowledge_costs(
    look: Lookout, beliefs: Annotated[Floats, "belief place"]
) -> list[dict[Known, Field]]:
    """Return the cost-to-go for every set of places where the thing may still be, by belief.

    Beliefs for which b(. | K) is the same share one plan.
    """
    planned = dict[tuple[Known, tuple[tuple[int, float], ...]], Field]()
    by_belief = []
    for belief in beliefs:
        found: dict[Known, Field] = {frozenset([j]): c for j, c in enumerate(look.attained)}
        for known in _sets(len(look.worlds)):
            share = shares(belief, known, look)
            one = known, tuple(share.items())
            if len(share) == 1:
                planned[one] = look.attained[min(share)]
            elif one not in planned:
                expected = _expected(look, known, share, found)
                planned[one] = look.plan(_looking(look, expected))[look.goal]
            found[known] = planned[one]
        by_belief.append(found)
    return by_belief


def shares(belief: Annotated[Floats, "place"], known: Known, look: Lookout) -> dict[int, float]:
    """Return b(j | K) where it is positive.

    Places that the agent cannot reach do not count, unless it can reach none: the agent plans as if
    it could get the thing. If a belief has been proved wrong, the remaining places are equally
    probable.
    """
    can = [j for j in sorted(known) if _attainable(look, j)] or sorted(known)
    total = sum(float(belief[j]) for j in can)
    share = {j: float(belief[j]) / total if total else 1.0 / len(can) for j in can}
    return {j: one for j, one in share.items() if one > 0}


def _attainable(look: Lookout, place: int) -> bool:
    """Return whether a place can be reached from where the agent sets out.

    Agents may be seen up to two cells inside the margin that they are supposed to keep from walls.
    """
    world, cost = look.worlds[place], look.attained[place][0]
    return spilled(cost, world.blocked[0], world.costs.cell, *look.start) < np.inf


def _sets(places: int) -> Iterator[Known]:
    """Yield all sets of two places or more, the smallest first."""
    for many in range(2, places + 1):
        yield from map(frozenset, combinations(range(places), many))


def _expected(
    look: Lookout, known: Known, share: Mapping[int, float], found: Mapping[Known, Field]
) -> Field:
    """Return Z_K: the average cost of going on, once the agent has looked at all it can see."""
    seen = {j: look.sees[j] for j in known}
    expected = np.full_like(look.attained[0], np.inf)
    for some in (one for many in range(1, len(known) + 1) for one in combinations(known, many)):
        here = np.logical_and.reduce([seen[j] if j in some else ~seen[j] for j in known])
        rest = sum(share.get(j, 0.0) for j in known.difference(some))
        value = np.zeros((len(expected), np.count_nonzero(here)))
        for j in some:
            if j in share:
                value += share[j] * look.attained[j][:, here]
        if rest > 0:
            value += rest * found[known.difference(some)][:, here]
        expected[:, here] = value
    return expected


def _looking(look: Lookout, expected: Field) -> PlaceWorld:
    """Return a world in which the goal is attained by looking, at the cost expected afterwards.

    For each mode there is one more thing, which is in reach wherever a place can be seen. The goal
    has no box, because an agent that does not know where a thing lies cannot walk around it.
    """
    world, goal = look.worlds[0], look.goal
    exits, things, costs = world.exits, len(world.reach), world.costs
    boxes = world.boxes.copy()
    boxes[goal : goal + 1] = False
    reach = np.concatenate([world.reach, np.maximum(expected - costs.act, 0.0) / costs.cell])
    thing = np.where(exits.goal == goal, things + exits.source, exits.thing)
    return _only(world._replace(reach=reach, boxes=boxes, exits=exits._replace(thing=thing)), goal)


def _only(world: PlaceWorld, goal: int) -> PlaceWorld:
    """Return a world in which only one goal can be attained, so that no other is planned for."""
    exits = world.exits
    useful = (exits.goal == goal) | (exits.target != exits.source)
    return world._replace(exits=exits._replace(goal=np.where(useful, exits.goal, NO_GOAL)))
