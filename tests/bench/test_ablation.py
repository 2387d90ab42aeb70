import csv
import gzip
import json
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from episodes import shorten, write_pairs
from hbtom.bench import workers
from hbtom.bench.ablation import SHIPPED, VARIATIONS, _surprises, _watch, ablate
from hbtom.bench.dataset import find_pairs
from hbtom.bench.evaluation import evaluate
from hbtom.bench.placebo import with_donors
from hbtom.bench.rater_ablation import CHANGES, ablate_rater
from hbtom.bench.score import total
from hbtom.bench.synth import generate
from hbtom.cli import main
from hbtom.model import find_model


@pytest.fixture(scope="module")
def ablation(small):
    return ablate(small, workers=1)


def overall(ablation, name):
    return total("overall", ablation.tasks[name])


def test_every_variation_is_scored_on_every_pair(ablation):
    assert set(ablation.tasks) == {one.name for one in VARIATIONS}
    assert all(overall(ablation, one.name).pairs == 9 for one in VARIATIONS)


def test_the_unchanged_model_scores_as_in_the_evaluation(ablation, small):
    assert ablation.tasks[SHIPPED.name] == evaluate(small, workers=1).tasks


def test_goal_surprise_alone_is_blind_to_efficiency(ablation):
    score = {one.task: one for one in ablation.tasks["goal alone"]}
    assert score["efficiency_path"].ties == score["efficiency_path"].pairs
    assert score["preference"].accuracy == 1.0


def test_without_the_agents_own_history_preferences_are_unknown(ablation):
    score = {one.task: one for one in ablation.tasks["no learning across trials"]}
    assert score["preference"].correct < score["preference"].pairs


@pytest.fixture(scope="module")
def surprises(small):
    """The surprises of an instrumental pair and of another pair under all variations."""
    folder = small.parent / "instrumental"
    if not folder.exists():
        tasks = ["instrumental_blocking_barrier", "inaccessible_goal"]
        shorten(generate(folder, pairs=2, seed=3, tasks=tasks, compress="gz", workers=1))
    jobs = with_donors(find_pairs(folder).pairs)
    model = find_model("default")
    return list(_surprises(model, False, jobs))


@pytest.mark.parametrize(
    "name", [one.name for one in VARIATIONS if one.group in ("assumption", "placebo")]
)
def test_every_variation_of_the_model_changes_something(surprises, name):
    assert any(found[name] != found[SHIPPED.name] for found in surprises)


def test_the_placebo_is_not_the_same_as_no_history(surprises):
    placebo, nothing = "another pair's familiarization", "no learning across trials"
    assert any(found[placebo] != found[nothing] for found in surprises)


def test_the_placebo_shows_this_pairs_agent_and_objects_on_another_pairs_paths(small):
    (pair, donor), *_ = with_donors(find_pairs(small, ["preference"]).pairs)
    own, other = pair.expected.load(), donor.load()
    placebo = _watch("placebo", own, other)
    assert placebo.test is own.test
    for seen, taken in zip(placebo.familiarization, other.familiarization, strict=True):
        assert seen.agent.look == own.test.agent.look
        assert {item.look for item in seen.objects} == {item.look for item in own.test.objects}
        assert seen.path is taken.path


def test_a_donor_that_cannot_be_read_costs_only_the_placebo(small, tmp_path):
    shutil.copytree(small / "preference", tmp_path / "preference")
    broken = tmp_path / "preference" / "000001loe.json.gz"
    broken.write_bytes(b"{")
    jobs = with_donors(find_pairs(tmp_path).pairs)
    first, second, _ = _surprises(find_model("default"), False, jobs)
    assert SHIPPED.name in first
    assert "another pair's familiarization" not in first
    assert [one.file for one in second] == [str(broken)]


@pytest.fixture
def one_is_long(small, tmp_path, monkeypatch):
    """All pairs have three trials except one preference pair, which has too many."""
    shutil.copytree(small, tmp_path, dirs_exist_ok=True)
    for file in (tmp_path / "preference").glob("000001*"):
        *familiar, test = json.loads(gzip.decompress(file.read_bytes()))
        file.write_bytes(gzip.compress(json.dumps([*familiar * 4, test]).encode()))
    monkeypatch.setattr("hbtom.core.watch.MOST_COUNTS", 10)
    return tmp_path


def test_a_pair_that_cannot_be_judged_is_left_out_and_its_placebos_too(one_is_long):
    result = ablate(one_is_long, workers=1)
    assert result.left_out == evaluate(one_is_long, workers=1).left_out
    assert [one.file for one in result.unreadable] == [
        str(one_is_long / "preference" / f"000001lo{member}.json.gz") for member in "eu"
    ]
    pairs = {one.name: overall(result, one.name).pairs for one in VARIATIONS}
    assert pairs.pop("another pair's familiarization") == 7
    assert set(pairs.values()) == {8}


