"""Sweeps: every model scores as if evaluated alone, with planning shared."""

import gc
import weakref

import numpy as np
import pytest

from episodes import shorten, write_pairs
from hbtom.bench import workers
from hbtom.bench.dataset import find_pairs
from hbtom.bench.dataset_packing import pack
from hbtom.bench.evaluation import evaluate
from hbtom.bench.sweep import Sweep, Swept, combinations, sweep
from hbtom.bench.synth import generate
from hbtom.errors import BadInput
from hbtom.judgement import judge, shared_work
from hbtom.judgement.shared_work import judge_pair, sharing_order
from hbtom.model import Model, with_settings
from hbtom.show.score_text import sweep_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep")
    tasks = ["preference", "instrumental_blocking_barrier"]
    shorten(generate(out, pairs=2, seed=11, tasks=tasks, compress="gz", workers=1))
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


def test_the_worst_task_of_a_perfect_model_is_nearest_to_failing():
    model = Model.preset("default")
    margins = {"efficiency_path": (0.9,) * 21, "preference": (0.8, *(0.01,) * 20), "z": (0.9,)}
    perfect = Swept({"efficiency.scale": 1}, model, margins)
    flawed = Swept({"efficiency.scale": 2}, model, {**margins, "z": (-0.1, *(0.9,) * 20)})
    table = sweep_table(Sweep("data", "plausibility", (perfect, flawed), ()))
    _, one, other = (line.split() for line in table.splitlines())
    assert one[-3:] == ["0.010", "100.0", "preference"]
    assert other[-3:] == ["0.010", "95.2", "z"]


def test_judging_together_equals_judging_alone_bit_for_bit(folder):
    first, second = (member.load() for member in _members(folder))
    models = [with_settings(Model.preset("default"), one) for one in combinations(SETTINGS)]
    models.append(Model.preset("paper"))
    together = list(zip(models, judge_pair(models, first, second), strict=True))
    for model, both in together[1::3]:  # some of all values, and the last
        for episode, judged in zip((first, second), both, strict=True):
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


def test_models_with_the_same_dynamics_plan_once(folder):
    first, second = (member.load() for member in _members(folder))
    models = [
        with_settings(Model.preset("default"), {"efficiency.scale": value}) for value in (0.5, 1, 2)
    ]
    pairs = list(judge_pair([*models, Model.preset("paper")], first, second))
    known = [
        {id(one.world) for member in pair for one in member.watched.posteriors} for pair in pairs
    ]
    assert len(known[0]) == len(first) + 1  # familiarization is shared, and the test trials differ
    assert known[0] == known[1] == known[2]
    assert known[0].isdisjoint(known[3])


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


def test_models_that_share_work_are_judged_in_sequence():
    settings = {"classifier.goal.weight": [-9.0, -1.0], "acts.cost": [1, 2], "acts.final": [True]}
    models = [with_settings(Model.preset("default"), one) for one in combinations(settings)]
    assert sharing_order(models) == [0, 2, 1, 3]
    assert sharing_order(models[:1]) == [0]


@pytest.mark.parametrize("slowest", ["classifier.goal.weight", "efficiency.scale", "acts.cost"])
def test_only_what_later_models_need_is_kept(folder, monkeypatch, slowest):
    """In any order of settings, only the judgements of one model are in memory."""
    values = {
        "efficiency.scale": [0.5, 2],
        "acts.cost": [1, 2],
        "classifier.goal.weight": [-9.0, -1.0],
    }
    settings = {slowest: values.pop(slowest), **values}
    alive, most = [], []
    whole = shared_work.judge

    def watched(*given, **known):
        most.append(sum(one() is not None for one in alive))
        judgement = whole(*given, **known)
        alive.append(weakref.ref(judgement))
        return judgement

    monkeypatch.setattr(shared_work, "judge", watched)
    gc.collect()
    sweep(folder, settings, tasks=["preference"], workers=1)
    assert len(alive) == 2 * 2 * 8  # two pairs of two, judged by eight models
    assert max(most) <= 3  # both of the last model, and the first of this one


def test_the_number_of_processes_does_not_matter(folder, monkeypatch):
    settings = {"efficiency.scale": [0.5, 2]}
    monkeypatch.setattr(workers, "FEW", 1)
    started = started_pools(monkeypatch)
    alone = sweep(folder, settings, workers=1)
    assert started == []
    assert sweep(folder, settings, workers=2) == alone
    assert started == [2]


