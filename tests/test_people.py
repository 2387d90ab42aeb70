"""Agreement of models with human ratings of goals, if these are beside the repository."""

import json
from importlib import util
from pathlib import Path

import pytest
from click.testing import CliRunner

from hbtom.cli import main

ROOT = Path(__file__).parent.parent
PEOPLE = ROOT.parent / "shared" / "data" / "people"


@pytest.fixture
def people(monkeypatch):
    """Return the script that converts public data, if the data are there."""
    if not PEOPLE.is_dir():
        pytest.skip("no ratings of people beside the repository, in ../shared/data/people")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")  # it imports another script
    spec = util.spec_from_file_location("people", ROOT / "benchmarks" / "people.py")
    script = util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def hbtom(*words):
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


def agreement(*words):
    return json.loads(hbtom("correlate", *words, "--samples", 50, "--format", "json"))


def test_agreement_of_the_paper_model_on_block_words(people, tmp_path):
    people.convert(PEOPLE / "mistakes-2021", tmp_path)
    hbtom("infer", tmp_path / "scenarios", "--out", tmp_path / "paper.csv")
    told = agreement(tmp_path / "ratings.csv", tmp_path / "paper.csv", "--sum", 1)
    assert (told["scenarios"], told["items"], told["participants"]) == (16, 545, 270)
    r = {one["category"]: round(one["r"]["value"], 2) for one in told["agreement"]}
    expected = {"no mistake": 0.93, "in actions": 0.86, "in plans": 0.86, "in goals": 0.46}
    assert r == {"all": 0.72, **expected}
    assert told["ceiling"][0]["reliability"] == pytest.approx(0.96, abs=0.01)


def test_agreement_with_people_about_food_trucks(people, tmp_path):
    people.convert_trucks(PEOPLE / "btom-2017", tmp_path)
    paths = sorted((tmp_path / "paths").glob("*.toml"))
    hbtom("attribute", *paths, "--model", "people", "--out", tmp_path / "people.csv")
    told = agreement(tmp_path / "ratings.csv", tmp_path / "people.csv", "--scale", "1,7")
    assert (told["scenarios"], told["items"], told["participants"]) == (73, 438, 16)
    r = {one["category"]: round(one["r"]["value"], 2) for one in told["agreement"]}
    assert (r["desire"], r["belief"]) == (0.92, 0.79)
    scaled = agreement(tmp_path / "means.csv", tmp_path / "people.csv")["agreement"]
    assert round(scaled[0]["r"]["value"], 2) == 0.82