def test_both_members_that_cannot_be_read_are_named(tmp_path):
    data = write_pairs(tmp_path, ["preference"], pairs=6)
    broken = sorted((data / "preference").glob("01*"))
    for file in broken:
        file.write_bytes(b"[")
    result = ablate(tmp_path, workers=1)
    assert [one.file for one in result.unreadable] == [str(file) for file in broken]
    assert result.left_out == evaluate(tmp_path, workers=1).left_out


def test_the_number_of_processes_does_not_matter(ablation, small, monkeypatch):
    started = []
    whole = workers.ProcessPoolExecutor
    monkeypatch.setattr(
        workers,
        "ProcessPoolExecutor",
        lambda number, **how: started.append(number) or whole(number, **how),
    )
    told = []
    assert ablate(small, workers=2, progress=lambda *how_far: told.append(how_far)) == ablation
    assert started == [2]
    assert told == [(done, 9) for done in range(10)]


def test_without_enough_placebos_the_others_are_scored(small, tmp_path):
    for number in range(5):
        (tmp_path / f"task{number}").mkdir()
        for file in (small / "preference").glob("000000*"):
            shutil.copy(file, tmp_path / f"task{number}")
    out = tmp_path / "ablation.csv"
    result = CliRunner().invoke(main, ["ablate", str(tmp_path), "--out", str(out)])
    assert result.exit_code == 0
    assert "another pair's familiarization" in result.stdout
    assert "nan" not in result.stdout


def test_a_task_with_one_pair_has_no_placebo(small, tmp_path):
    (tmp_path / "preference").mkdir()
    for file in (small / "preference").glob("000000*"):
        shutil.copy(file, tmp_path / "preference")
    ((_, donor),) = with_donors(find_pairs(tmp_path).pairs)
    assert donor is None


def test_the_command_writes_a_row_for_each_variation_and_task(small, tmp_path):
    out = tmp_path / "ablation.csv"
    tasks = ["--tasks", "preference,efficiency_path"]
    result = CliRunner().invoke(main, ["ablate", str(small), "--out", str(out), *tasks])
    assert result.exit_code == 0
    assert "another pair's familiarization" in result.stdout
    with out.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 3 * len(VARIATIONS)
    assert {row["variation"] for row in rows} == {one.name for one in VARIATIONS}
    assert {row["fingerprint"] for row in rows} == {find_model("default").fingerprint}
    by_name = {row["variation"]: row for row in rows if row["task"] == "overall"}
    for line in result.stdout.splitlines()[1 : len(VARIATIONS) + 1]:
        [row] = [row for name, row in by_name.items() if f"  {name}  " in line]
        assert line.endswith(f"{100 * float(row['margin_below']):.1f} %")


class Rightmost:
    """Expects the agent to end on the right, or at the last object if it judges by look."""

    name, fingerprint = "rightmost", "1"

    def __init__(self, by_place=True):
        self.by_place = by_place

    def rate(self, expected, unexpected):
        return tuple(self._rated(one) for one in (expected, unexpected))

    def _rated(self, episode):
        end = episode.test.path[-1]
        if self.by_place:
            return float(end[0])
        away = [np.linalg.norm(end - one.centre) for one in episode.test.objects]
        return float(np.argmin(away))


@pytest.mark.parametrize("by_place", [True, False])
def test_swapping_objects_separates_places_from_objects(small, by_place):
    result = ablate_rater(small, Rightmost(by_place), tasks=["preference"], workers=1)
    plain, exchanged = (
        overall(result, name).accuracy for name in ("as it is", "exchanged at test")
    )
    assert exchanged == (plain if by_place else 1 - plain)


def test_a_rater_sees_the_changed_episodes(small):
    episode = next(iter(find_pairs(small, ["preference"]).pairs)).expected.load()
    changed = {name: change(episode, None) for name, (_, change) in CHANGES.items()}
    assert len(changed["one trial"]) == 2
    assert len({item.look for trial in changed["all look alike"] for item in trial.objects}) == 1
    assert changed["another pair's familiarization"] is None
    before, after = episode.test.objects, changed["exchanged at test"].test.objects
    assert [(one.look, one.centre) for one in before] == [
        (one.look, other.centre) for one, other in zip(after, reversed(after), strict=True)
    ]


def test_changes_that_change_nothing_do_not_count(small):
    result = ablate_rater(small, Rightmost(), tasks=["efficiency_path"], workers=1)
    assert overall(result, "as it is").pairs == 3
    assert overall(result, "exchanged at test").pairs == 0


def test_the_command_ablates_a_rater(small, tmp_path):
    ratings = tmp_path / "ratings.csv"
    evaluate(small, Rightmost(), workers=1, out=ratings)
    words = ["ablate", str(small), "--rater", str(ratings), "--tasks", "preference"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "exchanged at test" in result.output
    assert f"rater {ratings}" in result.output
    assert "below .05" not in result.output  # ratings are in pixels
    wrong = CliRunner().invoke(main, [*words, "--model", "paper"])
    assert wrong.exit_code == 2
    assert "--model is for models: not with --rater." in wrong.output
