"""Warnings about worlds and paths that cannot be meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hbtom
from hbtom import BadInput, Episode, Trial
from hbtom.observe import Body, Identity

BALL, CUBE = (150.0, 40.0), (150.0, 160.0)
TWO = {"ball": BALL, "cube": CUBE}


def walk(start: Any, end: Any, things: Any = TWO, **more: Any) -> Trial:
    return Trial.from_arrays(np.linspace(start, end, 40), things, **more)


def warnings(*trials: Trial) -> list[str]:
    """Return the warnings about trials, apart from that about being alone."""
    said = hbtom.judge(Episode(trials)).warnings
    return [one for one in said if "only one trial" not in one]


GOOD = walk((40, 100), (138, 46))


def test_a_good_trial_has_no_warnings() -> None:
    assert warnings(GOOD) == []
    assert warnings(GOOD, GOOD) == []


def test_an_agent_that_reaches_nothing_in_any_trial() -> None:
    flipped = walk((40, 160), (20, 20))
    [said] = warnings(flipped, flipped)
    assert said.startswith(
        "the agent reaches nothing in any trial and comes no nearer than 90 pixels; "
    )
    assert "is an axis flipped, are columns swapped" in said
    assert warnings(flipped, GOOD) == []
    assert warnings(GOOD, flipped) == []


def test_each_agent_must_reach_something() -> None:
    away = walk((131, 50), (20, 100), agent="other")
    [said] = warnings(GOOD, away, away)
    assert said.startswith("other reaches nothing in any trial")


def test_a_reversed_path() -> None:
    [said] = warnings(*[walk((138, 46), (40, 100))] * 2)
    assert said.startswith("the agent reaches nothing in any trial; is an axis flipped")


def test_a_thing_inside_a_wall() -> None:
    hidden = walk((40, 100), (138, 46), walls=[(140, 150, 20, 20)])
    assert warnings(hidden) == ["trial 1: cube is inside a wall"]
    assert warnings(GOOD, hidden, hidden) == ["trial 2 and 1 other: cube is inside a wall"]
    beside = walk((40, 100), (138, 46), walls=[(160, 150, 20, 20)])
    assert warnings(beside) == []


def test_two_things_in_one_place() -> None:
    both = walk((40, 100), (138, 46), {"ball": BALL, "cube": BALL})
    assert warnings(both) == ["trial 1: ball and cube are in one place"]


@pytest.mark.parametrize(("radius", "odd"), [(10, False), (30, False), (50, True), (90, True)])
def test_an_agent_as_wide_as_half_the_world(radius: float, odd: bool) -> None:
    said = warnings(walk((40, 100), (138, 46), radius=radius))
    wide = f"trial 1: the agent is {2 * radius} of the world's 200 pixels wide; is its size in"
    assert any(one.startswith(wide) for one in said) == odd


PATH = np.linspace((40, 100), (138, 46), 40)
COMPLEX: dict[str, dict[str, Any]] = {
    "path": {"path": PATH + 1j},
    "objects": {"objects": {"ball": np.array(BALL) + 1j}},
    "walls": {"walls": np.array([(0, 0, 20, 20 + 1j)])},
    "radius": {"radius": np.complex128(6 + 1j)},
    "barrier_left": {"barrier_left": np.ones(40) + 1j},
}


@pytest.mark.parametrize("field", COMPLEX)
def test_complex_numbers_are_refused(field: str) -> None:
    with pytest.raises(BadInput, match=f"field '{field}'"):
        Trial.from_arrays(**{"path": PATH, "objects": TWO, **COMPLEX[field]})


def test_a_trial_of_complex_arrays_is_refused() -> None:
    agent = Body(Identity("agent"), (40.0, 100.0), 6.0)
    some: Any = {"size": (200.0, 200.0), "walls": (), "barrier": (), "objects": ()}
    with pytest.raises(BadInput, match="the numbers are complex"):
        Trial(**some, agent=agent, path=PATH + 1j, barrier_left=np.ones(40))


def test_noise_may_leave_a_gap() -> None:
    noisy = {"observation.noise": 3.0}
    rest = [(128.7, 51.1)] * 10  # outlines are 4 pixels apart
    close = Trial.from_arrays([*np.linspace((40, 100), rest[0], 40), *rest], TWO)
    with_noise = hbtom.judge(Episode((close, close)), noisy).warnings
    assert "reaches nothing" not in " ".join(with_noise)
    assert "reaches nothing" in " ".join(warnings(close, close))
