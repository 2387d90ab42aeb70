"""Runs cases in a worker process, and replaces it after it has died or run many cases."""

from __future__ import annotations

import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import seeds
from targets import TARGETS, Files

SECONDS, MEGABYTES = 20.0, 1024
_PATIENCE = 300.0  # extra seconds to wait for a worker, since the machine may be busy
_CASES = 300  # per worker
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # other pools take more memory than they need
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


class Runner:
    """Runs cases; a finding counts only if a fresh worker reproduces it."""

    def __init__(self, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        self._limits = seconds, megabytes
        self._home = Path(tempfile.mkdtemp(prefix="fuzz-"))
        self._worker: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None
        self._cases = 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def findings(self, kind: str, files: Files) -> list[str]:
        """Return what hbtom does wrong with these files."""
        found = self._once(kind, files)
        if found and self._cases > 1:
            self._stop()
            found = self._once(kind, files)
        return found

    def _once(self, kind: str, files: Files) -> list[str]:
        if self._worker is None or self._cases >= _CASES:
            self._stop()
            self._start()
        self._cases += 1
        folder = self._home / "case"
        shutil.rmtree(folder, ignore_errors=True)
        seeds.write({**TARGETS[kind].beside(), **files}, folder)
        return self._answer([str(folder), TARGETS[kind].commands(list(files))])

    def _answer(self, question: object) -> list[str]:
        worker = self._worker
        assert worker is not None
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(question) + "\n")
        worker.stdin.flush()
        with selectors.DefaultSelector() as waiting:
            waiting.register(worker.stdout, selectors.EVENT_READ)
            late = not waiting.select(self._limits[0] + _PATIENCE)
        line = "" if late else worker.stdout.readline()
        if line:
            answer: list[str] = json.loads(line)
            return answer
        if late:
            worker.kill()
        return [_last_words(worker.wait(), self._stop(), late, *self._limits)]

    def _start(self) -> None:
        temporary = self._home / "tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        own = {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(self._home / "cache")}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._worker = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("worker.py"), *map(str, self._limits)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **_ENVIRONMENT, **own},
            text=True,
        )
        self._cases = 0

    def _stop(self) -> str:
        """End the worker, and return its standard error."""
        if self._worker is None or self._errors is None:
            return ""
        self._worker.kill()
        self._worker.wait()
        for pipe in (self._worker.stdin, self._worker.stdout):
            assert pipe is not None
            pipe.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")
        self._errors.close()
        self._worker = self._errors = None
        return said


def _last_words(status: int, said: str, late: bool, seconds: float, megabytes: int) -> str:
    """Say why a worker has died."""
    if late:
        return f"it did not end, because it waits for something\n{said[-2000:]}"
    if status == -signal.SIGPROF:
        return f"it takes more than {seconds:g} s of processor time\n{said[-2000:]}"
    how = signal.Signals(-status).name if status < 0 else f"status {status}"
    return f"it took the whole process down: {how}\n{said[-2000:]}"


def essence(finding: str) -> str:
    """Return what findings with the same cause have in common: the end of the message."""
    places = re.findall(r'File "[^"]*hbtom/([^"]+)", line (\d+)', finding)
    return f"{places[-1:]} {re.sub(r'[0-9]+', '0', finding.strip().splitlines()[-1])[:80]}"


def reproduced(folder: Path) -> tuple[str, Files]:
    """Return the kind and the files of a saved case, whose folder is called KIND-..."""
    files: Mapping[str, bytes] = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return folder.name.split("-")[0], dict(files)
