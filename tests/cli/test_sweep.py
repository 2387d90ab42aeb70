"""``hbtom sweep`` as a user calls it."""

import csv
import json

import pytest

from episodes import write_pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_pairs(tmp_path_factory.mktemp("sweep"), ["preference"], pairs=1)


def test_a_table_of_models(run, folder):
    done = run("sweep", str(folder), "--set", "efficiency.scale=0.5,2", "--set", "acts.cost=1")
    assert done.status == 0
    heading, *rows = done.out.splitlines()
    assert heading.split()[:3] == ["efficiency.scale", "acts.cost", "accuracy"]
    assert [row.split()[:2] for row in rows[:2]] == [["0.5", "1"], ["2", "1"]]
    assert "1 pair;" in rows[2]


def test_a_repeated_parameter_has_more_values(run, folder):
    words = (
        "--set",
        "efficiency.scale=0.5",
        "--set",
        "acts.cost=1",
        "--set",
        "efficiency.scale=2,1",
    )
    done = run("sweep", str(folder), *words, "--format", "json")
    assert done.status == 0
    overall = [one for one in json.loads(done.out) if one["task"] == "overall"]
    assert [one["efficiency.scale"] for one in overall] == [0.5, 2, 1]
    assert {one["acts.cost"] for one in overall} == {1}


def test_a_tidy_file_and_json(run, folder, tmp_path):
    out = tmp_path / "sweep.csv"
    given = "efficiency.temperatures=[0.2, 0.4],[0.3]"
    asked = ("sweep", str(folder), "--set", given, "--format", "json", "--out", str(out))
    done = run(*asked)
    assert done.status == 0
    records = json.loads(done.out)
    assert [one["efficiency.temperatures"] for one in records] == ["0.2 0.4"] * 2 + ["0.3"] * 2
    with out.open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["task"] for row in rows] == ["preference", "overall"] * 2
    assert float(rows[0]["margin"]) == records[0]["margin"]
    again = run(*asked)
    assert (again.status, again.out) == (1, "")
    assert "exists already" in again.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("efficiency.scale", "has no value"),
        ("efficiency.scale=much", "does not set a parameter"),
        ("efficiency.scal=1", "unknown field 'scal'"),
        ("=1", "unknown field ''"),
    ],
)
def test_invalid_settings(run, folder, given, told):
    done = run("sweep", str(folder), "--set", given)
    assert (done.status, done.out) == (1, "")
    assert told in done.err


def test_without_settings_it_is_wrong_usage(run, folder):
    assert run("sweep", str(folder)).status == 2


def test_an_unreadable_dataset(run, tmp_path):
    for member in "eu":
        (tmp_path / "preference").mkdir(exist_ok=True)
        (tmp_path / "preference" / f"1{member}.json").write_text("[")
    done = run("sweep", str(tmp_path), "--set", "acts.cost=1")
    assert done.status == 1
    assert "left out" in done.err
    assert "Traceback" not in done.err
