"""A process that runs cases one after another, within limits of time and memory.

For each case it reads a line of JSON, ``[folder, commands]``, and writes a line with what was
wrong. A case that takes too long ends the process with a traceback.
"""

from __future__ import annotations

import faulthandler
import hashlib
import io
import json
import os
import re
import resource
import shlex
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from hbtom.cli import main
from targets import Command, Files, finite

LARGEST_FILE = 1 << 28
LONGEST = 300  # characters of a message
# Python's own words, which should not appear in a message for people
PYTHON = re.compile(r"Traceback|NoneType|has no attribute|not subscriptable|index out of range")


def wrong(folder: Path, commands: Sequence[Command]) -> list[str]:
    """Return what hbtom does wrong, one text for each problem; refusing the input is right."""
    found = []
    for command in commands:
        before = contents(folder)
        status, out, err = ran(folder, command)
        problems = list(_problems(status, out, err, "json" in command))
        if status != 0 and not out and contents(folder) != before:
            problems.append("it failed, but changed or left files")
        if os.listdir(tempfile.gettempdir()):
            problems.append(f"it left temporary files: {os.listdir(tempfile.gettempdir())}")
        if children():
            problems.append("it left a process running")
        found += [f"hbtom {shlex.join(command)}\n{problem}" for problem in problems]
        for name in set(contents(folder)) - set(before):
            (folder / name).unlink()
    return found


def children() -> bool:
    """Return whether this process has child processes that are running or were not waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def ran(folder: Path, command: Command) -> tuple[int | str, str, str]:
    """Run a command; return its status, or else the traceback, and what it has written."""
    os.chdir(folder)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    status: int | str = 0
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            main(command, prog_name="hbtom")
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            status = traceback.format_exc(limit=-8)
    return status, _written(out), _written(err)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]


def _problems(status: int | str, out: str, err: str, as_json: bool) -> list[str]:
    if isinstance(status, str):
        return [status]
    problems = []
    if status not in (0, 1, 2):
        problems.append(f"its status is {status}")
    if status == 1 and not err.startswith("hbtom: ") and "\nhbtom: " not in err:
        problems.append("it failed without a message")
    if status == 1 and any(len(line) > LONGEST for line in err.splitlines()):
        problems.append(f"its message has more than {LONGEST} characters: {err[:600]}")
    if PYTHON.search(err):
        problems.append(f"its message is for programmers: {err[:300]}")
    if not all(line.isprintable() for line in err.split("\n")):
        problems.append(f"its message contains control characters: {err[:300]!r}")
    if as_json and out:
        try:
            finite(out)
        except ValueError as error:
            problems.append(f"its output is not JSON: {error}")
    return problems


def contents(folder: Path) -> Files:
    """Return digests of all files of a folder, which may be larger than memory."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            found[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").digest()
    return found


def limit(megabytes: int) -> None:
    """Limit the memory that this process may take in addition to what it has now."""
    for library in ("numpy", "pyarrow.parquet", "hbtom.bench.evaluation", "hbtom.show.report"):
        __import__(library)
    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = has + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def serve(seconds: float, megabytes: int) -> None:
    """Run cases until there are no more; the time limit is on processor time, whatever the load."""
    limit(megabytes)
    faulthandler.register(signal.SIGPROF, all_threads=False, chain=True)  # then it ends the process
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        folder, commands = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        start = time.process_time()
        found = wrong(Path(folder), commands)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if time.process_time() - start > seconds:  # less than a tick of the timer
            found.append(f"it takes more than {seconds:g} s of processor time")
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]))
