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
    """Run a command that Ctrl-C reaches when it imports a module."""
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
        ("hbtom.cli.verbs.benchmark", ["--help"]),
        ("numpy", ["judge", "data/preference/00e.json.gz"]),
        ("hbtom.judgement.fit", ["fit", "data", "-o", "model.toml"]),
        ("hbtom.bench.evaluation", ["evaluate", "data"]),
        ("hbtom.bench.archive", ["pack", "data", "data.parquet"]),
        ("hbtom.bench.conversion", ["convert", "data", "scenes", "--to", "mcs"]),
        ("hbtom.observe.mcs.writing", ["convert", "data", "scenes", "--to", "mcs"]),
        ("hbtom.bench.synth.generate", ["generate", "made", "--pairs", "1"]),
        ("hbtom.bench.download.server", ["download", "preference"]),
        ("hbtom.model", ["model", "list"]),
        ("hbtom.show.report.files", ["report", "results.csv", "-o", "report.html"]),
        ("hbtom.cli.view", ["view", "data"]),
        ("hbtom.show.server.guard", ["view", "data"]),
        ("hbtom.show.server.catalogue", ["view", "data"]),
    ],
)
def test_it_ends_with_one_line(tmp_path: Path, moment: str, words: list[str]) -> None:
    write_pairs(tmp_path / "data", ["preference"], 1)
    ran = interrupted(moment, *words, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (130, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("hbtom: interrupted")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("moment", ["uvicorn.lifespan.on", "uvicorn.loops.asyncio"])
def test_a_server_that_just_starts_ends_as_one_that_runs(tmp_path: Path, moment: str) -> None:
    pytest.importorskip("uvicorn")
    data = write_pairs(tmp_path / "data", ["preference"], 1)
    ran = interrupted(moment, "view", data, "--no-open", "--port", "0", cwd=tmp_path)
    assert ran.returncode == 0
    assert ran.stderr == f"hbtom: showing 1 pair of {data}; Ctrl-C ends it\n"
