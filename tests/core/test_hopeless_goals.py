"""What never leads to the end, and what merely never ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, lasting, random_world, seen, soft

P4 = random_world(3, 4, 3, sure=0.3)
R4 = np.random.default_rng(3).normal(size=(4, 3))
SEEN = [0, 2, 1, 3]


def test_a_discount_holds_where_nothing_ever_ends() -> None:
    for discount in (0.5, 0.95):
        agent = hb.Agent(step=P4, reward=R4 - 3, discount=discount, traits={"efficiency": [1, 2]})
        weights = {}
        for efficiency in (1, 2):
            Q = lasting(P4, R4 - 3, discount=discount)
            weights[efficiency,] = seen(
                P4, lambda t, s: soft(Q[s], efficiency), SEEN, [None] * 3  # noqa: B023
            )[0] / 2  # fmt: skip
        assert_same(hb.watch(agent, hb.Walk(states=SEEN)), weights, ["efficiency"])


def test_what_a_long_way_to_where_it_costs_nothing_is_worth() -> None:
    many = 40  # a corridor to a place where one may stay at no cost
    to = np.array([[min(s + 1, many - 1), max(s - 1, 0)] for s in range(many)])
    cost = np.where(np.arange(many)[:, None] == many - 1, [[0.0, 1.0]], 1.0)
    plan = hb.Agent(step=hb.Sparse(to), reward=-cost).plan()
    assert np.allclose(plan.V.ravel(), [s - many + 1 for s in range(many)])


def test_a_place_without_a_way_to_the_goal_is_out_of_reach() -> None:
    to = np.array([[1, 0], [2, 0], [2, 2], [4, 3], [3, 4]])  # 3 and 4 are another room
    cost = np.array([[1, 1], [1, 1], [1, 1], [0, 1], [1, 1]])
    agent = hb.Agent(
        goals=["here", "there"], step=hb.Sparse(to), reward=-1.0,
        end=lambda goal: np.arange(5) == (2 if goal == "here" else 3),
    )  # fmt: skip
    p = hb.watch(agent, hb.Walk([], [0]))
    assert p["goal"] == {"here": 1.0, "there": 0.0}
    around = agent.but(reward=-cost, goals=["here"]).plan()
    assert (around.V.ravel()[3:] < -1e100).all()
    assert np.allclose(around.V.ravel()[:3], [-2, -1, 0])


def test_agents_without_hope_act_at_random() -> None:
    to = np.array([[1, 0, 3], [2, 1, 1], [1, 1, -1], [3, 3, 3]])  # from 1 on, 3 is out of reach
    agent = hb.Agent(
        step=hb.Sparse(to), reward=-1.0, end=np.arange(4) == 3, traits={"efficiency": [0.1]}
    )
    p = hb.watch(agent, hb.Walk([1, 1], [0, 0, 0]))
    assert p.next()[0] == 0.0 < p.next()[1]
    fallen = hb.watch(agent.but(policy=lapsing), hb.Walk([0, 0, 1], [0, 1, 2, 1]))
    assert np.allclose(np.exp(fallen.log_likelihood), [0.1 / 3, 1 / 3, 1 / 2])
    with pytest.raises(hb.BadInput, match="no end can be reached from the first state"):
        hb.watch(agent, hb.Walk([0], [1, 2]))


def lapsing(Q: Any, efficiency: Any) -> Any:
    return hb.mix(hb.boltzmann(Q, efficiency), hb.uniform(Q), 0.1)


@pytest.mark.parametrize("left", [0.1, 0.4, 0.5, 0.9])
def test_goals_in_reach_of_any_place_where_it_may_have_started_can_be_chosen(left: float) -> None:
    world = hb.maze("A..#..B")
    agent = hb.Agent(reward=-1.0, end=lambda world, goal: world[goal], traits={"efficiency": [2]})
    look = left * (world["column"] == 1) + (1 - left) * (world["column"] == 5)
    p = hb.watch(agent, hb.Walk([], [look], world=world))
    assert p["goal"] == pytest.approx({"A": 0.5, "B": 0.5})
    assert p.choices[""].value.ravel() == pytest.approx([-1.0, -1.0])
