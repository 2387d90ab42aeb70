"""Batches from folders, archives and the generator: the same for the same seed."""

import shutil
import zipfile
from collections import Counter

import numpy as np
import pytest

from episodes import simple_episode, write
from hbtom.bench.dataset_packing import pack
from hbtom.bench.synth import generate
from hbtom.errors import BadInput
from hbtom.neural import Generated, Tensors, batches, find_episodes, to_tensors
from hbtom.neural.batching import BACKGROUND
from hbtom.observe import load

TASKS = ["background/single_object", "background/multi_agent"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Six background episodes in files."""
    out = tmp_path_factory.mktemp("background")
    generate(out, pairs=3, seed=4, tasks=TASKS, compress="zst", workers=1)
    return out


def same(one: Tensors, other: Tensors) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_batches_are_arrays_of_documented_shapes(folder):
    first, second = batches(folder, size=4)
    assert [len(first.things), len(second.things)] == [4, 2]
    episodes, trials, frames, things, _ = first.places.shape
    assert first.frames.shape == (episodes, trials, frames, 84, 84, 3)
    assert first.frames.dtype == np.uint8
    assert first.actions.shape == (episodes, trials, frames - 1, 2)
    assert first.steps.shape == (episodes, trials) == (4, 9)
    assert first.steps.max() == frames - 1
    assert first.things.shape == (episodes, trials, things, 7)
    assert np.abs(first.actions).max() <= 1


def test_a_seed_gives_the_same_batches_with_any_number_of_workers(folder):
    files = find_episodes(folder) * 2  # enough for two processes
    once, again = (list(batches(files, size=5, seed=7, workers=n)) for n in (1, 2))
    assert all(map(same, once, again))
    (other,) = batches(files, size=12, seed=8, pictures=False)
    assert not np.array_equal(other.actions[:5], once[0].actions)


def test_without_shuffling_the_order_is_kept(folder):
    (batch,) = batches(folder, size=9, shuffle=False, pictures=False)
    (shuffled,) = batches(folder, size=9, seed=1, pictures=False)
    assert batch.frames is None
    for item, steps in zip(find_episodes(folder), batch.steps, strict=True):
        assert to_tensors(load(item.file)).steps.tolist() == steps.tolist()
    assert batch.steps.tolist() != shuffled.steps.tolist()
    assert sorted(map(sorted, batch.steps.tolist())) == sorted(map(sorted, shuffled.steps.tolist()))


def test_a_zip_archive_holds_the_same_as_its_folder(folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "single_object.zip", "w") as archive:
        for file in sorted((folder / TASKS[0]).iterdir()):
            archive.write(file, f"single_object/{file.name}")
    (zipped,) = batches(tmp_path / "single_object.zip", shuffle=False, pictures=False)
    (plain,) = batches(folder / TASKS[0], shuffle=False, pictures=False)
    assert all(np.array_equal(a, b) for a, b in zip(zipped[:4], plain[:4], strict=True))


def test_only_the_expected_episodes_of_pairs_are_used(tmp_path):
    generate(tmp_path / "data", pairs=2, seed=4, tasks=["preference"], workers=1)
    pack(tmp_path / "data", tmp_path / "data.parquet", workers=1)
    (packed,) = batches(tmp_path / "data.parquet", shuffle=False, pictures=False)
    (plain,) = batches(tmp_path / "data", shuffle=False, pictures=False)
    assert len(plain.steps) == 2
    assert all(np.array_equal(a, b) for a, b in zip(packed[:4], plain[:4], strict=True))


def test_generated_episodes_match_those_in_files(folder):
    single = [job for job in Generated(9, seed=4).items() if job.task.folder == TASKS[0]]
    (made,) = batches(single[:3], shuffle=False, pictures=False)
    (read,) = batches(folder / TASKS[0], shuffle=False, pictures=False)
    assert all(np.array_equal(a, b) for a, b in zip(made[:4], read[:4], strict=True))


def test_generated_tasks_are_shared_as_in_the_benchmark():
    made = Counter(job.task.folder.rpartition("/")[2] for job in BACKGROUND.items())
    assert made == {
        "single_object": 10_000,
        "preference": 10_000,
        "multi_agent": 4_000,
        "instrumental_action": 4_000,
    }
    assert Generated(20).items() == BACKGROUND.items()[:20]


def test_episodes_with_too_few_trials_are_left_out_and_counted(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "some")
    write(tmp_path / "some" / "shorte.json", simple_episode())
    (tmp_path / "some" / "brokene.json").write_text("[")
    with pytest.warns(UserWarning, match="2 episodes were left out"):
        (batch,) = batches(tmp_path / "some", pictures=False)
    assert len(batch.steps) == 6
    told = []
    list(batches(tmp_path / "some", pictures=False, tell=told.append))
    whys = {one.file.rpartition("/")[2]: one.why for one in told}
    assert whys["shorte.json"] == "it has 3 trials, but networks learn from 9"
    assert "brokene.json" in whys


@pytest.mark.parametrize(
    ("source", "problem"),
    [("nowhere", "there is no such dataset"), ("empty", "there are no expected episodes")],
)
def test_a_source_without_episodes_is_refused(source, problem, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=problem):
        next(batches(tmp_path / source))


def test_a_damaged_archive_is_refused(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "some")
    (tmp_path / "some" / "more.zip").write_bytes(b"PK\x03\x04")
    with pytest.raises(BadInput, match=r"more\.zip"):
        find_episodes(tmp_path / "some")


def test_a_table_beside_the_data_is_not_an_episode(folder, tmp_path):
    """Its name ends in e like that of an expected episode; a track would have a scene."""
    shutil.copytree(folder, tmp_path / "some")
    (tmp_path / "some" / "table.csv").write_text("a,b\n1,2\n")
    assert len(find_episodes(tmp_path / "some")) == len(find_episodes(folder))


def test_a_batch_cannot_be_empty(folder):
    with pytest.raises(BadInput, match="cannot hold 0 episodes"):
        next(batches(folder, size=0))
