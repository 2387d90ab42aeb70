"""Packing a dataset, and using the archive as a dataset."""

import os
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import hbtom
from episodes import HEART, SPOON, episode, key_trial, simple_episode, to_thing, write
from hbtom.bench.ablation import ablate
from hbtom.bench.dataset import find_pairs
from hbtom.bench.dataset_packing import pack
from hbtom.bench.evaluation import evaluate
from hbtom.bench.pairs import load_pairs
from hbtom.bench.synth import generate
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.observe import same_trial
from hbtom.observe.archive.columns import PAIRS
from hbtom.observe.archive.reading import Archive


def hbtom_command(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="session")
def packed(small, tmp_path_factory):
    """The small dataset as an archive."""
    path = tmp_path_factory.mktemp("packed") / "small.parquet"
    pack(small, path, workers=1)
    return path


def make(folder, pairs, task="preference"):
    """Write pairs of short episodes, each a little longer than the one before."""
    (folder / task).mkdir(parents=True)
    for number in range(pairs):
        heart, spoon = HEART.at(70 + number, 60), SPOON.at(70, 140)
        one = to_thing(heart, others=[spoon], walls=[])
        other = to_thing(spoon, others=[heart], walls=[])
        write(folder / task / f"{number:03}e.json", [one, one])
        write(folder / task / f"{number:03}u.json", [one, other])
    return folder


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """Three row groups of pairs, the last with only one pair."""
    return make(tmp_path_factory.mktemp("many"), 2 * PAIRS + 1)


@pytest.fixture(scope="session")
def packed_many(many, tmp_path_factory):
    """These pairs as an archive, which no test may change."""
    path = tmp_path_factory.mktemp("packed") / "many.parquet"
    pack(many, path, workers=1)
    return path


def judged(evaluation):
    rows = [row.to_dict() for row in evaluation.rows]
    return [{k: v for k, v in row.items() if k not in ("file", "stamp")} for row in rows]


# The same as the folder


def test_an_archive_is_judged_as_the_folder_is(small, packed):
    from_folder, from_archive = evaluate(small, workers=1), evaluate(packed, workers=1)
    assert judged(from_archive) == judged(from_folder)
    assert from_archive.left_out == ()
    assert from_archive.rows[0].file == f"{packed}/efficiency_path/000000epe"


def test_workers_do_not_matter(packed_many):
    found = find_pairs(packed_many)
    some = replace(found, pairs=found.pairs[::8])  # from all row groups, and enough for two workers
    assert evaluate(some, workers=2).rows == evaluate(some, workers=1).rows


def test_judging_one_episode_of_an_archive(small, packed):
    one = find_pairs(small, ["preference"]).pairs[1].unexpected
    found = hbtom.judge(f"{packed}/preference/{one.pair}u")
    assert found.to_dict(trace=True) == {
        **hbtom.judge(one.file).to_dict(trace=True),
        "file": f"{packed}/preference/{one.pair}u",
    }


def test_fitting_to_an_archive(small, packed, tmp_path):
    for dataset, out in ((small, "folder.toml"), (packed, "archive.toml")):
        assert hbtom_command("fit", dataset, "-o", tmp_path / out).exit_code == 0
    models = [hbtom.Model.from_toml((tmp_path / n).read_text()) for n in os.listdir(tmp_path)]
    assert models[0].classifier == models[1].classifier


def test_ablating_on_an_archive(tmp_path):
    data = make(tmp_path / "data", 5)
    pack(data, tmp_path / "a.parquet")
    from_folder, from_archive = (ablate(each, workers=1) for each in (data, tmp_path / "a.parquet"))
    assert from_archive.tasks == from_folder.tasks


def test_only_some_tasks_are_packed(small, packed, tmp_path):
    pack(small, tmp_path / "some.parquet", tasks=["preference"])
    names = [pair.name for pair in find_pairs(packed, ["preference"]).pairs]
    assert [pair.name for pair in find_pairs(tmp_path / "some.parquet").pairs] == names
    with pytest.raises(BadInput, match="multi_agent"):
        find_pairs(packed, ["multi_agent"])


def test_an_archive_is_small(tmp_path):
    """It has at most 20 kB per episode; keys and vanishing barriers need most."""
    tasks = ["instrumental_blocking_barrier", "efficiency_irrational"]
    generate(tmp_path / "data", pairs=2, seed=5, tasks=tasks, workers=1)
    pack(tmp_path / "data", tmp_path / "data.parquet")
    files = [file for file in (tmp_path / "data").rglob("*.json") if file.is_file()]
    assert len(files) == 8
    assert (tmp_path / "data.parquet").stat().st_size < 8 * 20_000
    assert sum(file.stat().st_size for file in files) > 8 * 1_000_000


# How it is read


def test_members_of_a_pair_share_their_familiarization(packed):
    for _, expected, unexpected in load_pairs(find_pairs(packed).pairs):
        assert all(
            one is other
            for one, other in zip(expected, unexpected, strict=True)
            if same_trial(one, other)
        )
        assert expected[0] is unexpected[0]


