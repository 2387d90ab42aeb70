"""Sweeps: every model as if it had been evaluated by itself, with planning shared."""

import numpy as np
import pytest

from hbtom.bench.dataset import find_pairs
from hbtom.bench.evaluation import evaluate
from hbtom.bench.sweep import combinations, sweep
from hbtom.bench.synth import generate
from hbtom.errors import BadInput
from hbtom.judgement import judge, judging
from hbtom.judgement.sharing import judge_pair
from hbtom.model import Model, with_settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep")
    generate(out, pairs=2, seed=11, tasks=["preference", "instrumental_blocking_barrier"])
    return out


SETTINGS = {
    "efficiency.scale": [0.5, 2],
    "preference.keys": [True, False],
    "classifier.goal.weight": [-10.0, -1.0],
    "motion.clearance": [5, 7],
}


def test_every_model_scores_as_if_evaluated_alone(folder):
    swept = sweep(folder, SETTINGS)
    assert len(swept.models) == 16
    assert len({one.model.fingerprint for one in swept.models}) == 16
    for one in swept.models[::5]:
        alone = evaluate(folder, one.model)
        assert one.tasks == alone.tasks
        differences = [e - u for e, u in alone.ratings.values()]
        assert one.margin("overall") == pytest.approx(np.mean(differences))


def test_judging_together_is_judging_alone_to_the_last_bit(folder):
    first, second = (member.load() for member in _members(folder))
    models = [with_settings(Model.preset("default"), one) for one in combinations(SETTINGS)]
    models.append(Model.preset("paper"))
    for model, together in zip(models, judge_pair(models, first, second), strict=True):
        for episode, judged in zip((first, second), together, strict=True):
            alone = judge(episode, model)
            assert judged.model == model
            assert judged.plausibility == alone.plausibility
            assert judged.parts == alone.parts
            assert judged.surprise == alone.surprise
            assert judged.predictive == alone.predictive
            assert np.array_equal(judged.test.joint, alone.test.joint)


def _members(folder):
    pair = find_pairs(folder, ["instrumental_blocking_barrier"]).pairs[0]
    return pair.expected, pair.unexpected


def test_models_that_move_alike_plan_once(folder, monkeypatch):
    planned = []
    whole = judging.exert
    monkeypatch.setattr(
        judging, "exert", lambda *given: planned.append(given[0].motion) or whole(*given)
    )
    first, second = (member.load() for member in _members(folder))
    models = [
        with_settings(Model.preset("default"), {"efficiency.scale": value}) for value in (0.5, 1, 2)
    ]
    list(judge_pair(models, first, second))
    once = len(planned)
    assert once == len(first) + 1  # familiarization is shared, and the test trials differ
    list(judge_pair([*models, Model.preset("paper")], first, second))
    assert len(planned) == 3 * once


def test_the_table_is_tidy(folder):
    records = sweep(folder, {"efficiency.temperatures": [[0.2, 0.4], [0.1]]}).to_records()
    assert [(one["efficiency.temperatures"], one["task"]) for one in records] == [
        (temperatures, task)
        for temperatures in ("0.2 0.4", "0.1")
        for task in ("preference", "instrumental_blocking_barrier", "overall")
    ]
    for one in records:
        assert one["low"] <= one["accuracy"] <= one["high"]
        assert one["pairs"] == (4 if one["task"] == "overall" else 2)
    assert list(sweep(folder, {"acts.cost": [1]}).to_pandas()["acts.cost"]) == [1, 1, 1]


def test_the_number_of_processes_does_not_matter(folder):
    settings = {"efficiency.scale": [0.5, 2]}
    assert sweep(folder, settings, workers=1) == sweep(folder, settings, workers=2)


def test_without_settings_it_is_one_evaluation(folder):
    (only,) = sweep(folder).models
    assert only.tasks == evaluate(folder).tasks


def test_what_cannot_be_read_is_told_and_does_not_count(folder, tmp_path):
    generate(tmp_path, pairs=2, seed=1, tasks=["preference"])
    broken = next(tmp_path.glob("*/*u.json"))
    broken.write_bytes(b"[")
    swept = sweep(tmp_path, {"efficiency.scale": [1, 2]})
    assert [one.file for one in swept.unreadable] == [str(broken)]
    assert {one.overall.pairs for one in swept.models} == {1}


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"efficiency.scal": [1]}, "unknown field 'scal'"),
        ({"efficiency.scale": ["much"]}, "Expected 'float'"),
        ({"efficiency.scale": [-1]}, ">= 0"),
        ({"efficiency.scale": []}, "has no value"),
        ({"efficiency.scale": range(200), "acts.cost": range(1, 200)}, "39800 models"),
    ],
)
def test_settings_that_make_no_model(folder, settings, problem):
    with pytest.raises(BadInput, match=problem):
        sweep(folder, settings)
