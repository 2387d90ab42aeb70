"""Every command that takes an episode takes a video."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import hbtom
from episodes import HEART, SPOON, episode, read, to_thing
from hbtom.bench.dataset import find_pairs
from hbtom.show.plots.movie import animate


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two movies in a dataset of their own: the agent goes to the heart again, or to the spoon."""
    folder = tmp_path_factory.mktemp("movies") / "data" / "preference"
    folder.mkdir(parents=True)
    heart, spoon = HEART.at(65, 100), SPOON.at(60, 60)
    again, other = to_thing(heart, others=[spoon]), to_thing(spoon, others=[heart])
    files = folder / "000001e.gif", folder / "000001u.mp4"
    for file, last in zip(files, (again, other), strict=True):
        file.write_bytes(animate(read(episode(again, last)), file.suffix[1:], scale=2))
    return files


def test_judge(run, pair: tuple[Path, Path]) -> None:
    result = run("judge", *pair, "--format", "json")
    assert result.status == 0, result.err
    expected, unexpected = json.loads(result.out)
    assert expected["plausibility"] > unexpected["plausibility"] + 0.3


def test_a_video_is_recognised_by_its_content_unless_it_is_called_json(
    run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    other, wrong = tmp_path / "no ending", tmp_path / "file.JSON"
    for copy in (other, wrong):
        copy.write_bytes(pair[1].read_bytes())
    one, same = (hbtom.judge(path).plausibility for path in (pair[1], other))
    assert one == same
    ran = run("judge", wrong)
    assert ran.status == 1
    assert "the file is a video but has the name of a JSON file" in ran.err


def test_show_and_plot(run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    for verb, name in (("show", "page.html"), ("plot", "figure.svg")):
        result = run(verb, pair[0], "--out", tmp_path / name)
        assert result.status == 0, result.err
        assert (tmp_path / name).stat().st_size > 1000


def test_pack_and_evaluate(run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    data, packed = pair[0].parents[1], tmp_path / "data.parquet"
    result = run("pack", data, packed)
    assert result.status == 0, result.err
    assert hbtom.evaluate(packed, workers=1).tasks[0].accuracy == 1.0
    found = hbtom.load(packed / "preference" / "000001e")
    assert all(map(hbtom.observe.same_trial, found, hbtom.load(pair[0])))


def test_a_file_takes_precedence_over_its_movie(pair: tuple[Path, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(pair[0].parent, tmp_path / "preference")
    (folder / "000001e.json").write_text("[]")
    dataset = find_pairs(folder)
    (found,) = dataset.pairs
    assert found.expected.path.endswith("e.json")
    assert found.unexpected.path.endswith("u.mp4")
    assert [Path(one.file).name for one in dataset.left_out] == ["000001e.gif"]


@pytest.mark.parametrize("to", ["mcs", "bib"])
def test_a_folder_of_videos_is_converted(
    run, pair: tuple[Path, Path], tmp_path: Path, to: str
) -> None:
    data, target = pair[0].parents[1], tmp_path / "target"
    ran = run("convert", data, target, "--to", to, "--compress", "zst")
    assert (ran.status, ran.out) == (0, f"2 episodes in {target}\n"), ran.err
    names = sorted(path.relative_to(target).as_posix() for path in target.rglob("*.*"))
    assert names == ["preference/000001e.json.zst", "preference/000001u.json.zst"]
    assert hbtom.evaluate(target, workers=1).tasks[0].accuracy == 1.0


def test_a_file_is_converted_rather_than_its_movie(
    run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(pair[0].parent, tmp_path / "preference")
    told = episode(to_thing(HEART.at(65, 100)))
    (folder / "000001e.json").write_text(json.dumps(told))
    ran = run("convert", folder, tmp_path / "target", "--to", "bib")
    assert (ran.status, ran.out) == (0, f"2 episodes in {tmp_path / 'target'}\n")
    assert "000001e.gif: it would have the same name as" in ran.err
    assert len(hbtom.load(tmp_path / "target" / "000001e.json")) == 1


def test_files_that_are_not_videos(run, tmp_path: Path) -> None:
    file = tmp_path / "broken.mp4"
    file.write_bytes(b"\0\0\0\x20ftypisom")
    result = run("judge", file)
    assert result.status == 1
    assert result.complaints == [
        f"hbtom: {file}: the video is broken or cut off. Hint: copy or download it again"
    ]