def test_row_groups_are_read_when_needed_and_once(packed_many, monkeypatch):
    pairs = find_pairs(packed_many).pairs
    groups = []
    whole = Archive.pairs
    monkeypatch.setattr(
        Archive, "pairs", lambda self, group: groups.append(group) or whole(self, group)
    )
    loaded = load_pairs(pairs[PAIRS - 1 :])
    next(loaded)
    assert groups == [0]
    assert len(list(loaded)) == PAIRS + 1
    assert groups == [0, 1, 2]
    assert pq.ParquetFile(packed_many).num_row_groups == 3


def test_a_member_loads_on_its_own(small, packed):
    for one, other in zip(find_pairs(small).pairs, find_pairs(packed).pairs, strict=True):
        for member, archived in (
            (one.expected, other.expected),
            (one.unexpected, other.unexpected),
        ):
            found = archived.load()
            assert found.name == archived.file
            assert all(map(same_trial, found, member.load()))


def test_a_pair_may_be_half_in_a_folder_and_half_in_an_archive(tmp_path):
    data = make(tmp_path / "data", 1)
    pack(data, data / "whole.parquet")
    (data / "preference" / "000u.json").unlink()
    (pair,) = find_pairs(data).pairs
    assert pair.expected.path.endswith("000e.json")
    assert pair.unexpected.file == f"{data}/whole.parquet/preference/000u"
    ((_, *episodes),) = load_pairs([pair])
    assert [one.name for one in episodes] == [pair.expected.file, pair.unexpected.file]


def test_a_folder_of_archives(small, tmp_path):
    with zipfile.ZipFile(tmp_path / "preference.zip", "w") as target:
        for file in sorted((small / "preference").iterdir()):
            target.write(file, f"preference/{file.name}")
    pack(small, tmp_path / "others.parquet", tasks=["efficiency_path", "inaccessible_goal"])
    assert judged(evaluate(tmp_path, workers=1)) == judged(evaluate(small, workers=1))


def test_other_files_beside_an_archive(packed, tmp_path):
    shutil.copy(packed, tmp_path / "a.parquet")
    evaluate_to = hbtom_command("evaluate", tmp_path, "--out", tmp_path / "results.parquet")
    assert evaluate_to.exit_code == 0
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nonsense")
    found = find_pairs(tmp_path)
    why = {Path(one.file).name: one for one in found.left_out}
    assert len(found.pairs) == 9
    assert "not an archive of episodes" in why["results.parquet"].why
    assert not why["results.parquet"].unreadable
    assert "broken or cut off" in why["broken.parquet"].why
    assert why["broken.parquet"].unreadable


