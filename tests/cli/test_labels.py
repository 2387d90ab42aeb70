"""``--labels``: every verb that takes a dataset, or ratings of one, takes files with any name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from episodes import write_pairs
from hbtom.bench.dataset import find_pairs


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files with meaningful names, one with other names, and their labels."""
    tmp_path = tmp_path_factory.mktemp("labels")
    named = write_pairs(tmp_path / "named", ["preference", "hiding"], 3)
    (tmp_path / "scenes").mkdir()
    labels = {}
    for number, pair in enumerate(find_pairs(named).pairs):
        for one, label in ((pair.expected, "expected"), (pair.unexpected, "no expectation")):
            name = f"{number}-{'ba'[one.member == 'u']}.json"
            shutil.copy(one.path, tmp_path / "scenes" / name)
            labels[name] = {"task": pair.task, "pair": pair.name, "label": label}
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    return tmp_path


@pytest.fixture
def scenes(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run commands in a folder that has all of these."""
    for folder in ("named", "scenes"):
        (tmp_path / folder).symlink_to(made / folder)
    shutil.copy(made / "labels.json", tmp_path)
    monkeypatch.chdir(tmp_path)


def tables(*commands):
    """Return the output of commands, without the line that names the dataset."""
    for ran in commands:
        assert (ran.status, ran.err) == (0, "")
    return [[one for one in ran.out.splitlines() if "dataset" not in one] for ran in commands]


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "--wrong", "--workers", "2"),
        ("sweep", "--set", "efficiency.scale=1,2"),
        ("fit", "--out", "m.toml", "--overwrite"),
    ],
    ids=lambda words: words[0],
)
def test_a_labelled_folder_is_a_dataset_like_any_other(run, scenes, words):
    pytest.importorskip("scipy")
    verb, *others = words
    labelled = run(verb, "scenes", "--labels", "labels.json", *others)
    named = run(verb, "named", *others)
    one, other = tables(labelled, named)
    assert one == other


def test_files_without_a_label_are_counted(run, scenes):
    labels = json.loads(Path("labels.json").read_text())
    Path("labels.json").write_text(json.dumps(dict(list(labels.items())[:-4])))
    ran = run("evaluate", "scenes", "--labels", "labels.json")
    assert ran.status == 0
    assert "4 of its files are not labelled" in ran.err
    assert ran.complaints[-1] == "hbtom: 4 left out in all"


def test_an_evaluation_is_resumed_as_usual(run, scenes):
    words = ("evaluate", "scenes", "--labels", "labels.json", "--out")
    assert run(*words, "whole.csv").status == 0
    whole = Path("whole.csv").read_text()
    Path("part.csv").write_text("".join(whole.splitlines(keepends=True)[:5]))
    assert run(*words, "part.csv", "--resume").status == 0
    assert Path("part.csv").read_text() == whole


def test_an_archive_keeps_the_labels(run, scenes):
    assert run("pack", "scenes", "a.parquet", "--labels", "labels.json").status == 0
    one, other = tables(run("evaluate", "a.parquet"), run("evaluate", "named"))
    assert one == other


def test_ratings_by_file_alone(run, scenes):
    run("evaluate", "scenes", "--labels", "labels.json", "--out", "ours.csv")
    lines = [line.split(",") for line in Path("ours.csv").read_text().splitlines()]
    Path("files.csv").write_text("\n".join(f"{line[3]},{line[4]}" for line in lines))
    told = ("--labels", "labels.json")
    one, other = tables(run("score", "files.csv", *told), run("score", "ours.csv"))
    assert one == other
    same = run("score", "files.csv", *told, "--dataset", "scenes")
    assert (same.status, same.err, same.out.splitlines()) == (0, "", one)
    assert run("compare", "files.csv", "ours.csv", *told).status == 0
    assert run("report", "files.csv", "-o", "r.html", *told, "--dataset", "scenes").status == 0
    without = run("score", "files.csv")
    assert without.status == 1
    assert "--labels" in without.err


def test_errors_in_labels_are_one_line(run, scenes):
    Path("labels.json").write_text("[]")
    ran = run("evaluate", "scenes", "--labels", "labels.json", "--out", "x.csv")
    assert ran.status == 1
    assert ran.err == (
        "hbtom: labels.json: there are no labels. Hint: a row needs 'file', 'pair', and 'label' or "
        "'more_plausible'\n"
    )
    assert not Path("x.csv").exists()


@pytest.mark.parametrize("verb", ["evaluate", "ablate", "browse"])
def test_labels_without_a_dataset_are_wrong_usage(run, scenes, verb):
    ran = run(verb, "--labels", "labels.json")
    assert ran.status == 2
    assert "give both" in ran.err
