"""``hbtom convert``: files and datasets into another format, all or nothing."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from itertools import count
from pathlib import Path

import pytest

from episodes import HEART, episode, to_thing, write, write_pairs
from hbtom import BadInput, load
from hbtom.bench import workers
from hbtom.bench.conversion import convert
from hbtom.bench.dataset import find_pairs
from scenes import BLOB, FRIEND, scene, still, to_bytes

TASKS = ("preference", "hiding")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("convert") / "data", TASKS, 2, scale=2)


@pytest.fixture
def data(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "data"))


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_dataset_there_and_back(run, data, tmp_path):
    scenes, back = tmp_path / "scenes", tmp_path / "back"
    ran = run("convert", data, scenes, "--to", "mcs")
    assert (ran.status, ran.out, ran.err) == (0, f"8 episodes in {scenes}\n", "")
    assert files(scenes) == [name.removesuffix(".gz") for name in files(data)]
    assert all(json.loads((scenes / name).read_text())["objects"] for name in files(scenes))
    assert run("convert", scenes, back, "--to", "bib", "--compress", "gz").status == 0
    assert files(back) == files(data)
    tables = [run("evaluate", one).out.splitlines()[:-1] for one in (data, scenes, back)]
    assert tables[0] == tables[1] == tables[2]


def test_a_file_there_and_back(run, data, tmp_path):
    source = data / "hiding" / "00e.json.gz"
    for target, to in (("a.json", "mcs"), ("b.json.zst", "bib")):
        ran = run("convert", source, tmp_path / target, "--to", to)
        assert (ran.status, ran.out) == (0, f"1 episode in {tmp_path / target}\n")
        source = tmp_path / target
    assert source.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    one, other = load(data / "hiding" / "00e.json.gz"), load(source)
    assert [trial.objects for trial in other] == [trial.objects for trial in one]


def test_archives_are_datasets_too(run, data, tmp_path):
    with zipfile.ZipFile(tmp_path / "public.zip", "w") as archive:
        for name in files(data):
            archive.write(data / name, f"outer/{name}")
    assert run("pack", data, tmp_path / "ours.parquet").status == 0
    for source in ("public.zip", "ours.parquet"):
        target = tmp_path / f"from {source}"
        assert run("convert", tmp_path / source, target, "--to", "mcs").status == 0
        assert files(target) == [name.removesuffix(".gz") for name in files(data)]
    one = tmp_path / "ours.parquet" / "hiding" / "00e"
    assert run("convert", one, tmp_path / "one.json", "--to", "bib").status == 0


def test_names_outside_the_folder(run, data, tmp_path):
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.write(data / "hiding" / "00e.json.gz", "../../00e.json.gz")
        archive.write(data / "hiding" / "00u.json.gz", "hiding/00u.json.gz")
    (tmp_path / "deep").mkdir()
    ran = run("convert", tmp_path / "evil.zip", tmp_path / "deep" / "out", "--to", "mcs")
    assert ran.status == 1
    assert "leads out of the folder" in ran.err
    assert files(tmp_path / "deep") == ["out/hiding/00u.json"]


def test_nothing_is_overwritten_by_default(run, data, tmp_path):
    target = tmp_path / "scenes"
    (target / "preference").mkdir(parents=True)
    mine = target / "preference" / "01u.json"
    mine.write_text("mine")
    ran = run("convert", data, target, "--to", "mcs")
    assert ran.status == 1
    assert f"{mine}: the file exists already" in ran.err
    assert files(target) == ["preference/01u.json"]
    assert mine.read_text() == "mine"
    (target / "notes.txt").write_text("stay")
    assert run("convert", data, target, "--to", "mcs", "--overwrite").status == 0
    assert len(files(target)) == 9
    assert json.loads(mine.read_text())["version"] == 3
    ran = run("convert", data / "hiding" / "00e.json.gz", mine, "--to", "bib")
    assert (ran.status, "--overwrite" in ran.err) == (1, True)


def test_unreadable_files_are_left_out_and_reported(run, data, tmp_path):
    (data / "hiding" / "00e.json.gz").write_bytes(b"[[{}]]")
    (data / "film.txt").write_bytes(b"")
    ran = run("convert", data, tmp_path / "scenes", "--to", "mcs")
    assert (ran.status, ran.out) == (1, f"7 episodes in {tmp_path / 'scenes'}\n")
    assert "00e.json.gz: trial 1, frame 1" in ran.err
    assert "film.txt: not named like an episode" in ran.err
    assert len(files(tmp_path / "scenes")) == 7


def test_if_nothing_can_be_converted_nothing_is_left(run, data, tmp_path):
    for name in files(data):
        (data / name).write_bytes(b"[]")
    ran = run("convert", data, tmp_path / "scenes", "--to", "mcs")
    assert (ran.status, ran.out) == (1, "")
    assert "no episode can be converted" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_nothing_is_left_after_an_interruption(data, tmp_path):
    def interrupt(done: int, episodes: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(data, tmp_path / "scenes", "mcs", workers=1, progress=interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("moved", [0, 3])
def test_a_partly_written_dataset_stays_marked(moved, data, tmp_path, monkeypatch):
    replace, calls = os.replace, count()

    def interrupt(source: Path, target: Path) -> None:
        if next(calls) == moved:
            raise KeyboardInterrupt
        replace(source, target)

    target = tmp_path / "scenes"
    with monkeypatch.context() as patch:
        patch.setattr("hbtom.bench.conversion.os.replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            convert(data, target, "mcs", workers=1)
    assert len([name for name in files(target) if "unfinished" not in name]) == moved
    if moved:
        with pytest.raises(BadInput, match=r"unfinished.*--overwrite"):
            find_pairs(target)
    else:
        assert files(target) == []
    convert(data, target, "mcs", workers=1, overwrite=True)
    assert len(find_pairs(target).pairs) == 4


def test_any_number_of_workers_writes_the_same(data, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "FEW", 1)  # otherwise eight episodes would not be worth processes
    told: list[tuple[int, int]] = []
    convert(data, tmp_path / "one", "mcs", workers=1, progress=lambda *far: told.append(far))
    convert(data, tmp_path / "two", "mcs", workers=2)
    assert told == [(done, 8) for done in range(9)]
    for name in files(tmp_path / "one"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_labels_stay_correct(run, data, tmp_path):
    labels = {}
    for pair in find_pairs(data).pairs:
        for one in (pair.expected, pair.unexpected):
            name = f"{pair.task}-{pair.name}{'ab'[one.member == 'e']}.json"
            (tmp_path / "flat").mkdir(exist_ok=True)
            shutil.copy(one.path, tmp_path / "flat" / name)
            more = one.member == "e"
            labels[name] = {"pair": pair.name, "task": pair.task, "more_plausible": more}
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    (tmp_path / "flat" / "labels.json").write_text(json.dumps(labels))  # as some datasets do
    assert run("convert", tmp_path / "flat", tmp_path / "scenes", "--to", "mcs").status == 0
    words = ("--labels", tmp_path / "labels.json")
    tables = [run("evaluate", tmp_path / one, *words).out for one in ("flat", "scenes")]
    assert tables[0].splitlines()[:-1] == tables[1].splitlines()[:-1]


def test_a_scene_without_objects_has_other_agents(run, tmp_path):
    take = {BLOB: still((40, 100)), FRIEND: still((150, 60))}
    (tmp_path / "scene.json").write_bytes(to_bytes(scene(take, take)))
    ran = run("convert", tmp_path / "scene.json", tmp_path / "bib.json", "--to", "bib")
    assert ran.status == 0
    first, _ = load(tmp_path / "bib.json")
    assert first.objects == ()
    assert [str(actor.look) for actor in first.actors] == ["blob_12", "blob_05"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("nowhere", "x.json"), "there is no such file"),
        (("nowhere.parquet", "x"), "there is no such dataset"),
        (("data", "data/inside"), "written into itself"),
        (("data", "data"), "written into itself"),
        (("data", "file.txt"), "this is a file"),
        (("data", "no/such/folder"), "there is no such folder"),
        (("empty", "x"), "there are no episodes in it"),
        (("data/hiding/00e.json.gz", "x.txt"), "not written as '.txt'"),
        (("data/hiding/00e.json.gz", "x.json", "--compress", "gz"), "end it in .json.gz"),
        (("file.txt", "x.json"), "file.txt"),
        (("small.json", "x.json"), "small.json: trial 1: the world is 180 x 180 pixels"),
    ],
)
def test_refused_input(run, data, tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("words")
    small = to_thing(HEART.at(120, 60), walls=[])
    write(tmp_path / "small.json", episode([frame | {"size": [180, 180]} for frame in small]))
    before = files(tmp_path)
    ran = run("convert", *words, "--to", "mcs")
    assert (ran.status, ran.out) == (1, "")
    assert complaint in ran.err
    assert files(tmp_path) == before


def test_the_format_must_be_named(run, data, tmp_path):
    assert run("convert", data, tmp_path / "x").status == 2
    assert run("convert", data, tmp_path / "x", "--to", "video").status == 2
