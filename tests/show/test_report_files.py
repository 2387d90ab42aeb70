"""Reports on disk: their pages, what is missing and why, and what is never overwritten."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import hbtom
from episodes import simple_episode, write
from hbtom.bench import Evaluation
from hbtom.bench.dataset_packing import pack
from hbtom.bench.results import write_rows
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.show.report import saving as files
from hbtom.show.report import write_report
from hbtom.show.report.viewers import page_names


def data_of(path: Path) -> dict[str, Any]:
    """Return the data of a report."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def links_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the links of a report, by task and name of their pairs."""
    data = data_of(path)
    pairs, tasks = data["pairs"], data["tasks"]
    return {
        f"{tasks[pairs['task'][int(place)]]['name']}/{pairs['name'][int(place)]}": link
        for place, link in data["links"].items()
    }


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# Pages


def test_pairs_can_be_watched_one_click_away(evaluation: Evaluation, tmp_path: Path) -> None:
    written = write_report(evaluation, tmp_path / "my report #1.html")
    folder = tmp_path / "my report #1-pages"
    assert names_in(tmp_path) == ["my report #1-pages", "my report #1.html"]
    assert (written.folder, written.pages, written.missing) == (folder, 4, ())
    links = links_of(written.path)
    assert set(links) == {"/".join(name) for name in evaluation.ratings}
    for name, link in links.items():
        assert not link["address"].startswith("/")
        assert ":" not in link["address"]
        page = tmp_path / unquote(link["address"])
        assert page.parent == folder
        text = page.read_text(encoding="utf-8")
        pair = name.split("/")[1]
        assert f"<title>{pair}e.json and {pair}u.json.gz – hbtom</title>" in text
        assert len(link["words"]) == 2
    assert "4 pairs can be watched" in data_of(written.path)["note"]
    assert "my report #1-pages" in data_of(written.path)["note"]


def test_the_words_are_about_the_right_member(evaluation: Evaluation, tmp_path: Path) -> None:
    links = links_of(write_report(evaluation, tmp_path / "report.html").path)
    expected, unexpected = links["preference/000001"]["words"]
    assert expected.startswith("went to heart.png")
    assert unexpected.startswith("expected heart.png")
    assert links["preference/000002"]["words"] == [unexpected, expected]


