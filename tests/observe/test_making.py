"""Trials made in Python: checked like files, whatever they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hbtom
from hbtom.observe import same_trial

WAY = [(20.0 + 4 * step, 100.0) for step in range(40)]
THINGS = {"food": (190, 100), "nest": (190, 20, 8)}


def make(path: Any = WAY, objects: Any = THINGS, **more: Any) -> hbtom.Trial:
    return hbtom.Trial.from_arrays(path, objects, **more)


def test_lists_arrays_and_data_frames_are_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(WAY, columns=["x", "y"]).assign(more=1.0)[["more", "y", "x"]]
    table = pandas.DataFrame(
        [("food", 190, 100, 10), ("nest", 190, 20, 8)], columns=["name", "x", "y", "radius"]
    )
    bodies = [
        hbtom.Body(hbtom.Look(n), (190.0, y), r)
        for n, y, r in (("food", 100.0, 10.0), ("nest", 20.0, 8.0))
    ]
    for other in (make(np.array(WAY)), make(frame, table), make(tuple(WAY), bodies)):
        assert same_trial(make(), other)
    assert make().barrier.shape == (0, 4)


def test_objects_without_a_radius_have_the_usual_one() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"name": ["food", "nest"], "x": 190, "y": [100, 20], "radius": [None, 8]}
    )
    assert make(objects=table).objects == make().objects


def test_units_are_scaled() -> None:
    walls = [[10, 0, 1, 4]]
    cm = make(np.array(WAY) / 10, {"food": (19, 10)}, size=(20, 20), walls=walls, scale=10)
    pixels = make(WAY, {"food": (190, 100)}, walls=10 * np.array(walls))
    assert np.allclose(cm.path, pixels.path)
    assert np.array_equal(cm.walls, pixels.walls)
    assert (cm.size, cm.objects, cm.agent) == (pixels.size, pixels.objects, pixels.agent)


WRONG = {
    "transposed": (np.array(WAY).T, {}, "it is transposed"),
    "outside": ([(20, 100), (2000, 100)], {}, "outside the world"),
    "metres": (np.array(WAY) / 200, {"size": (1, 1)}, "the world is 1 x 1 pixels"),
    "half seen": ([(20, 100), (30, np.nan)], {}, "outside the world"),
    "infinite": ([(20, 100), (np.inf, 100)], {}, "outside the world"),
    "never seen": (np.full((4, 2), np.nan), {}, "never seen"),
    "none": ([], {}, "there are no frames"),
    "ragged": ([(1, 2), (3,)], {}, "not an array"),
    "object": (WAY, {"objects": {"food": 3}}, "this is not an object"),
    "object far off": (WAY, {"objects": {"food": (900, 3)}}, "outside the world"),
    "walls": (WAY, {"walls": [(1, 2, 3)]}, "each row is x, y, width, height"),
    "scale": (WAY, {"scale": 0}, "the scale is 0"),
    "text": (WAY, {"scale": "2 cm"}, "'2 cm' is not a number"),
    "radius": (WAY, {"radius": "wide"}, "field 'radius': 'wide' is not a number"),
    "side": (WAY, {"size": (200,)}, "is not a size"),
    "no objects": (WAY, {"objects": None}, "these are not objects"),
    "agent": (WAY, {"agent": 5}, "this int is not an agent"),
    "key": (
        np.array(WAY) / 10,
        {"size": (20, 20), "scale": 10, "key_path": [(5, 5)] * 40},
        "field 'key_path': only path, objects, walls, barrier are scaled",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_are_reported_and_never_judged(case: str) -> None:
    path, more, message = WRONG[case]
    with pytest.raises(hbtom.BadInput, match=message):
        make(path, **{"objects": {"food": (0.5, 0.5)}, **more})


def test_a_small_world_and_tiny_moves_give_a_warning() -> None:
    small = make(np.array(WAY) / 4, {"food": (47, 25)}, size=(50, 50))
    still = make([(20.0 + 0.02 * step, 100.0) for step in range(40)])
    for trial, told in ((small, "only 50 x 50 pixels"), (still, "moves within 0.78 pixels")):
        assert any(told in one for one in hbtom.judge(hbtom.Episode((trial,))).warnings)


@pytest.mark.parametrize("ending", ["json", "json.gz", "json.zst"])
def test_saved_episodes_are_read_back(tmp_path: Path, ending: str) -> None:
    episode = hbtom.Episode((make(), make()))
    file = tmp_path / f"a.{ending}"
    episode.save(file)
    again = hbtom.load(file)
    assert np.array_equal(again.test.path, episode.test.path)
    assert hbtom.judge(again).plausibility == hbtom.judge(episode).plausibility
    with pytest.raises(hbtom.BadInput, match="exists already"):
        episode.save(file)
    episode.save(file, overwrite=True)
