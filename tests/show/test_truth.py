"""Sentences say what was seen: where the agent went, and whether it reached anything."""

from __future__ import annotations

import numpy as np
import pytest

import hbtom
from episodes import episode, key_trial, read
from hbtom import Episode, Trial
from stories import story

TWO = {"ball": (150.0, 40.0), "cube": (150.0, 160.0)}
ONE = {"ball": (150.0, 100.0)}
Place = tuple[float, float]


def walk(start: Place, end: Place, things: dict[str, Place] = TWO) -> Trial:
    """Return a trial in which the agent walks straight; it touches things 20 pixels away."""
    return Trial.from_arrays(np.linspace(start, end, 50), things)


def told(*trials: Trial) -> tuple[str, str]:
    """Return the sentence about the test trial, and that on its page."""
    judgement = hbtom.judge(Episode(trials))
    return judgement.explanation, story(judgement)[-1].summary


TO_BALL = walk((40, 100), (138, 46))
FLIPPED = walk((40, 160), (20, 20))


@pytest.mark.parametrize("before", [TO_BALL, FLIPPED])
def test_an_agent_that_came_near_nothing_went_nowhere(before: Trial) -> None:
    for said in told(before, before, before, FLIPPED):
        assert "stopped 112 px from " in said.replace("the ball", "ball")
        assert "went to" not in said
        assert "took" not in said
        assert "detour" not in said


def test_what_was_never_reached_was_not_chosen() -> None:
    sentence, _ = told(FLIPPED, FLIPPED, FLIPPED, FLIPPED)
    assert "chosen" not in sentence
    assert "though it reached nothing before" in sentence
    judgement = hbtom.judge(Episode((FLIPPED,) * 4))
    assert all("took" not in one.text for part in story(judgement) for one in part.moments)
    sentence, _ = told(TO_BALL, FLIPPED, TO_BALL, TO_BALL)
    assert sentence == "went to ball, chosen 2 of 3 times; nothing surprising"


def test_an_agent_that_stops_on_its_way_does_not_arrive() -> None:
    whole, part = walk((40, 100), (131, 100), ONE), walk((40, 100), (100, 100), ONE)
    assert told(whole, whole, whole)[0] == "went to ball, about as efficiently as expected"
    sentence, page = told(whole, whole, part)
    assert sentence == "stopped 30 px from ball; nothing surprising"
    assert page.startswith("It stopped 30 px from the ball; it probably wants the ball")


def test_a_reversed_path_goes_away() -> None:
    sentence, page = told(*[walk((131, 100), (40, 100), ONE)] * 3)
    assert sentence.startswith("went away from ball")
    assert page.startswith("It went away from the ball")
    sentence, _ = told(TO_BALL, TO_BALL, walk((100, 100), (20, 100)))
    assert "went away from both" in sentence


def test_a_small_gap_is_still_a_touch() -> None:
    close = walk((40, 100), (128.5, 100), ONE)  # outlines are 1.5 pixels apart
    assert told(close, close)[0].startswith("went to ball")


def test_an_unreached_goal_was_headed_for() -> None:
    path = [*np.linspace((40, 100), (100, 60), 40), *np.linspace((100, 60), (138, 152), 40)]
    sentence, _ = told(*[TO_BALL] * 8, Trial.from_arrays(path, TWO))
    assert "went to cube" in sentence
    assert "went to ball" not in sentence


def test_the_ratio_of_a_detour_has_two_decimals() -> None:
    path = [*np.linspace((40, 100), (90, 60), 50), *np.linspace((90, 60), (150, 100), 50)]
    straight = walk((40, 100), (131, 100), ONE)
    walked = np.hypot(50, 40) + np.hypot(60, 40) - 20
    for said in told(*[straight] * 8, Trial.from_arrays(path, ONE)):
        assert f" by a detour, {walked / 90:.2f} times the shortest way" in said


def test_an_agent_that_stops_at_the_key_did_not_go_to_the_object() -> None:
    whole = key_trial()
    cut = whole[:22] + [whole[21]] * 3
    sentence = hbtom.judge(read(episode(*[whole] * 8, cut))).explanation
    assert "stopped at the key, 98 px from heart.png" in sentence
    assert "went to" not in sentence
