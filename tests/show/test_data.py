"""The data in the page agree with the judgement, in few digits."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hbtom
from episodes import episode, key_trial, read
from hbtom.judgement import Judgement
from hbtom.show.page.page_values import film
from hbtom.show.page.plain_values import changes, numbers


def spread(changed, frames: int) -> list[list[float | None]]:
    """Undo ``changes``: return one value per frame."""
    ends = [entry[0] for entry in changed[1:]] + [frames]
    return [
        value
        for (start, *value), end in zip(changed, ends, strict=True)
        for _ in range(end - start)
    ]


def test_the_numbers_match_the_trace(every_task) -> None:
    for judgement in (one for pair in every_task for one in pair):
        shown = film(judgement)
        names = [item["name"] for item in shown["items"]]
        for trial, traced in zip(
            shown["trials"], judgement.to_dict(trace=True)["trace"], strict=True
        ):
            beliefs = trial["beliefs"]
            assert [frame + 1 for frame in beliefs["frame"]] == [
                step["frame"] for step in traced["steps"]
            ]
            for index, step in enumerate(traced["steps"]):
                goal = [round(value, 5) for value in step["goal"].values()]
                assert beliefs["goal"][index] == goal
                assert [names[item] for item in beliefs["goals"]] == [
                    name.removesuffix(".png") for name in step["goal"]
                ]
                assert beliefs["efficiency"][index] == [
                    round(value, 5) for value in step["efficiency"].values()
                ]
                assert beliefs["preference"][index] == [
                    round(value, 5) for value in step["preference"].values()
                ]
                if index:
                    unlikely = round(step["observation_surprise"], 5)
                    assert beliefs["unlikely"][index - 1] == unlikely


def test_the_surprises_of_the_test_trial_match_the_judgement(every_task) -> None:
    for judgement in (one for pair in every_task for one in pair):
        shown = film(judgement)
        beliefs = shown["trials"][-1]["beliefs"]
        assert max(beliefs["goal_shift"]) == pytest.approx(judgement.surprise.goal, abs=1e-5)
        most = max(beliefs["efficiency_shift"])
        assert most == pytest.approx(judgement.surprise.efficiency, abs=1e-5)
        assert max(beliefs["unlikely"]) == pytest.approx(judgement.surprise.observation, abs=1e-5)
        assert shown["plausibility"] == judgement.plausibility
        assert np.prod(list(shown["parts"].values())) == pytest.approx(judgement.plausibility)


def test_every_frame_can_be_drawn_again(with_key: Judgement) -> None:
    trial, shown = with_key.episode[0], film(with_key)["trials"][0]
    frames = shown["frames"]
    assert frames == len(trial.path)
    np.testing.assert_allclose(spread(shown["path"], frames), trial.path, atol=0.005)
    left = np.array(spread(shown["left"], frames))[:, 0]
    np.testing.assert_allclose(left, trial.barrier_left, atol=1e-4)
    there = np.array(spread(shown["lock"]["there"], frames))[:, 0]
    np.testing.assert_array_equal(there.astype(bool), trial.lock_there)
    key = np.array(spread(shown["key"]["path"], frames), dtype=float)
    np.testing.assert_allclose(key, trial.key_path, atol=0.005)
    assert shown["motion"] == [3, 65]


def test_still_frames_take_no_space(with_key: Judgement) -> None:
    path = film(with_key)["trials"][0]["path"]
    assert path[1][0] == 3
    assert len(path) < len(with_key.episode[0].path) - 5


def test_the_key_looks_like_a_key_and_is_called_one(with_key: Judgement) -> None:
    shown = film(with_key)
    assert [item["name"] for item in shown["items"]] == ["heart", "key"]
    assert shown["items"][1]["shape"] == "triangle90"
    assert shown["trials"][0]["key"]["item"] == 1
    assert shown["trials"][0]["lock"]["shape"] == "triangle_slot90"


def test_the_key_is_not_an_item_if_keys_are_not_goals(tmp_path) -> None:
    model = tmp_path / "no-keys.toml"
    model.write_text('base = "default"\n[preference]\nkeys = false\n')
    shown = film(hbtom.judge(read(episode(key_trial(), key_trial())), model))
    assert [item["name"] for item in shown["items"]] == ["heart"]
    assert shown["trials"][0]["key"]["item"] is None


def test_everything_is_plain_and_finite(every_task) -> None:
    for judgement in (one for pair in every_task for one in pair):
        json.dumps(film(judgement), allow_nan=False)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (1.0, 1),
        ([1.234567, 2.0], [1.23457, 2]),
        ([np.nan, np.inf, -np.inf], [None, None, None]),
        ([[0.1]], [[0.1]]),
    ],
)
def test_numbers_are_short(values, found) -> None:
    assert numbers(values, 5) == found


def test_changes_are_recorded_where_they_happen() -> None:
    nan = float("nan")
    values = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0], [nan, nan], [nan, nan]])
    assert changes(values) == [[0, 1, 1], [2, 1, 2], [3, None, None]]
