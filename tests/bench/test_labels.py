"""Labels: files with any name become pairs, in the order that the labels give."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from episodes import write_pairs
from hbtom.bench.comparison import score_ratings
from hbtom.bench.dataset import find_pairs
from hbtom.bench.dataset_packing import pack
from hbtom.bench.evaluation import evaluate
from hbtom.bench.labels import read_labels
from hbtom.bench.ratings import read_ratings
from hbtom.errors import BadInput

Rows = list[dict[str, Any]]
TASKS = ("preference", "hiding")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pairs of two tasks, with meaningful file names."""
    return write_pairs(tmp_path_factory.mktemp("named") / "data", TASKS, 2)


@pytest.fixture
def nameless(named: Path, tmp_path: Path) -> tuple[Path, Rows]:
    """The same files in one folder under meaningless names, and their labels."""
    folder = tmp_path / "scenes"
    folder.mkdir()
    rows = []
    for pair in find_pairs(named).pairs:
        for member, label in ((pair.unexpected, "unexpected"), (pair.expected, "expected")):
            name = f"{len(rows):03}.json"
            shutil.copy(member.path, folder / name)
            rows.append({"file": name, "pair": pair.name, "task": pair.task, "label": label})
    return folder, rows


def as_list(folder: Path, rows: Rows) -> Path:
    return _written(folder.with_name("labels.json"), json.dumps(rows))


def as_object(folder: Path, rows: Rows) -> Path:
    entries = {row["file"]: {k: v for k, v in row.items() if k != "file"} for row in rows}
    return _written(folder.with_name("labels.json"), json.dumps(entries))


def as_csv(folder: Path, rows: Rows, separator: str = ",") -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([str(row.get(name, "")) for name in names] for row in rows)]
    text = "".join(separator.join(line) + "\n" for line in lines)
    return _written(folder.with_name("labels.csv"), text)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def judged(dataset: Any) -> list[tuple[str, str, str, float]]:
    found = evaluate(dataset, workers=1)
    assert not found.unreadable
    return [(row.task, row.pair, row.member, row.rating) for row in found.rows]


@pytest.mark.parametrize("form", [as_list, as_object, as_csv])
def test_every_form_gives_the_same_pairs_as_names(form, named, nameless):
    folder, rows = nameless
    found = find_pairs(folder, labels=form(folder, rows))
    assert found.left_out == ()
    assert judged(found) == judged(named)


def test_spreadsheets_with_a_byte_order_mark_and_semicolons(nameless):
    folder, rows = nameless
    file = as_csv(folder, rows, ";")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert len(find_pairs(folder, labels=file).pairs) == 4


def test_the_order_of_rows_does_not_matter(nameless):
    folder, rows = nameless
    one = find_pairs(folder, labels=as_list(folder, rows))
    assert find_pairs(folder, labels=as_list(folder, rows[::-1])) == one


ORDERS = [
    ({"label": "expected"}, {"label": "no expectation"}),
    ({"label": "No_Expectation"}, {"label": "unexpected"}),
    ({"label": "EXPECTED"}, {"label": "unexpected"}),
    ({"more_plausible": True}, {"more_plausible": False}),
    ({"more_plausible": "yes"}, {"more_plausible": 0}),
    ({"label": "expected", "more_plausible": True}, {"label": "unexpected"}),
    ({"label": "expected"}, {"more_plausible": False}),
    ({"label": "no expectation", "more_plausible": True}, {"label": "unexpected", "why": "..."}),
]


@pytest.mark.parametrize(("more", "less"), ORDERS)
def test_values_that_mean_more_plausible(tmp_path, more, less):
    one, other = {"file": "a", "pair": 1, **more}, {"file": "b", "pair": 1, **less}
    for rows in ([one, other], [other, one]):
        files = read_labels(as_list(tmp_path, rows)).files
        assert (files["a"].member, files["b"].member) == ("e", "u")
        assert files["a"].pair == files["b"].pair == "1"


def test_swapped_labels_swap_the_score(nameless):
    folder, rows = nameless
    turned = {"expected": "unexpected", "unexpected": "expected"}
    swapped = [row | {"label": turned[row["label"]]} for row in rows]
    right, wrong = (
        evaluate(find_pairs(folder, labels=as_list(folder, some)), workers=1).overall
        for some in (rows, swapped)
    )
    assert right.correct + right.ties + wrong.correct == right.pairs


