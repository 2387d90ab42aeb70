"""``hbtom correlate`` as a user calls it, with results that other commands wrote."""

import csv
import json
from pathlib import Path

import pytest

WORLD = Path(__file__).parents[2] / "worlds" / "block-words"
EXAMPLES = WORLD.parents[1] / "examples"
OPTIONS = "--out", "--plot", "--courses"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Ratings of four plans, made from the model's own beliefs, and results of two models."""
    from hbtom.bench.scenarios import find_scenarios, judge_scenarios, write_posteriors
    from hbtom.model import Model, with_settings

    folder = tmp_path_factory.mktemp("study")
    paper = Model.preset("paper")
    models = [paper, with_settings(paper, {"efficiency.temperatures": [20.0]})]
    judged = list(judge_scenarios(find_scenarios([str(WORLD)]), models))
    for name, both in zip(("paper", "hot"), zip(*judged, strict=True), strict=True):
        write_posteriors(both, folder / f"{name}.csv")
    with (folder / "paper.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    with (folder / "ratings.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["participant", "scenario", "category", "time", "goal", "rating"])
        for who in range(3):
            for n, row in enumerate(rows):
                category = "slip" if row["scenario"] == "slip" else "none"
                noise = 0.1 * ((n * 7 + who * 3) % 5 - 2)
                rating = min(1, max(0, float(row["probability"]) + noise))
                writer.writerow([who, row["scenario"], category, row["time"], row["goal"], rating])
    return folder


def test_a_table_of_models_with_their_differences(run, study):
    done = run(
        "correlate",
        study / "ratings.csv",
        study / "paper.csv",
        f"hot={study / 'hot.csv'}",
        "--samples=100",
    )
    assert (done.status, done.err) == (0, "")
    assert "ratings, " in done.out.splitlines()[0]
    assert "3 participants; more is more plausible" in done.out
    assert "people agree with each other at 0.9" in done.out
    first = [
        line.split()[:2] for line in done.out.splitlines() if line.startswith(("paper", "hot"))
    ]
    assert first[:4] == [["paper", "all"], ["paper", "none"], ["paper", "slip"], ["hot", "all"]]
    assert "paper − hot" in done.out


def test_json_table_and_figures(run, study, tmp_path):
    files = [tmp_path / name for name in ("all.csv", "people.png", "time.svg")]
    words = [f"{option}={file}" for option, file in zip(OPTIONS, files, strict=True)]
    asked = ("correlate", study / "ratings.csv", study / "paper.csv", "--samples=50", *words)
    done = run(*asked, "--format", "json")
    assert done.status == 0
    told = json.loads(done.out)
    assert [one["category"] for one in told["agreement"]] == ["all", "none", "slip"]
    whole = told["agreement"][0]
    assert 0.7 < whole["r"]["low"] < whole["r"]["value"] < whole["r"]["high"] < 1
    assert whole["items"] * 3 == len(files[0].read_text().splitlines()) - 1
    assert files[1].read_bytes().startswith(b"\x89PNG")
    assert ">people<" in files[2].read_text()
    again = run(*asked)
    assert (again.status, again.out) == (1, "")
    assert "exists already" in again.err
    assert run(*asked, "--overwrite").status == 0


def test_the_output_of_infer_is_read(run, study, tmp_path):
    files = [f"--{name}={WORLD / file}" for name, file in FILES.items()]
    for plan in ("crow", "slip"):
        done = run("infer", *files, f"--plan={WORLD}/plans/{plan}.plan", "--format", "json")
        (tmp_path / f"{plan}.json").write_text(done.out)
    lines = (study / "ratings.csv").read_text().splitlines()
    some = [line for line in lines if line.split(",")[1] in ("scenario", "crow", "slip")]
    (tmp_path / "some.csv").write_text("\n".join(some))
    done = run("correlate", tmp_path / "some.csv", tmp_path, study / "paper.csv", "--format=json")
    first, second = (one for one in json.loads(done.out)["agreement"] if one["category"] == "all")
    assert first["r"]["value"] == pytest.approx(second["r"]["value"], abs=1e-12)