def test_an_archive_that_is_not_a_dataset(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(BadInput, match="broken or cut off") as caught:
        find_pairs(tmp_path / "a.parquet")
    assert caught.value.place.file == str(tmp_path / "a.parquet")


def test_a_pair_that_disappears_before_it_is_read(many, tmp_path):
    path = tmp_path / "many.parquet"
    pack(many, path)
    pairs = find_pairs(path).pairs
    pack(make(tmp_path / "data", 1), path, overwrite=True)
    first, second, *_ = load_pairs(pairs)
    assert first[1].name == pairs[0].expected.file
    assert "no longer in the archive" in str(second[1])
    assert second[1].place.file == pairs[1].expected.file


def test_an_odd_trial_spoils_only_its_own_pair(packed, tmp_path):
    table = pq.read_table(packed)
    width = table.column("width").to_pylist()
    width[-1] = 1e5
    where, field = table.schema.names.index("width"), table.schema.field("width")
    pq.write_table(table.set_column(where, field, [width]), tmp_path / "a.parquet")
    pairs = find_pairs(tmp_path / "a.parquet").pairs
    found = {
        one.file: why
        for pair, *both in load_pairs(pairs)
        for one, why in zip((pair.expected, pair.unexpected), both, strict=True)
    }
    ((file, error),) = [each for each in found.items() if isinstance(each[1], BadInput)]
    assert error.place.file == file
    assert (error.place.trial, error.place.field) == (table.column("trial")[-1].as_py(), "size")
    evaluation = evaluate(tmp_path / "a.parquet", workers=1)
    assert len(evaluation.rows) == len(found) - 1
    assert file in {one.file for one in evaluation.left_out}


def test_stamps_show_which_pairs_have_changed(tmp_path):
    data = make(tmp_path / "data", 3)
    pack(data, tmp_path / "a.parquet")
    write(data / "preference" / "001u.json", simple_episode())
    pack(data, tmp_path / "b.parquet")
    before, after = (find_pairs(tmp_path / name).pairs for name in ("a.parquet", "b.parquet"))
    same = [
        one.expected.stamp == two.expected.stamp for one, two in zip(before, after, strict=True)
    ]
    assert same == [True, False, True]
    assert all(pair.expected.stamp for pair in before)


# How it is written


def test_the_same_dataset_gives_the_same_bytes(many, packed_many, tmp_path):
    for workers in (2, 4):
        pack(many, tmp_path / f"{workers}.parquet", workers=workers)
        assert (tmp_path / f"{workers}.parquet").read_bytes() == packed_many.read_bytes()


def test_an_archive_can_be_packed_again(packed_many, tmp_path):
    shutil.copy(packed_many, tmp_path / "once.parquet")
    pack(tmp_path / "once.parquet", tmp_path / "twice.parquet")
    once, twice = (pq.read_table(tmp_path / name) for name in ("once.parquet", "twice.parquet"))
    assert once.equals(twice)
    pack(tmp_path / "once.parquet", tmp_path / "once.parquet", overwrite=True)
    assert pq.read_table(tmp_path / "once.parquet").equals(once)


def test_what_an_archive_says_about_itself(many, packed_many):
    said = pq.read_metadata(packed_many).metadata
    assert said == {
        b"hbtom.format": b"hbtom episodes",
        b"hbtom.format_version": b"3",
        b"hbtom.version": hbtom.__version__.encode(),
        b"hbtom.source": many.name.encode(),
        b"hbtom.episodes": str(4 * PAIRS + 2).encode(),
    }


def test_pandas_reads_it(packed):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(packed)
    first = hbtom.load(f"{packed}/efficiency_path/000000epe")[0]
    row = table.iloc[0]
    assert row["path_x"].tolist() == first.path[:, 0].tolist()
    assert row["agent"]["image"] == first.agent.look.image
    assert [wall["width"] for wall in row["walls"]] == first.walls[:, 2].tolist()
    assert row["key"] is None
    assert set(table["members"]) == {"eu", "e", "u"}


def test_an_unreadable_member_is_left_out_with_its_mate(tmp_path):
    data = make(tmp_path / "data", PAIRS + 2)
    (data / "preference" / "003u.json").write_bytes(b"[[")
    (data / "preference" / "notes.txt").write_text("stray")
    found = pack(data, tmp_path / "a.parquet")
    why = {Path(one.file).name: one for one in found.left_out}
    assert set(why) == {"003e.json", "003u.json", "notes.txt"}
    assert [one.file for one in found.unreadable] == [why["003u.json"].file]
    assert "other member" in why["003e.json"].why
    assert found.pairs == PAIRS + 1 == len(find_pairs(tmp_path / "a.parquet").pairs)


def test_a_dataset_without_readable_pairs(tmp_path):
    data = make(tmp_path / "data", 1)
    (data / "preference" / "000e.json").write_bytes(b"[[")
    with pytest.raises(BadInput, match=r"none of its pairs can be read.*000e\.json.*cut off"):
        pack(data, tmp_path / "a.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode")
def test_a_name_that_is_not_unicode(tmp_path):
    data = make(tmp_path / "data", 1)
    for member in "eu":
        shutil.copy(
            data / "preference" / f"000{member}.json",
            os.fsdecode(bytes(data / "preference") + b"/\xff" + member.encode() + b".json"),
        )
    found = pack(data, tmp_path / "a.parquet")
    assert found.pairs == 1
    assert [one.why for one in found.unreadable] == [
        "its name is not Unicode. Hint: rename the file"
    ] * 2


def test_no_dataset(tmp_path):
    with pytest.raises(BadInput, match="no such dataset"):
        pack(tmp_path / "nowhere", tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.zip", "nowhere/a.parquet"])
def test_an_unwritable_target_is_refused_before_any_work(many, tmp_path, name):
    with pytest.raises(BadInput):
        pack(many, tmp_path / name, progress=lambda *_: pytest.fail("there was work done"))


def test_nothing_is_overwritten_by_default(many, tmp_path):
    target = tmp_path / "mine.parquet"
    target.write_text("precious")
    with pytest.raises(BadInput, match="exists already"):
        pack(many, target)
    assert target.read_text() == "precious"
    pack(many, target, overwrite=True)
    assert len(find_pairs(target).pairs) == 2 * PAIRS + 1


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_leaves_nothing_behind(many, tmp_path, workers):
    def interrupt(done, total):
        if done == PAIRS + 3:  # the first row group is written
            raise KeyboardInterrupt

    target = tmp_path / "mine.parquet"
    target.write_text("precious")
    with pytest.raises(KeyboardInterrupt):
        pack(many, target, overwrite=True, workers=workers, progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.parquet"]
    assert target.read_text() == "precious"


def test_progress_counts_pairs(many, tmp_path):
    seen = []
    pack(many, tmp_path / "a.parquet", progress=lambda *both: seen.append(both))
    total = 2 * PAIRS + 1
    assert seen == [(done, total) for done in range(total + 1)]


def test_trials_with_key_and_lock(tmp_path):
    folder = tmp_path / "data" / "instrumental_no_barrier"
    folder.mkdir(parents=True)
    write(folder / "1e.json", episode(key_trial(), key_trial()))
    write(folder / "1u.json", episode(key_trial(), key_trial(jitter=1)))
    pack(folder.parent, tmp_path / "a.parquet")
    (pair,) = find_pairs(tmp_path / "a.parquet").pairs
    assert pair.expected.inside == "instrumental_no_barrier/1e"
    assert judged(evaluate(tmp_path / "a.parquet")) == judged(evaluate(folder))
