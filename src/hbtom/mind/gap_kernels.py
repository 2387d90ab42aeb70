"""The kernels of the exact filter for plans with gaps (:mod:`hbtom.mind.gap_filter`)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import FROZEN, Bools, Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.world.pddl.enumeration import doubled
from hbtom.world.pddl.partial import NO_ACTION

SEEN = 0.5  # probability that an action is observed, where there is a gap
LEAST = 1e-7  # states of lower probability are left out
_REST = 1e-4  # a gap ends when further unseen actions are less probable than this


class Moves(NamedTuple):
    """A graph of states, and how an agent moves on it."""

    choices: Annotated[Ints, "state+1", FROZEN]
    looks: Annotated[Ints, "choice", FROZEN]  # the action that each choice looks like
    cost: Annotated[Floats, "choice", FROZEN]
    outcomes: Annotated[Ints, "choice+1", FROZEN]
    target: Annotated[Ints, "outcome", FROZEN]
    probability: Annotated[Floats, "outcome", FROZEN]
    stops: bool  # whether the agent stops when it has reached its goal


class ObservedActions(NamedTuple):
    """What was observed."""

    action: Annotated[Ints, "step", FROZEN]  # -1 any, NO_ACTION none
    gap: Annotated[Bools, "step", FROZEN]
    fact: Annotated[Ints, "step", FROZEN]  # which of the conditions was observed, or -1
    holds: Annotated[Bools, "condition state", FROZEN]
    names: int  # how many actions there are


class Policy(NamedTuple):
    """How an agent with one goal and efficiency chooses."""

    to_go: Annotated[Floats, "state", FROZEN]
    beta: float
    share: Annotated[Floats, "choice"]  # pi(u | s) where it is known, else -1


@kernel
def filter_gaps(
    moves: Moves,
    seen: ObservedActions,
    to_go: Annotated[Floats, "state"],
    beta: float,
    rates: Annotated[Floats, "rate"],
) -> Annotated[Floats, "rate step"]:
    """Return log P(o_t | o_<t) for an agent with one goal and efficiency, and for each rate."""
    log = np.full((len(rates), len(seen.action)), -np.inf)
    policy = Policy(to_go, beta, np.full(len(moves.cost), -1.0))
    reached = np.zeros(len(to_go))
    for which in range(len(rates)):
        belief = np.zeros(len(to_go))
        belief[0] = 1.0
        active = np.zeros(1, dtype=np.int64)
        for step in range(len(seen.action)):
            looks, told = seen.action[step], 1.0 - rates[which]
            if seen.gap[step]:
                active = through_gap(moves, policy, belief, active)
                told *= SEEN
            after = active
            if looks == NO_ACTION:
                for state in active:
                    reached[state] = belief[state]
            else:
                after = move(moves, policy, belief, active, told, looks, reached)
            if looks >= 0 and rates[which] > 0.0:
                after = stay(belief, active, rates[which] / seen.names, after, reached)
            if seen.fact[step] >= 0:
                weigh(seen.holds[seen.fact[step]], rates[which], after, reached)
            total = 0.0  # a loop, so that the order is the same whether compiled or not
            for state in after:
                total += reached[state]
            if total <= 0.0:
                break
            log[which, step] = np.log(total)
            for state in active:
                belief[state] = 0.0
            for state in after:
                belief[state] = reached[state] / total
            active = likely(after, belief, LEAST)
            for state in after:
                reached[state] = 0.0
                if belief[state] <= LEAST:
                    belief[state] = 0.0
    return log


@part
def likely(
    states: Annotated[Ints, "some"], belief: Annotated[Floats, "state"], least: float
) -> Annotated[Ints, "fewer"]:
    """Return the states whose belief is greater than ``least``."""
    kept, many = np.empty(len(states), dtype=np.int64), 0
    for state in states:
        if belief[state] > least:
            kept[many] = state
            many += 1
    return kept[:many]


@part
def joined(
    states: Annotated[Ints, "some"], more: Annotated[Ints, "more"]
) -> Annotated[Ints, "all"]:
    """Concatenate two lists of states."""
    both = np.empty(len(states) + len(more), dtype=np.int64)
    for place in range(len(states)):
        both[place] = states[place]
    for place in range(len(more)):
        both[len(states) + place] = more[place]
    return both


@part
def stay(
    belief: Annotated[Floats, "state"],
    active: Annotated[Ints, "some"],
    factor: float,
    after: Annotated[Ints, "some"],
    reached: Annotated[Floats, "state"],
) -> Annotated[Ints, "more"]:
    """Add the belief that nothing was done and the observation is wrong."""
    new, many = np.empty(len(active), dtype=np.int64), 0
    for state in active:
        if reached[state] == 0.0:
            new[many] = state
            many += 1
    for state in active:
        reached[state] += factor * belief[state]
    return joined(after, new[:many])


@part
def weigh(
    holds: Annotated[Bools, "state"],
    wrong: float,
    after: Annotated[Ints, "some"],
    reached: Annotated[Floats, "state"],
) -> None:
    """Weight states by whether the observed facts hold in them."""
    for state in after:
        reached[state] *= 1.0 - wrong if holds[state] else wrong


@part
def through_gap(
    moves: Moves,
    policy: Policy,
    belief: Annotated[Floats, "state"],
    active: Annotated[Ints, "some"],
) -> Annotated[Ints, "more"]:
    """Let any number of actions pass unseen; return the states where the agent may be."""
    hidden, reached = np.zeros(len(belief)), np.zeros(len(belief))
    newest = active
    for state in active:
        hidden[state] = belief[state]
    mass = 1.0
    while mass > _REST:
        after = move(moves, policy, hidden, newest, 1.0 - SEEN, -1, reached)
        for state in newest:
            hidden[state] = 0.0
        mass, many = 0.0, 0
        new = likely(after, reached, LEAST)
        for state in new:
            if belief[state] == 0.0:
                new[many] = state
                many += 1
        for state in after:
            if reached[state] > LEAST:
                hidden[state] = reached[state]
                belief[state] += reached[state]
                mass += reached[state]
            reached[state] = 0.0
        newest = likely(after, hidden, 0.0)
        active = joined(active, new[:many])
    return active


@part
def move(
    moves: Moves,
    policy: Policy,
    belief: Annotated[Floats, "state"],
    active: Annotated[Ints, "some"],
    factor: float,
    looks: int,
    reached: Annotated[Floats, "state"],
) -> Annotated[Ints, "more"]:
    """Propagate belief by actions that look like ``looks``, or by any (-1); return states reached.

    The belief that arrives in a state is added to ``reached``.
    """
    count = 0
    found = np.empty(64, dtype=np.int64)
    for state in active:
        first, last = moves.choices[state], moves.choices[state + 1]
        if first == last or (moves.stops and policy.to_go[state] == 0.0):
            continue
        if policy.share[first] < 0.0:
            choose(moves, policy, first, last)
        for choice in range(first, last):
            flow = factor * belief[state] * policy.share[choice]
            if flow <= 0.0 or (looks >= 0 and moves.looks[choice] != looks):
                continue
            for outcome in range(moves.outcomes[choice], moves.outcomes[choice + 1]):
                target = moves.target[outcome]
                if reached[target] == 0.0:
                    if count == len(found):
                        found = doubled(found)
                    found[count] = target
                    count += 1
                reached[target] += flow * moves.probability[outcome]
    return found[:count]


@part
def choose(moves: Moves, policy: Policy, first: int, last: int) -> None:
    """Store pi(u | s) ~ exp(-beta regret) for the choices in one state."""
    share, least = policy.share, np.inf
    for choice in range(first, last):
        price = moves.cost[choice]
        for outcome in range(moves.outcomes[choice], moves.outcomes[choice + 1]):
            price += moves.probability[outcome] * policy.to_go[moves.target[outcome]]
        share[choice] = price
        least = min(least, price)
    total = 0.0
    for choice in range(first, last):
        wasted = share[choice] - least if least < np.inf else 0.0
        share[choice] = np.exp(-policy.beta * wasted) if wasted < np.inf else 0.0
        total += share[choice]
    for choice in range(first, last):
        share[choice] /= total