def test_the_output_of_judge_and_infer_for_many_is_read(run, study, tmp_path):
    from hbtom.bench.items import Item
    from hbtom.bench.model_values import read_model

    judged = run("judge", EXAMPLES / "preference_u.json.zst", "--format", "json")
    (tmp_path / "judged.json").write_text(judged.out)
    item = Item("preference_u")
    assert read_model(tmp_path / "judged.json").find(("preference_u",), item) < 0.1
    surprise = read_model(tmp_path / "judged.json", column="surprise_goal")
    assert surprise.find(("preference_u",), item) > 0.5
    (tmp_path / "all.json").write_text(run("infer", WORLD, "--format", "json").out)
    both = read_model(tmp_path / "all.json"), read_model(study / "paper.csv")
    assert both[0].values == both[1].values


FILES = {"domain": "domain.pddl", "problem": "problem.pddl", "goals": "goals.txt"}


def test_posteriors_of_one_plan_or_of_all(run, study, tmp_path):
    done = run("infer", WORLD, "--out", tmp_path / "all.csv")
    assert done.status == 0
    assert [line.split()[0] for line in done.out.splitlines()[1:5]] == [
        "cower",
        "crow",
        "power",
        "slip",
    ]
    assert (tmp_path / "all.csv").read_text() == (study / "paper.csv").read_text()
    files = [f"--{name}={WORLD / file}" for name, file in FILES.items()]
    one = run("infer", *files, f"--plan={WORLD}/plans/slip.plan", "--out", tmp_path / "slip.csv")
    assert one.status == 0
    lines = (tmp_path / "all.csv").read_text().splitlines()
    slip = [lines[0], *(line for line in lines if line.startswith("slip,"))]
    assert (tmp_path / "slip.csv").read_text().splitlines() == slip


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        (
            "scenario,rating\nnone,0.5\n",
            [],
            "row 1 below the heading: paper has no scenario 'none'",
        ),
        ("scenario,rating\n", [], "there are no measures"),
        ("a,b\n1,2\n", [], "there is no column of answers"),
        ("scenario,goal,rating\nslip,crow,3\n", [], "name another scale with --scale LOW,HIGH"),
        ("scenario,goal,rating\nslip,crow,1\n", [], "there are too few items to compare: 1"),
        ("scenario,goal,rating\nslip,crow,1\n", ["--column=b"], "there is no column 'b'"),
    ],
)
def test_bad_measures_have_one_message(run, study, tmp_path, text, words, told):
    (tmp_path / "bad.csv").write_text(text)
    done = run("correlate", tmp_path / "bad.csv", study / "paper.csv", *words)
    assert (done.status, done.out) == (1, "")
    assert told in done.err
    assert len(done.complaints) == 1
    assert ("bad.csv" in done.err) or words


def test_bad_usage(run, study, tmp_path):
    paths = study / "ratings.csv", study / "paper.csv"
    assert "is not a scale" in run("correlate", *paths, "--scale", "7,1").err
    assert "a model 'paper'" not in run("correlate", *paths, f"x={paths[1]}", "--samples=10").err
    twice = run("correlate", *paths, paths[1])
    assert (twice.status, "two models are called 'paper'" in twice.err) == (1, True)
    assert run("infer", WORLD, "--judge").status == 2
    assert run("infer").status == 2
    (tmp_path / "x.json").write_text("{}")
    assert "not a result of hbtom" in run("correlate", paths[0], tmp_path / "x.json").err


def looked(tmp_path, seconds):
    lines = ["task,pair,member,looking"]
    for pair in range(8):
        both = zip("eu", seconds, strict=True)
        lines += [f"preference,{pair},{member},{time}" for member, time in both]
    (tmp_path / "looking.csv").write_text("\n".join(lines))
    return tmp_path / "looking.csv"


def test_score_treats_long_looks_as_surprise(run, tmp_path):
    done = run("score", looked(tmp_path, (4, 9)))
    assert (done.status, done.err) == (0, "")
    assert "100.0" in done.out
    reversed_ = run("score", looked(tmp_path, (9, 4)))
    assert reversed_.status == 0
    assert "looks reversed" in reversed_.err
    assert "else --direction rating" in reversed_.err
    assert run("score", looked(tmp_path, (9, 4)), "--direction", "rating").err == ""


def test_score_warns_about_ratings_without_a_measure(run, tmp_path):
    rows = [("0", "e", "inf"), ("0", "u", "-inf"), ("1", "e", "1e308"), ("1", "u", "0.1")]
    lines = ["task,pair,member,rating", *(f"preference,{','.join(row)}" for row in rows)]
    (tmp_path / "ratings.csv").write_text("\n".join(lines))
    done = run("score", tmp_path / "ratings.csv")
    assert done.status == 0
    assert "3 ratings beyond 1e+100, or infinite: margins say little" in done.err