def test_without_tasks_the_folder_is_the_task(nameless):
    folder, rows = nameless
    for row in rows:
        row["pair"] = f"{row.pop('task')}-{row['pair']}"
    (folder / "object_permanence").mkdir()
    for row in rows[:2]:
        (folder / row["file"]).rename(folder / "object_permanence" / row["file"])
        row["file"] = f"./object_permanence/{row['file']}"
    found = find_pairs(folder, labels=as_list(folder, rows))
    assert [pair.task for pair in found.pairs] == ["object_permanence", *["scenes"] * 3]


def test_tasks_of_the_benchmark_come_first_by_any_of_their_names(nameless):
    folder, rows = nameless
    for row in rows[:4]:
        row["task"] = "agents_evaluation_multiple_agents"
    found = find_pairs(folder, labels=as_list(folder, rows))
    assert [pair.task for pair in found.pairs][::2] == ["multi_agent", "hiding"]
    assert len(find_pairs(folder, ["hiding"], labels=as_list(folder, rows)).pairs) == 2
    with pytest.raises(BadInput, match="no task hidden"):
        find_pairs(folder, ["hidden"], labels=as_list(folder, rows))


def test_files_without_labels_are_counted(nameless):
    folder, rows = nameless
    (folder / "film.mp4").write_bytes(b"")
    (folder / "notes.txt").write_text("")
    file = as_list(folder, rows[:6])
    inside = shutil.copy(file, folder / "labels.json")  # which is not counted
    (left,) = find_pairs(folder, labels=inside).left_out
    assert left.file == str(folder)
    assert left.why == "4 of its files are not labelled (first 006.json)"
    assert not left.unreadable


def test_a_zip_archive_with_labels(nameless, named, tmp_path):
    folder, rows = nameless
    with zipfile.ZipFile(tmp_path / "scenes.zip", "w") as archive:
        for row in rows:
            archive.write(folder / row["file"], f"deep/{row['file']}")
    labels = as_list(folder, [row | {"file": f"deep/{row['file']}"} for row in rows])
    assert judged(find_pairs(tmp_path / "scenes.zip", labels=labels)) == judged(named)


def test_an_archive_needs_no_labels(nameless, named, tmp_path):
    folder, rows = nameless
    labels = as_list(folder, rows)
    pack(find_pairs(folder, labels=labels), tmp_path / "a.parquet", workers=1)
    assert judged(tmp_path / "a.parquet") == judged(named)
    with pytest.raises(BadInput, match="leave --labels out"):
        find_pairs(tmp_path / "a.parquet", labels=labels)


def test_ratings_by_file_alone(nameless, tmp_path):
    folder, rows = nameless
    ratings = tmp_path / "ratings.csv"
    values = {"expected": 1, "unexpected": 0}
    lines = [f"/elsewhere/scenes/{row['file']},{values[row['label']]}" for row in rows]
    ratings.write_text("\n".join(["file,rating", *lines]))
    labels = read_labels(as_list(folder, rows))
    scores = score_ratings(read_ratings(ratings, labels)).tasks
    assert [(score.task, score.pairs, score.correct) for score in scores] == [
        ("preference", 2, 2),
        ("hiding", 2, 2),
    ]
    ratings.write_text("file,rating\nscenes/999.json,1\n")
    with pytest.raises(BadInput, match=r"row 1 .*'scenes/999.json' is not labelled"):
        read_ratings(ratings, labels)


# What can be wrong

