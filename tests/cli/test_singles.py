"""``hbtom judge --out``: one row per episode, from files and folders."""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path

import pytest
from pyarrow import parquet

import hbtom
from episodes import simple_episode, write, write_pairs
from hbtom.bench.correlation import correlate
from hbtom.bench.growing_file import Kept, journal_of
from hbtom.bench.single_results import kept_rows

LETTERS = "abcd"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data" / "deep").mkdir(parents=True)
    for letter in LETTERS:
        write(tmp_path / "data" / "deep" / f"{letter}.json", simple_episode())
    (tmp_path / "data" / "notes.txt").write_text("not an episode")
    return tmp_path / "data"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_one_row_per_episode_and_one_column_per_number(run, folder, tmp_path: Path) -> None:
    out = tmp_path / "results.csv"
    ran = run("judge", folder, "-o", out, "--workers", "1")
    assert (ran.status, ran.out) == (0, f"4 episodes in {out}\n")
    table = rows(out)
    assert [Path(row["file"]).stem for row in table] == list(LETTERS)
    judgement = hbtom.judge(table[0]["file"])
    assert float(table[0]["plausibility"]) == judgement.plausibility
    assert table[0]["explanation"] == judgement.explanation
    first, last = judgement.test.goal[[0, -1]].max(axis=1).tolist()
    assert float(table[0]["expected_probability"]) == first < 1
    assert float(table[0]["likeliest_probability"]) == last != first
    numbers = [name for name in table[0] if name.startswith(("part", "surprise", "likeliest_p"))]
    assert len(numbers) == 9
    assert all(math.isfinite(float(row[name])) for row in table for name in numbers)


