"""Watching episodes: what is shared, how much is kept, and threads."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import hbtom as hb
import recorded
from hbtom.model import with_settings
from hbtom.places.watching import Kept, Watcher
from rooms import trial, walk

THINGS = {"food": (142.0, 62.0), "toy": (142.0, 142.0)}


def towards(x: float, y: float) -> hb.Trial:
    return trial(walk((42, 102), (x, y), step=8), THINGS)


def watcher(preset: str = "default") -> Watcher:
    return Watcher(hb.Model.preset(preset))


def test_episodes_that_begin_alike_share_what_is_believed() -> None:
    """Both episodes of a pair are read from files of their own."""
    one, other = (
        recorded.generated()[f"preference/1{member}"].trials for member in "eu"
    )  # eight trials alike, then a test trial
    assert all(a is not b for a, b in zip(one, other, strict=True))
    both = watcher()
    first, second = both.watch(one), both.watch(other)
    shared = [a is b for a, b in zip(first.posteriors, second.posteriors, strict=True)]
    assert shared == [True] * 8 + [False]
    again = both.watch(one)
    assert [a is b for a, b in zip(first.posteriors, again.posteriors, strict=True)] == [True] * 9


def test_shared_beginnings_change_no_number() -> None:
    pair = [recorded.generated()[f"multi_agent/2{member}"].trials for member in "eu"]
    both = watcher()
    for trials in pair:
        shared, alone = both.watch(trials).posteriors[-1], watcher().watch(trials).posteriors[-1]
        np.testing.assert_array_equal(shared.update.log_joint, alone.update.log_joint)


def test_theories_share_worlds() -> None:
    """What is assumed about agents does not change the way to anything."""
    plain = hb.Model.preset("default")
    other = with_settings(plain, {"efficiency.scale": 3.0, "preference.concentration": 2.0})
    seen = towards(100, 80)
    worlds = [Watcher(model).watch([seen]).posteriors[0].world for model in (plain, other)]
    assert worlds[0] is worlds[1]
    nearer = with_settings(plain, {"motion.berth": 0.0})
    assert Watcher(nearer).watch([seen]).posteriors[0].world is not worlds[0]


def test_the_world_of_a_trial_depends_on_what_opening_cost_before() -> None:
    """The same trial comes after one in which the barrier took 5 frames to vanish, and 25."""
    gate = {"walls": [(100, 0, 20, 80), (100, 120, 20, 80)], "barrier": [(100, 80, 20, 40)]}
    waited = [
        trial(
            [*walk((42, 102), (80, 102)), *[(80.0, 102.0)] * 30], THINGS, opened=25, waits=n, **gate
        )
        for n in (5, 25)
    ]
    last, one = towards(100, 80), watcher()
    found = [one.watch([first, last]).posteriors[-1].world.costs.opening for first in waited]
    assert found == pytest.approx([5 * 2 / 10, 25 * 2 / 10])


def test_a_new_agent_is_known_nothing_about() -> None:
    """Agents are told apart by their looks; a familiar one is remembered after others."""
    familiar = towards(110, 70)
    stranger = replace(familiar, agent=hb.Body(hb.Look("stranger"), (42.0, 102.0), 6.0))
    seen = watcher().watch([familiar, familiar, stranger, familiar]).posteriors
    first, second, new, back = (p.margin("goal")[0] for p in seen)
    np.testing.assert_allclose(first, 0.5)
    np.testing.assert_array_equal(first, new)
    assert 0.5 < second[0] < back[0]
    without = watcher().watch([familiar] * 3).posteriors[-1]
    np.testing.assert_array_equal(seen[-1].update.log_joint, without.update.log_joint)


def test_memory_stays_bounded() -> None:
    """Of 300 episodes of two trials, only the worlds of the last ones are kept."""
    one, worlds, beliefs = watcher(), [], []
    for number in range(300):
        seen = one.watch([towards(80, 60 + number / 5), towards(90, 60 + number / 5)])
        worlds += [weakref.ref(p.world) for p in seen.posteriors]
        beliefs += [weakref.ref(p) for p in seen.posteriors]
    del seen
    gc.collect()
    assert sum(ref() is not None for ref in beliefs) == 64
    assert sum(ref() is not None for ref in worlds) == 64
    del one
    gc.collect()
    assert sum(ref() is not None for ref in beliefs) == 0


def test_what_was_used_last_is_kept() -> None:
    kept, made = Kept(2), []

    def get(key: str) -> str:
        return kept.of(key, lambda: made.append(key) or key.upper())

    assert [get(key) for key in "abacab"] == [*"ABACAB"]
    assert made == [*"abcb"]  # a was used before c came, so b had to go
    assert len(kept) == 2


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_threads_find_the_same_numbers(preset: str) -> None:
    """Eight threads, one watcher, each episode twice."""
    model, episodes = hb.Model.preset(preset), recorded.kept()
    some = {name: episodes[name] for name in list(episodes)[::3]}
    alone = recorded.on_the_core(preset, some)
    one = Watcher(model)

    def surprises(name: str) -> recorded.Numbers:
        return recorded.surprises(one.watch(some[name].trials), model)

    with ThreadPoolExecutor(8) as pool:
        names = [*some, *reversed(some)]
        for name, found in zip(names, pool.map(surprises, names), strict=True):
            assert found == alone[name]