A = {"file": "000.json", "pair": "p", "label": "expected"}
B = {"file": "001.json", "pair": "p", "label": "unexpected"}
WRONG: dict[str, tuple[Any, str]] = {
    "unknown file": ([A, B | {"file": "9.json"}], r"1 of 2 labelled files are not in .*9\.json"),
    "file in a folder": (
        [A | {"task": "t"}, B | {"task": "t", "file": "x/001.json"}],
        r"is it 001\.json\?",
    ),
    "capitals": ([A, B | {"file": "001.JSON"}], r"is it 001\.json\?"),
    "missing member": ([A], r"pair 'p' has only one member: 000\.json \(entry 1\)"),
    "other task": ([A, B | {"task": "t"}], "pair 'p' has only one member"),
    "three members": ([A, B, A | {"file": "002.json"}], "pair 'p' has 3 members"),
    "no order": ([A, B | {"label": "expected"}], r"both members of pair 'p' are 'expected'"),
    "unknown label": ([A, B | {"label": "odd"}], r"entry 2 \(001.json\): there is no label 'odd'"),
    "unknown truth": ([A, B | {"more_plausible": "?"}], "'more_plausible' is '\\?'"),
    "nothing said": ([A, {"file": "001.json", "pair": "p"}], "neither 'label' nor"),
    "no pair": ([A, {"file": "001.json", "label": "expected"}], "entry 2 .*which pair"),
    "no file": ([A, {"pair": "p", "label": "expected"}], "entry 2: .*which file"),
    "contradiction": ([A | {"more_plausible": False}, B], "contradict each other: 000.json"),
    "both more": ([A | {"more_plausible": True}, B | {"more_plausible": True}], "contradict"),
    "equal, yet more": (
        [A | {"more_plausible": True}, A | {"file": "001.json", "more_plausible": False}],
        "are 'expected'",
    ),
    "escape": ([A, B | {"file": "../001.json"}], "entry 2 .*not named from the dataset's folder"),
    "absolute": ([A, B | {"file": "/etc/passwd"}], "entry 2 .*not named from"),
    "the folder itself": ([A, B | {"file": "."}], "entry 2 .*not named from"),
    "an object as a file": ([A, B | {"file": {}}], r"entry 2 \(an object\): 'file' is neither"),
    "drive": ([A, B | {"file": "C:\\001.json"}], "entry 2 .*not named from"),
    "duplicate": ([A, B, B], r"001.json is labelled twice: entry 2 and entry 3"),
    "same by another name": ([A, B, B | {"file": "./001.json"}], "labelled twice"),
    "a list in a row": ([A, B | {"pair": ["p"]}], "'pair' is neither text nor a number"),
    "not a row": ([A, 7], "entry 2 is not an object"),
    "not a row of an object": ({"000.json": "expected"}, r"entry 1 \(000.json\) is not an object"),
    "empty list": ([], "there are no labels"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_are_reported_with_place_and_hint(case, nameless):
    folder, _ = nameless
    rows, words = WRONG[case]
    labels = _written(folder.with_name("labels.json"), json.dumps(rows))
    with pytest.raises(BadInput, match=words) as caught:
        find_pairs(folder, labels=labels)
    assert caught.value.place.file == str(labels)
    assert caught.value.hint


TEXTS = {
    "": "the file is empty",
    "[": "line 1: this is not JSON",
    '{"a.json": {"pair": 1,\n}}': "line 2: this is not JSON",
    "file,label\na.json,expected\n": "line 1: columns are missing",
    "some words": "line 1: columns are missing",
    "file,pair,label\na.json,1,expected\nb.json,1,odd\n": r"line 3 \(b.json\): there is no label",
    "file,pair,label\na.json,1,expected,more\n": "line 2 has more cells",
    'file,pair,label\na.json,"1,expected\n': "this is not CSV",
    '{"a.json": {"pair": 1, "label": "expected"}, "a.json": {"pair": 1, "label": "unexpected"}}': (
        "labelled twice: entry 1 and entry 2"
    ),
    '[{"file": "a.json", "pair": 1, "pair": 2, "label": "expected"}]': "entry 1 has 'pair' twice",
    '{"a.json": {"pair": ' + "9" * 5000 + "}}": "a number is too long",
    "file,pair,label,label\na.json,1,expected,expected\n": "the first line has 'label' twice",
    '"file"s,pair,label\n': "line 1: this is not CSV",
    "x" * 200_000 + ",file,pair,label\n": "this is not CSV: field larger",
    "[" * 100_000: "nested too deeply",
}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:20]))
def test_texts_that_are_not_labels(text, tmp_path):
    with pytest.raises(BadInput, match=TEXTS[text]):
        read_labels(_written(tmp_path / "labels", text))


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir, lambda p: p.write_bytes(b"\xff")])
def test_files_that_are_not_labels(make, tmp_path):
    make(tmp_path / "labels.json")
    with pytest.raises(BadInput, match=r"labels\.json"):
        read_labels(tmp_path / "labels.json")
