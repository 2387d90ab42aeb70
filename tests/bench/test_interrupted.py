"""Evaluations in processes of their own that are killed, or interrupted by Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from episodes import write_pairs
from hbtom.bench.evaluation import evaluate
from hbtom.bench.ratings import read_ratings
from hbtom.bench.results import decode, encode
from hbtom.cli import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc, and signals")

PAIRS = 16  # of two tasks
KINDS = [".csv", ".jsonl", ".parquet"]
STALLING = """
import os, sys, time
from hbtom.bench import sources

def endless(path, read=sources.file_bytes):
    while str(path) == os.environ.get("ENDLESS"):
        time.sleep(60)
    return read(path)

sources.file_bytes = endless
from hbtom.__main__ import start
start()
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    return write_pairs(folder, ["efficiency_path", "preference"], PAIRS // 2)


@pytest.fixture(scope="module")
def whole(data) -> dict[str, bytes]:
    """The files that an uninterrupted evaluation writes, by kind."""
    rows = evaluate(data, workers=1).rows
    return {kind: encode(rows, kind) for kind in KINDS}


@pytest.fixture(scope="module")
def table(data) -> str:
    """The output of an uninterrupted evaluation."""
    return run(data).stdout


@contextmanager
def endless(data: Path) -> Iterator[None]:
    """Keep `started` evaluations from ending: they never finish reading the last pair."""
    os.environ["ENDLESS"] = str(max((data / "preference").iterdir()))
    try:
        yield
    finally:
        del os.environ["ENDLESS"]


def grows(out: Path) -> Path:
    """Return the file that an evaluation adds rows to."""
    return out.with_name(out.name + ".part.jsonl") if out.suffix == ".parquet" else out


def rows_in(path: Path) -> int:
    if not path.exists():
        return 0
    return path.read_bytes().count(b"\n") - (path.suffix == ".csv")


@contextmanager
def started(*words: object) -> Iterator[subprocess.Popen[str]]:
    """Start an evaluation in its own group of processes, all of which are ended afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-c", STALLING, "evaluate", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@contextmanager
def running(*words: object, rows: int, out: Path) -> Iterator[subprocess.Popen[str]]:
    """Start an evaluation, and wait until it has written some rows."""
    with started(*words, "--out", out) as process:
        while rows_in(grows(out)) < rows:
            assert process.poll() is None, process.communicate()
            time.sleep(0.002)
        yield process


def run(*words: object) -> Result:
    """Evaluate within this process, which is faster if nothing is interrupted."""
    return CliRunner().invoke(main, ["evaluate", *map(str, words)])


def parent(process: int) -> int | None:
    """Return the parent of a process, or None if it has ended."""
    try:
        state, parent, *_ = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state == "Z" else int(parent)


def alive(process: int) -> bool:
    return parent(process) is not None


def children(process: int) -> list[int]:
    everybody = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return [one for one in everybody if parent(one) == process]


@pytest.mark.parametrize(("kind", "workers"), [(".csv", 1), (".jsonl", 2), (".parquet", 2)])
def test_nothing_is_lost_if_it_is_killed_repeatedly(data, whole, table, tmp_path, kind, workers):
    out = tmp_path / f"out{kind}"
    lines = whole[".jsonl" if kind == ".parquet" else kind]
    settings = (data, "--workers", workers, "--resume")
    with endless(data):
        for rows in (1, 16):  # pairs come in chunks, so there may be more
            with running(*settings, rows=rows, out=out) as process:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            content = grows(out).read_bytes()
            assert rows_in(grows(out)) >= rows
            assert lines.startswith(content)
            assert len(read_ratings(grows(out)).values) == rows_in(grows(out))
            assert out.exists() == (kind != ".parquet")
    ended = run(*settings, "--out", out)
    assert ended.exit_code == 0
    assert ended.stdout == table
    assert out.read_bytes() == whole[kind]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize(("kind", "workers"), [(".csv", 1), (".parquet", 2)])
def test_ctrl_c_ends_with_the_table_so_far(data, whole, tmp_path, kind, workers):
    out = tmp_path / f"out{kind}"
    with (
        endless(data),
        running(data, "--workers", workers, rows=8, out=out) as process,
    ):
        os.killpg(process.pid, signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    judged = rows_in(grows(out)) // 2
    assert process.returncode == 130
    assert f"interrupted: {judged} of {PAIRS} pairs were judged" in said
    assert "--resume" in said
    assert "Traceback" not in said
    assert len(said.splitlines()) == 1
    assert printed.splitlines()[-2].split()[:2] == ["all", str(judged)]
    assert run(data, "--out", out, "--resume").exit_code == 0
    assert out.read_bytes() == whole[kind]


def test_the_advice_after_ctrl_c_works_with_any_existing_file(data, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("precious")
    journal = out.with_name("out.csv.part.jsonl")
    with (
        endless(data),
        started(data, "--workers", 1, "--out", out, "--overwrite") as process,
    ):
        while rows_in(journal) < 8:
            assert process.poll() is None
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert said.endswith("the same command with --resume --overwrite continues\n")
    assert out.read_text() == "precious"
    assert run(data, "--out", out, "--resume", "--overwrite").exit_code == 0
    assert out.read_bytes() == whole[".csv"]
    assert not journal.exists()


def test_ctrl_c_without_a_file_says_how_one_would_help(data, tmp_path):
    with endless(data), started(data, "--workers", 2) as process:
        while len(children(process.pid)) < 2:  # as soon as there is anything to interrupt
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--out FILE" in said
    assert "Traceback" not in said


def test_a_killed_worker_ends_the_evaluation_with_a_message(data, whole, tmp_path):
    out = tmp_path / "out.parquet"
    with endless(data), running(data, "--workers", 2, rows=4, out=out) as process:
        os.kill(children(process.pid)[0], signal.SIGKILL)
        printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (1, "")
    (line,) = said.splitlines()
    assert "a worker process was killed" in line
    assert "memory" in line
    assert "--resume" in line
    assert rows_in(grows(out)) >= 4
    assert run(data, "--out", out, "--resume").exit_code == 0
    assert out.read_bytes() == whole[".parquet"]


def test_no_worker_survives_a_killed_parent(data, tmp_path):
    out = tmp_path / "out.csv"
    with endless(data), running(data, "--workers", 2, rows=4, out=out) as process:
        workers = children(process.pid)
        assert len(workers) == 2
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for _ in range(3000):
            if not any(map(alive, workers)):
                break
            time.sleep(0.01)
        assert not any(map(alive, workers))


def test_the_number_of_workers_does_not_matter(data, whole, tmp_path):
    for workers in (1, 3):
        out = tmp_path / f"{workers}.csv"
        assert run(data, "--workers", workers, "--out", out).exit_code == 0
        assert out.read_bytes() == whole[".csv"]
    assert len(decode(whole[".csv"], ".csv")) == 2 * PAIRS
