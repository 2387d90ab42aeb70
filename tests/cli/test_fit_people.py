"""``hbtom fit --to``: parameters that agree with people, and how they do on held-out scenarios."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from episodes import write_pairs
from hbtom.bench.people_fit import choose, predictions
from hbtom.model import Model, find_model, with_settings

WORLD = Path(__file__).parents[2] / "worlds" / "block-words"


def write_rows(path, rows, **renamed):
    """Write rows as people's answers; ``renamed`` maps the names of columns."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(renamed))
        writer.writeheader()
        writer.writerows({name: row[column] for name, column in renamed.items()} for row in rows)
    return path


@pytest.fixture(scope="module")
def ratings(tmp_path_factory):
    """Ratings by people who think like the model, with a temperature of 4."""
    from hbtom.bench.scenarios import find_scenarios, judge_scenarios, posterior_rows

    model = with_settings(Model.preset("paper"), {"efficiency.temperatures": [4.0]})
    judged = [one for (one,) in judge_scenarios(find_scenarios([str(WORLD)]), [model])]
    rows = [row for one in judged for row in posterior_rows(one)]
    columns = {name: name for name in ("scenario", "time", "goal")}
    path = tmp_path_factory.mktemp("people") / "ratings.csv"
    return write_rows(path, rows, **columns, rating="probability")


def test_the_parameter_behind_the_ratings_is_found(run, ratings, tmp_path):
    out = tmp_path / "mine.toml"
    vary = "--vary=efficiency.temperatures=[0.1],[4.0],[50.0]"
    asked = ("fit", WORLD, "--model=paper", "--to", ratings, vary, "-o", out)
    done = run(*asked)
    assert (done.status, done.err) == (0, "")
    assert done.out.index("left out") < done.out.index("fitted")
    assert "  4 of 4: efficiency.temperatures=[4.0]\n" in done.out
    assert find_model(out).efficiency.temperatures == (4.0,)
    assert find_model(out).name == "mine"
    assert run(*asked).status == 1  # the file exists
    told = json.loads(run(*asked, "--overwrite", "--format", "json").out)
    assert told["left_out"][0]["r"]["value"] == pytest.approx(1)
    assert [round(one["r"], 6) for one in told["grid"]].index(1) == 1
    assert told["chosen"]["slip"] == told["settings"] == {"efficiency.temperatures": "4.0"}


def test_held_out_scenarios_are_not_fitted():
    random = np.random.default_rng(2)
    scenario = np.repeat(np.arange(5), 4)
    people, said = random.normal(size=20), random.normal(size=(6, 20))
    best, by_scenario = choose(people, said, scenario)
    for one in range(5):
        rest = scenario != one
        r = [np.corrcoef(people[rest], model[rest])[0, 1] for model in said]
        assert by_scenario[one] == np.argmax(r)
    assert best == np.argmax([np.corrcoef(people, model)[0, 1] for model in said])
    assert len(set(by_scenario.tolist())) > 1  # otherwise this would test little


def test_episodes_and_looking_times(run, tmp_path):
    data = write_pairs(tmp_path / "data", ["preference", "efficiency_path"], pairs=2)
    models = [with_settings(Model.preset("default"), {"preference.concentration": 5})]
    (said,) = predictions(data, models)
    rows = [
        {"file": name, "looking": 5 - 3 * value}
        for name, values in said.values.items()
        for value in values.values()
    ]
    looks = write_rows(tmp_path / "looking.csv", rows, scenario="file", looking="looking")
    vary = "--vary=preference.concentration=0.1,5"
    done = run("fit", data, "--to", looks, "--raw", vary, "-o", tmp_path / "m.toml", "--workers=1")
    assert (done.status, done.err) == (0, "")
    assert "fitted to all: preference.concentration=5" in done.out


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--to={ratings}"], 2, "--vary NAME=VALUE"),
        (["--vary=efficiency.scale=1"], 2, "name their answers with --to"),
        (["--to={ratings}", "--vary=efficiency.scale"], 1, "has no value"),
        (["--to={ratings}", "--vary=efficiency.scale=x"], 1, "does not set a parameter"),
        (["--to={ratings}", "--vary=speed=1"], 1, "speed"),
        (["--to=none.csv", "--vary=efficiency.scale=1"], 1, "there is no such file"),
        (["--to={ratings}", "--vary=efficiency.scale=1", "--scale=0.5,1"], 1, "the rating is"),
    ],
)
def test_bad_input(run, ratings, tmp_path, words, status, told):
    words = [word.format(ratings=ratings) for word in words]
    done = run("fit", WORLD, *words, "-o", tmp_path / "m.toml")
    assert (done.status, done.out) == (status, "")
    assert told in done.err
    assert not (tmp_path / "m.toml").exists()