def test_wrong_pairs_come_first_if_there_are_few_pages(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    written = write_report(evaluation, tmp_path / "report.html", pages=2)
    assert set(links_of(written.path)) == {"/".join(name) for name in evaluation.wrong}
    assert names_in(tmp_path / "report-pages") == [
        "preference-000002.html",
        "preference-000003.html",
    ]
    assert (
        "One page" in data_of(write_report(evaluation, tmp_path / "one.html", pages=1).path)["note"]
    )


def test_without_pages_there_is_no_folder(evaluation: Evaluation, tmp_path: Path) -> None:
    written = write_report(evaluation, tmp_path / "report.html", pages=0)
    assert names_in(tmp_path) == ["report.html"]
    assert (written.folder, written.pages, written.missing) == (None, 0, ())
    assert data_of(written.path)["note"] == ""


def test_reports_and_pages_are_reproducible(evaluation: Evaluation, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_report(evaluation, tmp_path / folder / "report.html")
    one, two = tmp_path / "one", tmp_path / "two"
    files = [path.relative_to(one) for path in sorted(one.rglob("*.html"))]
    assert len(files) == 5
    for file in files:
        assert (one / file).read_bytes() == (two / file).read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of posix")
def test_other_users_can_read_reports_on_a_file_share(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    before = os.umask(0o022)
    try:
        write_report(evaluation, tmp_path / "report.html")
    finally:
        os.umask(before)
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "report-pages").stat().st_mode & 0o777 == 0o755
    for page in (tmp_path / "report-pages").iterdir():
        assert page.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("kind", ["zip", "parquet"])
def test_episodes_are_found_in_archives(benchmark: Path, tmp_path: Path, kind: str) -> None:
    archive = tmp_path / f"data.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for file in sorted(benchmark.rglob("*.json*")):
                packed.write(file, file.relative_to(benchmark))
    else:
        pack(benchmark, archive, workers=1)
    hbtom.evaluate(archive, out=tmp_path / "results.csv", workers=1)
    written = write_report(tmp_path / "results.csv", tmp_path / "report.html")
    assert (written.pages, written.missing) == (4, ())


@pytest.mark.parametrize(
    ("names", "files"),
    [
        ([("a/b", "../c")], ["a-b-c.html"]),
        ([("a", "b c"), ("a", "b\tc"), ("A", "B_C")], ["a-b-c.html", "a-b-c-2.html", "A-B_C.html"]),
        ([("a", "b"), ("A", "B")], ["a-b.html", "A-B-2.html"]),
        ([("é", "漢"), ("", "")], ["pair.html", "pair-2.html"]),
        ([("t" * 300, "1"), ("t" * 300, "2")], [f"{'t' * 80}.html", f"{'t' * 80}-2.html"]),
    ],
)
def test_pages_have_names_that_every_file_system_allows(
    names: list[tuple[str, str]], files: list[str]
) -> None:
    assert list(page_names(names).values()) == files


# What is missing


@pytest.fixture
def moved(evaluation: Evaluation, benchmark: Path, tmp_path: Path) -> Path:
    """Results whose episodes are no longer where they were judged."""
    rows = [
        replace(row, file=row.file.replace(str(benchmark), str(tmp_path / "gone")))
        for row in evaluation.rows
    ]
    write_rows(rows, tmp_path / "results.csv")
    return tmp_path / "results.csv"


def test_pairs_whose_episodes_are_gone_are_kept_with_a_note(moved: Path, tmp_path: Path) -> None:
    written = write_report(moved, tmp_path / "report.html")
    assert (written.folder, written.pages) == (None, 0)
    assert len(written.missing) == 4
    links = links_of(written.path)
    assert len(links) == 4
    for link in links.values():
        assert link["address"] == ""
        assert "no such file" in link["missing"]
        assert str(tmp_path / "gone") in link["missing"]
    assert data_of(written.path)["wrong"] == [1, 2]


def test_a_dataset_says_where_episodes_are_now(
    moved: Path, benchmark: Path, tmp_path: Path
) -> None:
    assert write_report(moved, tmp_path / "report.html", dataset=benchmark).pages == 4


def test_a_pair_that_is_now_judged_differently_is_not_shown(
    evaluation: Evaluation, benchmark: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(benchmark, tmp_path / "data")
    (copy / "preference" / "000002e.json").unlink()
    write(copy / "preference" / "000002e.json", simple_episode(3))
    written = write_report(evaluation, tmp_path / "report.html", dataset=copy)
    assert written.pages == 3
    [why] = written.missing
    assert why.startswith("preference/000002: member e is now judged differently")


def test_an_episode_that_is_now_broken_is_not_shown(
    evaluation: Evaluation, benchmark: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(benchmark, tmp_path / "data")
    (copy / "preference" / "000003u.json.gz").write_bytes(b"[[")
    written = write_report(evaluation, tmp_path / "report.html", dataset=copy)
    assert written.pages == 3
    [why] = written.missing
    assert why.startswith("preference/000003: member u can no longer be read")


def test_without_the_model_it_says_why_nothing_can_be_watched(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    written = write_report(evaluation, tmp_path / "report.html", model="paper")
    assert (written.pages, written.folder) == (0, None)
    [why] = written.missing
    assert evaluation.model.fingerprint in why
    assert why in data_of(written.path)["note"]
    assert links_of(written.path) == {}


# What is overwritten, and what is not


def test_existing_files_are_not_overwritten_by_default(
    evaluation: Evaluation, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    write_report(evaluation, report)
    before = report.read_bytes()
    with pytest.raises(BadInput, match="exists already"):
        write_report(evaluation, report, pages=1)
    report.unlink()
    with pytest.raises(BadInput, match="folder for its pages exists already"):
        write_report(evaluation, report, pages=1)
    assert len(names_in(tmp_path / "report-pages")) == 4
    write_report(evaluation, report, overwrite=True)
    assert report.read_bytes() == before
    write_report(evaluation, report, pages=1, overwrite=True)
    assert len(names_in(tmp_path / "report-pages")) == 1
    write_report(evaluation, report, pages=0, overwrite=True)
    assert names_in(tmp_path) == ["report.html"]


@pytest.mark.parametrize("mine", ["notes.txt", "notes.html"])
def test_a_folder_with_other_files_is_left_alone(
    evaluation: Evaluation, tmp_path: Path, mine: str
) -> None:
    write_report(evaluation, tmp_path / "report.html", pages=1)
    note = tmp_path / "report-pages" / mine
    note.write_text("mine")
    with pytest.raises(BadInput, match="there are other files"):
        write_report(evaluation, tmp_path / "report.html", overwrite=True)
    assert note.read_text() == "mine"
    assert len(names_in(tmp_path / "report-pages")) == 2


def test_nothing_is_left_behind_if_it_fails_midway(evaluation: Evaluation, tmp_path: Path) -> None:
    def stop(done: int, pages: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_report(evaluation, tmp_path / "report.html", progress=stop)
    assert names_in(tmp_path) == []
    write_report(evaluation, tmp_path / "report.html")
    before = names_in(tmp_path / "report-pages")
    with pytest.raises(KeyboardInterrupt):
        write_report(evaluation, tmp_path / "report.html", overwrite=True, progress=stop)
    assert names_in(tmp_path) == ["report-pages", "report.html"]
    assert names_in(tmp_path / "report-pages") == before


# The command


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

    status: int
    out: str
    err: str


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Run ``hbtom`` in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def ran(*words: str | Path) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words], prog_name="hbtom")
        written = capsys.readouterr()
        return Ran(int(caught.value.code or 0), written.out, written.err)

    return ran


def test_the_command_writes_a_report_and_says_where(
    run, evaluation: Evaluation, tmp_path: Path
) -> None:
    write_rows(evaluation.rows, tmp_path / "results.jsonl")
    ran = run("report", "results.jsonl", "-o", "report.html", "--pages", "2")
    assert (ran.status, ran.out, ran.err) == (0, "report.html\n", "")
    assert len(names_in(tmp_path / "report-pages")) == 2
    again = run("report", "results.jsonl", "-o", "report.html")
    assert (again.status, again.out) == (1, "")
    assert "--overwrite" in again.err


def test_the_command_says_what_cannot_be_watched(run, moved: Path, tmp_path: Path) -> None:
    ran = run("report", moved, "-o", "report.html")
    assert (ran.status, ran.out) == (0, "report.html\n")
    assert "no page to watch" in ran.err
    assert "and 3 more" in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("results.csv", "-o", "report.txt"), 1),
        (("results.csv", "-o", "nowhere/report.html"), 1),
        (("nothing.csv", "-o", "report.html"), 1),
        (("results.csv", "-o", "report.html", "--dataset", "nowhere"), 1),
        (("results.csv", "-o", "report.html", "--model", "nobody"), 1),
        (("results.csv",), 2),
        (("results.csv", "-o", "report.html", "--pages", "-1"), 2),
    ],
)
def test_a_failing_command_leaves_nothing_behind(
    run, evaluation: Evaluation, tmp_path: Path, words: tuple[str, ...], status: int
) -> None:
    write_rows(evaluation.rows, tmp_path / "results.csv")
    ran = run("report", *words)
    assert (ran.status, ran.out) == (status, "")
    assert "Traceback" not in ran.err
    assert names_in(tmp_path) == ["results.csv"]


def test_evaluating_can_end_in_a_report(run, benchmark: Path, tmp_path: Path) -> None:
    words = ("evaluate", benchmark, "--workers", "1", "--report", "report.html")
    ran = run(*words)
    assert ran.status == 0
    assert ran.out.endswith("report report.html\n")
    assert len(names_in(tmp_path / "report-pages")) == 4
    refused = run(*words)
    assert (refused.status, refused.out) == (1, "")  # before anything was judged
    more = ("--overwrite", "--out", "results.csv", "--format", "json")
    ran = run(*words, *more)
    assert json.loads(ran.out)["overall"]["pairs"] == 4
    from_file = run("report", "results.csv", "-o", "other.html", "--dataset", benchmark)
    assert from_file.status == 0
    one, other = (tmp_path / name for name in ("report.html", "other.html"))
    assert one.read_text().replace("report-pages", "other-pages") == other.read_text()


def test_resuming_does_not_replace_an_existing_report(run, benchmark: Path, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    words = ("evaluate", benchmark, "--out", "results.csv", "--resume", "--report", "report.html")
    ran = run(*words)
    assert (ran.status, ran.out) == (1, "")
    assert "hbtom report" in ran.err
    assert names_in(tmp_path) == ["report.html"]


def test_a_pipe_among_the_pages_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "page.html")
    assert not files._is_page(tmp_path / "page.html")
