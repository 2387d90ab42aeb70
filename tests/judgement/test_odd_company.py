"""Odd company: a judgement with a warning if it is still meaningful, otherwise one message."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hbtom
from companions import ANNA, BALL, BEN, CAT, WHITE, made, other, way
from hbtom import BadInput, Episode, Trial
from hbtom.judgement import account
from hbtom.observe import Body, Identity, read, writing
from hbtom.observe.mcs import export
from hbtom.show.words import explain
from stories import story

HOME, UP, DOWN = (150.0, 100.0), (60.0, 50.0), (60.0, 150.0)
DOOR, BLACK = Identity("cube", (0, 255, 255)), Identity("cube", (0, 0, 0))
GOING = way((0, HOME), (40, HOME), (55, (74, 58)), (56, (74, 58)))
BOTH = other("agent", BEN, way((0, UP))), other("agent", CAT, way((0, DOWN)))
NOWHERE = (math.nan, math.nan)


def trial(path: Any = GOING, things: tuple[Any, ...] = (UP, DOWN), **more: Any) -> Trial:
    looks = BALL, Identity("cup", (200, 200, 0))
    bodies = tuple(Body(look, at, 9.0) for look, at in zip(looks, things, strict=False))
    return made(path, objects=bodies, **more)


def lying(first: int) -> Trial:
    """Return a trial with an object that appears in a frame."""
    late = np.where(np.arange(60)[:, None, None] >= first, DOWN, NOWHERE)
    return trial(things=(DOWN,), object_paths=late, still=True, others=BOTH)


def board(at: Any, size: Any) -> Any:
    return other("occluder", WHITE, way((0, at)), size)


FLYING = way((0, DOWN), (10, DOWN), (30, UP), (31, UP))[:, None]
LEAVING = way((0, (60, 100)), (20, (100, 100)), (21, None))
CROWD = tuple(
    other("agent", Identity(f"b{n}", (n, 0, 0)), way((0, (20 + n % 160, 20 + 7 * n % 160))))
    for n in range(40)
)

# Files give all of these warnings; two are given only when the trial is judged
WARNED: dict[str, tuple[Trial, str]] = {
    "door over an agent": (
        trial(others=(other("door", DOOR, way((0, HOME)), (20, 40)),)),
        "trial 2: a door overlaps {agent} at ",
    ),
    "object held by nobody": (
        trial(things=(DOWN,), object_paths=FLYING, still=True),
        "but nobody is there to move it",
    ),
    "vanishing in mid-walk": (
        trial(others=(other("agent", BEN, LEAVING),)),
        " vanishes in mid-walk at ",
    ),
    "agent away in mid-walk": (
        trial(agent_there=np.arange(60) < 47, others=BOTH),
        "trial 2: {agent} vanishes in mid-walk at ",
    ),
    "hidden from the camera": (
        trial(others=(board((100, 190), (300, 10)),), camera=(100.0, 260.0)),
        "trial 2: boards hide the agent from the camera all along",
    ),
    "a board over everything": (
        trial(others=(board((100, 100), (400, 400)),)),
        "trial 2: no goal can be reached; the trial says nothing about goals",
    ),
    "agent at rest": (
        trial(way((0, HOME)), others=BOTH),
        "the agent does not move in the test trial: there is nothing to judge",
    ),
    "no goals but late ones": (
        trial(things=(), others=(other("agent", BEN, way((0, None), (57, DOWN))),)),
        "trial 2: there are no goals; the trial says nothing about goals",
    ),
}

JUDGED: dict[str, Trial] = {
    "others come at the end": trial(others=(other("agent", BEN, way((0, None), (57, DOWN))),)),
    "others are never there": trial(others=(other("agent", BEN, way((0, None))),)),
    "a paddle that always touches": trial(
        others=(other("paddle", BLACK, np.add(GOING, (11, 0)), (10, 40)),)
    ),
    "a paddle over everything": trial(
        others=(other("paddle", BLACK, way((0, (100, 100))), (400, 400), turn=4),)
    ),
    "things on top of each other": trial(things=(UP, UP), others=BOTH),
    "a thing on top of the agent": trial(things=(HOME, UP), others=BOTH),
    "somebody on top of the agent": trial(others=(other("agent", BEN, way((0, HOME))),)),
    "a thing that appears": lying(30),
    "a thing that appears at last": lying(59),
    "all look the same": trial(
        things=(), others=(other("agent", ANNA, way((0, UP))), other("agent", ANNA, way((0, DOWN))))
    ),
    "a door that jitters": trial(
        others=(other("door", DOOR, np.tile([[90.0, 100], [90, 101]], (30, 1)), (20, 40)), *BOTH)
    ),
    "the agent jumps": trial(np.random.default_rng(1).uniform(0, 200, (60, 2)), others=BOTH),
}

FORMS: dict[str, Callable[[Episode], bytes]] = {"bib": writing.write, "mcs": export.write}


def finite(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return all(map(finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


def sound(episode: Episode) -> hbtom.Judgement:
    """Judge, explain and describe an episode; nothing may be infinite or fail."""
    judgement = hbtom.judge(episode)
    assert judgement.missing or 0 < judgement.plausibility < 1
    assert finite(judgement.to_dict(trace=True))
    assert explain(account(judgement))
    assert story(judgement)
    return judgement


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", WARNED)
def test_odd_trials_are_judged_with_a_warning(case: str, form: str) -> None:
    odd, warning = WARNED[case]
    judged = sound(read(FORMS[form](Episode((trial(), odd)))))
    agent = str(judged.episode[-1].agent.look)
    assert any(warning.format(agent=agent) in one for one in judged.warnings)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", JUDGED)
def test_odd_trials_are_judged(case: str) -> None:
    sound(Episode((JUDGED[case], JUDGED[case])))


def test_dozens_of_others() -> None:
    judged = hbtom.judge(Episode((trial(others=CROWD),)))
    assert judged.test.goals[2:] == tuple(one.look for one in CROWD)
    assert finite(judged.to_dict())
    assert explain(account(judged))


def test_a_world_with_nothing_in_it() -> None:
    nothing = trial(things=())
    for trials in (
        (nothing, nothing),
        (trial(others=BOTH), nothing),
        (nothing, trial(others=BOTH)),
    ):
        assert sound(Episode(trials)).missing in ("", "there are no goals")


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (trial(agent_there=np.zeros(60, bool)), "trial 2, field 'agent': the agent is never there"),
        (
            replace(trial(), path=np.full((60, 2), np.nan)),
            "trial 2, field 'agent': the agent is never seen",
        ),
        (
            trial(others=(other("paddle", BLACK, way((0, HOME)), (0, 0)),)),
            "trial 2, field 'others': cube has an impossible size",
        ),
        (
            trial(others=(replace(BOTH[0], path=np.full((60, 2), np.inf)),)),
            "trial 2, frame 1, field 'others': ben has an impossible position",
        ),
        (
            trial(object_paths=np.full((60, 2, 2), (1.0, np.nan)), still=True),
            "trial 2, frame 1, field 'objects': an object has an impossible position",
        ),
    ],
)
def test_meaningless_trials_are_refused_with_one_message(odd: Trial, words: str) -> None:
    with pytest.raises(BadInput) as error:
        hbtom.judge(Episode((trial(), odd), "odd.json"))
    assert str(error.value).startswith(f"odd.json: {words}")