def test_all_formats_hold_the_same(run, folder, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    for kind in ("csv", "jsonl", "parquet"):
        assert run("judge", folder, "-o", tmp_path / f"r.{kind}", "--workers", "1").status == 0
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert pandas.read_parquet(tmp_path / "r.parquet").to_dict("records") == lines
    table = rows(tmp_path / "r.csv")
    assert [float(row["plausibility"]) for row in table] == [one["plausibility"] for one in lines]
    assert not list(tmp_path.glob("*.part*"))


def test_resuming_judges_only_what_is_new(run, folder, tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    assert run("judge", folder, "-o", out).status == 0
    assert "exists already" in run("judge", folder, "-o", out).err
    text = out.read_text().replace("nothing surprising", "kept").splitlines(keepends=True)
    out.write_text("".join(text[:4]))  # the first three episodes
    write(folder / "deep" / "c.json", simple_episode())  # the third has changed since
    assert run("judge", folder, "-o", out, "--resume").status == 0
    assert ["kept" in row["explanation"] for row in rows(out)] == [True, True, False, False]


def test_a_journal_of_an_interrupted_run_is_continued(run, folder, tmp_path: Path) -> None:
    out, journal = tmp_path / "r.jsonl", tmp_path / "r.jsonl.part.jsonl"
    assert run("judge", folder, "-o", out).status == 0
    lines = out.read_text().replace("nothing surprising", "kept").splitlines(keepends=True)
    out.unlink()
    journal.write_text("".join(lines[:2]) + lines[2][:40])  # the third line is torn
    assert "--resume continues it" in run("judge", folder, "-o", out).err
    assert run("judge", folder, "-o", out, "--resume").status == 0
    table = [json.loads(line) for line in out.read_text().splitlines()]
    assert ["kept" in row["explanation"] for row in table] == [True, True, False, False]
    assert not journal.exists()


def test_a_torn_line_of_a_journal_is_removed(run, folder, tmp_path: Path) -> None:
    """Otherwise a run that is interrupted twice could not be resumed."""
    out = tmp_path / "r.jsonl"
    assert run("judge", folder, "-o", out).status == 0
    lines = out.read_text().splitlines(keepends=True)
    out.rename(journal_of(out))
    journal_of(out).write_text(lines[0] + lines[1][:40])
    with kept_rows(Kept(out, resume=True)) as (left, add):
        add(json.loads(lines[1]))
    assert left == [json.loads(lines[0])]
    assert journal_of(out).read_text() == "".join(lines[:2])


def test_results_without_a_stamp_are_refused(run, folder, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert run("judge", folder, "-o", out).status == 0
    first, *others = map(json.loads, out.read_text().splitlines())
    rows = [first | {"stamp": None}, *others]
    out.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    refused = run("judge", folder, "-o", out, "--resume")
    assert refused.status == 1
    assert "stamp" in refused.err
    assert "choose another name" in refused.err


def test_rows_of_other_episodes_and_models_are_never_lost(run, folder, tmp_path: Path) -> None:
    """Naming the wrong folder or model does not replace earlier results."""
    out = tmp_path / "r.csv"
    assert run("judge", folder, "-o", out).status == 0
    before, other = out.read_bytes(), write(tmp_path / "z.json", simple_episode())
    ran = run("judge", other, "-o", out, "--resume")
    assert (ran.status, ran.err.count("which is not judged here")) == (1, 1)
    ran = run("judge", folder, "-o", out, "--resume", "--model", "paper")
    assert (ran.status, ran.err.count("another model")) == (1, 1)
    assert out.read_bytes() == before
    assert run("judge", other, "-o", out, "--resume", "--overwrite").status == 0
    assert len(rows(out)) == 1


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_files_may_have_any_name(run, tmp_path: Path, kind: str) -> None:
    """On Linux, a file name is a sequence of bytes, which need not be valid in any encoding."""
    pytest.importorskip("pyarrow")
    try:
        file = write(tmp_path / os.fsdecode(b"a\xff.json"), simple_episode())
    except OSError:
        pytest.skip("names are letters here")
    for resume in ((), ("--resume",)):
        ran = run("judge", file, "-o", tmp_path / f"r.{kind}", *resume)
        assert (ran.status, ran.err) == (0, "")


def test_results_may_lie_among_tracks(run, folder) -> None:
    """The results file is not mistaken for a track when a run is resumed."""
    (folder / "scene.toml").write_text("size = [200, 200]\n")
    for resume in ((), ("--resume",)):
        ran = run("judge", folder, "-o", folder / "r.csv", *resume)
        assert (ran.status, ran.err.count("columns")) == (0, 0)


@pytest.mark.parametrize("name", ["damaged.zip", "damaged.parquet"])
def test_damaged_archives_in_a_folder_are_named(run, folder, tmp_path: Path, name: str) -> None:
    (folder / name).write_bytes(b"PAR1 PK damaged")
    for how in ((), ("-o", tmp_path / "r.csv")):
        ran = run("judge", folder, *how)
        assert (ran.status, ran.err.count(name)) == (1, 1)
    assert len(rows(tmp_path / "r.csv")) == 4


def test_files_that_cannot_be_judged_are_named_and_the_rest_is_kept(
    run, folder, tmp_path: Path
) -> None:
    (folder / "bad.json").write_text("[]")
    ran = run("judge", folder, "-o", tmp_path / "r.csv")
    assert ran.status == 1
    assert str(folder / "bad.json") in ran.err
    assert len(rows(tmp_path / "r.csv")) == 4


def test_one_reason_for_many_episodes_is_said_once(run, tmp_path: Path) -> None:
    packed, out = tmp_path / "packed.parquet", tmp_path / "out.csv"
    assert run("pack", write_pairs(tmp_path, ["preference"], pairs=3), packed).status == 0
    group = parquet.read_metadata(packed).row_group(0)
    columns = map(group.column, range(group.num_columns))
    (path,) = (one for one in columns if one.path_in_schema.startswith("path_x"))
    end = path.data_page_offset + path.total_compressed_size
    data = bytearray(packed.read_bytes())
    data[end - 400 : end - 380] = bytes(20)
    packed.write_bytes(data)
    ran = run("judge", packed, "--out", out, "--workers", "1")
    assert ran.status == 1
    (line,) = ran.err.splitlines()
    assert line.startswith(f"hbtom: {packed}: the archive is broken")
    assert line.endswith("(6 episodes)")


def test_a_folder_is_printed_like_its_files(run, folder) -> None:
    files = [folder / "deep" / f"{letter}.json" for letter in LETTERS]
    assert run("judge", folder).out == run("judge", *files).out


def test_a_folder_without_episodes(run, tmp_path: Path) -> None:
    ran = run("judge", tmp_path, "-o", tmp_path / "r.csv")
    assert ran.status == 1
    assert "there are no episodes in it" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_results_can_be_compared_with_people(run, folder, tmp_path: Path) -> None:
    write(folder / "e.json", simple_episode()[:1])
    out = tmp_path / "r.csv"
    assert run("judge", folder, "-o", out).status == 0
    measures = tmp_path / "m.csv"
    answers = ("0.1", "0.2", "0.3", "0.4", "0.9")
    lines = (f"{letter},{answer}\n" for letter, answer in zip("abcde", answers, strict=True))
    measures.write_text("file,rating\n" + "".join(lines))
    assert correlate(measures, {"model": out}, samples=10)


@pytest.mark.parametrize("option", ["--resume", "--overwrite"])
def test_options_of_results_need_a_file(run, folder, option: str) -> None:
    ran = run("judge", folder, option)
    assert (ran.status, "name it with --out" in ran.err) == (2, True)


def test_tracks_without_a_scene_are_counted(run, folder, tmp_path: Path) -> None:
    out = folder / "r.csv"
    for name in ("b.csv", "c.h5"):
        (folder / name).write_bytes(b"x,y\n1,2\n")
    for _ in range(2):  # results of an earlier run are not tracks
        ran = run("judge", folder, "-o", out, "--workers", "1", "--overwrite")
        assert (ran.status, ran.out) == (0, f"4 episodes in {out}\n")
        (line,) = ran.err.splitlines()
        assert "2 CSV or HDF5 files without a scene left out, such as" in line
        assert "--scene" in line
    out.unlink()
    ran = run("judge", folder)
    assert ran.status == 0
    assert "2 CSV or HDF5 files without a scene left out" in ran.err
