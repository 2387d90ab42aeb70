"""Lines of sight, compared with points along each segment."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings

import scenes
from hbtom.observe.bodies import Panel
from hbtom.world.sight_lines import (
    cut_by_boxes,
    cut_by_panels,
    cut_by_rectangle,
    in_view,
    sees,
    sees_objects,
)
from scenes import BLOB, BOARD, SPHERE, STRANGER, still, wall

ordinate = st.floats(-100, 100)
place = st.tuples(ordinate, ordinate)
side = st.floats(1, 80)


def deepest(start, stop, size, angle) -> float:
    """Return how deep a segment enters a rectangle around the origin; negative if it misses."""
    along = np.linspace(0, 1, 4001)[:, None]
    x, y = (np.array(start) * (1 - along) + np.array(stop) * along).T
    turn = np.radians(angle)
    across, down = np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x
    return float(np.minimum(size[0] / 2 - np.abs(across), size[1] / 2 - np.abs(down)).max())


def cut(start, stop, size, angle, centre=(0.0, 0.0)) -> bool:
    rows = (np.array([one]) for one in (start, stop, centre))
    return bool(cut_by_rectangle(*rows, size, np.array([angle]))[0])


@hypothesis.given(start=place, stop=place, size=st.tuples(side, side), angle=st.floats(-360, 360))
@settings(max_examples=150)
def test_a_segment_is_cut_if_some_of_its_points_are_inside(start, stop, size, angle):
    deep = deepest(start, stop, size, angle)
    hypothesis.assume(abs(deep) > 0.1)  # points are up to 0.08 apart
    assert cut(start, stop, size, angle) == (deep > 0)
    assert cut(stop, start, size, angle) == (deep > 0)
    mirrored = [(-x, y) for x, y in (start, stop)]
    assert cut(*mirrored, size, -angle) == (deep > 0)
    shifted = [(x + 30, y - 7) for x, y in (start, stop)]
    assert cut(*shifted, size, angle, centre=(30.0, -7.0)) == (deep > 0)


def test_a_segment_along_an_edge_is_cut_and_one_beside_it_is_not():
    assert cut((5, -50), (5, 50), (10, 40), 0)
    assert not cut((5.01, -50), (5.01, 50), (10, 40), 0)
    assert cut((0, 0), (0, 0), (10, 40), 0)  # a point inside


def test_boxes_cut_like_rectangles_and_absent_ones_cut_nothing():
    start, stop = np.array([[0.0, 10.0]] * 3), np.array([[100.0, 10.0]] * 3)
    path = np.array([[50.0, 10.0], [np.nan, np.nan], [50.0, 40.0]])
    board = Panel("board", (10.0, 42.0), path, np.array([0.0, np.nan, 90.0]))
    assert cut_by_panels(start, stop, [board]).tolist() == [True, False, False]
    assert cut_by_panels(start, stop, []).tolist() == [False] * 3
    boxes = np.array([[40.0, 0.0, 20.0, 20.0]])
    stop[1] = [30.0, 10.0]
    assert cut_by_boxes(start, stop, boxes).tolist() == [True, False, True]


HIDES = {
    BLOB: [*still((150, 100), 6)],
    SPHERE: [(50, 60)],
    STRANGER: [None, None, *still((50, 140), 4)],
    BOARD: [*still((-20, 60), 3), *still((80, 70), 3)],
}


def test_an_agent_sees_things_that_no_board_hides():
    trial = scenes.read(scenes.scene(HIDES))[0]
    assert sees_objects(trial, 0)[:, 0].tolist() == [True] * 6 + [False] * 5
    assert sees(trial, 0, trial.actors[1].path).tolist() == [False] * 4 + [True] * 7
    assert not sees(trial, 1, trial.path)[:4].any()  # an agent sees nothing before it is there
    walled = scenes.read(scenes.scene({**HIDES, wall(1): [(90, 90)]}))[0]
    assert sees_objects(walled, 0).tolist() == sees_objects(trial, 0).tolist()


def test_the_camera_sees_things_that_no_board_hides():
    trial = scenes.read(scenes.scene({**HIDES, BOARD: [*still((-20, 60), 3), (200, 25)]}))[0]
    assert trial.camera == (260.0, -60.0)
    assert in_view(trial, trial.path).tolist() == [True] * 6 + [False] * 5
    assert scenes.read(scenes.scene({**HIDES, BOARD: [None]}))[0].camera is None
    plain = scenes.read(scenes.preference())[0]
    assert in_view(plain, plain.path).all()


@pytest.mark.parametrize("hidden", ["door", "paddle"])
def test_doors_and_paddles_hide_nothing(hidden):
    prop = scenes.DOOR if hidden == "door" else scenes.PADDLE
    trial = scenes.read(scenes.scene({**HIDES, BOARD: [None], prop: [(80, 70)]}))[0]
    assert [one.kind for one in trial.panels] == [hidden]
    assert sees_objects(trial, 0).all()
    assert not sees(trial, 0, trial.objects_at[:, 0], hiding=(hidden,)).any()
