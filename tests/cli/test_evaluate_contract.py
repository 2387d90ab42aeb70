"""The JSON of ``hbtom evaluate`` that programs rely on; the benchmark is tested elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from episodes import HEART, SPOON, episode, to_thing, write

ROW = {"task", "pairs", "correct", "ties", "accuracy", "interval", "published"}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two pairs of the preference task; in the second, both members are the same."""
    heart, spoon = HEART.at(120, 60), SPOON.at(120, 140)
    expected = episode(*[to_thing(heart, others=[spoon])] * 9)
    unexpected = episode(*[to_thing(heart, others=[spoon])] * 8, to_thing(spoon, others=[heart]))
    folder = tmp_path / "data" / "preference"
    folder.mkdir(parents=True)
    write(folder / "000001e.json", expected)
    write(folder / "000001u.json.gz", unexpected)
    write(folder / "000002e.json.zst", expected)
    write(folder / "000002u.json", expected)
    return folder.parent


def test_the_json_is_what_programs_rely_on(run, dataset: Path) -> None:
    ran = run("evaluate", dataset, "--format", "json", "--workers", "1")
    told = json.loads(ran.out)
    assert ran.status == 0
    assert {"model", "tasks", "overall"} <= set(told)
    (row,) = told["tasks"]
    assert set(row) >= ROW
    assert row["task"] == "preference"
    assert (row["pairs"], row["ties"]) == (2, 1)
    assert row["accuracy"] == told["overall"]["accuracy"] == 0.75  # a tie counts one half
    low, high = row["interval"]
    assert 0 <= low <= 0.75 <= high <= 1
    assert 0 <= row["published"] <= 1


def test_a_bad_file_is_named_and_ends_with_status_1(run, dataset: Path) -> None:
    (dataset / "preference" / "000001e.json").write_bytes(b"[[")
    ran = run("evaluate", dataset, "--format", "json", "--workers", "1")
    assert ran.status == 1
    assert "000001e.json" in ran.err
    assert "Traceback" not in ran.err
    (row,) = json.loads(ran.out)["tasks"]
    assert row["pairs"] == 1


def test_a_dataset_that_is_not_there_ends_with_status_1(run, tmp_path: Path) -> None:
    ran = run("evaluate", tmp_path / "nowhere", "--format", "json")
    assert ran.status == 1
    assert ran.out == ""
    (line,) = ran.complaints
    assert "nowhere" in line
