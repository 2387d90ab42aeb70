"""Cuts: sets of operators of which every plan to some facts contains at least one (LM-cut).

Each operator is traced back to the most expensive fact that it needs, and only to that. The
operators that enter the surroundings of the goal, from which it costs nothing more, are a cut. The
cost of its cheapest operator is subtracted from all of them, until the goal costs nothing.
"""

from __future__ import annotations

import heapq
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import FROZEN, Bools, Floats, Ints, read_only
from hbtom.compiled import kernel, part
from hbtom.plan.operators import Facts, Lists, Operators

MOST_CUTS = 300  # for one set of facts
_NOTHING = 1e-12  # costs below this are rounding errors
Costs = Annotated[Floats, "operator"]


class Relaxed(NamedTuple):
    """Operators without what they delete."""

    need: Lists
    add: Lists
    needed_by: Lists
    added_by: Lists
    cost: Annotated[Floats, "operator", FROZEN]


def find_cuts(operators: Operators, wanted: Facts) -> Annotated[Bools, "cut operator"] | None:
    """Return the cuts before some facts; None if the facts cannot all become true."""
    if not len(wanted):
        return np.zeros((0, len(operators)), dtype=np.bool_)
    cuts, possible = cut_sets(without_deletes(operators), operators.initial, wanted)
    return cuts if possible else None


def least_costs(
    operators: Operators, true: Annotated[Bools, "state fact"], wanted: Facts
) -> Annotated[Floats, "state"]:
    """Return the sum of the costs of cuts before some facts, from each state; a lower bound."""
    if not len(wanted):
        return np.zeros(len(true))
    return cut_sums(without_deletes(operators), true, wanted)


def without_deletes(operators: Operators) -> Relaxed:
    """Return operators that never make anything false."""
    lists = operators.need, operators.add, operators.needed_by, operators.added_by
    return Relaxed(*lists, read_only(operators.cost))


@kernel
def cut_sets(
    relaxed: Relaxed, initial: Annotated[Bools, "fact"], wanted: Annotated[Ints, "some"]
) -> tuple[Annotated[Bools, "cut operator"], bool]:
    """Return all cuts, and whether the facts can all become true."""
    cost = relaxed.cost.copy()
    cuts = np.zeros((MOST_CUTS, len(cost)), dtype=np.bool_)
    for found in range(MOST_CUTS):
        paid = next_cut(relaxed, initial, wanted, cost, cuts[found])
        if paid == np.inf:
            return cuts[:0], False
        if paid == 0.0:
            return cuts[:found], True
    return cuts, True


@kernel
def cut_sums(
    relaxed: Relaxed, true: Annotated[Bools, "state fact"], wanted: Annotated[Ints, "some"]
) -> Annotated[Floats, "state"]:
    """Return the sum of the costs of all cuts, from each state; infinite if out of reach."""
    sums = np.zeros(len(true))
    cut = np.zeros(len(relaxed.cost), dtype=np.bool_)
    for state in range(len(true)):
        cost = relaxed.cost.copy()
        paid = 1.0
        while 0.0 < paid < np.inf:
            cut[:] = False
            paid = next_cut(relaxed, true[state], wanted, cost, cut)
            sums[state] += paid
    return sums


@part
def next_cut(
    relaxed: Relaxed,
    initial: Annotated[Bools, "fact"],
    wanted: Annotated[Ints, "some"],
    cost: Costs,
    cut: Annotated[Bools, "operator"],
) -> float:
    """Mark a cut, subtract the least cost of its operators from all of them, and return it.

    It is 0 if there is no cut any more, and infinite if the facts cannot all become true.
    """
    price, dearest = fact_costs(relaxed, initial, cost)
    goal = wanted[0]
    for fact in wanted:
        if price[fact] > price[goal]:
            goal = fact
    if price[goal] == np.inf:
        return np.inf
    if price[goal] < _NOTHING:
        return 0.0
    near = surroundings(relaxed, cost, dearest, goal)
    enter(relaxed, initial, dearest, near, cut)
    least = np.inf
    for operator in range(len(cost)):
        if cut[operator]:
            least = min(least, cost[operator])
    for operator in range(len(cost)):
        if cut[operator]:
            cost[operator] = max(cost[operator] - least, 0.0)
    return least


@part
def fact_costs(
    relaxed: Relaxed, initial: Annotated[Bools, "fact"], cost: Costs
) -> tuple[Annotated[Floats, "fact"], Annotated[Ints, "operator"]]:
    """Return what each fact costs (h max), and the most expensive fact each operator needs."""
    price = np.where(initial, 0.0, np.inf)
    dearest = np.full(len(cost), -1)  # of operators that can be done
    left = relaxed.need.first[1:] - relaxed.need.first[:-1]
    done = np.zeros(len(price), dtype=np.bool_)
    queue = [(0.0, fact) for fact in range(len(price)) if initial[fact]]
    while len(queue):
        paid, fact = heapq.heappop(queue)
        if done[fact]:
            continue
        done[fact] = True
        for place in range(relaxed.needed_by.first[fact], relaxed.needed_by.first[fact + 1]):
            operator = relaxed.needed_by.item[place]
            left[operator] -= 1
            if left[operator] == 0:
                dearest[operator] = fact
                total = paid + cost[operator]
                for other in range(relaxed.add.first[operator], relaxed.add.first[operator + 1]):
                    added = relaxed.add.item[other]
                    if total < price[added]:
                        price[added] = total
                        heapq.heappush(queue, (total, added))
    return price, dearest


@part
def surroundings(
    relaxed: Relaxed, cost: Costs, dearest: Annotated[Ints, "operator"], goal: int
) -> Annotated[Bools, "fact"]:
    """Return the facts from which a goal costs nothing more."""
    near = np.zeros(len(relaxed.added_by.first) - 1, dtype=np.bool_)
    near[goal] = True
    queue = [goal]
    while len(queue):
        fact = queue.pop()
        for place in range(relaxed.added_by.first[fact], relaxed.added_by.first[fact + 1]):
            operator = relaxed.added_by.item[place]
            before = dearest[operator]
            if before >= 0 and cost[operator] < _NOTHING and not near[before]:
                near[before] = True
                queue.append(before)
    return near


@part
def enter(
    relaxed: Relaxed,
    initial: Annotated[Bools, "fact"],
    dearest: Annotated[Ints, "operator"],
    near: Annotated[Bools, "fact"],
    cut: Annotated[Bools, "operator"],
) -> None:
    """Mark the operators that enter the surroundings of the goal, from outside."""
    outside = initial.copy()
    queue = [fact for fact in range(len(outside)) if outside[fact]]
    while len(queue):
        fact = queue.pop()
        for place in range(relaxed.needed_by.first[fact], relaxed.needed_by.first[fact + 1]):
            operator = relaxed.needed_by.item[place]
            if dearest[operator] != fact:
                continue
            for other in range(relaxed.add.first[operator], relaxed.add.first[operator + 1]):
                cut[operator] |= near[relaxed.add.item[other]]
            if cut[operator]:
                continue
            for other in range(relaxed.add.first[operator], relaxed.add.first[operator + 1]):
                added = relaxed.add.item[other]
                if not outside[added]:
                    outside[added] = True
                    queue.append(added)
