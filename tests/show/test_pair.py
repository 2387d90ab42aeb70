"""The differences between two episodes, in sentences."""

from __future__ import annotations

import pytest

import hbtom
from episodes import ACORN, HEART, SPOON, border, episode, read, ring, to_thing
from hbtom.judgement import Judgement
from hbtom.show.page.viewer import differences

ONE = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)])
OTHER = to_thing(SPOON.at(120, 140), others=[HEART.at(120, 60)])


def said(first, second) -> str:
    judged = [hbtom.judge(read(episode(*trials))) for trials in (first, second)]
    return " ".join(differences(*judged))


def test_the_more_plausible_one_is_named(to_heart: Judgement, to_spoon: Judgement) -> None:
    high, low = to_heart.plausibility, to_spoon.plausibility
    numbers = f"{high:.3f} against {low:.3f}."
    assert differences(to_heart, to_spoon)[0] == f"The left one is judged more plausible: {numbers}"
    assert (
        differences(to_spoon, to_heart)[0] == f"The right one is judged more plausible: {numbers}"
    )


def test_the_part_that_makes_the_difference_is_named(
    to_heart: Judgement, to_spoon: Judgement
) -> None:
    reason = differences(to_heart, to_spoon)[1]
    assert "what the agent turns out to want" in reason
    assert f"“goal” is {to_heart.parts.goal:.3f} on the left" in reason
    assert f"and {to_spoon.parts.goal:.3f} on the right" in reason


def test_identical_episodes_do_not_differ(to_heart: Judgement) -> None:
    both = differences(to_heart, to_heart)
    assert both == ("Both are judged equally plausible.", "All trials are the same.")


def test_the_first_difference_is_named() -> None:
    same_until_test = said([ONE, ONE, ONE], [ONE, ONE, OTHER])
    assert "They are the same until the test trial." in same_until_test
    assert "In the test trial they differ in the objects" not in same_until_test
    assert same_until_test.endswith("In the test trial they differ in the path of the agent.")
    earlier = said([ONE, ONE, ONE, ONE, ONE, ONE], [OTHER, OTHER, OTHER, ONE, OTHER, ONE])
    assert "Before the test trial they differ in trials 1 to 3 and 5." in earlier
    assert earlier.endswith("The test trial is the same.")
    assert "they differ in trial 2." in said([ONE, ONE, ONE], [ONE, OTHER, ONE])


@pytest.mark.parametrize(
    ("change", "aspect"),
    [
        ({"who": ACORN}, "the agent"),
        ({"walls": border() + ring(7, 7)}, "the walls"),
        ({"barrier": [[[160, 160], [20, 20]]]}, "the barrier"),
    ],
)
def test_differences_in_the_test_trial_are_named(change, aspect) -> None:
    changed = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)], **change)
    assert said([ONE, ONE], [ONE, changed]).endswith(f"they differ in {aspect}.")


def test_different_lengths_are_mentioned() -> None:
    text = said([ONE, ONE], [ONE, ONE, ONE])
    assert text.endswith("The left one has 2 trials, the right one 3.")
