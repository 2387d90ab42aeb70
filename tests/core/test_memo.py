"""Fingerprints tell values and functions apart by what they are, not by their identity."""

from __future__ import annotations

import numpy as np
import pytest

import hbtom as hb
from hbtom.core.memo import Memo, fingerprint


class Tuned:
    __slots__ = ("a", "b")

    def __init__(self, a: object, b: object) -> None:
        self.a, self.b = a, b


def test_functions_that_are_made_again_are_the_same() -> None:
    def made(weight: float) -> object:
        return lambda goal: weight * len(goal)

    assert fingerprint(made(2.0)) == fingerprint(made(2.0))
    assert fingerprint(made(2.0)) != fingerprint(made(3.0))


def test_an_array_that_changes_is_another() -> None:
    array = np.zeros(3)
    reward = lambda: -array  # noqa: E731
    before = fingerprint(reward)
    array[1] = 1.0
    assert fingerprint(reward) != before


@pytest.mark.parametrize("number", range(20))
def test_values_that_are_made_and_dropped_are_not_taken_for_each_other(number: int) -> None:
    """Objects without a dictionary are read into lists, which are gone at once."""
    many = [Tuned(i, [i]) for i in range(30)]
    other = [Tuned(i, [i]) for i in range(30)]
    assert fingerprint(many) == fingerprint(other)
    other[number] = Tuned(number, [number + 1])
    assert fingerprint(many) != fingerprint(other)
    other[number] = Tuned(-1, [number])
    assert fingerprint(many) != fingerprint(other)


def test_a_function_that_is_defined_again_is_planned_for_again() -> None:
    world = hb.maze("A.@..B")
    agent = hb.Agent(traits={}, policy=lambda Q: hb.boltzmann(Q, 1.0), reward=lambda: -1.0,
                     end=lambda world, goal: world[goal])  # fmt: skip
    cheap = agent.but(reward=lambda: -0.5)
    assert np.allclose(agent.plan(world).V, 2 * cheap.plan(world).V)


def test_the_least_recent_go_first() -> None:
    memo = Memo(most=3000)
    for name in "abc":
        memo.get(name, lambda: np.zeros(100))
    memo.get("a", lambda: pytest.fail("forgotten"))
    memo.get("d", lambda: np.zeros(200))
    assert memo.get("a", lambda: "new") is not "new"  # noqa: F632
    assert memo.get("b", lambda: "new") == "new"
