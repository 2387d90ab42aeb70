"""Every command that takes an episode takes a scene of Machine Common Sense."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

import hbtom
import scenes


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """The two scenes of a pair, in a dataset of their own, compressed in two ways."""
    folder = tmp_path / "data" / "preference"
    folder.mkdir(parents=True)
    expected, unexpected = folder / "000001e.json.gz", folder / "000001u.json.zst"
    expected.write_bytes(gzip.compress(scenes.to_bytes(scenes.preference())))
    unexpected.write_bytes(zstandard.compress(scenes.to_bytes(scenes.preference(scenes.CUBE))))
    return expected, unexpected


def test_judge(run, pair: tuple[Path, Path]) -> None:
    result = run("judge", *map(str, pair), "--format", "json")
    assert result.status == 0, result.err
    found = json.loads(result.out)
    assert [one["plausibility"] for one in found] == [
        hbtom.judge(path).plausibility for path in pair
    ]
    assert found[0]["plausibility"] > found[1]["plausibility"]
    assert [one["warnings"] for one in found] == [[], []]


def test_the_name_of_a_file_does_not_matter(run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "expected.txt"
    other.write_bytes(pair[1].read_bytes())
    one, same = (hbtom.judge(path).plausibility for path in (pair[1], other))
    assert one == same


def test_things_that_are_not_modelled_are_reported(run, tmp_path: Path) -> None:
    file = tmp_path / "crowd.json"
    file.write_bytes(scenes.to_bytes(scenes.scene(*scenes.CROWDED)))
    result = run("judge", str(file), "--model", "paper")
    assert result.status == 0
    assert result.err.count("not modelled") == 1


def test_show_plot_and_animate(run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    for verb, name in (("show", "page.html"), ("plot", "figure.svg"), ("animate", "film.gif")):
        files = pair[:1] if verb == "animate" else pair
        result = run(verb, *map(str, files), "--out", str(tmp_path / name))
        assert result.status == 0, result.err
        assert (tmp_path / name).stat().st_size > 1000


def test_evaluate_and_pack(run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    data, packed = pair[0].parents[1], tmp_path / "data.parquet"
    assert run("pack", str(data), str(packed)).status == 0
    before, after = (hbtom.evaluate(place, workers=1) for place in (data, packed))
    assert [one.tasks[0].accuracy for one in (before, after)] == [1.0, 1.0]
    found = hbtom.load(packed / "preference" / "000001e")
    assert all(map(hbtom.observe.same_trial, found, hbtom.load(pair[0])))
