"""Human ratings of goals, where they lie beside the repository: what models reach there."""

import json
from importlib import util
from pathlib import Path

import pytest
from click.testing import CliRunner

from hbtom.cli import main

ROOT = Path(__file__).parent.parent
PEOPLE = ROOT.parent / "shared" / "data" / "people" / "mistakes-2021"


@pytest.fixture(scope="module")
def block_words(tmp_path_factory):
    """Return a folder with the scenarios and ratings of block words."""
    if not PEOPLE.is_dir():
        pytest.skip("no ratings of people beside the repository, in ../shared/data/people")
    spec = util.spec_from_file_location("people", ROOT / "benchmarks" / "people.py")
    people = util.module_from_spec(spec)
    spec.loader.exec_module(people)
    folder = tmp_path_factory.mktemp("people")
    people.convert(PEOPLE, folder)
    return folder


def hbtom(*words):
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_the_paper_reaches_on_block_words(block_words):
    hbtom("infer", block_words / "scenarios", "--out", block_words / "paper.csv")
    asked = "correlate", block_words / "ratings.csv", block_words / "paper.csv", "--sum", 1
    told = json.loads(hbtom(*asked, "--samples", 50, "--format", "json"))
    assert (told["scenarios"], told["items"], told["participants"]) == (16, 545, 270)
    r = {one["category"]: round(one["r"]["value"], 2) for one in told["agreement"]}
    expected = {"no mistake": 0.93, "in actions": 0.86, "in plans": 0.86, "in goals": 0.46}
    assert r == {"all": 0.72, **expected}
    assert told["ceiling"][0]["reliability"] == pytest.approx(0.96, abs=0.01)
