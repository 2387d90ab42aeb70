"""Unusable input is refused with a message that says what is wrong, where, and what to do."""

from __future__ import annotations

import pytest

from broken import Broken, catalogue
from episodes import (
    HEART,
    SPOON,
    Thing,
    episode,
    every_frame,
    key_trial,
    read,
    simple_episode,
    to_bytes,
    to_thing,
    with_old_names,
)
from hbtom import BadInput, observe
from hbtom.errors import Place


@pytest.mark.parametrize("broken", catalogue(), ids=lambda broken: broken.name)
def test_the_catalogue_is_refused(broken: Broken) -> None:
    with pytest.raises(BadInput) as caught:
        observe.read(broken.data)
    message = str(caught.value)
    for word in broken.words:
        assert word in message
    assert caught.value.hint
    assert "\n" not in message
    assert len(message) < 400


def test_a_truncated_file_is_refused() -> None:
    """It may be truncated anywhere, except in white space at its end."""
    data = to_bytes(simple_episode(times=0))
    for length in range(0, len(data), 97):
        with pytest.raises(BadInput, match=r"empty|cut off"):
            observe.read(data[:length])
    with pytest.raises(BadInput, match="cut off"):
        observe.read(data[:-1])


@pytest.mark.parametrize(("newer", "older"), [("pin", "key"), ("key", "lock")])
def test_a_bad_key_or_lock_is_named_as_in_the_file(newer, older) -> None:
    bad = every_frame([key_trial()], lambda one: one.update({newer: 7}))
    with pytest.raises(BadInput) as caught:
        read(bad)
    assert caught.value.place == Place(trial=1, frame=1, field=newer)
    with pytest.raises(BadInput) as caught:
        read(with_old_names(bad))
    assert caught.value.place == Place(trial=1, frame=1, field=older)


def test_the_first_bad_trial_is_named() -> None:
    bad = simple_episode()
    bad[2][0]["agent"] = bad[1][7]["agent"] = 3
    with pytest.raises(BadInput) as caught:
        read(bad)
    assert caught.value.place == Place(trial=2, frame=8, field="agent")


def test_a_bad_field_is_found_after_many_good_frames() -> None:
    frames = key_trial(after=500)
    frames[-1]["agent"][1] = -6
    with pytest.raises(BadInput) as caught:
        read([frames])
    assert caught.value.place == Place(trial=1, frame=len(frames), field="agent")


def test_more_objects_than_exact_inference_can_hold_are_refused() -> None:
    crowd = [Thing(f"thing{n}.png", (n,)).at(60 + n, 60) for n in range(40)]
    with pytest.raises(BadInput) as caught:
        read(episode(*[to_thing(HEART.at(65, 100), others=crowd)] * 9))
    assert caught.value.place == Place(trial=1, frame=1, field="objects")


def test_a_place_on_the_edge_of_the_world_is_inside() -> None:
    edge = every_frame(
        simple_episode(),
        lambda one: one.update(
            walls=[], objects=[HEART.at(0, 0).entity(), SPOON.at(200, 200).entity()]
        ),
    )
    assert read(edge)[0].objects[0].centre == (0, 0)


# Messages


def test_a_message_names_file_trial_frame_field_problem_and_hint() -> None:
    place = Place(file="a.json", trial=2, frame=5, field="agent")
    error = BadInput("it is odd", hint="make it even", place=place)
    assert str(error) == ("a.json: trial 2, frame 5, field 'agent': it is odd. Hint: make it even")


def test_a_message_leaves_out_unknown_parts() -> None:
    assert str(BadInput("it is odd")) == "it is odd"
    assert str(BadInput("it is odd", place=Place(trial=3))) == "trial 3: it is odd"
    assert str(BadInput("it is odd", place=Place(file="a.json"))) == "a.json: it is odd"


def test_a_location_only_becomes_more_precise() -> None:
    error = BadInput("it is odd", place=Place(frame=5)).at(trial=2).at(frame=9, file="a.json")
    assert error.place == Place(file="a.json", trial=2, frame=5)
