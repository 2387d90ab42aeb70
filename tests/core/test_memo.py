"""Fingerprints tell values and functions apart by what they are, not by their identity."""

from __future__ import annotations

import datetime
import gc
import math
import re
import weakref
from collections import deque
from decimal import Decimal

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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (max, min), (math.exp, math.log), (np.exp, np.log), (np.sum, np.prod),
        ({1: 2}.get, {1: 3}.get), (Decimal(1), Decimal(2)), (re.compile("a"), re.compile("b")),
        (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)), (deque([1]), deque([2])),
        (np.random.default_rng(1), np.random.default_rng(2)),
    ],
)  # fmt: skip
def test_what_others_made_is_told_apart(one: object, other: object) -> None:
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(lambda x: (one, x)) != fingerprint(lambda x: (other, x))


@pytest.mark.parametrize(
    "made",
    [
        "hb.dirichlet({})", "np.poly1d([{}, 1])", "np.vectorize(lambda x: x + {})",
        "hb.Agent(reward={{'a': {}}}).reward",
    ],
)  # fmt: skip
def test_globals_that_a_library_made_count_with_their_values(made: str) -> None:
    found = set()
    for number in (1, 2):
        names = {"__name__": "notebook", "hb": hb, "np": np}
        exec(f"made = {made.format(number)}\ndef used(x): return made(x)", names)
        found.add(fingerprint(names["used"]))
    assert len(found) == 2


CLASSES = [
    "class A:\n    bonus = {}\n    def __call__(self): return self.bonus\nmade = A()",
    "class B:\n    def __call__(self): return {}\nclass A(B): pass\nmade = A()",
    "class A:\n    @classmethod\n    def __call__(cls): return {}\nmade = A()",
]


@pytest.mark.parametrize("code", CLASSES)
def test_a_class_counts_with_its_attributes_and_bases(code: str) -> None:
    def made(number: int) -> str:
        names = {"__name__": "notebook"}
        exec(code.format(number), names)
        return fingerprint(names["made"])

    assert made(1) == made(1) != made(2)


def test_labels_that_come_and_go_are_not_taken_for_each_other() -> None:
    world = hb.maze("A.@..B")
    base = hb.Agent(traits={}, policy=lambda Q: hb.boltzmann(Q, 1.0), reward=lambda: -1.0,
                    end=lambda world, goal: world[goal])  # fmt: skip
    unit = base.plan(world).V[..., world.start]
    for price in range(1, 40):
        label = [lambda price=price: -float(price)]
        agent = base.but(traits={"price": label}, reward=lambda price: price())
        assert np.allclose(agent.plan(world).V[..., world.start], price * unit)
        del agent, label
        gc.collect()


def test_plans_do_not_keep_worlds() -> None:
    agent = hb.Agent(traits={}, policy=lambda Q: hb.boltzmann(Q, 1.0), reward=-1.0, discount=0.5)
    worlds = [hb.World.of(np.eye(3)[:, None]) for _ in range(3)]
    kept = [weakref.ref(world) for world in worlds]
    for world in worlds:
        agent.plan(world)
    del world, worlds
    gc.collect()
    assert not any(one() for one in kept)


def test_fields_of_a_world_cannot_change_under_a_plan() -> None:
    cost = np.ones(3)
    world = hb.World.of(np.eye(3)[[[0, 1], [0, 2], [1, 2]]], cost=cost)
    cost[:] = 2.0
    assert (world["cost"] == 1.0).all()
    with pytest.raises(ValueError, match="read-only"):
        world["cost"][0] = 2.0


def test_a_step_that_changes_makes_another_world() -> None:
    way = np.array([1])
    agent = hb.Agent(
        traits={}, policy=lambda Q: hb.boltzmann(Q, 1.0), reward=-1.0, discount=0.5,
        step=lambda: np.eye(2)[[way, [1]]], end=lambda: np.arange(2) == 1,
    )  # fmt: skip
    assert agent.plan().V.ravel()[0] == -1.0
    way[0] = 0
    assert agent.plan().V.ravel()[0] == pytest.approx(-2.0)
