import csv

import pytest
from click.testing import CliRunner

from hbtom.bench.ablation import VARIATIONS, ablate
from hbtom.bench.evaluation import evaluate
from hbtom.bench.score import total
from hbtom.cli import main


@pytest.fixture(scope="module")
def ablation(small):
    return ablate(small, workers=1)


def overall(ablation, name):
    return total("overall", ablation.tasks[name])


def test_every_variation_is_scored_on_every_pair(ablation):
    assert set(ablation.tasks) == {one.name for one in VARIATIONS}
    assert all(overall(ablation, one.name).pairs == 9 for one in VARIATIONS)


def test_the_model_as_it_is_scores_as_evaluated(ablation, small):
    assert ablation.tasks["as it is"] == evaluate(small, workers=1).tasks


def test_goal_surprise_alone_is_blind_to_efficiency(ablation):
    score = {one.task: one for one in ablation.tasks["goal"]}
    assert score["efficiency_path"].ties == score["efficiency_path"].pairs
    assert score["preference"].accuracy == 1.0


def test_without_history_preference_is_a_tie_or_chance(ablation):
    alone = {one.task: one.accuracy for one in ablation.tasks["no learning across trials"]}
    assert alone["preference"] < 1.0


def test_command_writes_one_row_a_variation_and_task(small, tmp_path):
    out = tmp_path / "ablation.csv"
    arguments = ["ablate", str(small), "--tasks", "preference", "--out", str(out)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    assert "another pair's familiarization" in result.stdout
    with out.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * len(VARIATIONS)
    assert {row["task"] for row in rows} == {"preference", "overall"}
