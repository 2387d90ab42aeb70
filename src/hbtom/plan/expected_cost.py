"""Cost-to-go if actions have random outcomes: the average cost of the best policy for a goal.

    C(s) = 0                                                     if the goal holds,
    C(s) = min over a of  cost(a) + sum over s' of P(s' | s, a) C(s')      otherwise

It is finite in states from which some policy reaches the goal with probability 1, and infinite in
all others.

It is found by policy iteration, with sweeps over the states to evaluate each policy. The first
policy would be the best if the agent could choose the outcomes (at the costs that A* would find,
which are never too high). States are swept in the order of these costs, so that costs near a goal
are used at once farther away. Every policy reaches the goal with probability 1, and a choice is
changed only for a better one; so a choice that costs nothing and leads nowhere is never preferred.

Iteration ends when no choice is better than the policy's by more than ``TOLERANCE`` of the
cost-to-go. Then C is too high by at most this much for every step that the best policy is expected
to take.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints, concat_ranges
from hbtom.errors import BadInput
from hbtom.plan.transitions import (
    ChoiceSet,
    StateCosts,
    StateSet,
    Transitions,
    almost_surely,
    cheapest,
    reaching,
)

Policy = Annotated[Ints, "state"]  # a choice for each state

TOLERANCE = 1e-10  # the smallest relative improvement of a cost that counts
_SETTLED = 1e-13  # a policy is evaluated once no cost changes by more than this, relatively
MOST_SWEEPS = 10_000  # to evaluate a policy
MOST_EQUATIONS = 1_000
_BLOCK = 4096  # outcomes that are swept together


def expected_cost(transitions: Transitions, done: StateSet) -> StateCosts:
    """Return the least average cost of reaching one of the ``done`` states."""
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
    transitions: Transitions, states: Annotated[Ints, "some"], usable: ChoiceSet
) -> Transitions:
    """Return the usable choices of the given states, in this order; other states become one."""
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


def _iterated(transitions: Transitions, least: StateCosts) -> StateCosts:
    """Iterate policies; the last state is the goal, which ``least`` does not include."""
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
        if not (cost < before * (1.0 - TOLERANCE / 2)).any():  # only rounding errors
            return before[:-1]


def _best(transitions: Transitions, cost: StateCosts) -> tuple[StateCosts, Policy]:
    """Return the total cost of the best choice in each state, and the number of that choice."""
    later = transitions.probability * cost[transitions.target]
    price = transitions.cost + np.add.reduceat(later, transitions.outcomes[:-1])
    best = np.minimum.reduceat(price, transitions.choices[:-2])
    is_best = np.flatnonzero(price == best[transitions.state])
    return best, is_best[np.searchsorted(transitions.state[is_best], np.arange(len(best)))]


def _proper(transitions: Transitions, policy: Policy, goal: StateSet) -> Policy:
    """Return a policy that reaches the goal from everywhere, changed only where it does not."""
    taken = np.zeros(len(transitions.cost), dtype=np.bool_)
    taken[policy] = True
    reached, _ = reaching(transitions, goal, taken)
    if reached.all():
        return policy
    _, other = reaching(transitions, reached, np.ones_like(taken))
    return np.where(reached[:-1], policy, other[:-1])


@dataclass(frozen=True, eq=False)
class _Chain:
    """The Markov chain of a policy; outcomes that stay in a state are summed in closed form.

    C(s) = [cost + sum over s' other than s of P(s') C(s')] / [sum over s' other than s of P(s')]
    """

    price: StateCosts
    first: Annotated[Ints, "state+1"]
    target: Annotated[Ints, "outcome"]
    probability: Annotated[Floats, "outcome"]

    @staticmethod
    def of(transitions: Transitions, policy: Policy) -> _Chain:
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


def _evaluated(transitions: Transitions, policy: Policy, cost: StateCosts) -> StateCosts:
    """Return the average cost of a policy, by sweeps that start from a guess.

    If this takes too many sweeps, because the goal is rarely reached, linear equations are solved.
    It is an error if there are too many states for that.
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
        "the average cost of a goal takes too long to compute, because actions succeed too rarely",
        hint="make actions succeed more often",
    )


def _solved(chain: _Chain) -> StateCosts:
    """Return the average cost of a policy, by solving C = price + P C."""
    states = len(chain.price)
    matrix = np.zeros((states, states + 1))
    row = np.repeat(np.arange(states), np.diff(chain.first))
    np.add.at(matrix, (row, chain.target), chain.probability)
    return np.append(np.linalg.solve(np.eye(states) - matrix[:, :-1], chain.price), 0.0)
