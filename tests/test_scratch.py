"""Locks and folders that are removed with the process that made them, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from episodes import write_pairs
from hbtom.files import write_whole
from hbtom.scratch import Taken, alone, let_go, remove_remains, scratch

posix = pytest.mark.skipif(os.name != "posix", reason="kills itself as posix does")


def killed(program: str, *words: object) -> None:
    """Run a program that kills itself."""
    start = "import os, signal, sys\nfrom pathlib import Path\nfrom hbtom.scratch import *\n"
    end = "\nos.kill(os.getpid(), signal.SIGKILL)"
    command = [sys.executable, "-c", start + program + end, *map(str, words)]
    assert subprocess.run(command, check=False, timeout=60).returncode == -signal.SIGKILL


def in_another_process(program: str, *words: object) -> str:
    start = "import sys\nfrom pathlib import Path\nfrom hbtom.scratch import *\n"
    command = [sys.executable, "-c", start + program, *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def test_a_folder_is_removed_at_the_end(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        (folder / "part").write_text("x")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ZeroDivisionError), scratch(tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@posix
def test_remains_of_a_killed_run_are_removed_by_the_next(tmp_path: Path) -> None:
    killed(
        "here = scratch(Path(sys.argv[1]))\nfolder = here.__enter__()\n"
        "(folder / 'deep').mkdir()\n(folder / 'deep' / 'part').write_text('x')",
        tmp_path,
    )
    assert len(list(tmp_path.iterdir())) == 1
    write_whole(tmp_path / "mine.csv", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


@posix
@pytest.mark.parametrize(
    ("work", "target"),
    [
        ("from hbtom.bench.dataset_packing import pack\npack(source, target, {})", "a.parquet"),
        ("from hbtom.bench.conversion import convert\nconvert(source, target, 'mcs', {})", "a"),
    ],
)
def test_no_command_leaves_anything_behind(tmp_path: Path, work: str, target: str) -> None:
    source = write_pairs(tmp_path / "data", ["preference"], 1, scale=2)
    there = tmp_path / "there"
    there.mkdir()
    words = "source, target = map(Path, sys.argv[1:])\n"
    kill = "progress=lambda done, _: done and os.kill(os.getpid(), signal.SIGKILL), workers=1"
    killed(words + work.format(kill), source, there / target)
    left = [path.name for path in there.iterdir()]
    assert left
    assert all(".hbtom-" in name for name in left)
    in_another_process(words + work.format("workers=1"), source, there / target)
    assert [path.name for path in there.iterdir()] == [target]


def test_folders_of_a_running_process_are_kept(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        (folder / "part").write_text("x")
        in_another_process("remove_remains(Path(sys.argv[1]))", tmp_path)
        remove_remains(tmp_path)
        assert (folder / "part").read_text() == "x"


def test_similar_folders_are_left_alone(tmp_path: Path) -> None:
    """A user's folder has no lock in it, and links are not followed."""
    theirs = tmp_path / ".hbtom-0123456789abcdef"
    theirs.mkdir()
    (theirs / "precious").write_text("x")
    for name in (".hbtom-notes", ".hbtom-my-own-notes-000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".lock").write_text("")
    aim = tmp_path / "aim"
    aim.mkdir()
    (aim / ".lock").write_text("")
    (tmp_path / ".hbtom-0123456789abcdee").symlink_to(aim)
    before = sorted(tmp_path.rglob("*"))
    remove_remains(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@posix
def test_remains_of_other_users_are_left_alone(tmp_path: Path, monkeypatch) -> None:
    theirs = tmp_path / ".hbtom-0123456789abcdef"
    theirs.mkdir()
    (theirs / ".lock").write_text("")
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: theirs.stat().st_uid + 1)
        remove_remains(tmp_path)
    assert (theirs / ".lock").exists()
    remove_remains(tmp_path)
    assert not theirs.exists()


@posix
def test_a_folder_is_locked_until_it_is_empty(tmp_path: Path, monkeypatch) -> None:
    """A process that takes the lock once it is free finds it gone, and makes its own folder."""
    left = tmp_path / ".hbtom-0123456789abcdef"
    left.mkdir()
    (left / ".lock").write_text("")
    (left / "part").write_text("x")
    there: list[list[Path]] = []

    def look(handle: int) -> None:
        there.append(list(left.iterdir()))
        let_go(handle)
        (left / "new").write_text("x")

    monkeypatch.setattr("hbtom.scratch.let_go", look)
    remove_remains(tmp_path)
    assert there == [[]]
    assert (left / "new").exists()


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), scratch(tmp_path / "nowhere"):
        pass


def test_only_one_process_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    attempt = (
        "try:\n    with alone(Path(sys.argv[1])):\n        print('free')\n"
        "except Taken:\n    print('taken')"
    )
    with alone(file):
        with pytest.raises(Taken), alone(file):
            pass
        assert in_another_process(attempt, file) == "taken\n"
        with alone(tmp_path / "b.csv"):
            pass
    assert in_another_process(attempt, file) == "free\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_lock_is_not_inherited(tmp_path: Path) -> None:
    """A worker that briefly survives its parent does not keep the next run from starting."""
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom hbtom.scratch import alone\n"
        "with alone(Path(sys.argv[1])):\n"
        "    if os.fork():\n        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    os.write(1, b'.')\n    sys.stdin.read()\n    os._exit(0)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a.csv")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(60) == -signal.SIGKILL
        assert process.stdout is not None
        assert process.stdout.read(1) == b"."  # the child is running
        with alone(tmp_path / "a.csv"):  # while it is still reading
            pass
