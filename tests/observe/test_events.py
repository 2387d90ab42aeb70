"""The events of a trial, to the frame."""

from __future__ import annotations

import copy
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import (
    BARRIER,
    HEART,
    KEY,
    LOCK,
    SPOON,
    Json,
    frame,
    key_trial,
    read,
    simple_episode,
    to_thing,
    trial,
    walk,
    with_old_names,
)
from hbtom import Trial, observe
from worlds import odd_trial


def events_of(frames: Json) -> list[tuple]:
    """Return the kind and frame of all events of a trial, and the item if there is one."""
    return [
        (event.kind, event.frame) if event.item is None else (event.kind, event.frame, event.item)
        for event in read([frames])[0].events
    ]


def test_a_walk_to_an_object() -> None:
    frames = trial(walk((40, 100), (52, 100)), [HEART.at(65, 100)], before=4, after=5)
    assert events_of(frames) == [
        ("first motion", 5),
        ("touch", 9, 0),  # 50 + 6 + 9 = 65
        ("end of motion", 10),
    ]


INSTRUMENTAL = [
    ("first motion", 3),
    ("touch", 20, 1),
    ("pick up key", 21, 1),
    ("reach lock", 41),
    ("barrier starts to vanish", 44),
    ("barrier gone", 46),
    ("touch", 65, 0),
    ("end of motion", 65),
]


def test_an_instrumental_trial() -> None:
    assert events_of(key_trial()) == INSTRUMENTAL


def test_an_instrumental_trial_with_old_names() -> None:
    (frames,) = with_old_names([key_trial()])
    assert events_of(frames) == INSTRUMENTAL


@pytest.mark.parametrize("jitter", [1, 3])
def test_a_carried_key_that_trembles_is_picked_up_once(jitter) -> None:
    assert events_of(key_trial(jitter=jitter)) == INSTRUMENTAL


def test_the_times_shift_with_still_frames() -> None:
    later = events_of(key_trial(before=10, wait=7))
    assert [event[1] for event in later] == [10, 27, 28, 48, 56, 58, 77, 77]


def test_without_a_jump_the_agent_walks_through_the_place_of_the_lock() -> None:
    walked = events_of(key_trial(jump=False))
    assert walked == [*INSTRUMENTAL[:6], ("touch", 73, 0), ("end of motion", 73)]


def test_a_jump_to_the_place_of_the_lock_is_in_the_path_but_not_an_event() -> None:
    seen = read([key_trial()])[0]
    assert seen.path[46].tolist() == [92, 110]
    assert seen.path[47].tolist() == [110, 110]
    assert not [event for event in seen.events if event.frame == 47]


# First motion, end of motion


def test_nothing_happens_when_nothing_moves() -> None:
    assert events_of(trial([(40, 100)] * 6, [HEART.at(100, 100)])) == []


def test_one_frame_has_no_motion() -> None:
    assert events_of([frame((40, 100), [HEART.at(100, 100)])]) == []


def test_motion_begins_with_the_first_frame_in_another_place() -> None:
    frames = trial([(40, 100), (40, 101)], [HEART.at(100, 100)], before=0, after=0)
    assert events_of(frames) == [("first motion", 1), ("end of motion", 1)]


def test_a_rest_on_the_way_does_not_end_the_motion() -> None:
    path = [(40, 100), (42, 100), (42, 100), (42, 100), (44, 100)]
    frames = trial(path, [HEART.at(100, 100)], before=0, after=2)
    assert events_of(frames) == [("first motion", 1), ("end of motion", 4)]


# Touching


@pytest.mark.parametrize(("away", "touches"), [(15, True), (15.01, False), (9, True)])
def test_agent_and_object_touch_when_their_circles_do(away, touches) -> None:
    frames = trial([(40, 100), (50, 100)], [HEART.at(50 + away, 100)], before=0, after=0)
    assert (("touch", 1, 0) in events_of(frames)) is touches


def test_distance_counts_at_an_angle() -> None:
    near = trial([(40, 100), (50, 100)], [HEART.at(59, 112)], before=0, after=0)  # 15 away
    far = trial([(40, 100), (50, 100)], [HEART.at(61, 111)], before=0, after=0)  # 15.6 away
    assert ("touch", 1, 0) in events_of(near)
    assert ("touch", 1, 0) not in events_of(far)


def test_contact_from_the_start_begins_at_the_first_frame() -> None:
    frames = trial([(60, 100)] * 3, [HEART.at(65, 100)])
    assert events_of(frames) == [("touch", 0, 0)]


def test_leaving_and_coming_back_is_another_touch() -> None:
    path = [(50, 100), (48, 100), (50, 100)]
    frames = trial(path, [HEART.at(65, 100)], before=0, after=0)
    assert [event for event in events_of(frames) if event[0] == "touch"] == [
        ("touch", 0, 0),
        ("touch", 2, 0),
    ]


def test_items_touched_in_passing_are_named_by_their_index() -> None:
    path = walk((40, 100), (150, 100))
    frames = trial(path, [SPOON.at(165, 100), HEART.at(90, 105)], before=0, after=0)
    seen = read([frames])[0]
    assert [str(item.look) for item in seen.items] == ["heart.png", "spoon.png"]
    touches = [event for event in events_of(frames) if event[0] == "touch"]
    assert touches == [("touch", 18, 0), ("touch", 55, 1)]


# Key, lock and barrier


def test_a_key_that_is_only_touched_is_not_picked_up() -> None:
    frames = key_trial()[:21]
    assert events_of(frames) == [("first motion", 3), ("touch", 20, 1), ("end of motion", 20)]


