"""``hbtom pack``, and judging its archives."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from episodes import HEART, SPOON, episode, simple_episode, to_thing, write
from hbtom.bench import workers
from hbtom.bench.dataset import find_pairs
from hbtom.bench.dataset_packing import pack


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two pairs of the preference task and one of another, packed in several ways."""
    heart, spoon = HEART.at(120, 60), SPOON.at(120, 140)
    expected = episode(*[to_thing(heart, others=[spoon])] * 4)
    unexpected = episode(*[to_thing(heart, others=[spoon])] * 3, to_thing(spoon, others=[heart]))
    for task in ("preference", "multi_agent"):
        (tmp_path / "data" / task).mkdir(parents=True)
    write(tmp_path / "data" / "preference" / "1e.json", expected)
    write(tmp_path / "data" / "preference" / "1u.json.gz", unexpected)
    write(tmp_path / "data" / "preference" / "2e.json.zst", expected)
    write(tmp_path / "data" / "preference" / "2u.json", expected)
    write(tmp_path / "data" / "multi_agent" / "1e.json", expected)
    write(tmp_path / "data" / "multi_agent" / "1u.json", simple_episode())
    return tmp_path / "data"


@pytest.fixture
def archive(run: Any, dataset: Path) -> Path:
    out = dataset.with_name("data.parquet")
    assert run("pack", dataset, out).status == 0
    return out


def test_the_output_of_pack(
    run, dataset: Path, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FEW", 1)  # otherwise three pairs would not be worth processes
    ran = run("pack", dataset, tmp_path / "a.parquet", "--workers", "2")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"6 episodes in {tmp_path / 'a.parquet'}\n"
    assert len(find_pairs(tmp_path / "a.parquet").pairs) == 3
    assert (tmp_path / "a.parquet").read_bytes() == archive.read_bytes()


def test_progress_is_reported_from_the_beginning(dataset: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    pack(dataset, tmp_path / "a.parquet", progress=lambda *how_far: told.append(how_far))
    assert told == [(done, 3) for done in range(4)]


def test_sweeping_gives_the_same_table(run, dataset: Path, archive: Path) -> None:
    words = ("--set", "efficiency.scale=0.5,2")
    folder, packed = run("sweep", dataset, *words), run("sweep", archive, *words)
    assert packed.status == 0
    assert packed.out.splitlines()[:-1] == folder.out.splitlines()[:-1]


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of any bytes")
def test_a_folder_whose_name_is_not_unicode(spawn, dataset: Path, tmp_path: Path) -> None:
    odd = dataset.rename(tmp_path / os.fsdecode(b"odd\xff"))
    ran = spawn("pack", odd, tmp_path / "a.parquet")
    assert (ran.status, ran.err) == (0, "")
    assert spawn("evaluate", tmp_path / "a.parquet").status == 0
    ran = spawn("evaluate", odd, "--out", tmp_path / "out.parquet")
    assert (ran.status, ran.err) == (0, "")


def test_evaluating_gives_the_same_table(run, dataset: Path, archive: Path) -> None:
    folder, packed = run("evaluate", dataset), run("evaluate", archive)
    assert packed.status == 0
    assert packed.out.splitlines()[:-1] == folder.out.splitlines()[:-1]
    assert packed.out.endswith(f"dataset {archive}\n")


@pytest.mark.parametrize(
    ("inside", "files"),
    [
        ("preference/1u", ["preference/1u"]),
        ("multi_agent", ["multi_agent/1e", "multi_agent/1u"]),
        ("", ["preference/1e", "preference/1u", "preference/2e", "preference/2u"]),
    ],
)
def test_judging_an_archive_or_part_of_it(
    run, dataset: Path, archive: Path, inside: str, files: list[str]
) -> None:
    files = files if inside else [*files, "multi_agent/1e", "multi_agent/1u"]
    told = json.loads(run("judge", archive / inside, "--format", "json", "--trace").out)
    assert [each.pop("file") for each in told] == [f"{archive}/{file}" for file in files]
    alone = [next(dataset.glob(f"{file}.json*")) for file in files]
    wanted = json.loads(run("judge", *alone, "--format", "json", "--trace").out)
    assert told == [{k: v for k, v in each.items() if k != "file"} for each in wanted]


def test_judging_continues_after_a_missing_member(run, archive: Path, good: Path) -> None:
    ran = run("judge", archive / "preference" / "9e", good, archive / "preference" / "1e")
    assert ran.status == 1
    (line,) = ran.complaints
    assert f"{archive}/preference/9e: there is no such episode" in line
    assert "good.json" in ran.out
    assert "\n1e " in ran.out


def test_omitted_files_are_reported(run, dataset: Path, tmp_path: Path) -> None:
    (dataset / "preference" / "1e.json").write_bytes(b"[[")
    (dataset / "background_single_object").mkdir()
    ran = run("pack", dataset, tmp_path / "a.parquet")
    assert ran.status == 1
    assert ran.out == f"4 episodes in {tmp_path / 'a.parquet'}\n"
    assert "1e.json: " in ran.err
    assert "1u.json.gz: the other member of its pair cannot be read" in ran.err
    assert "background episodes do not come in pairs" in ran.err
    assert ran.complaints[-1] == "hbtom: 3 left out in all"
    assert len(find_pairs(tmp_path / "a.parquet").pairs) == 2


def test_files_left_out_on_purpose_are_not_a_failure(run, dataset: Path, tmp_path: Path) -> None:
    (dataset / "preference" / "2u.json").unlink()
    ran = run("pack", dataset, tmp_path / "a.parquet", "--tasks", "preference")
    assert ran.status == 0
    assert ran.out == f"2 episodes in {tmp_path / 'a.parquet'}\n"
    assert "counterpart" in ran.err


def test_nothing_is_overwritten_by_default(run, dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.parquet"
    out.write_text("precious")
    refused = run("pack", dataset, out)
    assert (refused.status, refused.out, out.read_text()) == (1, "", "precious")
    assert "--overwrite" in refused.err
    assert run("pack", dataset, out, "--overwrite").status == 0
    assert len(find_pairs(out).pairs) == 3


@pytest.mark.parametrize(
    ("given", "out", "words"),
    [
        ("data", "a.zip", ".parquet"),
        ("data", "nowhere/a.parquet", "no such folder"),
        ("nowhere", "a.parquet", "no such dataset"),
        ("data/preference/1e.json", "a.parquet", "neither a folder nor an archive"),
    ],
)
def test_bad_input(run, dataset: Path, given: str, out: str, words: str) -> None:
    ran = run("pack", dataset.parent / given, dataset.parent / out)
    assert (ran.status, ran.out) == (1, "")
    (line,) = ran.complaints
    assert words in line
    assert [path.name for path in dataset.parent.iterdir()] == ["data"]


@pytest.mark.parametrize("words", [(), ("data",), ("data", "a.parquet", "--workers", "0")])
def test_wrong_usage(run, words: tuple[str, ...]) -> None:
    assert run("pack", *words).status == 2


def test_without_the_library(
    run, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ran = run("pack", dataset, tmp_path / "a.parquet")
    assert ran.status == 1
    (line,) = ran.complaints
    assert "pyarrow" in line
    assert "'tables'" in line
