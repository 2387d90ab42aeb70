"""Cost-to-go where chance has a hand: what the best way to a goal costs on average.

    C(s) = 0                                                     where the goal holds,
    C(s) = min over a of  cost(a) + sum over s' of P(s' | s, a) C(s')      elsewhere

It is finite in states from which some way of acting leads to the goal with probability 1, sooner or
later, and infinite in all others: what might be the end of all hope has no average cost.

Solved by policy iteration, with a policy evaluated by sweeps over the states. It begins with what
looks best if one could pick what comes about (the costs that A* would find, which are never too
much), and states are swept in the order of these costs, so that what is known near a goal is used
at once farther away. Every policy on the way reaches the goal with probability 1, and a choice is
changed only for one that is better; so what costs nothing and leads nowhere is never preferred.

It ends when no choice is better than those taken by more than ``TOLERANCE`` of the cost-to-go. Then
C is too high by at most so much for every step that the best policy is expected to take.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges
from hbtom.errors import BadInput
from hbtom.plan.transitions import Transitions, almost_surely, cheapest, reaching

TOLERANCE = 1e-10  # of a cost: what is not better by so much is no better
_SETTLED = 1e-13  # of a cost: a policy is evaluated when no cost changes by more in a sweep
MOST_SWEEPS = 10_000  # to evaluate a policy
MOST_EQUATIONS = 1_000
_BLOCK = 4096  # outcomes that are swept at once


def expected_cost(
    transitions: Transitions, done: Annotated[Bools, "state"]
) -> Annotated[Floats, "state"]:
    """Return the least average cost of getting to where something is done."""
    sure, usable = almost_surely(transitions, done)
    cost = np.where(done, 0.0, np.inf)
    ahead = np.flatnonzero(sure & ~done)
    if len(ahead):
        least = cheapest(transitions, done)
        ahead = ahead[np.argsort(least[ahead], kind="stable")]
        part = _renumbered(transitions, ahead, usable & ~done[transitions.state])
        cost[ahead] = _iterated(part, least[ahead])
    return cost


def _renumbered(
    transitions: Transitions, states: Annotated[Ints, "some"], usable: Annotated[Bools, "choice"]
) -> Transitions:
    """Return some states, in this order, with their usable choices; all others become one more."""
    number = np.full(len(transitions), len(states))
    number[states] = np.arange(len(states))
    choice = np.flatnonzero(usable)
    choice = choice[np.argsort(number[transitions.state[choice]], kind="stable")]
    first = transitions.outcomes[choice]
    count = transitions.outcomes[choice + 1] - first
    outcome = concat_ranges(first, count)
    return Transitions(
        np.searchsorted(number[transitions.state[choice]], np.arange(len(states) + 2)),
        transitions.cost[choice],
        np.concatenate([[0], np.cumsum(count)]),
        number[transitions.target[outcome]],
        transitions.probability[outcome],
    )


def _iterated(
    transitions: Transitions, least: Annotated[Floats, "state"]
) -> Annotated[Floats, "state"]:
    """Iterate policies; the last of the states is the goal, and ``least`` is without it."""
    goal = np.arange(len(transitions)) == len(least)
    cost = np.append(least, 0.0)
    _, greedy = _best(transitions, cost)
    policy = _proper(transitions, greedy, goal)
    cost = _evaluated(transitions, policy, cost)
    while True:
        best, greedy = _best(transitions, cost)
        improved = best < cost[:-1] * (1.0 - TOLERANCE)
        if not improved.any():
            return cost[:-1]
        policy = _proper(transitions, np.where(improved, greedy, policy), goal)
        before, cost = cost, _evaluated(transitions, policy, cost)
        if not (cost < before * (1.0 - TOLERANCE / 2)).any():  # it was but rounding
            return before[:-1]


def _best(
    transitions: Transitions, cost: Annotated[Floats, "state"]
) -> tuple[Annotated[Floats, "state"], Annotated[Ints, "state"]]:
    """Return what the best choice of each state costs in all, and which it is."""
    later = transitions.probability * cost[transitions.target]
    price = transitions.cost + np.add.reduceat(later, transitions.outcomes[:-1])
    best = np.minimum.reduceat(price, transitions.choices[:-2])
    is_best = np.flatnonzero(price == best[transitions.state])
    return best, is_best[np.searchsorted(transitions.state[is_best], np.arange(len(best)))]


def _proper(
    transitions: Transitions, policy: Annotated[Ints, "state"], goal: Annotated[Bools, "state"]
) -> Annotated[Ints, "state"]:
    """Return a policy that gets to the goal from everywhere, changed only where it did not."""
    taken = np.zeros(len(transitions.cost), dtype=np.bool_)
    taken[policy] = True
    reached, _ = reaching(transitions, goal, taken)
    if reached.all():
        return policy
    _, other = reaching(transitions, reached, np.ones_like(taken))
    return np.where(reached[:-1], policy, other[:-1])


@dataclass(frozen=True, eq=False)
class _Chain:
    """What a policy leads to. Who stays in a state tries again: that is worked out beforehand.

    C(s) = [cost + sum over s' other than s of P(s') C(s')] / [sum over s' other than s of P(s')]
    """

    price: Annotated[Floats, "state"]
    first: Annotated[Ints, "state+1"]
    target: Annotated[Ints, "outcome"]
    probability: Annotated[Floats, "outcome"]

    @staticmethod
    def of(transitions: Transitions, policy: Annotated[Ints, "state"]) -> _Chain:
        count = transitions.outcomes[policy + 1] - transitions.outcomes[policy]
        outcome = concat_ranges(transitions.outcomes[policy], count)
        state = np.repeat(np.arange(len(policy)), count)
        leaves = transitions.target[outcome] != state
        outcome, state = outcome[leaves], state[leaves]
        probability = transitions.probability[outcome]
        leaving = np.bincount(state, probability, len(policy))
        return _Chain(
            transitions.cost[policy] / leaving,
            np.searchsorted(state, np.arange(len(policy) + 1)),
            transitions.target[outcome],
            probability / leaving[state],
        )


def _evaluated(
    transitions: Transitions,
    policy: Annotated[Ints, "state"],
    cost: Annotated[Floats, "state"],
) -> Annotated[Floats, "state"]:
    """Return what a policy costs on average, by sweeps that begin with a guess.

    Where it takes too many of them, because the goal is reached by rare luck only, a few states are
    solved for as linear equations; many are an error.
    """
    chain, cost = _Chain.of(transitions, policy), cost.copy()
    blocks = 1 + len(chain.target) // _BLOCK
    edges = np.linspace(0, len(policy), blocks + 1).astype(np.int64).tolist()
    for _ in range(MOST_SWEEPS):
        settled = True
        for first, last in pairwise(edges):
            outcomes = chain.first[first : last + 1]
            some = slice(outcomes[0], outcomes[-1])
            later = chain.probability[some] * cost[chain.target[some]]
            new = chain.price[first:last] + np.add.reduceat(later, outcomes[:-1] - outcomes[0])
            change = np.abs(new - cost[first:last])
            settled = settled and bool((change <= _SETTLED * new).all())
            cost[first:last] = new
        if settled:
            return cost
    if len(policy) <= MOST_EQUATIONS:
        return _solved(chain)
    raise BadInput(
        "with so much left to chance, getting to a goal takes too long to be worked out",
        hint="let actions succeed more often",
    )


def _solved(chain: _Chain) -> Annotated[Floats, "state"]:
    """Return what a policy costs on average, by solving C = price + P C."""
    states = len(chain.price)
    matrix = np.zeros((states, states + 1))
    row = np.repeat(np.arange(states), np.diff(chain.first))
    np.add.at(matrix, (row, chain.target), chain.probability)
    return np.append(np.linalg.solve(np.eye(states) - matrix[:, :-1], chain.price), 0.0)
