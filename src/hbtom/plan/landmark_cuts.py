"""Cuts: sets of operators such that every plan for the wanted facts contains one of each (LM-cut).

Each operator is traced back to the most expensive fact that it needs, and only to that. The
surroundings of the goal are the facts from which it costs nothing more. The operators that enter
them are a cut. The cost of the cheapest of these operators is subtracted from all of them. This is
repeated until the goal costs nothing.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import FROZEN, Bools, Floats, Ints, read_only
from hbtom.compiled import kernel, part
from hbtom.plan.heap import pop, push
from hbtom.plan.operators import Facts, Lists, Operators

MOST_CUTS = 300  # for one set of facts
ROUNDING = 1e-12  # costs below this are rounding errors
Costs = Annotated[Floats, "operator"]


class Relaxed(NamedTuple):
    """Operators without delete effects."""

    need: Lists
    add: Lists
    needed_by: Lists
    added_by: Lists
    cost: Annotated[Floats, "operator", FROZEN]


def find_cuts(operators: Operators, wanted: Facts) -> Annotated[Bools, "cut operator"] | None:
    """Return the cuts for the wanted facts; None if the facts cannot all become true."""
    if not len(wanted):
        return np.zeros((0, len(operators)), dtype=np.bool_)
    true = operators.initial[None]
    sums, cuts = cuts_before(without_deletes(operators), true, wanted, True)
    return cuts if sums[0] < np.inf else None


def least_costs(
    operators: Operators, true: Annotated[Bools, "state fact"], wanted: Facts
) -> Annotated[Floats, "state"]:
    """Return a lower bound on the cost of the wanted facts, from each state: the sum over cuts."""
    if not len(wanted):
        return np.zeros(len(true))
    return cuts_before(without_deletes(operators), true, wanted, False)[0]


def without_deletes(operators: Operators) -> Relaxed:
    """Return the delete relaxation: operators that never make a fact false."""
    lists = operators.need, operators.add, operators.needed_by, operators.added_by
    return Relaxed(*lists, read_only(operators.cost))


@kernel
def cuts_before(
    relaxed: Relaxed,
    true: Annotated[Bools, "state fact"],
    wanted: Annotated[Ints, "some"],
    keep: bool,
) -> tuple[Annotated[Floats, "state"], Annotated[Bools, "cut operator"]]:
    """Return the sum of the costs of all cuts, from each state; infinite if out of reach.

    With ``keep``, also return the cuts from all states together, and stop at ``MOST_CUTS``.
    """
    sums, found = np.zeros(len(true)), 0
    cuts = np.zeros((MOST_CUTS if keep else 1, len(relaxed.cost)), dtype=np.bool_)
    for state in range(len(true)):
        cost, paid = relaxed.cost.copy(), 1.0
        while 0.0 < paid < np.inf and found < len(cuts):
            for operator in range(len(cost)):
                cuts[found, operator] = False
            paid = next_cut(relaxed, true[state], wanted, cost, cuts[found])
            sums[state] += paid
            found += 1 if keep and 0.0 < paid < np.inf else 0
    return sums, cuts[:found]


@part
def next_cut(
    relaxed: Relaxed,
    initial: Annotated[Bools, "fact"],
    wanted: Annotated[Ints, "some"],
    cost: Costs,
    cut: Annotated[Bools, "operator"],
) -> float:
    """Mark a cut, subtract the least cost of its operators from all of them, and return that cost.

    It is 0 if there are no more cuts, and infinite if the facts cannot all become true.
    """
    price, dearest = fact_costs(relaxed, initial, cost)
    goal = wanted[0]
    for fact in wanted:
        if price[fact] > price[goal]:
            goal = fact
    if price[goal] == np.inf:
        return np.inf
    if price[goal] < ROUNDING:
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
    """Return the cost of each fact (h max), and each operator's most expensive precondition."""
    facts, operators = len(initial), len(cost)
    price, done = np.empty(facts), np.zeros(facts, dtype=np.bool_)
    dearest = np.empty(operators, dtype=np.int64)  # -1 for operators that can never be applied
    left = np.empty(operators, dtype=np.int64)
    most = facts + len(relaxed.add.item)
    queue, prices, size = np.empty(most, dtype=np.int64), np.empty(most), 0
    for operator in range(operators):
        dearest[operator] = -1
        left[operator] = relaxed.need.first[operator + 1] - relaxed.need.first[operator]
    for fact in range(facts):
        price[fact] = 0.0 if initial[fact] else np.inf
        if initial[fact]:
            size = push(queue, prices, size, fact, 0.0)
    while size > 0:
        size = pop(queue, prices, size)
        fact, paid = queue[size], prices[size]
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
                        size = push(queue, prices, size, added, total)
    return price, dearest


@part
def surroundings(
    relaxed: Relaxed, cost: Costs, dearest: Annotated[Ints, "operator"], goal: int
) -> Annotated[Bools, "fact"]:
    """Return the facts from which a goal costs nothing more."""
    facts = len(relaxed.added_by.first) - 1
    near, queue, size = np.zeros(facts, dtype=np.bool_), np.empty(facts, dtype=np.int64), 1
    near[goal], queue[0] = True, goal
    while size > 0:
        size -= 1
        fact = queue[size]
        for place in range(relaxed.added_by.first[fact], relaxed.added_by.first[fact + 1]):
            operator = relaxed.added_by.item[place]
            before = dearest[operator]
            if before >= 0 and cost[operator] < ROUNDING and not near[before]:
                near[before], queue[size] = True, before
                size += 1
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
    facts, size = len(initial), 0
    outside, queue = initial.copy(), np.empty(facts, dtype=np.int64)
    for fact in range(facts):
        if outside[fact]:
            queue[size] = fact
            size += 1
    while size > 0:
        size -= 1
        fact = queue[size]
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
                    outside[added], queue[size] = True, added
                    size += 1
