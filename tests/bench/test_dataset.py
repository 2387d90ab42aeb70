import gzip
import shutil
import zipfile
from pathlib import Path

import pytest

from hbtom.bench.dataset import find_pairs
from hbtom.bench.dataset_packing import pack
from hbtom.errors import BadInput


def names(dataset):
    return [(pair.task, pair.name) for pair in dataset.pairs]


def test_pairs_are_matched_by_id_in_the_papers_order(small):
    found = find_pairs(small)
    assert len(found.pairs) == 9
    assert [task for task, _ in names(found)][::3] == [
        "efficiency_path",
        "preference",
        "inaccessible_goal",
    ]
    assert all(pair.expected.member == "e" for pair in found.pairs)
    assert all(pair.unexpected.pair == pair.name for pair in found.pairs)
    assert found.left_out == ()


def test_one_task_folder_is_a_dataset_too(small):
    assert names(find_pairs(small / "preference")) == names(find_pairs(small, ["preference"]))


def test_public_archives_and_their_names(small, tmp_path):
    public = "agents_evaluation_object_preference_eval_4"
    archive = tmp_path / f"{public}.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for file in sorted((small / "preference").iterdir()):
            target.write(file, f"{public}/{file.name}")
    from_zip = find_pairs(archive)
    assert names(from_zip) == names(find_pairs(small, ["preference"]))
    assert names(find_pairs(tmp_path)) == names(from_zip)
    assert names(find_pairs(tmp_path, [public])) == names(from_zip)
    one = from_zip.pairs[0].expected.load()
    other = find_pairs(small, ["preference"]).pairs[0].expected.load()
    assert (one.test.path == other.test.path).all()


def test_files_without_a_pair_are_named_with_the_reason(small, tmp_path):
    shutil.copytree(small, tmp_path / "data")
    task = tmp_path / "data" / "preference"
    next(iter(sorted(task.glob("*u.json.gz")))).unlink()
    (task / "notes.txt").write_text("stray")
    (tmp_path / "data" / "background").mkdir()
    (tmp_path / "data" / "broken.zip").write_bytes(b"PK nonsense")
    found = find_pairs(tmp_path / "data")
    why = {Path(one.file).name: one.why for one in found.left_out}
    assert len(found.pairs) == 8
    assert "counterpart" in why["000000loe.json.gz"]
    assert "not named like an episode" in why["notes.txt"]
    assert "pairs" in why["background"]
    assert "zip" in why["broken.zip"]
    assert [one.unreadable for one in found.left_out].count(True) == 1


def test_files_of_the_operating_system_are_ignored(small, tmp_path):
    shutil.copytree(small, tmp_path / "data")
    (tmp_path / "data" / "preference" / "._000000loe.json").write_bytes(b"\0")
    (tmp_path / "data" / "downloads.json").write_text("{}")
    assert find_pairs(tmp_path / "data").left_out == ()


def test_python_files_may_lie_among_the_episodes(small, tmp_path):
    shutil.copytree(small, tmp_path / "data")
    (tmp_path / "data" / "theories" / "__pycache__").mkdir(parents=True)
    for name in ("preference/theory.py", "theories/rater.py", "theories/__pycache__/rater.pyc"):
        (tmp_path / "data" / name).write_bytes(b"")
    shutil.make_archive(str(tmp_path / "data"), "zip", tmp_path / "data")
    for data in (tmp_path / "data", tmp_path / "data.zip"):
        found = find_pairs(data)
        assert found.left_out == ()
        assert len(found.pairs) == len(find_pairs(small).pairs)


def test_a_damaged_archive_is_reported_when_it_is_read(small, tmp_path):
    archive = tmp_path / "preference.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for file in sorted((small / "preference").iterdir()):
            target.writestr(file.name, gzip.decompress(file.read_bytes()))
    data = bytearray(archive.read_bytes())
    data[300:340] = b"\xff" * 40
    archive.write_bytes(data)
    with pytest.raises(BadInput, match="broken"):
        find_pairs(archive).pairs[0].expected.load()


def test_a_duplicate_member(small, tmp_path):
    shutil.copytree(small / "preference", tmp_path / "preference")
    shutil.copytree(small / "preference", tmp_path / "agents_evaluation_object_preference_eval_4")
    found = find_pairs(tmp_path)
    assert len(found.pairs) == 3
    assert len(found.left_out) == 6
    assert all("same member" in one.why for one in found.left_out)


def test_files_take_precedence_over_archives(small, tmp_path):
    folder = tmp_path / "data"
    loose = folder / "preference"
    shutil.copytree(small / "preference", loose)
    pack(folder, folder / "bench.parquet")
    zipped = Path(shutil.make_archive(str(tmp_path / "archive"), "zip", folder, "preference"))
    zipped.rename(folder / "archive.zip")
    found = find_pairs(folder)
    assert {Path(pair.expected.path).parent for pair in found.pairs} == {loose}
    assert len(found.left_out) == 12
    assert all(str(loose) in one.why for one in found.left_out)
    shutil.rmtree(loose)
    again = find_pairs(folder)
    assert {Path(pair.unexpected.path).name for pair in again.pairs} == {"archive.zip"}
    assert {Path(one.file).parents[1].name for one in again.left_out} == {"bench.parquet"}


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir])
def test_a_folder_that_is_not_a_dataset(tmp_path, make):
    path = tmp_path / "nothing"
    make(path)
    with pytest.raises(BadInput, match="nothing"):
        find_pairs(path)
