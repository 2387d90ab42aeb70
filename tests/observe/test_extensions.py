"""Fields that the benchmark's own files lack: written, read back, and refused or ignored."""

from __future__ import annotations

import json
import random
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import scenes
from episodes import HEART, episode, to_thing
from hbtom import BadInput, Episode, judge
from hbtom.observe import read, writing
from hbtom.observe.mcs import export
from hbtom.observe.social_events import doors_moved, gestures, objects_moved, onset, passages
from scenes import BLOB, BOARD, CARRIED, CROWDED, DOOR, FRIEND, PADDLE, SPHERE, still, walk

BUSY = (CROWDED[0], CARRIED, CROWDED[1])


def same(one, other) -> bool:
    """Return whether two values are the same to a millionth of a pixel."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and np.allclose(one, other, atol=2e-6, equal_nan=True)
    return one == other or (isinstance(one, float) and abs(one - other) < 2e-6)


def without_warnings(trial):
    """Return a trial without its warnings, which count frames or steps, depending on format."""
    return replace(trial, warnings=())


def test_everything_in_a_scene_is_written_and_read_back():
    given = scenes.read(scenes.scene(*BUSY))
    busy = given[1]
    for name in ("camera", "object_paths", "walls_there", "agent_there"):
        assert getattr(busy, name) is not None
    assert {one.kind for one in busy.panels} == {"board", "paddle"}
    back = read(writing.write(given))
    for before, after in zip(given, back, strict=True):
        assert same(without_warnings(before), without_warnings(after))
        assert len(before.warnings) == len(after.warnings)
    assert writing.write(back) == writing.write(given)
    assert judge(back).plausibility == pytest.approx(judge(given).plausibility, abs=1e-9)


def test_events_survive_writing_and_reading_scenes():
    given = scenes.read(scenes.scene(*BUSY))
    back = read(export.write(given))
    again = read(export.write(read(writing.write(given))))
    assert [told(trial) for trial in given] == [told(trial) for trial in back]
    assert [told(trial) for trial in given] == [told(trial) for trial in again]
    assert [trial.camera for trial in back] == [trial.camera for trial in given]
    assert (
        back[1].walls_there.sum(axis=1)[[0, -1]] == given[1].walls_there.sum(axis=1)[[0, -1]]
    ).all()


def told(trial):
    """Return the actors and their events, in order, without durations."""
    moved = (*doors_moved(trial), *objects_moved(trial))
    return (
        [(one.target, one.actor, one.start, one.stop) for one in moved],
        [one.actor for one in gestures(trial)],
        [(one.actor, one.comes) for one in passages(trial)],
        onset(trial).pushed_by,
    )


def test_order_within_a_frame_does_not_matter():
    given = json.loads(writing.write(scenes.read(scenes.scene(*BUSY))))
    mixed = json.loads(json.dumps(given))
    random.seed(3)
    for frame in (frame for trial in mixed for frame in trial):
        for value in frame.values():
            if isinstance(value, list) and all(isinstance(one, list) for one in value):
                random.shuffle(value)
    for one, other in zip(
        *(read(json.dumps(each).encode()) for each in (given, mixed)), strict=True
    ):
        assert same(one, other)


def test_things_that_look_the_same_are_followed():
    frames = episode(to_thing(HEART.at(120, 60)))
    agent = [[0, 0], 6, "clove.png", [1, 2, 3]]
    for number, frame in enumerate(frames[0]):
        here = [[[40 + number / 4, 40], *agent[1:]], [[140 - number / 4, 160], *agent[1:]]]
        frame["other_agents"] = here[:: 1 if number % 2 else -1]
    first, second = read(json.dumps(frames).encode())[0].others
    assert (
        np.abs(np.diff(first.path, axis=0)).max()
        == np.abs(np.diff(second.path, axis=0)).max()
        == 0.25
    )
    assert {first.path[0, 1], second.path[0, 1]} == {46, 166}


# Errors


def changed(**more) -> Episode:
    frames = episode(to_thing(HEART.at(120, 60)))
    frames[0][2].update(more)
    return read(json.dumps(frames).encode())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("paddle", [[[100, 100], 40]]),
        ("paddle", [[[100, 100], [0, 40], 0]]),
        ("door", [[[100, 100], [20, 40]]]),
        ("occluder", "tall"),
        ("other_agents", {"blob": 1}),
    ],
)
def test_unknown_fields_are_ignored_with_a_warning(name, value):
    plain, odd = changed(), changed(**{name: value})
    assert odd[0].others == ()
    (warning,) = odd[0].warnings
    assert f"'{name}' is ignored: frame 3" in warning
    assert judge(odd).plausibility == judge(plain).plausibility


def test_a_crowd_is_ignored_with_a_warning():
    agents = [[[40 + number, 40], 6, f"{number}.png", [0, 0, 0]] for number in range(40)]
    odd = changed(other_agents=agents)
    assert odd[0].others == ()
    assert "more than 32 things of the kind 'agent' are ignored" in odd[0].warnings


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("objects_now", [[[50, 50], 9, "spoon.png", [0, 0, 0]]], "spoon.png is not in 'objects'"),
        ("objects_now", 3, "frame 3, field 'objects_now'"),
        ("walls_gone", [[[500, 0], [20, 20]]], "is not in 'walls'"),
        ("walls_gone", [[1, 2]], "frame 3, field 'walls_gone'"),
        ("agent_away", "yes", "frame 3, field 'agent_away'"),
        ("camera", [1, 2, 3], "frame 3, field 'camera'"),
        ("camera", [1e9, 0], "frame 3, field 'camera'"),
    ],
)
def test_impossible_values_are_refused(name, value, words):
    with pytest.raises(BadInput) as caught:
        changed(**{name: value})
    assert "trial 1" in str(caught.value)
    assert words in str(caught.value)


def test_two_cameras_do_not_fit_into_one_scene():
    one, *rest = scenes.read(scenes.scene(*BUSY))
    with pytest.raises(BadInput, match="camera"):
        export.write(Episode((replace(one, camera=(0.0, 260.0)), *rest)))


# Odd trials that can be judged


ODD = {
    BLOB: [*still((150, 100)), *walk((150, 100), (110, 100), step=4)],
    SPHERE: [(60, 100)],
    FRIEND: [(60, 150)],
}


def warned(**more) -> list[str]:
    given = scenes.read(scenes.scene({**ODD, **more.pop("props", {})}))
    back = read(writing.write(given))
    assert len(given[0].warnings) == len(back[0].warnings)
    assert 0 < judge(given).plausibility < 1
    return list(given[0].warnings)


def test_a_usual_trial_gives_no_warnings():
    assert warned() == []
    assert warned(props={DOOR: [(60, 176)]}) == []  # stands nearby


def test_a_door_that_overlaps_an_agent():
    (warning,) = warned(props={DOOR: [None, None, None, (60, 150)]})
    assert warning == "a door overlaps blob_05 at step 3"


def test_things_that_move_by_themselves():
    slides = [*still((60, 100), 3), *walk((60, 100), (60, 120), step=4)]
    assert warned(props={SPHERE: slides, FRIEND: [(60, 40)]}) == [
        "sphere moves at step 3, but nobody is there to move it"
    ]
    slides = [*still((100, 40), 3), *walk((100, 40), (80, 40), step=4)]
    assert warned(props={DOOR: slides}) == [
        "a door moves at step 3, but nobody is there to move it"
    ]


def test_an_agent_that_vanishes_in_mid_walk():
    walks = walk((60, 150), (80, 140), step=4)
    (warning,) = warned(props={FRIEND: [*walks, None]})
    assert warning == f"blob_05 vanishes in mid-walk at step {len(walks)}"
    assert warned(props={FRIEND: [*walks, *still(walks[-1], 5), None]}) == []


def test_a_paddle_without_a_size():
    sizeless = replace(PADDLE, size=None)
    given = scenes.read(scenes.scene({**ODD, sizeless: [(60, 60)]}))
    assert given[0].panels[0].size == (10, 40)
    assert given[0].warnings == (f"'{sizeless.id}' has no size; the usual one is used",)


def test_boards_that_hide_everything():
    board = replace(BOARD, size=(10, 190))
    hidden = scenes.read(scenes.scene({**ODD, board: [(185, 100)]}))
    warning = "trial 1: boards hide the agent from the camera all along"
    assert warning in judge(hidden).warnings
    assert warning not in judge(scenes.read(scenes.scene({**ODD, board: [(25, 100)]}))).warnings


def test_two_agents_and_none():
    given = scenes.read(scenes.scene({**ODD, scenes.STAR: [(60, 60)]}))
    assert "there are 2 agents" in given[0].warnings[0]
    with pytest.raises(BadInput, match="step 0"):
        scenes.read(scenes.scene({SPHERE: [(60, 60)], FRIEND: [(60, 150)]}))
    frames = episode(to_thing(HEART.at(120, 60)))
    for frame in frames[0]:
        frame["agent_away"] = True
    with pytest.raises(BadInput, match="agent is never there"):
        read(json.dumps(frames).encode())