def test_a_key_that_is_carried_away_without_reaching_a_lock() -> None:
    frames = key_trial()[:30]
    assert events_of(frames) == [*INSTRUMENTAL[:3], ("end of motion", 29)]


def test_the_place_where_a_key_lay_is_not_touched_again() -> None:
    frames = key_trial()[:30]
    back = copy.deepcopy(frames[20:30])
    for one in back:
        one["pin"] = frames[29]["pin"]
    assert [event for event in events_of(frames + back) if event[0] == "touch"] == [
        ("touch", 20, 1)
    ]


def test_a_key_that_vanishes_is_picked_up() -> None:
    frames = key_trial()[:22]
    frames[21]["pin"] = []
    assert ("pick up key", 21, 1) in events_of(frames)


def test_a_trial_may_end_while_the_barrier_vanishes() -> None:
    assert events_of(key_trial()[:46]) == [
        *INSTRUMENTAL[:4],
        ("end of motion", 41),
        ("barrier starts to vanish", 44),
    ]


def test_a_lock_that_vanishes_first_opens_the_barrier() -> None:
    frames = key_trial()
    for one in frames[43:]:
        one["key"] = []
    kinds = dict(event[:2] for event in events_of(frames))
    assert kinds["barrier starts to vanish"] == 43
    assert kinds["barrier gone"] == 46


def test_a_lock_without_a_barrier_is_opened_when_it_vanishes() -> None:
    frames = key_trial()
    for one in frames:
        one["fuse_walls"] = []
    kinds = dict(event[:2] for event in events_of(frames))
    assert kinds["reach lock"] == 41
    assert kinds["barrier starts to vanish"] == kinds["barrier gone"] == 46


def test_a_barrier_that_stays_and_an_unused_lock_are_not_events() -> None:
    frames = to_thing(
        HEART.at(65, 100), barrier=BARRIER, key=KEY.at(150, 50), lock=LOCK.at(110, 110)
    )
    assert [event[0] for event in events_of(frames)] == ["first motion", "touch", "end of motion"]


def test_a_barrier_that_opens_before_anything_moves_is_reached_at_once() -> None:
    frames = simple_episode()[0]
    frames[0]["fuse_walls"] = copy.deepcopy(list(BARRIER))
    seen = events_of(frames)
    assert seen[:3] == [("reach lock", 0), ("barrier starts to vanish", 1), ("barrier gone", 1)]


# The list of events


def test_events_come_in_the_order_of_their_frames() -> None:
    frames = [event.frame for event in read([key_trial()])[0].events]
    assert frames == sorted(frames)


def test_an_event_is_found_by_its_kind() -> None:
    seen = read([key_trial()])[0]
    assert seen.event("touch") == seen.events[1]
    assert seen.event("reach lock").frame == 41
    assert read(simple_episode())[0].event("reach lock") is None


# Odd trials, frame by frame


def first(frames: list[int]) -> int:
    return frames[0] if frames else -1


def touches(trial: Trial, picked: int) -> list[tuple[int, int]]:
    """Return the frame and item of each onset of contact; a key lies until it is picked up."""
    begun = []
    for index, item in enumerate(trial.items):
        now = [
            math.sqrt((x - item.centre[0]) ** 2 + (y - item.centre[1]) ** 2)
            <= trial.agent.radius + item.radius
            for x, y in trial.path.tolist()
        ]
        if item is trial.key and picked >= 0:
            now = now[:picked]
        begun += [(n, index) for n in range(len(now)) if now[n] and not (n > 0 and now[n - 1])]
    return begun


@settings(max_examples=50)
@given(st.integers(0, 10_000))
def test_events_of_odd_trials(seed: int) -> None:
    trial = odd_trial(seed)
    frames = range(len(trial.path))
    path, left = trial.path.tolist(), trial.barrier_left
    moved = [n for n in frames if n > 0 and path[n] != path[n - 1]]
    picked = -1
    if trial.key_path is not None:
        picked = first([n for n in frames if not (trial.key_path[n] == trial.key_path[0]).all()])
    lost = np.zeros(len(path), dtype=bool) if trial.lock_there is None else ~trial.lock_there
    started = first([n for n in frames if left[n] < left[0] or lost[n]])
    gone = first([n for n in frames if n >= started >= 0 and left[n] == 0])
    reached = max([n for n in moved if n <= started], default=0) if started >= 0 else -1
    last = moved[-1] if moved else -1
    assert trial.marks == (first(moved), picked, reached, started, gone, last)

    wanted = [("touch", *each) for each in touches(trial, picked)]
    wanted += [("first motion", moved[0]), ("end of motion", last)] if moved else []
    wanted += [("pick up key", picked, len(trial.objects))] if picked >= 0 else []
    wanted += [("reach lock", reached), ("barrier starts to vanish", started)][: 2 * (started >= 0)]
    wanted += [("barrier gone", gone)] if gone >= 0 else []
    found = [
        (event.kind, event.frame) if event.item is None else (event.kind, event.frame, event.item)
        for event in trial.events
    ]
    assert sorted(found) == sorted(wanted)
    assert [event[1] for event in found] == sorted(event[1] for event in found)


def test_real_trials_begin_still_and_end_with_a_touch(real_files: list[Path]) -> None:
    for file in real_files:
        for one in observe.load(file):
            kinds = [event.kind for event in one.events]
            assert kinds[0] == "first motion"
            assert one.events[0].frame == 31
            assert kinds.count("touch") >= 1
            end = one.event("end of motion").frame
            assert one.event("touch").frame <= end
            assert len(one.path) - 1 - end in range(80, 87)
