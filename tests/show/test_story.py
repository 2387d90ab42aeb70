"""The story: a sentence for each important moment, at the frame where it becomes true."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import hbtom
from episodes import (
    ACORN,
    CLOVE,
    HEART,
    SPOON,
    border,
    episode,
    key_trial,
    read,
    ring,
    to_thing,
    walk,
)
from episodes import trial as still_and_walk
from hbtom.judgement import Judgement, account
from hbtom.show.page.scenes import leaders, per_cent
from hbtom.show.page.story import Chapter
from hbtom.show.words import explain
from stories import story


def told(chapter: Chapter, kind: str) -> list[tuple[int, str]]:
    """Return the frame, counted from 0, and the sentence of all moments of a kind."""
    return [(one.frame, one.text) for one in chapter.moments if one.kind == kind]


def plain_spaces(text: str) -> str:
    return text.replace("\u00a0", " ")


# Expectations


def test_at_first_nothing_is_known(to_spoon: Judgement) -> None:
    (frame, text), *more = told(story(to_spoon)[0], "start")
    assert (frame, more) == (0, [])
    assert text == "Nothing is known yet about the clove. It may want the heart or the spoon."


def test_the_expectation_of_the_test_trial_has_its_reason(to_spoon: Judgement) -> None:
    [(_, text)] = told(story(to_spoon)[-1], "start")
    expected = "It is expected to go to the heart (90 %), which it took 8 of 8 times."
    assert plain_spaces(text) == expected


def test_a_new_agent_is_announced() -> None:
    trials = [to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)], who=CLOVE)] * 2
    trials.append(to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)], who=ACORN))
    *_, last = story(hbtom.judge(read(episode(*trials))))
    assert told(last, "start")[0][1].startswith("This is a new agent: the acorn.")


def test_unreachable_goals_are_mentioned() -> None:
    walls = border() + ring(7, 7)
    one = to_thing(HEART.at(90, 60), others=[SPOON.at(150, 150)], walls=walls)
    *_, last = story(hbtom.judge(read(episode(one, one))))
    assert told(last, "start")[0][1].startswith("It can reach only the heart.")
    assert last.summary.startswith("It went to the heart, the only thing it can reach.")


def test_efficiency_is_mentioned_if_there_is_only_one_thing() -> None:
    straight = to_thing(HEART.at(150, 100))
    *_, last = story(hbtom.judge(read(episode(*[straight] * 9))))
    [(_, text)] = told(last, "start")
    assert text == "There is only the heart. So far it has gone straight to its goals."


# Beliefs


def test_a_goal_is_mentioned_when_it_takes_the_lead(to_spoon: Judgement) -> None:
    test = to_spoon.test
    [(frame, text)] = told(story(to_spoon)[-1], "goal")
    spoon = [str(goal) for goal in test.goals].index("spoon.png")
    leads = test.goal[:, spoon] - test.goal[:, 1 - spoon] >= 0.1
    assert frame == test.frame[leads.argmax()]
    assert text.startswith("It now ")
    assert "wants the spoon" in text or "seems to want the spoon" in text
    assert text.endswith("; until now it had always taken the heart.")


def test_certainty_is_mentioned_when_it_exceeds_nine_tenths(every_task) -> None:
    found = 0
    for judgement in (one for pair in every_task for one in pair):
        for posterior, chapter in zip(judgement.posteriors, story(judgement), strict=True):
            for frame, text in told(chapter, "certain"):
                step = posterior.frame.tolist().index(frame, 1)
                goal = posterior.goal[step].argmax()
                assert posterior.goal[step, goal] >= 0.9 > posterior.goal[:step, goal].max()
                assert text.startswith("By now it is almost certain that it wants the ")
                found += 1
    assert found > 20


@pytest.mark.parametrize(
    ("belief", "found"),
    [
        ([[0.5, 0.5], [0.52, 0.48], [0.6, 0.4]], (None, None, 0)),
        ([[0.9, 0.1], [0.48, 0.52], [0.4, 0.6]], (0, 0, 1)),
        ([[1.0], [1.0]], (0, 0)),
        ([[0.2, 0.3, 0.5], [0.45, 0.45, 0.1]], (2, 2)),
    ],
)
def test_a_goal_leads_only_if_it_leads_clearly(belief, found) -> None:
    assert leaders(np.array(belief)) == found


# Events


def test_key_lock_barrier_and_touch_are_mentioned_at_their_frames(with_key: Judgement) -> None:
    chapter = story(with_key)[0]
    assert told(chapter, "motion") == [(3, "It starts to move.")]
    assert told(chapter, "key") == [(21, "It picks up the key.")]
    assert told(chapter, "lock") == [(44, "It opens the lock. The barrier begins to vanish.")]
    assert told(chapter, "barrier") == [(46, "The barrier is gone.")]
    assert told(chapter, "touch") == [(65, "It touches the heart.")]
    [(end, text)] = told(chapter, "end")
    assert (end, text) == (65, chapter.summary)
    assert text == "It fetched the key, opened the lock and went to the heart."


def test_a_key_that_is_not_a_goal_is_still_called_a_key(tmp_path) -> None:
    model = tmp_path / "no-keys.toml"
    model.write_text('base = "default"\n[preference]\nkeys = false\n')
    chapter = story(hbtom.judge(read(episode(key_trial(), key_trial())), model))[0]
    assert told(chapter, "key") == [(21, "It picks up the key.")]


def test_an_agent_that_stands_still_has_a_short_story() -> None:
    moving = to_thing(HEART.at(120, 60))
    standing = still_and_walk([(40, 100)], [HEART.at(120, 60)])
    *_, last = story(hbtom.judge(read(episode(moving, standing))))
    assert last.summary == "It does not move."
    assert [moment.kind for moment in last.moments] == ["start", "end"]


def test_the_least_likely_step_of_the_test_trial_is_mentioned(to_spoon: Judgement) -> None:
    chapters, test = story(to_spoon), to_spoon.test
    [(frame, text)] = told(chapters[-1], "peak")
    assert frame == test.frame[test.log_likelihood.argmin() + 1]
    assert text.startswith("Its least likely step ends here, ")
    assert all(told(chapter, "peak") == [] for chapter in chapters[:-1])


def test_on_the_grid_the_least_likely_step_has_a_probability() -> None:
    one = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)])
    judgement = hbtom.judge(read(episode(one, one)), "paper")
    [(_, text)] = told(story(judgement)[-1], "peak")
    chance = float(np.exp(judgement.test.log_likelihood.min()))
    assert f"with a probability of {per_cent(chance)}" in text


# Summaries


def test_the_summary_of_the_test_trial_says_what_is_surprising(
    to_heart: Judgement, to_spoon: Judgement
) -> None:
    assert story(to_heart)[-1].summary == "It went to the heart. Nothing about this is surprising."
    assert story(to_spoon)[-1].summary == (
        "It went to the spoon. This is surprising: it was expected to go to the heart, "
        "which it took 8 of 8 times."
    )
    assert story(to_spoon)[0].summary == "It went to the heart."


def test_a_detour_is_called_one() -> None:
    heart = HEART.at(150, 100)
    detour = still_and_walk(walk((40, 100), (90, 40), (137, 100)), [heart])
    straight = to_thing(heart)
    *_, last = story(hbtom.judge(read(episode(*[straight] * 8, detour))))
    assert last.summary.startswith("It went to the heart by a detour, 1.")
    assert last.summary.endswith("This is surprising: it was not expected to take such a detour.")


def test_an_agent_that_stops_at_the_key_did_not_go_to_the_object() -> None:
    """A path that ends at a needed key is a path to the key, whatever the agent wants."""
    whole = key_trial()
    cut = whole[:22] + [whole[21]] * 3
    *_, last = story(hbtom.judge(read(episode(*[whole] * 8, cut))))
    assert last.summary.startswith("It went to the key; it probably wants the heart (")


# Any story


def test_every_story_is_in_order_and_in_sentences(every_task) -> None:
    for judgement in (one for pair in every_task for one in pair):
        chapters = story(judgement)
        assert len(chapters) == len(judgement.episode)
        for trial, chapter in zip(judgement.episode, chapters, strict=True):
            assert chapter.moments[0].kind == "start"
            assert len(told(chapter, "end")) == 1
            assert all(a.frame <= b.frame for a, b in pairwise(chapter.moments))
            for moment in chapter.moments:
                assert 0 <= moment.frame < len(trial.path)
                assert moment.text[0].isupper()
                assert moment.text.endswith(".")
                assert ".png" not in moment.text


def test_the_story_is_the_same_each_time(to_spoon: Judgement) -> None:
    assert story(to_spoon) == story(to_spoon)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "under 1 %"), (0.5, "50 %"), (0.994, "99 %"), (0.996, "over 99 %"), (1.0, "over 99 %")],
)
def test_probabilities_in_words(share, words) -> None:
    assert plain_spaces(per_cent(share)) == words


def test_a_choice_without_a_preference_is_mentioned() -> None:
    one = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)])
    judgement = hbtom.judge(read(episode(one)))
    assert min(judgement.parts.to_dict().values()) > 0.5
    assert explain(account(judgement)) == "had no clear preference so far, and went to heart.png"
    assert "no clear preference" in story(judgement)[-1].summary
    usual = hbtom.judge(read(episode(one, one, one, one)))
    assert explain(account(usual)).endswith("nothing surprising")
    assert story(usual)[-1].summary.endswith("Nothing about this is surprising.")
