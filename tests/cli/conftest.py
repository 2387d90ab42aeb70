"""Two ways to run the command line: in this process, which is fast, and in a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from episodes import simple_episode, write
from hbtom.cli import main


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

    status: int
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        """The lines of standard error."""
        return self.err.splitlines()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run ``hbtom`` in this process; an unhandled error fails the test."""

    def ran(*words: str | Path) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words], prog_name="hbtom")
        written = capsys.readouterr()
        return Ran(int(caught.value.code or 0), written.out, written.err)

    return ran


@pytest.fixture
def spawn() -> Callable[..., Ran]:
    """Run ``python -m hbtom`` in a process of its own, which must end by itself."""

    def ran(
        *words: str | Path | bytes, input: bytes | None = None, memory: int | None = None
    ) -> Ran:
        def limit() -> None:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        finished = subprocess.run(
            [sys.executable, "-m", "hbtom", *words],
            input=input,
            capture_output=True,
            timeout=120,
            check=False,
            preexec_fn=limit if memory and os.name == "posix" else None,
        )
        return Ran(finished.returncode, finished.stdout.decode(), finished.stderr.decode())

    return ran


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A file with a small episode that can be judged."""
    return write(tmp_path / "good.json", simple_episode())
