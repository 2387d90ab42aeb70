"""Trials as arrays: steps, actions, things and their positions."""

from dataclasses import replace

import numpy as np
import pytest

from episodes import CLOVE, HEART, SPOON, block, border, episode, key_trial, read, trial, walk
from hbtom.errors import BadInput
from hbtom.neural import Tensors, stacked, to_tensors
from hbtom.neural.tensors import (
    AGENT,
    BARRIER,
    HEIGHT,
    HOME,
    KEY,
    KIND,
    LOCK,
    OBJECT,
    THERE,
    WALL,
    WIDTH,
    step_frames,
)


def long_walk(*corners, **more):
    """Return a trial as long as those of the benchmark."""
    return trial(walk(*corners), [HEART.at(150, 60)], before=30, after=83, **more)


@pytest.mark.parametrize(
    ("count", "frames"),
    [
        (160, [30, 40, 50, 60, 70, 76]),  # 30 and 83 frames less: 30 to 76
        (122, [30, 38]),
        (114, [30, 30]),
        (113, [29, 30]),
        (12, [3, 3]),
        (1, [0, 0]),
    ],
)
def test_steps_are_ten_frames_long_and_rest_is_left_out(count, frames):
    assert step_frames(count).tolist() == frames


def test_an_agent_at_full_speed_has_an_action_of_one():
    seen = to_tensors(read([long_walk((40, 100), (84, 100), (84, 60))]))
    moved = seen.actions[0] * 2 * np.diff(step_frames(30 + 43 + 83))[:, None]
    np.testing.assert_allclose(seen.actions[0, :2], [[1, 0], [1, 0]])
    np.testing.assert_allclose(seen.actions[0, -1], [0, -1])
    np.testing.assert_allclose(moved.sum(axis=0), [44, -40], atol=1e-5)  # the whole path
    assert seen.steps.tolist() == [5]


def test_actions_are_relative_to_the_size_of_the_world():
    small = read([long_walk((40, 100), (84, 100))])
    large = read([long_walk((80, 200), (168, 200), size=400)])
    fast = replace(large[0], path=large[0].path[::2])  # as many frames as in the small world
    assert len(small[0].path) != len(large[0].path)
    assert to_tensors(small).actions.max() == 1
    assert to_tensors(replace(large, trials=(fast,))).actions.max() == 1


def test_the_agent_comes_first_and_walls_last():
    seen = to_tensors(read([key_trial()]))
    kinds = seen.things[0, :, KIND].tolist()
    assert kinds == sorted(kinds)
    assert kinds[:5] == [AGENT, KEY, LOCK, OBJECT, HOME]
    assert set(kinds[5:]) == {BARRIER, WALL}


def test_places_are_shares_of_the_world():
    seen = to_tensors(read([long_walk((40, 100), (84, 100))]))
    np.testing.assert_allclose(seen.places[0, 0, 0], [0.2, 0.5, 1])
    np.testing.assert_allclose(seen.places[0, -1, 0], [0.42, 0.5, 1])
    np.testing.assert_allclose(seen.things[0, 0, [WIDTH, HEIGHT]], 2 * CLOVE.radius / 200)


def test_the_barrier_vanishes_and_so_do_key_and_lock():
    one = read([key_trial(before=30, after=83)])
    seen = to_tensors(one)
    kinds, there = seen.things[0, :, KIND], seen.places[0, :, :, THERE]
    for kind in (BARRIER, KEY, LOCK):
        assert there[0, kinds == kind].all()
        assert not there[-1, kinds == kind].any()
    area = seen.things[0, :, WIDTH] * seen.things[0, :, HEIGHT]
    assert area[kinds == BARRIER].sum() == pytest.approx(20 * 40 / 200**2)  # overlaps count once


def test_walls_cover_the_same_area_however_they_are_split():
    cells = [*border(), block(60, 60), block(70, 60), block(60, 60)]
    seen = to_tensors(read([long_walk((40, 100), (84, 100), walls=cells)]))
    walls = seen.things[0, :, KIND] == WALL
    boxes = np.concatenate(
        [seen.places[0, 0, walls, :2], seen.things[0, walls][:, [WIDTH, HEIGHT]]], axis=1
    )
    count = np.zeros((200, 200))
    for x, y, wide, high in 200 * boxes:
        left, top = round(x - wide / 2), round(y - high / 2)
        count[top : top + round(high), left : left + round(wide)] += 1
    expected = np.zeros((200, 200))
    for (x, y), (wide, high) in cells:
        expected[y : y + high, x : x + wide] = 1
    np.testing.assert_array_equal(count, expected)
    assert len(boxes) == 5  # the four sides, and one inside


def test_short_arrays_are_padded():
    far, near = long_walk((40, 100), (140, 100)), long_walk((40, 100), (60, 100))
    both = to_tensors(read(episode(far, near)))
    alone = to_tensors(read([near]))
    steps = int(alone.steps[0])
    assert both.steps.tolist() == [5, 1]
    np.testing.assert_array_equal(both.actions[1, :steps], alone.actions[0])
    assert not both.actions[1, steps:].any()
    np.testing.assert_array_equal(both.places[1, steps:], both.places[1, [steps] * 5])
    batch = stacked([both, both])
    assert isinstance(batch, Tensors)
    assert batch.places.shape == (2, *both.places.shape)
    assert batch.frames is None


def test_looks_are_consistent_across_trials_and_distinct():
    one = trial(walk((40, 100), (60, 100)), [HEART.at(150, 60), SPOON.at(60, 150)])
    other = trial(walk((40, 100), (60, 100)), [SPOON.at(150, 60), HEART.at(60, 150)])
    things = to_tensors(read(episode(one, other))).things
    np.testing.assert_array_equal(things[0, 1:3], things[1, 1:3])  # wherever they are
    assert (things[0, 1] != things[0, 2]).any()


def test_an_agent_that_is_never_seen_is_reported():
    one = read(episode(long_walk((40, 100), (84, 100)), long_walk((40, 100), (84, 100))))
    hidden = replace(one[1], path=np.full_like(one[1].path, np.nan))
    with pytest.raises(BadInput, match="trial 2: the agent is never seen"):
        to_tensors(replace(one, trials=(one[0], hidden)))
