import csv
import json
import re
import shutil
import sys
from dataclasses import replace
from importlib import import_module

import pytest
from click.testing import CliRunner

import hbtom
from episodes import HEART, SPOON, episode, to_thing, write, write_pairs
from hbtom.bench import as_rater
from hbtom.bench.calibration import calibrate
from hbtom.bench.comparison import compare, score_ratings
from hbtom.bench.dataset_packing import pack
from hbtom.bench.evaluation import evaluate
from hbtom.bench.rater import ModelRater
from hbtom.bench.ratings import read_ratings
from hbtom.bench.results import COLUMNS, write_rows
from hbtom.bench.workers import FEW
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.judgement import Surprise, plausibility


@pytest.fixture(scope="module")
def evaluation(small):
    return evaluate(small, workers=1)


def hbtom_command(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_every_episode_has_a_row_and_every_pair_a_score(evaluation):
    assert len(evaluation.rows) == 18
    assert {row.member for row in evaluation.rows} == {"e", "u"}
    assert evaluation.overall.pairs == 9
    assert evaluation.overall.accuracy == 1.0


def test_rows_hold_what_judging_gives(evaluation):
    row = evaluation.rows[0]
    judgement = hbtom.judge(row.file)
    assert row.plausibility == judgement.plausibility
    assert row.surprise_observation == judgement.surprise.observation
    assert row.model == judgement.model.fingerprint
    product = row.part_goal * row.part_efficiency * row.part_observation * row.part_waste
    assert product == pytest.approx(row.plausibility)


def test_workers_do_not_matter(tmp_path):
    data = write_pairs(tmp_path, ["preference", "efficiency_path"], pairs=3 * FEW // 2)
    assert evaluate(data, workers=3).rows == evaluate(data, workers=1).rows


def test_scores_agree_with_the_rows(evaluation):
    ratings = {(row.task, row.pair, row.member): row.plausibility for row in evaluation.rows}
    right = sum(
        ratings[task, pair, "e"] > ratings[task, pair, "u"]
        for task, pair, member in ratings
        if member == "e"
    )
    assert evaluation.overall.correct == right


def test_predictive_score(small):
    found = evaluate(small, tasks=["preference"], score="predictive", workers=1)
    assert all(0 <= row.rating <= 1 for row in found.rows)
    assert [row.rating for row in found.rows] != [row.plausibility for row in found.rows]
    assert found.overall.accuracy == 1.0
    assert found.to_dict()["score"] == "predictive"


def test_results_files_are_scored_by_their_ratings(evaluation, tmp_path):
    backwards = [replace(row, rating=-row.rating) for row in evaluation.rows]
    write_rows(backwards, tmp_path / "backwards.csv")
    (*_, score) = score_ratings(read_ratings(tmp_path / "backwards.csv")).tasks
    assert score.correct == 0


def test_wrong_pairs_are_listed(small, evaluation, tmp_path):
    assert evaluation.wrong == {}
    blind = tmp_path / "blind.toml"
    curve = "{ weight = 0.0, bias = 1.0 }"
    blind.write_text(
        'base = "default"\n[classifier]\n'
        f"goal = {curve}\nefficiency = {curve}\nobservation = {curve}\nwaste = false\n"
    )
    result = hbtom_command("evaluate", small, "--model", blind, "--wrong")
    assert (result.stdout.count("tied: "), result.stdout.count("wrong: ")) == (9, 0)
    assert "tied: preference/000000lo, e 0.391, u 0.391" in result.stdout


def test_episodes_with_warnings_are_counted(tmp_path):
    data = tmp_path / "data" / "preference"
    data.mkdir(parents=True)
    heart, spoon = HEART.at(120, 60), SPOON.at(120, 140)
    for member, first in (("e", [to_thing(heart, others=[spoon])]), ("u", [])):
        write(data / f"1{member}.json", [*first, to_thing(heart, others=[spoon])])
    for words in ([], ["--format", "json"]):
        ran = hbtom_command("evaluate", data.parent, *words)
        assert ran.stderr == "hbtom: 1 episode came with warnings; hbtom judge FILE shows them\n"
    assert json.loads(ran.stdout)["warned"] == {"preference": 1}


def test_a_score_that_does_not_exist(small):
    with pytest.raises(BadInput, match="typo"):
        evaluate(small, score="typo")


def test_a_task_that_does_not_exist(small):
    result = hbtom_command("evaluate", small, "--tasks", "typo")
    assert result.exit_code == 1
    assert "typo" in result.stderr
    assert "preference" in result.stderr
    assert result.stdout == ""


def test_an_unreadable_member_is_reported_and_its_pair_not_counted(small, tmp_path):
    shutil.copytree(small / "preference", tmp_path / "preference")
    victim = sorted((tmp_path / "preference").iterdir())[0]
    victim.write_bytes(b"[[")
    found = evaluate(tmp_path, workers=1)
    assert found.overall.pairs == 2
    (problem,) = found.unreadable
    assert problem.file == str(victim)
    result = hbtom_command("evaluate", tmp_path)
    assert result.exit_code == 1
    assert victim.name in result.stderr
    assert "Preference" in result.stdout


@pytest.mark.parametrize("bad", [False, True])
def test_pairs_judged_together_are_judged_as_one_by_one(small, tmp_path, monkeypatch, bad):
    """Where an episode cannot be judged, it alone is left out, with the same reason."""
    data, packed = shutil.copytree(small, tmp_path / "data"), tmp_path / "packed.parquet"
    if bad:
        monkeypatch.setattr("hbtom.core.watch.MOST_COUNTS", 200)
        places = SPOON.at(160, 40), SPOON.at(40, 160)
        file = next(data.glob("preference/*e.json*"))
        write(file, episode(*[to_thing(HEART.at(120, 100), others=places)] * 13))
    pack(data, packed, workers=1)
    sizes, rate_all = [], ModelRater.rate_all
    monkeypatch.setattr(
        ModelRater, "rate_all", lambda self, some: sizes.append(len(some)) or rate_all(self, some)
    )
    together = evaluate(packed, workers=1)
    assert max(sizes) > 1
    del sizes[:]
    monkeypatch.setattr(ModelRater, "room", 0.0)
    alone = evaluate(packed, workers=1)
    assert set(sizes) == {1}
    assert together.rows == alone.rows
    assert [one.why for one in together.left_out] == [one.why for one in alone.left_out]
    assert len(together.left_out) == (1 if bad else 0)


def test_few_large_worlds_are_judged_at_once(small, tmp_path, monkeypatch):
    """Together, they would take much memory; and what takes long is judged one by one."""
    packed, sizes, rate_all = tmp_path / "packed.parquet", [], ModelRater.rate_all
    pack(small, packed, workers=1)
    episodes = [hbtom.load(file) for file in sorted(small.glob("preference/*"))[:2]]
    pixels = sum(len(one) * one.test.size[0] * one.test.size[1] for one in episodes)
    monkeypatch.setattr(
        ModelRater, "rate_all", lambda self, some: sizes.append(len(some)) or rate_all(self, some)
    )
    monkeypatch.setattr(ModelRater, "room", 2.5 * pixels)
    evaluate(packed, workers=1)
    assert max(sizes) == 2
    monkeypatch.undo()
    settings = "paper", {"observation.noise": 1.0}, {"knowledge.plan": True}
    rooms = [as_rater(one).room for one in settings]
    assert rooms[0] > 4 * pixels > rooms[1] == rooms[2] == 0


def test_table_and_json(small, evaluation):
    table = hbtom_command("evaluate", small)
    assert table.exit_code == 0
    assert table.stderr == ""
    assert "Path Control" in table.stdout
    assert "99.2 Video-RNN" in table.stdout
    plain = json.loads(hbtom_command("evaluate", small, "--format", "json").stdout)
    assert plain["overall"]["accuracy"] == evaluation.overall.accuracy
    assert set(plain["tasks"][0]) == {
        "task",
        "pairs",
        "correct",
        "ties",
        "missing",
        "accuracy",
        "interval",
        "margin_5",
        "margin_least",
        "margin_below",
        "published",
    }
    assert plain["model"]["fingerprint"] == evaluation.model.fingerprint


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_results_files_can_be_scored_again(evaluation, tmp_path, suffix):
    path = tmp_path / f"results{suffix}"
    write_rows(evaluation.rows, path)
    ratings = read_ratings(path)
    assert len(ratings.values) == 18
    assert score_ratings(ratings).tasks == evaluation.tasks
    assert [part.name for part in tmp_path.iterdir()] == [path.name]


def test_the_csv_has_documented_columns(evaluation, tmp_path):
    write_rows(evaluation.rows, tmp_path / "results.csv")
    with (tmp_path / "results.csv").open() as stream:
        assert tuple(next(csv.reader(stream))) == COLUMNS


def test_nothing_is_overwritten_by_default(small, tmp_path):
    out = tmp_path / "mine.csv"
    out.write_text("precious")
    refused = hbtom_command("evaluate", small, "--out", out)
    assert (refused.exit_code, out.read_text()) == (1, "precious")
    assert "--overwrite" in refused.stderr
    assert hbtom_command("evaluate", small, "--out", out, "--overwrite").exit_code == 0
    assert out.read_text().startswith("task,")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("results.txt", "not written as '.txt'"),
        ("nowhere/results.csv", "no such folder"),
        ("folder.csv", "this is a folder"),
        pytest.param(
            "/proc/results.csv",
            "nothing can be written in this folder",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="needs /proc"),
        ),
    ],
)
@pytest.mark.parametrize("words", [(), ("--overwrite",), ("--resume",)])
def test_an_unwritable_target_is_refused_before_any_work(
    small, tmp_path, name, why, words, monkeypatch
):
    module = import_module("hbtom.cli.evaluate")
    monkeypatch.setattr(module, "evaluate", lambda *_, **__: pytest.fail("work was begun"))
    (tmp_path / "folder.csv").mkdir()
    result = hbtom_command("evaluate", small, "--out", tmp_path / name, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert why in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize("words", [("ablate",), ("sweep", "--set", "efficiency.scale=1")])
def test_the_table_is_printed_even_if_the_file_cannot_be_written(tmp_path, words, monkeypatch):
    command, *settings = words
    data = write_pairs(tmp_path / "data", ["preference"], pairs=5)
    out = tmp_path / "out.csv"
    taken = lambda *_, **__: out.touch()  # noqa: E731 - somebody else writes it meanwhile
    monkeypatch.setattr(import_module(f"hbtom.cli.{command}"), "check_target", taken)
    result = hbtom_command(command, data, *settings, "--workers", 1, "--out", out)
    assert result.exit_code == 1
    assert "accuracy in per cent, 5 pairs" in result.stdout
    assert "exists already" in result.stderr


# Ratings from any source


def write_csv(path, header, *rows):
    path.write_text("\n".join(",".join(map(str, row)) for row in (header, *rows)) + "\n")
    return path


def test_ratings_by_file_name(tmp_path):
    path = write_csv(
        tmp_path / "ratings.csv",
        ("file", "rating"),
        ("data/preference/000001loe.json", 3),
        ("data/preference/000001lou.json", 3),
        ("data/agents_evaluation_multiple_agents/7e.json.gz", -1),
        ("data/agents_evaluation_multiple_agents/7u.json.gz", -2),
    )
    multi, preference = sorted(score_ratings(read_ratings(path)).tasks, key=lambda s: s.task)
    assert (preference.task, preference.ties) == ("preference", 1)
    assert (multi.task, multi.correct) == ("multi_agent", 1)


def test_missing_and_unknown_ratings_are_reported(small, tmp_path):
    path = write_csv(
        tmp_path / "ratings.csv",
        ("task", "pair", "member", "rating"),
        ("preference", "000000lo", "e", 1),
        ("preference", "000000lo", "u", 0),
        ("preference", "999999lo", "e", 1),
        ("preference", "999999lo", "u", 0),
        ("preference", "000001lo", "e", 1),
    )
    result = hbtom_command("score", path, "--dataset", small)
    assert result.exit_code == 0
    assert "needs members e and u" in result.stderr
    assert "1 pair (first 999999lo): rated, but not in the dataset" in result.stderr
    assert "2 pairs (first 000001lo): in the dataset, but not rated" in result.stderr
    assert result.stderr.count("not rated") == 3  # one line per task
    plain = json.loads(hbtom_command("score", path, "--dataset", small, "--format", "json").stdout)
    assert plain["overall"]["pairs"] == 1


@pytest.mark.parametrize(
    ("header", "row", "complaint"),
    [
        (("task", "pair", "member"), ("preference", "1", "e"), "no column 'rating'"),
        (("file", "rating"), ("x.txt", 1), "which episode"),
        (("file", "rating"), ("000001loe.json", 1), "which episode"),
        (("task", "pair", "member", "rating"), ("preference", "1", "e", "high"), "'high'"),
        (("task", "pair", "member", "rating"), ("preference", "1", "e", "nan"), "not a number"),
    ],
)
def test_bad_ratings_name_the_row(tmp_path, header, row, complaint):
    result = hbtom_command("score", write_csv(tmp_path / "ratings.csv", header, row))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert complaint in result.stderr
    assert "row 1" in result.stderr


def test_ratings_as_spreadsheets_write_them(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(
        "\ufefftask;pair;member;rating\nMulti-Agent;1;expected;2\nMulti-Agent;1;unexpected;1\n",
        encoding="utf-8",
    )
    (score,) = score_ratings(read_ratings(path)).tasks
    assert (score.task, score.correct) == ("multi_agent", 1)


def test_nothing_to_score_is_an_error(tmp_path):
    path = write_csv(
        tmp_path / "r.csv", ("task", "pair", "member", "rating"), ("preference", 1, "e", 1)
    )
    result = hbtom_command("score", path)
    assert (result.exit_code, result.stdout) == (1, "")


def test_a_file_that_is_not_a_dataset(tmp_path):
    result = hbtom_command("evaluate", write_csv(tmp_path / "r.csv", ("file",)))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "hbtom judge" in result.stderr


def test_a_rating_given_twice(tmp_path):
    row = ("preference", "1", "e", 1)
    path = write_csv(tmp_path / "r.csv", ("task", "pair", "member", "rating"), row, row)
    with pytest.raises(BadInput, match="twice"):
        read_ratings(path)


def test_compare(evaluation, tmp_path):
    worse = [
        replace(row, rating=1 - row.rating) if row.task == "preference" else row
        for row in evaluation.rows
        if row.task != "inaccessible_goal"
    ]
    write_rows(evaluation.rows, tmp_path / "good.csv")
    write_rows(worse, tmp_path / "worse.csv")
    found = compare(read_ratings(tmp_path / "good.csv"), read_ratings(tmp_path / "worse.csv"))
    (only_one,) = found.left_out
    assert only_one.file == "inaccessible_goal"
    assert "3 pairs" in only_one.why
    by_task = {one.task: one for one in found.tasks}
    assert by_task["preference"].first_better == 3
    assert by_task["preference"].p == pytest.approx(0.25)
    assert by_task["efficiency_path"].p == 1.0
    result = hbtom_command("compare", tmp_path / "good.csv", tmp_path / "worse.csv")
    assert result.exit_code == 0
    assert "0.25" in result.stdout


# Fitting


def test_fit_improves_on_the_start_and_reports_held_out_accuracy(evaluation):
    fitted = calibrate(evaluation)
    assert fitted.fit.converged
    assert fitted.episodes == 18
    assert fitted.cross_validated.pairs == 9
    assert sum(one.episodes for one in fitted.bins) == 18
    assert 0 <= fitted.calibration_error <= 1
    surprising, dull = Surprise(0.9, 0.5, 9.0), Surprise(0.0, 0.0, -1.0)
    curve = fitted.fit.classifier
    assert plausibility(curve, dull)[0] > plausibility(curve, surprising)[0]


def test_fit_writes_a_model_that_works(small, tmp_path):
    out = tmp_path / "fitted.toml"
    result = hbtom_command("fit", small, "-o", out)
    assert result.exit_code == 0
    assert "cross-validated accuracy" in result.stdout
    assert re.search(
        r"^margins: 5 % quantile (\S+), least \1, below .05 \d+\.\d %$", result.stdout, re.M
    )  # with 20 pairs or fewer, the two are the same
    model = hbtom.Model.from_toml(out.read_text())
    assert model.name == "fitted"
    assert model.classifier != hbtom.Model.preset("default").classifier
    assert hbtom_command("fit", small, "-o", out).exit_code == 1


def test_a_fit_that_does_not_converge_is_not_hidden(evaluation, monkeypatch):
    from hbtom.bench import calibration

    failed = replace(calibrate(evaluation).fit, converged=False, message="ran out of steps")
    monkeypatch.setattr(calibration, "fit_classifier", lambda *_, **__: failed)
    with pytest.raises(BadInput, match="ran out of steps"):
        calibrate(evaluation)