def started_pools(monkeypatch):
    """Return a list that records all pools of processes started from now on."""
    started = []
    whole = workers.ProcessPoolExecutor
    monkeypatch.setattr(
        workers,
        "ProcessPoolExecutor",
        lambda number, **how: started.append(number) or whole(number, **how),
    )
    return started


def test_many_models_on_few_pairs_are_worth_processes(folder, monkeypatch):
    started = started_pools(monkeypatch)
    settings = {"classifier.goal.weight": [-1.0, -2.0, -3.0, -4.0]}
    assert sweep(folder, settings, workers=2) == sweep(folder, settings, workers=1)
    assert started == [2]


def test_an_archive_gives_the_same_as_the_folder(folder, tmp_path):
    pytest.importorskip("pyarrow")
    archive = tmp_path / "a.parquet"
    pack(folder, archive, workers=1)
    settings = {"efficiency.scale": [0.5, 2], "preference.keys": [True, False]}
    packed, plain = sweep(archive, settings).models, sweep(folder, settings).models
    assert packed == plain


def test_progress_is_reported_from_the_beginning(folder):
    told = []
    sweep(folder, progress=lambda *how_far: told.append(how_far), workers=1)
    assert told == [(done, 4) for done in range(5)]


def test_an_unknown_score_is_refused(folder):
    with pytest.raises(BadInput, match="no score 'nonsense'"):
        sweep(folder, score="nonsense")


@pytest.mark.parametrize("number", [0, -1])
def test_too_few_workers_are_refused(folder, number):
    with pytest.raises(BadInput, match=f"cannot be {number} workers"):
        sweep(folder, workers=number)


def test_without_settings_it_is_one_evaluation(folder):
    (only,) = sweep(folder).models
    assert only.tasks == evaluate(folder).tasks


def test_unreadable_files_are_reported_and_do_not_count(tmp_path):
    write_pairs(tmp_path, ["preference"], pairs=2)
    broken = next(tmp_path.glob("*/*u.json.gz"))
    broken.write_bytes(b"[")
    swept = sweep(tmp_path, {"efficiency.scale": [1, 2]})
    assert [one.file for one in swept.unreadable] == [str(broken)]
    assert {one.overall.pairs for one in swept.models} == {1}


def test_both_members_that_cannot_be_read_are_named(tmp_path):
    write_pairs(tmp_path, ["preference"], pairs=2)
    broken = sorted(tmp_path.glob("*/*"))[:2]
    for file in broken:
        file.write_bytes(b"[")
    swept = sweep(tmp_path, {"efficiency.scale": [1, 2]})
    assert [one.file for one in swept.unreadable] == [str(file) for file in broken]
    assert swept.left_out == evaluate(tmp_path).left_out


def test_both_members_that_cannot_be_judged_are_named(folder, monkeypatch):
    monkeypatch.setattr("hbtom.core.watch.MOST_COUNTS", 5)
    swept = sweep(folder, {"efficiency.scale": [1, 2]})
    assert len(swept.unreadable) == 8
    assert {one.why.split(".")[0] for one in swept.unreadable} == {WHY}
    assert swept.left_out == evaluate(folder).left_out


WHY = "trial 3: too many goals and trials to keep all histories"


def test_a_model_that_cannot_judge_a_pair_leaves_it_out_for_all(folder, monkeypatch):
    """Only if keys are goals are there too many; that model is neither first nor last."""
    monkeypatch.setattr("hbtom.core.watch.MOST_COUNTS", 5)
    found = find_pairs(folder, ["instrumental_blocking_barrier"])
    settings = {"acts.cost": [1, 2], "preference.keys": [False, True]}
    without, keys, *_ = (with_settings(Model.preset("default"), s) for s in combinations(settings))
    assert evaluate(found, without).left_out == ()
    swept = sweep(found, settings)
    assert swept.left_out == evaluate(found, keys).left_out
    assert len(swept.left_out) == 4


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"efficiency.scal": [1]}, "unknown field 'scal'"),
        ({"efficiency.scale": ["much"]}, "Expected 'float'"),
        ({"efficiency.scale": [-1]}, ">= 0"),
        ({"efficiency.scale": []}, "has no value"),
        ({"efficiency.scale": range(200), "acts.cost": range(1, 200)}, "39800 combinations"),
    ],
)
def test_settings_that_give_no_valid_model(folder, settings, problem):
    with pytest.raises(BadInput, match=problem):
        sweep(folder, settings)
