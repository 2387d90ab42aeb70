"""Exact forward filtering on a graph of states, for every goal and efficiency.

The belief about the agent's state is propagated by the policy and weighted by what was seen:

    a'(s')                 = sum over s, u of  a(s) pi(u | s, g, beta) P(s' | s, u)
    P(o | before, g, beta) = sum over s' of  a'(s') P(o | s')

Everything is computed in logarithms: the probability of what very efficient agents hardly ever do
would underflow.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.mind.regret import Efficiencies, price_regret


class Belief(NamedTuple):
    """The states in which an agent may be, and how probable each is for every goal and efficiency.

    There is one extra goal, the last: an agent that has it acts at random.
    """

    states: Annotated[Ints, "state"]
    log_share: Annotated[Floats, "goal+1 efficiency state"]

    @staticmethod
    def in_states(states: Ints, share: Annotated[Floats, "state"], goals: int, many: int) -> Belief:
        """Return a belief that is the same for all goals and efficiencies."""
        log_share = _log(share / share.sum())
        return Belief(states, np.broadcast_to(log_share, (goals + 1, many, len(states))))


class Successors(NamedTuple):
    """The choices in the states of a belief, and their outcomes."""

    state: Annotated[Ints, "choice"]  # the index of its state in the belief, in increasing order
    price: Annotated[Floats, "goal choice"]  # the total cost of the choice, -Q
    choice: Annotated[Ints, "outcome"]  # the choice that has this outcome
    target: Annotated[Ints, "outcome"]
    likely: Annotated[Floats, "outcome"]  # P(target | choice) P(what was seen | choice, target)
    visible: Annotated[Floats, "choice"] | float = 1.0  # P(anything is seen | choice)


def advance(
    belief: Belief, successors: Successors, efficiency: Efficiencies
) -> tuple[Annotated[Floats, "goal+1 efficiency"], Belief]:
    """Return log P(o_t | o_<t, g, beta), and the belief after o_t.

    The probability is conditioned on something being seen. Where an agent with a goal cannot have
    done this (log 0), the belief continues as if the agent had acted at random.
    """
    log_policy = _log_policy(successors, efficiency)
    choice = successors.choice
    flow = belief.log_share[..., successors.state[choice]] + log_policy[..., choice]
    states, log_share = _gathered(flow + _log(successors.likely), successors.target)
    log = np.logaddexp.reduce(log_share, axis=-1)
    possible = log[..., None] > -np.inf
    log_share = log_share - np.where(possible, log[..., None], 0.0)
    return log, Belief(states, np.where(possible, log_share, log_share[-1]))


def _log_policy(
    successors: Successors, efficiency: Efficiencies
) -> Annotated[Floats, "goal+1 efficiency choice"]:
    """Return log pi(u | s, g, beta), pi ~ exp(-beta regret).

    All choices are equal where none leads to the goal. The policy is divided by the probability
    that anything is seen, sum over u of pi(u) P(anything | u).
    """
    first = np.flatnonzero(np.diff(successors.state, prepend=-1))
    count = np.diff(first, append=len(successors.state))
    least = np.repeat(np.minimum.reduceat(successors.price, first, axis=1), count, axis=1)
    regret = price_regret(successors.price, least)
    regret = np.append(regret, np.zeros((1, len(successors.state))), axis=0)
    log = -efficiency[:, None] * regret[:, None]
    total = np.add.reduceat(np.exp(log) * successors.visible, first, axis=-1)
    return log - np.repeat(np.log(total), count, axis=-1)


def _gathered(
    flow: Annotated[Floats, "goal+1 efficiency outcome"], target: Annotated[Ints, "outcome"]
) -> tuple[Annotated[Ints, "state"], Annotated[Floats, "goal+1 efficiency state"]]:
    """Add up the flow into each state; leave out states without any."""
    order = np.argsort(target, kind="stable")
    states, first = np.unique(target[order], return_index=True)
    log_share = np.logaddexp.reduceat(flow[..., order], first, axis=-1)
    some = (log_share > -np.inf).any(axis=(0, 1))
    return states[some], log_share[..., some]


def _log(share: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(share)
