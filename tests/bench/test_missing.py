"""Episodes that cannot be judged are missing in results, and their pairs count one half."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

import hbtom
from episodes import HEART, SPOON, episode, to_thing, trial, write
from hbtom.bench.ablation import ablate
from hbtom.bench.calibration import calibrate
from hbtom.bench.comparison import compare
from hbtom.bench.people_fit import fit_to_people
from hbtom.bench.ratings import Ratings, read_ratings, read_rows
from hbtom.bench.results import decode, encode
from hbtom.bench.score import Score
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.model import Model
from hbtom.show.report import findings, report_values, write_report
from hbtom.show.score_text import difference_table, score_table
from hbtom.show.server import work

WHY = "the agent does nothing"
KINDS = (".csv", ".jsonl", ".parquet")
PAIRS = 6
ODD = 1  # the number of the pair whose expected member is motionless
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    task = tmp_path_factory.mktemp("data") / "preference"
    task.mkdir()
    heart = to_thing(HEART.at(120, 50), others=[SPOON.at(120, 150)])
    spoon = to_thing(SPOON.at(120, 150), others=[HEART.at(120, 50)])
    rest = trial([(40, 100)], [HEART.at(120, 50), SPOON.at(120, 150)])
    for number in range(PAIRS):
        familiar = [heart] * (2 + number)
        last = rest if number == ODD else heart
        write(task / f"{number:06}pe.json", episode(*familiar, last))
        write(task / f"{number:06}pu.json", episode(*familiar, spoon))
    return task.parent


@pytest.fixture(scope="module")
def evaluation(folder):
    return hbtom.evaluate(folder, workers=1)


@pytest.fixture(scope="module")
def results(evaluation, tmp_path_factory) -> dict[str, Path]:
    """Return results files of every kind."""
    out = tmp_path_factory.mktemp("results")
    for kind in KINDS:
        (out / f"out{kind}").write_bytes(encode(evaluation.rows, kind))
    return {kind: out / f"out{kind}" for kind in KINDS}


def hbtom_command(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return result


# Scores


def test_a_missing_pair_counts_one_half_and_has_no_margin() -> None:
    score = Score("task", (0.5, 0.0, math.nan, -0.25))
    assert (score.pairs, score.correct, score.ties, score.missing) == (4, 1, 1, 1)
    assert score.accuracy == 0.5
    assert (score.margin_5, score.margin_least, score.margin_below) == (-0.25, -0.25, 2 / 3)
    alone = Score("task", (math.nan,)).to_dict()
    assert (alone["accuracy"], alone["missing"], alone["margin_least"]) == (0.5, 1, None)


def test_it_is_told_in_a_column_of_its_own(evaluation) -> None:
    overall = evaluation.overall
    assert (overall.pairs, overall.correct, overall.ties, overall.missing) == (6, 5, 0, 1)
    assert overall.accuracy == 5.5 / 6
    assert len(evaluation.wrong) == 1
    plain = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
    assert (plain["overall"]["ties"], plain["overall"]["missing"]) == (0, 1)
    heading, *_, last = score_table(evaluation.tasks).splitlines()
    assert "ties  missing" in heading
    assert last[: heading.index("missing") + len("missing")].split()[-2:] == ["0", "1"]
    known = score_table((Score("preference", (0.5,)),))
    assert "missing" not in known.splitlines()[0]


def test_the_command_tells_which_pair(folder) -> None:
    told = hbtom_command("evaluate", folder, "--wrong").stdout
    (line,) = [line for line in told.splitlines() if line.startswith("missing: ")]
    assert "preference/" in line
    assert "e missing, u " in line


# Results files


@every_kind
def test_missing_numbers_are_empty_with_the_reason_beside_them(results, kind: str) -> None:
    rows = read_rows(results[kind])
    (row,) = [row for row in rows if row["missing"]]
    assert row["missing"] == WHY
    numbers = [name for name in row if name.startswith(("rating", "plaus", "part_", "surprise_"))]
    assert len(numbers) == 10
    assert {row[name] for name in numbers} <= {"", None}
    assert all(float(other["rating"]) > 0 for other in rows if other is not row)


@every_kind
def test_rows_come_back(results, evaluation, kind: str) -> None:
    data = results[kind].read_bytes()
    again = decode(data, kind)
    (row,) = [row for row in again if row.missing]
    assert math.isnan(row.rating)
    assert math.isnan(row.plausibility)
    assert row.preferred
    assert encode(again, kind) == data


@every_kind
def test_runs_with_missing_rows_are_resumed(folder, results, tmp_path, kind: str) -> None:
    begun = decode(results[kind].read_bytes(), kind)[:4]
    out = tmp_path / f"out{kind}"
    out.write_bytes(encode(begun, kind))
    done = []
    hbtom.evaluate(
        folder, out=out, resume=True, workers=1, progress=lambda number, _: done.append(number)
    )
    assert done[0] == 2
    assert out.read_bytes() == results[kind].read_bytes()


@every_kind
def test_single_episodes(folder, tmp_path, kind: str) -> None:
    out = tmp_path / f"single{kind}"
    hbtom_command("judge", folder, "--out", out)
    (row,) = [row for row in read_rows(out) if row["missing"]]
    assert row["missing"] == WHY
    empty = {row[name] for name in ("plausibility", "predictive", "surprise_goal")}
    assert empty <= {"", None}
    before = out.read_bytes()
    hbtom_command("judge", folder, "--out", out, "--resume")
    assert out.read_bytes() == before


def test_a_column_of_which_all_is_missing_holds_numbers(folder, tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "single.parquet"
    hbtom_command("judge", next((folder / "preference").glob(f"{ODD:06}pe*")), "--out", out)
    table = parquet.read_table(out)
    assert str(table.schema.field("plausibility").type) == "double"
    assert table.column("plausibility").to_pylist() == [None]


# Whatever reads results


@every_kind
def test_results_are_scored(results, evaluation, kind: str) -> None:
    told = hbtom_command("score", results[kind], "--format", "json").stdout
    assert json.loads(told)["overall"] == evaluation.overall.to_dict()


def test_an_empty_rating_needs_a_reason(tmp_path) -> None:
    ratings = tmp_path / "mine.csv"
    ratings.write_text("task,pair,member,rating\nt,1,e,\nt,1,u,0.5\n")
    with pytest.raises(BadInput, match=r"the rating is ''.*'missing'"):
        read_ratings(ratings)
    ratings.write_text("task,pair,member,rating,missing\nt,1,e,,asleep\nt,1,u,0.5,\n")
    assert math.isnan(read_ratings(ratings).values["t", "1", "e"])


def test_two_sets_of_ratings_are_compared(results) -> None:
    mine = read_ratings(results[".csv"])
    others = {name: 0.0 if math.isnan(one) else one for name, one in mine.values.items()}
    (found,) = compare(mine, Ratings("others", others)).tasks
    assert (found.pairs, found.missing) == (6, 1)
    assert (found.first, found.second) == (5.5 / 6, 5 / 6)
    assert "missing" in difference_table([found]).splitlines()[0]
    told = hbtom_command("compare", results[".csv"], results[".jsonl"], "--format", "json")
    assert json.loads(told.stdout)[0]["missing"] == 1


def test_a_sweep(folder, tmp_path) -> None:
    out = tmp_path / "sweep.csv"
    how = ("--set", "preference.concentration=0.5,1", "--workers", 1, "--out", out)
    heading, *rows = hbtom_command("sweep", folder, *how).stdout.splitlines()
    assert "missing" in heading
    assert "nan" not in rows[0]
    assert {row["missing"] for row in read_rows(out)} == {"1"}
    assert all(float(row["margin"]) > 0 for row in read_rows(out))


def test_an_ablation_and_a_fit(folder, evaluation) -> None:
    rated = ablate(folder, workers=1).to_records()
    assert {row["missing"] for row in rated if row["group"] != "placebo" and row["pairs"]} == {1}
    json.dumps(rated, allow_nan=False)
    fitted = calibrate(evaluation)
    assert fitted.episodes == 2 * (PAIRS - 1)
    assert (fitted.cross_validated.pairs, fitted.cross_validated.missing) == (PAIRS, 1)
    json.dumps(fitted.to_dict(), allow_nan=False)


def test_a_report(results, evaluation, tmp_path) -> None:
    for source in (evaluation, results[".csv"]):
        found = findings.find(source, None, None)
        plain = report_values.plain_report(found, findings.choose(found), {})
        json.dumps(plain, allow_nan=False)
        assert plain["scores"][-1]["missing"] == 1
        assert sorted(plain["pairs"]["outcome"]) == ["m", *"rrrrr"]
        place = plain["pairs"]["outcome"].index("m")
        assert plain["pairs"]["margin"][place] is None
        assert plain["pairs"]["missing"] == {place: [f"e: {WHY}"]}
        assert plain["wrong"] == [place]
        assert sum(one["episodes"] for one in plain["calibration"]["bins"]) == 2 * PAIRS - 1
    written = write_report(evaluation, tmp_path / "report.html")
    pages = tmp_path / "report-pages"
    assert written
    texts = [page.read_text() for page in pages.iterdir()]
    assert any(f"is not judged: {WHY}" in text for text in texts)


def test_a_browser_of_the_dataset(folder) -> None:
    from hbtom.bench.dataset import find_pairs

    pair = find_pairs(folder).pairs[ODD]
    model = Model.preset("default")
    for outcome in (
        work.rate_pair(model, pair, False),
        work.draw(model, pair, "both", False).outcome,
    ):
        assert outcome is not None
        assert (outcome.verdict, outcome.expected) == ("missing", None)
        assert outcome.unexpected is not None
        assert outcome.problems == (f"{pair.name}e: not judged, {WHY}",)


def people(folder: Path) -> list[dict[str, object]]:
    files = sorted((folder / "preference").iterdir())
    return [{"file": str(file), "rating": number / 20} for number, file in enumerate(files)]


def test_people_are_compared_on_what_can_be_judged(folder, results, tmp_path) -> None:
    for kind in KINDS:
        found = hbtom.correlate(people(folder), results[kind], samples=50)
        assert found.missing == found.to_dict()["missing"] == 1
        assert {one.items for one in found.agreements} == {2 * PAIRS - 1}
        assert "1 item is left out, which a model cannot judge" in found.warnings
        assert all(math.isfinite(one.r.value) for one in found.agreements)
        json.dumps(found.to_dict(), allow_nan=False)
        assert len(found.to_records()) == 2 * PAIRS
    printed = tmp_path / "judged.json"
    files = sorted((folder / "preference").iterdir())
    printed.write_text(hbtom_command("judge", *files, "--format", "json").stdout)
    assert hbtom.correlate(people(folder), printed, samples=50).missing == 1
    pytest.importorskip("matplotlib")
    found.plot()


def test_a_fit_to_people(folder) -> None:
    from hbtom.bench.evaluation import as_dataset

    settings = {"preference.concentration": [0.5, 1.0]}
    fitted = fit_to_people(as_dataset(folder, None), people(folder), settings, workers=1)
    assert fitted.found.missing == 1
    assert all(math.isfinite(r) for _, r in fitted.grid)
