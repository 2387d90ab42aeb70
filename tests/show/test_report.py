"""The report: it says what was found, by any model or rater, whatever names things have."""

from __future__ import annotations

import csv
import html
import json
import math
import random
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

import hbtom
from hbtom.bench import Evaluation, as_rater
from hbtom.bench.calibration import binned, calibration_error
from hbtom.bench.dataset import find_pairs
from hbtom.bench.published import MODELS, published
from hbtom.bench.ratings import Ratings
from hbtom.bench.results import COLUMNS, write_rows
from hbtom.bench.score import Score, in_groups, margin, total
from hbtom.errors import BadInput
from hbtom.show.document import POLICY
from hbtom.show.report import report
from hbtom.show.report import saving as build
from hbtom.show.report.findings import CLOSE, WRONG, choose, find, in_turn
from hbtom.show.report.report_values import DIGITS, LEFT_OUT, SYSTEMS
from hbtom.show.report.spreads import (
    BINS,
    MEASURES,
    RATING,
    SIDE,
    count,
    margin_edges,
    range_of,
    spread,
)
from hbtom.show.score_text import score_table

PARTS = ("goal", "efficiency", "observation")
NASTY = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "{{data}} {{script}}",
    "\u2028\u2029 \u202e",
    "&amp; &lt;b&gt; \"'`",
    "a\udcff",
]


