"""Ctrl-C at any moment: one line, status 130, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from episodes import write_pairs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as posix has them")


def interrupted(moment: str, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command, and send Ctrl-C when it imports a module."""
    program = f"""
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {moment!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
from hbtom.__main__ import start
start()
"""
    command = [sys.executable, "-c", program, *map(str, words)]
    cache = {**os.environ, "HBTOM_CACHE": str(cwd / "cache")}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd=cwd, env=cache
    )


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("click", ["judge", "nothing.json"]),
        ("numpy", ["judge", "data/preference/00e.json.gz"]),
        ("hbtom.bench.evaluation", ["evaluate", "data"]),
        ("hbtom.observe.mcs.export", ["convert", "data", "scenes", "--to", "mcs"]),
        ("hbtom.bench.synth.generate", ["generate", "made", "--pairs", "1"]),
        ("hbtom.bench.download.http_request", ["download", "preference"]),
        ("hbtom.show.report.saving", ["report", "results.csv", "-o", "report.html"]),
        ("hbtom.show.server.catalogue", ["browse", "data"]),
        ("hbtom.show.studio.studio_app", ["studio"]),
        ("hbtom.bench.designing", ["design", "default", "paper", "--out", "found"]),
    ],
)
def test_ctrl_c_ends_with_one_line(tmp_path: Path, moment: str, words: list[str]) -> None:
    write_pairs(tmp_path / "data", ["preference"], 1)
    ran = interrupted(moment, *words, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (130, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("hbtom: interrupted")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_ctrl_c_is_not_lost_where_python_would_ignore_it(tmp_path: Path) -> None:
    """Python ignores it, for example, in callbacks of weak references, common during imports."""
    program = """
import os, signal, sys, time, weakref
class Thing: pass
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            sys.meta_path.remove(self)
            thing = Thing()
            self.reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
            del thing
            time.sleep(60)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
from hbtom.__main__ import start
start()
"""
    command = [sys.executable, "-c", program, "judge", "nothing.json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (ran.returncode, ran.stderr) == (130, "hbtom: interrupted\n")


@pytest.mark.parametrize("moment", ["uvicorn.lifespan.on", "uvicorn.loops.asyncio"])
def test_a_starting_server_ends_like_a_running_one(tmp_path: Path, moment: str) -> None:
    pytest.importorskip("uvicorn")
    data = write_pairs(tmp_path / "data", ["preference"], 1)
    ran = interrupted(moment, "browse", data, "--no-open", "--port", "0", cwd=tmp_path)
    assert ran.returncode == 0
    assert ran.stderr == f"hbtom: showing 1 pair of {data}; Ctrl-C ends it\n"
