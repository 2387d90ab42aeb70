"""Relaxed plans: the cost of a goal if nothing ever becomes false, so that nothing is used up.

A fact costs as much as its cheapest operator, and an operator as much as everything that it needs:

    c(f) = 0 if f is true,      c(f) = min over operators o that add f of  c(o)      otherwise
    c(o) = cost(o) + sum over facts p that o needs of  c(p)

This counts an operator several times if several facts need it. A relaxed plan has each operator
once: the cheapest operator of every fact that is wanted, of the facts that these operators need,
and so on. Its cost is known as h_ff, with supporters by h_add. It is an estimate, not a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges, read_only
from hbtom.compiled import kernel_or, part
from hbtom.plan.landmark_cuts import Relaxed, without_deletes
from hbtom.plan.operators import Lists, Operators
from hbtom.world.pddl import Goal
from hbtom.world.pddl.grounded_world import ALWAYS

_AT_ONCE = 1 << 22  # pairs of a state and an operator that are handled together, in plain Python


def relaxed_costs(
    operators: Operators, goals: Sequence[Goal], true: Annotated[Bools, "state fact"]
) -> Annotated[Floats, "goal state"]:
    """Return the cost of a relaxed plan from each state to each goal; infinite if there is none.

    ``operators`` are those of :func:`find_operators` for these goals, and ``true`` says which facts
    are true in each state, as ``operators.true_in`` does. Of the cases of a goal, the cheapest
    counts.
    """
    cases = [operators.cases(goal) for goal in goals]
    each = [facts for some in cases for facts in some]
    first = np.cumsum([0, *map(len, each)], dtype=np.int64)
    item = np.concatenate([np.zeros(0, dtype=np.int64), *each])
    wanted = Lists(read_only(first), read_only(item))
    cost = relaxed_plans(without_deletes(operators), np.ascontiguousarray(true), wanted)
    ends = np.cumsum([len(some) for some in cases])[:-1]
    return np.array([one.min(axis=1, initial=np.inf) for one in np.split(cost, ends, axis=1)])


def _in_chunks(
    relaxed: Relaxed, true: Annotated[Bools, "state fact"], wanted: Lists
) -> Annotated[Floats, "state case"]:
    """Find the relaxed plans of many states at once, which is faster in plain Python."""
    size = max(_AT_ONCE // max(len(relaxed.cost), 1), 1)
    cost = np.zeros((len(true), len(wanted.first) - 1))
    for start in range(0, len(true), size):
        some = true[start : start + size]
        price, by = _all_supporters(relaxed, some)
        for case in range(cost.shape[1]):
            facts = wanted.of(case)
            total = _all_totals(relaxed, by, facts)
            possible = np.isfinite(price[:, facts]).all(axis=1)
            cost[start : start + size, case] = np.where(possible, total, np.inf)
    return cost


@kernel_or(_in_chunks)
def relaxed_plans(
    relaxed: Relaxed, true: Annotated[Bools, "state fact"], wanted: Lists
) -> Annotated[Floats, "state case"]:
    """Return the cost of a relaxed plan from each state to each set of facts."""
    cost = np.zeros((len(true), len(wanted.first) - 1))
    for state in range(len(true)):
        price, by = supporters(relaxed, true[state])
        for case in range(cost.shape[1]):
            facts = wanted.item[wanted.first[case] : wanted.first[case + 1]]
            for place in range(len(facts)):
                cost[state, case] = max(cost[state, case], price[facts[place]])
            if cost[state, case] < np.inf:
                cost[state, case] = total_cost(relaxed, by, facts)
    return cost


@part
def supporters(
    relaxed: Relaxed, true: Annotated[Bools, "fact"]
) -> tuple[Annotated[Floats, "fact"], Annotated[Ints, "fact"]]:
    """Return the cost of each fact, and its cheapest operator; -1 if it is true or impossible.

    Operators are tried in rounds: first all of them, then those that need a fact whose cost has
    changed. A fact keeps the operator that first reached its lowest cost; if several do so in one
    round, the first of them.
    """
    facts, many, cheaper, turn = len(true), len(relaxed.cost), 1, 0
    price, new, by = np.empty(facts), np.empty(facts), np.empty(facts, dtype=np.int64)
    trying, waiting = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    changed = np.empty(facts, dtype=np.int64)
    for fact in range(facts):
        price[fact] = new[fact] = 0.0 if true[fact] else np.inf
        by[fact] = -1
    for operator in range(many):
        trying[operator], waiting[operator] = operator, -1
    while cheaper > 0:
        cheaper = 0
        for one in range(many):
            operator = trying[one]
            total = relaxed.cost[operator]
            for place in range(relaxed.need.first[operator], relaxed.need.first[operator + 1]):
                total += price[relaxed.need.item[place]]
                if total == np.inf:
                    break
            if total == np.inf:
                continue
            for place in range(relaxed.add.first[operator], relaxed.add.first[operator + 1]):
                fact = relaxed.add.item[place]
                if total < new[fact]:
                    if new[fact] == price[fact]:
                        changed[cheaper] = fact
                        cheaper += 1
                    new[fact], by[fact] = total, operator
                elif total == new[fact] and new[fact] < price[fact]:
                    by[fact] = min(by[fact], operator)
        many = 0
        for one in range(cheaper):
            fact = changed[one]
            price[fact] = new[fact]
            for place in range(relaxed.needed_by.first[fact], relaxed.needed_by.first[fact + 1]):
                operator = relaxed.needed_by.item[place]
                if waiting[operator] != turn:
                    waiting[operator], trying[many] = turn, operator
                    many += 1
        turn += 1
    return price, by


@part
def total_cost(
    relaxed: Relaxed, by: Annotated[Ints, "fact"], wanted: Annotated[Ints, "some"]
) -> float:
    """Return the cost of all operators that the wanted facts take, counting each once."""
    seen = np.zeros(len(by), dtype=np.bool_)
    used = np.zeros(len(relaxed.cost), dtype=np.bool_)
    left = np.empty(len(by), dtype=np.int64)
    for place in range(len(wanted)):
        seen[wanted[place]], left[place] = True, wanted[place]
    size = len(wanted)
    while size > 0:
        size -= 1
        operator = by[left[size]]
        if operator < 0 or used[operator]:
            continue
        used[operator] = True
        for place in range(relaxed.need.first[operator], relaxed.need.first[operator + 1]):
            fact = relaxed.need.item[place]
            if not seen[fact]:
                seen[fact], left[size] = True, fact
                size += 1
    total = 0.0
    for operator in range(len(used)):
        if used[operator]:
            total += relaxed.cost[operator]
    return total


def _all_supporters(
    relaxed: Relaxed, true: Annotated[Bools, "state fact"]
) -> tuple[Annotated[Floats, "state fact"], Annotated[Ints, "state fact"]]:
    """Do the same as :func:`supporters`, for many states."""
    price, by = np.where(true, 0.0, np.inf), np.full(true.shape, -1)
    adders, count = relaxed.added_by, np.diff(relaxed.added_by.first)
    added = np.flatnonzero(count)
    if not len(added):
        return price, by
    first = adders.first[added]
    need = _padded(relaxed.need)
    while True:
        total = np.repeat(relaxed.cost[None], len(true), axis=0)
        for facts in need.T:
            total += price[:, facts]
        total = total[:, adders.item]
        least = np.minimum.reduceat(total, first, axis=1)
        cheaper = least < price[:, added]
        if not cheaper.any():
            return price, by
        which = np.where(total == np.repeat(least, count[added], axis=1), adders.item, len(need))
        by[:, added] = np.where(cheaper, np.minimum.reduceat(which, first, axis=1), by[:, added])
        price[:, added] = np.minimum(least, price[:, added])


def _all_totals(
    relaxed: Relaxed, by: Annotated[Ints, "state fact"], wanted: Annotated[Ints, "some"]
) -> Annotated[Floats, "state"]:
    """Do the same as :func:`total_cost`, for many states."""
    states, operators = len(by), len(relaxed.cost)
    used = np.zeros((states, operators + 1), dtype=np.bool_)
    state, fact = np.repeat(np.arange(states), len(wanted)), np.tile(wanted, states)
    while len(state):
        operator = by[state, fact]
        fresh = (operator >= 0) & ~used[state, operator]
        pair = np.unique(state[fresh] * operators + operator[fresh])
        state, operator = pair // max(operators, 1), pair % max(operators, 1)
        used[state, operator] = True
        count = np.diff(relaxed.need.first)[operator]
        fact = relaxed.need.item[concat_ranges(relaxed.need.first[operator], count)]
        state = np.repeat(state, count)
    return np.cumsum(used * np.append(relaxed.cost, 0.0), axis=1)[:, -1]


def _padded(lists: Lists) -> Annotated[Ints, "owner item"]:
    """Return lists of the same length, padded with ALWAYS."""
    count = np.diff(lists.first)
    padded = np.full((len(count), count.max(initial=0)), ALWAYS)
    padded[lists.owner, np.arange(len(lists.item)) - lists.first[:-1][lists.owner]] = lists.item
    return padded