class Reader(HTMLParser):
    """What a browser would find in a report: its elements, its data, and text without scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = [("nothing", {})]
        self.text: dict[str, str] = {}
        self.feed(text)
        self.data: dict[str, Any] = json.loads(self.text["application/json"])

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.elements[-1]
        name = attributes.get("type") or tag
        self.text[name] = self.text.get(name, "") + data


def told(results: Any, **more: Any) -> dict[str, Any]:
    """Return the data of a report."""
    return Reader(report(results, **more)).data


def ratings(values: dict[tuple[str, str], tuple[float, float]], name: str = "mine.csv") -> Ratings:
    """Return arbitrary ratings of pairs, by task and pair."""
    members = {
        (*pair, m): v for pair, both in values.items() for m, v in zip("eu", both, strict=True)
    }
    return Ratings(name, members)


def many(evaluation: Evaluation, pairs: int, seed: int = 1) -> Evaluation:
    """Return an evaluation with many pairs in nine tasks, with random measures."""
    chance = random.Random(seed)
    tasks = [one.folder for one in hbtom_tasks()]
    measured = [name for name in COLUMNS if name.startswith(("part_", "surprise_"))]
    rows = []
    for number in range(pairs):
        task = tasks[number * len(tasks) // pairs]
        for member in "eu":
            values = {name: chance.random() for name in measured}
            file = f"/data/bib/evaluation/{task}/{number:06}lo{member}.json"
            value = math.prod(values[f"part_{part}"] for part in PARTS)
            named = {"task": task, "pair": f"{number:06}lo", "member": member, "file": file}
            own = {**evaluation.rows[0].own, **values, "plausibility": value}
            rows.append(replace(evaluation.rows[0], **named, rating=value, own=own))
    return replace(evaluation, rows=tuple(rows))


def hbtom_tasks():
    from hbtom.bench.tasks import EVALUATION_TASKS

    return EVALUATION_TASKS


@pytest.fixture(scope="module")
def large(evaluation: Evaluation) -> Evaluation:
    return many(evaluation, 450)


# Accuracy


def as_row(label: str, kind: str, score: Score) -> dict[str, Any]:
    counts = [0] * 2 * SIDE  # by hand: bins are .05 wide, and the last one includes 1
    for one in score.margins:
        counts[min(SIDE + math.floor(one / 0.05), 2 * SIDE - 1)] += 1
    told = {"label": label, "kind": kind, "margins": counts, "published": published(score.task)}
    return {**score.to_dict(), **told}


def test_the_scores_match_the_evaluation(evaluation: Evaluation) -> None:
    preference, agents = evaluation.tasks
    assert (preference.pairs, preference.correct, preference.ties) == (3, 1, 1)
    assert told(evaluation)["scores"] == [
        as_row("Preference", "group", preference),
        as_row("Multi-Agent", "group", agents),
        as_row("All pairs", "all", evaluation.overall),
    ]


def test_groups_are_above_their_tasks(large: Evaluation) -> None:
    found = told(large)["scores"]
    expected = []
    for group, parts in in_groups(large.tasks):
        expected.append((group, "group", total(group, parts).accuracy))
        if len(parts) > 1:
            expected += [(None, "task", part.accuracy) for part in parts]
    expected.append(("All pairs", "all", large.overall.accuracy))
    assert len(found) == 12
    for row, (label, kind, accuracy) in zip(found, expected, strict=True):
        assert (row["kind"], row["accuracy"]) == (kind, accuracy)
        assert label in (None, row["label"])
        assert set(row["published"]) == (set(MODELS) if kind != "all" else set())


def test_every_published_system_has_a_short_name_and_a_source() -> None:
    assert tuple(SYSTEMS) == MODELS
    assert len({short for short, _ in SYSTEMS.values()}) == len(MODELS)


def test_without_scripts_there_is_a_table(evaluation: Evaluation) -> None:
    assert score_table(evaluation.tasks) in html.unescape(
        Reader(report(evaluation)).text["noscript"]
    )


# Margins


def test_margins_are_counted_by_task_group_and_all(large: Evaluation) -> None:
    found = told(large)
    assert found["margins"] == {"reach": 1, "near": SIDE + 1}
    by_label = {row["label"]: row for row in found["scores"]}
    efficiency = [e - u for (task, _), (e, u) in large.ratings.items() if "efficiency" in task]
    for label, margins in [
        ("Efficiency", efficiency),
        ("All pairs", [e - u for e, u in large.ratings.values()]),
    ]:
        row = by_label[label]
        assert sum(row["margins"]) == row["pairs"] == len(margins)
        assert sum(row["margins"][: SIDE + 1]) == sum(one < 0.05 for one in margins)
        assert row["margin_below"] == sum(one < 0.05 for one in margins) / len(margins)
        assert row["margin_least"] == min(margins)
        assert row["margin_5"] == sorted(margins)[math.ceil(len(margins) / 20) - 1]


def test_ties_are_counted_at_zero_and_large_margins_at_the_ends() -> None:
    edges = margin_edges([(number, 0) for number in range(-500, 501)] + [(math.inf, 0.0)])
    assert edges[SIDE] == 0
    assert 490 < edges[-1] == -edges[0] < 500
    counts = count([0.0, -1e-9, math.inf, -math.inf, 1000], edges)
    assert (counts[SIDE - 1], counts[SIDE], counts[0], counts[-1]) == (1, 1, 1, 2)


def test_ratings_that_never_differ_have_margins() -> None:
    for both in [(3.0, 3.0), (math.inf, math.inf), (math.inf, -math.inf)]:
        assert margin_edges([both])[-1] == 1


def test_small_margins_are_not_near_failure_if_ratings_are_unbounded() -> None:
    small = ratings({("mine", "1"): (-0.001, -0.002), ("mine", "2"): (-0.003, -0.001)})
    found = told(small)
    assert found["margins"]["near"] == SIDE
    assert sum(found["scores"][-1]["margins"][:SIDE]) == 1


# Pairs


def test_every_pair_is_there_with_all_its_data(large: Evaluation) -> None:
    found = told(large)
    columns = found["pairs"]
    rows = {(row.task, row.pair, row.member): row for row in large.rows}
    assert len(columns["name"]) == len(large.ratings) == 450
    for index, (task, pair) in enumerate(large.ratings):
        assert found["tasks"][columns["task"][index]]["name"] == task
        assert columns["name"][index] == pair
        e, u = large.ratings[task, pair]
        outcome = "r" if e > u else "t" if e == u else "w"
        assert columns["outcome"][index] == outcome
        assert columns["margin"][index] == pytest.approx(e - u, rel=5 * 10**-DIGITS)
        for member in "eu":
            row = rows[task, pair, member]
            for name in ("rating", *(f"{k}_{p}" for k in ("part", "surprise") for p in PARTS)):
                shown = columns[member][name][index]
                assert shown == pytest.approx(getattr(row, name), rel=5 * 10**-DIGITS)


def test_wrong_pairs_and_ties_are_shown(evaluation: Evaluation) -> None:
    found = told(evaluation)
    names = [(found["tasks"][t]["name"], n) for t, n in pair_names(found)]
    assert {names[index] for index in found["wrong"]} == set(evaluation.wrong)
    right = {name: margin(*both) for name, both in evaluation.ratings.items()}
    right = {name: by for name, by in right.items() if name not in evaluation.wrong}
    assert [names[index] for index in found["close"]] == sorted(right, key=right.__getitem__)


def pair_names(found: dict[str, Any]) -> list[tuple[int, str]]:
    return list(zip(found["pairs"]["task"], found["pairs"]["name"], strict=True))


def test_many_wrong_pairs_are_taken_from_every_task(large: Evaluation) -> None:
    chosen = choose(find(large, None, None))
    assert len(chosen.wrong) == WRONG
    assert len(chosen.close) == CLOSE
    assert set(chosen.wrong) <= set(large.wrong)
    counts = [sum(task == name for name, _ in chosen.wrong) for task in {t for t, _ in large.wrong}]
    assert max(counts) - min(counts) <= 1
    margins = {name: margin(*both) for name, both in large.ratings.items()}
    for task in {task for task, _ in large.wrong}:
        kept = sorted(margins[name] for name in chosen.wrong if name[0] == task)
        assert kept == sorted(m for (t, _), m in margins.items() if t == task)[: len(kept)]


def test_the_worst_pairs_come_first() -> None:
    margins = {("a", "1"): -0.1, ("a", "2"): -0.9, ("b", "1"): -0.2, ("b", "2"): -0.05}
    assert in_turn(list(margins), margins) == [("a", "2"), ("b", "1"), ("a", "1"), ("b", "2")]


def test_a_perfect_model_has_no_wrong_pairs() -> None:
    found = told(ratings({("preference", "1"): (0.9, 0.1)}))
    assert found["wrong"] == []
    assert found["close"] == [0]


# Measures that separate members


def test_spreads_count_every_episode_once(large: Evaluation) -> None:
    found = told(large)
    assert [one["label"] for one in found["spreads"]] == [one.label for one in MEASURES]
    pairs = [score.pairs for score in large.tasks]
    for measure in found["spreads"]:
        for number, one in zip(pairs, measure["tasks"], strict=True):
            assert sum(one["expected"]) == sum(one["unexpected"]) == number
            assert len(one["expected"]) == BINS


def test_plausibility_separates_as_often_as_it_is_right(large: Evaluation) -> None:
    found = told(large)["spreads"][-1]
    shares = [one["right"] for one in found["tasks"]]
    assert shares == pytest.approx([score.accuracy for score in large.tasks])


def test_a_surprise_separates_if_the_unexpected_one_is_larger() -> None:
    goal = MEASURES[0]
    one = spread(goal, [(0.1, 0.9), (0.5, 0.5), (0.8, 0.2), (0.0, 1.0)], (0.0, 1.0))
    assert one.right == (1 + 0.5 + 0 + 1) / 4
    assert (one.expected[0], one.unexpected[-1]) == (1, 1)


def test_values_outside_the_range_are_counted_at_its_ends() -> None:
    values = [(number, -number) for number in range(1000)] + [(math.inf, -math.inf)]
    low, high = range_of(RATING, values)
    assert -1000 < low < -900
    assert 900 < high < 1000
    one = spread(RATING, values, (low, high))
    assert sum(one.expected) == sum(one.unexpected) == 1001
    assert one.expected[-1] > one.expected[-2]


def test_a_measure_that_never_changes_has_a_range() -> None:
    assert range_of(RATING, [(3.0, 3.0)]) == (2.5, 3.5)
    assert range_of(RATING, [(math.inf, -math.inf)]) == (0.0, 1.0)


# Calibration


def test_calibration_matches_the_benchmark_code(large: Evaluation) -> None:
    found = told(large)["calibration"]
    bins = binned(list(large.ratings.values()))
    assert found["error"] == calibration_error(bins)
    assert [one["episodes"] for one in found["bins"]] == [one.episodes for one in bins]
    assert sum(one["episodes"] for one in found["bins"]) == 900
    for one in found["bins"]:
        low, high = one["interval"]
        assert low <= one["expected"] <= high


def test_binned_plausibilities_can_be_checked_by_hand() -> None:
    bins = binned([(0.9, 0.3), (1.0, 0.1), (0.85, 0.9)])
    assert [(one.low, one.episodes, one.expected) for one in bins] == [
        (0.0, 1, 0.0),
        (0.2, 1, 0.0),
        (0.8, 4, 0.75),
    ]
    off = (1 * 0.1 + 1 * 0.3 + 4 * abs((0.9 + 1.0 + 0.85 + 0.9) / 4 - 0.75)) / 6
    assert calibration_error(bins) == pytest.approx(off)


# The model, and what is known about it


def test_the_whole_model_is_shown(evaluation: Evaluation) -> None:
    about = told(evaluation)["about"]
    assert about["model"] == "default"
    assert about["fingerprints"] == [evaluation.model.fingerprint]
    assert hbtom.Model.from_toml(about["toml"]) == evaluation.model
    assert about["versions"] == [hbtom.__version__]
    assert about["name"] == evaluation.dataset
    assert about["leftOut"] == len(evaluation.left_out) == len(about["leftOutFiles"]) == 1
    assert about["leftOutFiles"][0][0].endswith("000009e.json")


def test_a_file_of_results_makes_the_same_report(
    evaluation: Evaluation, benchmark: Path, tmp_path: Path
) -> None:
    """A file does not say what was left out; with the dataset, this is found again."""
    texts = set()
    for kind in (".csv", ".jsonl", ".parquet"):
        file = tmp_path / f"results{kind}"
        write_rows(evaluation.rows, file)
        texts.add(report(file, dataset=benchmark))
    assert texts == {report(evaluation)}
    alone = told(tmp_path / "results.csv")
    assert alone["about"]["leftOut"] == 0
    assert alone["title"] == told(evaluation)["title"] == "default on data"


def test_a_torn_file_is_read_as_far_as_it_goes(evaluation: Evaluation, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    write_rows(evaluation.rows, file)
    file.write_bytes(file.read_bytes()[:-40])
    found = told(file)
    assert len(found["pairs"]["name"]) == 3
    assert found["about"]["model"] == "default"
    assert found["about"]["leftOut"] == 1


def test_a_model_that_is_not_a_preset_must_be_given(evaluation: Evaluation, tmp_path: Path) -> None:
    other = msgspec.structs.replace(
        evaluation.model,
        name="mine",
        acts=msgspec.structs.replace(evaluation.model.acts, cost=7.0),
    )
    rows = [replace(row, model=other.fingerprint) for row in evaluation.rows]
    file, toml = tmp_path / "results.csv", tmp_path / "mine.toml"
    write_rows(rows, file)
    toml.write_text(other.to_toml())
    unknown = told(file)["about"]
    assert (unknown["model"], unknown["toml"]) == (None, None)
    assert other.fingerprint in unknown["unknown"]
    assert "not a preset" in unknown["unknown"]
    assert told(file, model=toml)["about"]["model"] == "mine"
    wrong = told(file, model="paper")["about"]
    assert wrong["model"] is None
    assert hbtom.Model.preset("paper").fingerprint in wrong["unknown"]


def test_results_of_two_models_are_reported(evaluation: Evaluation, tmp_path: Path) -> None:
    rows = [
        replace(row, model="0" * 12) if row.pair == "000002" else row for row in evaluation.rows
    ]
    write_rows(rows, tmp_path / "two.csv")
    about = told(tmp_path / "two.csv")["about"]
    assert about["model"] is None
    assert "2 models" in about["unknown"]


def test_a_predictive_score_is_named(benchmark: Path) -> None:
    found = told(hbtom.evaluate(benchmark, score="predictive", workers=1))
    assert found["about"]["rated"] == "predictive"
    assert [one["label"] for one in found["spreads"]][-2:] == ["Plausibility", "Predictive score"]


# Ratings from any source


def test_a_report_on_ratings_alone_shows_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["task", "pair", "member", "rating"])
        writer.writerow(["preference", "1", "e", "-3.5"])
        writer.writerow(["preference", "1", "u", "-4"])
        writer.writerow(["my own task", "1", "e", "2"])
        writer.writerow(["my own task", "1", "u", "inf"])
        writer.writerow(["preference", "2", "e", "1"])
    found = told(file)
    assert found["title"] == "mine.csv"
    assert [row["label"] for row in found["scores"]] == ["Preference", "my own task", "All pairs"]
    assert [one["label"] for one in found["spreads"]] == ["Rating"]
    assert found["calibration"] is None
    assert list(found["pairs"]["e"]) == ["rating"]
    assert found["pairs"]["u"]["rating"] == [-4, "Infinity"]
    assert found["pairs"]["margin"] == [0.5, "-Infinity"]
    assert found["pairs"]["outcome"] == "rw"
    assert found["about"]["leftOut"] == 1
    assert found["about"]["fingerprints"] == []
    assert "only ratings" in found["about"]["unknown"]


def test_ratings_between_0_and_1_are_calibrated() -> None:
    found = told(ratings({("preference", "1"): (0.9, 0.1)}))["calibration"]
    assert found["column"] == "rating"
    assert found["error"] == pytest.approx(0.1)


def test_with_a_dataset_missing_ratings_are_reported(benchmark: Path) -> None:
    mine = ratings({("preference", "000001"): (1, 0), ("preference", "x"): (0, 1)})
    found = told(mine, dataset=find_pairs(benchmark))
    assert found["pairs"]["name"] == ["000001"]
    reasons = " ".join(why for _, why in found["about"]["leftOutFiles"])
    assert "not rated" in reasons
    assert "not in the dataset" in reasons
    assert "counterpart" in reasons


def test_results_with_other_columns_are_taken_as_ratings(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    file = tmp_path / "results.csv"
    write_rows(evaluation.rows, file)
    file.write_text(file.read_text().replace("part_goal", "part"))
    found = told(file)
    assert [one["label"] for one in found["spreads"]] == ["Rating"]
    assert found["scores"] == told(evaluation)["scores"]


def test_results_that_are_not_numbers_are_taken_as_ratings(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    rows = [replace(row, own={**row.own, "surprise_goal": math.nan}) for row in evaluation.rows]
    write_rows(rows, tmp_path / "results.csv")
    assert [one["label"] for one in told(tmp_path / "results.csv")["spreads"]] == ["Rating"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no ratings"),
        ("task,pair,member,rating\npreference,1,e,1\n", "no pair to report on"),
        ("task,pair,member,rating\npreference,1,e,nan\n", "row 1"),
        ("a,b\n1,2\n", "Hint"),
    ],
)
def test_a_file_that_cannot_be_reported_on_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=said):
        report(file)


def test_missing_files_are_refused(tmp_path: Path, evaluation: Evaluation) -> None:
    with pytest.raises(BadInput, match="no such file"):
        report(tmp_path / "nothing.csv")
    with pytest.raises(BadInput, match="no such dataset"):
        report(evaluation, dataset=tmp_path / "nothing")
    with pytest.raises(BadInput, match="no model"):
        report(evaluation, model="nothing")


# The document


def test_the_same_results_make_the_same_report(large: Evaluation) -> None:
    assert report(large) == report(large)
    assert report(many(large, 450)) == report(large)


def test_a_report_on_the_whole_benchmark_is_small(evaluation: Evaluation) -> None:
    text = report(many(evaluation, 8_250))
    assert len(text.encode()) < 2_000_000


def test_omitted_files_are_listed_up_to_a_limit(evaluation: Evaluation) -> None:
    one = evaluation.left_out[0]
    found = told(replace(evaluation, left_out=(one,) * 1000))["about"]
    assert found["leftOut"] == 1000
    assert len(found["leftOutFiles"]) == LEFT_OUT


def test_the_report_forbids_network_access(evaluation: Evaluation) -> None:
    found = Reader(report(evaluation))
    policies = [
        attributes["content"]
        for tag, attributes in found.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [POLICY]
    for tag, attributes in found.elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") == "data:,", tag


def test_scripts_never_turn_text_into_markup(evaluation: Evaluation) -> None:
    script = Reader(report(evaluation)).text["module"]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_every_file_of_the_template_is_used(evaluation: Evaluation) -> None:
    used = {f"{name}.js" for name in build.SCRIPTS} | {f"{name}.css" for name in build.STYLES}
    assert {path.name for path in build.TEMPLATE.iterdir()} == used


def named(evaluation: Evaluation, name: str) -> Evaluation:
    """Return an evaluation in which everything has the same name."""
    rows = tuple(
        replace(row, task=name, pair=f"{name}{row.task}{row.pair}", file=name, version=name)
        for row in evaluation.rows
    )
    left_out = tuple(replace(one, file=name, why=name) for one in evaluation.left_out)
    model = msgspec.structs.replace(evaluation.model, name=name)
    return replace(evaluation, dataset=name, rows=rows, left_out=left_out, rater=as_rater(model))


@pytest.mark.parametrize("name", NASTY)
def test_names_stay_text(evaluation: Evaluation, name: str) -> None:
    text = report(named(evaluation, name))
    found, harmless = Reader(text), Reader(report(named(evaluation, "heart")))
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in harmless.elements]
    assert found.text["module"] == harmless.text["module"]
    assert found.text["style"] == harmless.text["style"]
    text.encode()
