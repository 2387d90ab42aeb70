"""The progress line, which only people see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from episodes import write_pairs
from hbtom.cli.progress import judging, line, progress


@pytest.mark.parametrize(
    ("done", "lately", "seconds", "told"),
    [
        (0, 0, 0.0, "judging  0/100"),
        (30, 30, 60.0, "judging  30/100  0.5 pairs/s  2:20 left"),
        (90, 10, 0.1, "judging  90/100  100.0 pairs/s  0:00 left"),
        (90, 0, 5.0, "judging  90/100"),
        (1, 1, 120.0, "judging  1/100  0.0 pairs/s  3:18:00 left"),
        (100, 10, 2.0, "judging  100/100  5.0 pairs/s  0:00 left"),
    ],
)
def test_the_line_shows_progress_speed_and_remaining_time(done, lately, seconds, told) -> None:
    assert line("judging", done, 100, lately, seconds) == told


@pytest.mark.parametrize(("done", "lines"), [(0, 1), (1, 0)])
def test_many_pairs_without_a_compiler_give_one_line_of_advice(
    done: int, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with judging() as tell:
        tell(done, 501)
        tell(done + 1, 501)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == lines
    assert all("pip install '.[fast]'" in line for line in said)


@pytest.mark.parametrize(("lines", "told"), [(0.0, 2), (1e9, 0)])
def test_without_a_terminal_there_are_occasional_lines(
    lines: float, told: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress("training", "steps", lines=lines) as tell:
        tell(1, 9)
        tell(9, 9, "loss 2")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == told
    assert all(line.startswith("training  ") for line in said)
    assert not said or said[-1].endswith("loss 2")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_person_sees_one_line_that_changes(tmp_path: Path) -> None:
    import pty

    data = write_pairs(tmp_path / "data", ["preference"], 5)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hbtom", "evaluate", str(data), "--workers", "1"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs)
    printed, _ = started.communicate(timeout=60)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert started.returncode == 0
    assert shown.startswith("\rjudging pairs  0/5")
    assert shown.count("\n") == 1
    last = shown.rstrip().rpartition("\r")[2]
    assert last.startswith("judging pairs  5/5  ")
    assert "pairs/s" in last
    assert b"judging" not in printed


def test_a_program_sees_nothing(spawn, tmp_path: Path) -> None:
    data = write_pairs(tmp_path / "data", ["preference"], 1)
    ran = spawn("evaluate", data)
    assert (ran.status, ran.err) == (0, "")
