"""Policies that ask for the time, the state and the act before."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, lasting, random_world, seen, soft

P4 = random_world(3, 4, 3, sure=0.3)
R4 = np.random.default_rng(3).normal(size=(4, 3))


def test_policies_may_ask_for_time_state_and_the_act_before() -> None:
    def habit(Q: Any, efficiency: Any, stay: Any, previous: Any, time: Any, state: Any) -> Any:
        again = np.arange(3) == previous
        return hb.boltzmann(Q + stay * again + 0.3 * time * (np.arange(3) == state), efficiency)

    agent = hb.Agent(
        goals=[0.5, 1], step=P4, reward=lambda goal: goal * R4, policy=habit, discount=0.7,
        traits={"stay": [-1, 0, 2], "efficiency": [1.0, 2.0]},
    )  # fmt: skip
    states, acts, weights = [0, 2, 1, 3, 1], [1, 1, 0, 1], {}
    for goal, stay, efficiency in product([0.5, 1], [-1, 0, 2], [1.0, 2.0]):
        Q, like = lasting(P4, goal * R4, discount=0.7), 1 / 12
        for t, a in enumerate(acts):
            q = [Q[states[t]][b] + stay * (t > 0 and acts[t - 1] == b) + 0.3 * t * (b == states[t])
                 for b in range(3)]  # fmt: skip
            like *= soft(q, efficiency)[a] * P4[states[t]][a][states[t + 1]]
        weights[goal, stay, efficiency] = like
    assert_same(hb.watch(agent, hb.Walk(acts, states)), weights, ["goal", "stay", "efficiency"])


def test_time_counts_when_states_are_hidden() -> None:
    def hasty(Q: Any, efficiency: Any, time: Any) -> Any:
        return hb.boltzmann(Q * (1 + time), efficiency)

    agent = hb.Agent(
        goals=[0.5, 1], step=P4, reward=lambda goal: goal * R4, policy=hasty, discount=0.7,
        traits={"efficiency": [1.0, 2.0]},
    )  # fmt: skip
    states, weights = [0, None, None, 3, 1], {}
    for goal, efficiency in product([0.5, 1], [1.0, 2.0]):
        Q = lasting(P4, goal * R4, discount=0.7)
        pi = lambda t, s: soft(Q[s], efficiency * (1 + t))  # noqa: B023, E731
        weights[goal, efficiency] = seen(P4, pi, states, [None] * 4)[0] / 4
    assert_same(hb.watch(agent, hb.Walk(None, states)), weights, ["goal", "efficiency"])


@pytest.mark.parametrize("actions", [None, [1, None, 0]])
def test_a_habit_cannot_be_seen_in_acts_that_were_not_seen(actions: Any) -> None:
    def habit(Q: Any, efficiency: Any, previous: Any) -> Any:
        return hb.boltzmann(Q + (np.arange(3) == previous), efficiency)

    agent = hb.Agent(step=P4, reward=R4, policy=habit, discount=0.7)
    with pytest.raises(hb.BadInput, match=r"asks for 'previous' needs to see every"):
        hb.watch(agent, hb.Walk(actions, [0, 2, 1, 3]))
