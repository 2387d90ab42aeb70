"""The JSON of ``hbtom evaluate`` that programs rely on; the benchmark is tested elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from episodes import HEART, SPOON, episode, to_thing, write

ROW = {"task", "pairs", "correct", "ties", "accuracy", "interval", "published"}
MARGINS = ("margin_5", "margin_least", "margin_below")


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
    assert set(row) >= {*ROW, *MARGINS}
    assert row["task"] == "preference"
    assert (row["pairs"], row["ties"]) == (2, 1)
    assert row["accuracy"] == told["overall"]["accuracy"] == 0.75  # a tie counts as one half
    low, high = row["interval"]
    assert 0 <= low <= 0.75 <= high <= 1
    assert 0 <= row["published"] <= 1


@pytest.mark.parametrize("score", ["plausibility", "predictive"])
def test_margins_are_the_same_in_every_place(run, dataset: Path, tmp_path: Path, score) -> None:
    out = tmp_path / "results.jsonl"
    words = ("evaluate", dataset, "--workers", "1", "--score", score)
    told = json.loads(run(*words, "--format", "json", "--out", out).out)
    e1, u1, e2, u2 = (json.loads(line)["rating"] for line in out.read_text().splitlines())
    assert e2 == u2
    assert e1 - u1 > 0.05
    margins = {"margin_5": 0.0, "margin_least": 0.0, "margin_below": 0.5}  # by hand; ties are below
    assert {name: told["overall"][name] for name in MARGINS} == margins
    assert {name: told["tasks"][0][name] for name in MARGINS} == margins
    refereed = json.loads(run("score", out, "--format", "json").out)
    assert refereed["tasks"] == told["tasks"]
    assert refereed["overall"] == told["overall"]
    heading, *lines = run(*words).out.splitlines()
    start, end = heading.index("margin 5 %"), heading.index("HBToM")
    assert heading[start:end].split("  ")[:3] == ["margin 5 %", "least", "below .05"]
    for line in lines[:2]:  # the task, and the total
        assert line[start:end].split() == ["0.000", "0.000", "50.0", "%"]
    assert run("score", out).out.splitlines() == [heading, *lines[:2]]


def test_a_bad_file_is_named_and_ends_with_status_1(run, dataset: Path) -> None:
    (dataset / "preference" / "000001e.json").write_bytes(b"[[")
    ran = run("evaluate", dataset, "--format", "json", "--workers", "1")
    assert ran.status == 1
    assert "000001e.json" in ran.err
    assert "Traceback" not in ran.err
    (row,) = json.loads(ran.out)["tasks"]
    assert row["pairs"] == 1


def test_a_missing_dataset_ends_with_status_1(run, tmp_path: Path) -> None:
    ran = run("evaluate", tmp_path / "nowhere", "--format", "json")
    assert ran.status == 1
    assert ran.out == ""
    (line,) = ran.complaints
    assert "nowhere" in line
