"""Compiled kernels: the same numbers as in plain Python, and nothing that can get in the way."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import computed
import goldens
import hbtom
from episodes import simple_episode, write
from hbtom import compiled, judge
from hbtom.mind.policy import log_headings
from hbtom.plan import cost_to_go

HERE = Path(__file__).parent
needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="there is no compiler: numba is not installed"
)


def run(*arguments: str, **environment: str) -> str:
    """Run Python, with warnings as errors, in a process of its own; return what it prints."""
    paths = os.pathsep.join([str(Path(hbtom.__file__).parents[1]), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# The same numbers


@needs_numba
def test_plain_and_compiled_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    """In one test, because compiling takes its time when nothing is in the cache folder yet."""
    with ThreadPoolExecutor() as pool:
        compiling = pool.submit(run, str(HERE / "computed.py"), str(tmp_path / "results"))
        here = computed.everything()
        compiling.result()
    results = pickle.loads((tmp_path / "results").read_bytes())
    assert results["never called"] == []
    there = results["everything"]
    assert list(there) == list(here)
    assert [name for name, value in there.items() if value != here[name]] == []
    assert len(results["needed only"]) == 2 * computed.SMALL
    left_out = [check_needed(*both) for both in enumerate(results["needed only"])]
    assert sum(left_out) > 500  # or leaving out would not have been tested
    for model, wanted in goldens.read("synthetic").items():
        assert goldens.difference(results["golden"][model], wanted) < 1e-9, model


def check_needed(seed: int, partial: np.ndarray) -> int:
    """Check a field that was solved for some cells only; return how many were left out."""
    blocked, seeds, stencil, cell, needed = computed.some_field(seed)
    whole = cost_to_go(blocked, seeds, stencil, cell)
    row, column = needed.T
    np.testing.assert_array_equal(partial[:, row, column], whole[:, row, column])
    assert ((partial == whole) | np.isinf(partial)).all()
    if seed < 12:
        np.testing.assert_allclose(whole, shortest(seed), rtol=1e-12)
    return int((partial != whole).sum())


def shortest(seed: int) -> np.ndarray:
    """Return the costs of a field as a library of graphs finds them."""
    blocked, seeds, stencil, cell, _ = computed.some_field(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(map(tuple, np.argwhere(~blocked).tolist()))
    for r, c in list(graph):
        for down, right in stencil.moves:
            passed = [(r + i, c + j) for i, j in ((down, right), *stencil.passes((down, right)))]
            if all(each in graph for each in passed):
                graph.add_edge(passed[0], (r, c), weight=cell * math.hypot(down, right))
    whole = np.full(seeds.shape, np.inf)
    for field, sown in zip(whole, seeds, strict=True):
        sources = [each for each in graph if math.isfinite(sown[each])]
        ways = graph.copy()
        ways.add_weighted_edges_from(("seed", each, float(sown[each])) for each in sources)
        ways.add_node("seed")
        for each, cost in nx.single_source_dijkstra_path_length(ways, "seed").items():
            if each != "seed":
                field[each] = cost
    return whole


# Nothing in the way


def test_without_a_compiler_all_works(tmp_path: Path) -> None:
    script = """
import json, sys
sys.modules["numba"] = None  # as if it were not installed
import hbtom
from hbtom.compiled import Kernel, start_compiler
before = hbtom.judge(sys.argv[1]).plausibility
started = start_compiler(), start_compiler()
print(json.dumps([*started, before, hbtom.judge(sys.argv[1]).plausibility]))
"""
    file = write(tmp_path / "episode.json", simple_episode())
    plain = judge(file).plausibility
    assert json.loads(run("-c", script, str(file))) == [False, False, plain, plain]


COMPILES = """
import json
from hbtom.compiled import Kernel, start_compiler
started = start_compiler(), start_compiler()  # twice is as good as once
import numpy as np  # and what comes after it is compiled too
from hbtom.mind.policy import log_headings
{first}
yes = np.array([True])
log = log_headings(np.array([[0.3]]), np.ones(1), yes, 1.0, yes, np.array([2.0]))
compiled = len(log_headings._dispatcher.overloads)
folder = Kernel.folder and str(Kernel.folder)
print(json.dumps([*started, compiled, log.item(), folder]))
"""


def plainly() -> float:
    yes = np.array([True])
    return log_headings(np.array([[0.3]]), np.ones(1), yes, 1.0, yes, np.array([2.0])).item()


@needs_numba
def test_what_is_compiled_is_kept_in_the_cache_folder(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    environment = {"HBTOM_CACHE": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": str(elsewhere)}
    *found, folder = json.loads(run("-c", COMPILES.format(first=""), **environment))
    assert found == [True, True, 1, plainly()]
    assert Path(folder).parent == tmp_path / "cache" / "compiled"
    assert list(Path(folder).rglob("policy.log_headings*.nbc"))
    assert not elsewhere.exists()


@needs_numba
@pytest.mark.parametrize("obstacle", ["file", "read-only"])
def test_a_cache_folder_that_cannot_be_written_does_not_matter(
    tmp_path: Path, obstacle: str
) -> None:
    cache = tmp_path / "cache"
    if obstacle == "file":
        cache.write_text("in the way")
    else:
        cache.mkdir(mode=0o500)
        if os.access(cache, os.W_OK):
            pytest.skip("this user may write everywhere")
    found = json.loads(run("-c", COMPILES.format(first=""), HBTOM_CACHE=str(cache)))
    assert found == [True, True, 1, plainly(), None]


@needs_numba
@pytest.mark.skipif(sys.platform == "win32", reason="files cannot be limited in size")
def test_a_disk_that_is_full_does_not_matter(tmp_path: Path) -> None:
    small = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
"""
    found = json.loads(run("-c", COMPILES.format(first=small), HBTOM_CACHE=str(tmp_path)))
    assert found == [True, True, 1, plainly(), None]


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    for name in ("HBTOM_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert compiled._writable_folder() is None


# Kept as long as the source is the same


@pytest.mark.parametrize("changed", ["world/floor.py", "plan/field.py", "compiled.py"])
def test_changed_source_is_kept_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    """Also if it is the source of something that a kernel in another file calls."""
    before = compiled._fingerprint()
    copy = tmp_path / "hbtom"
    shutil.copytree(Path(hbtom.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiled, "__file__", str(copy / "compiled.py"))
    assert compiled._fingerprint() == before
    with (copy / changed).open("a") as source:
        source.write("\n")
    assert compiled._fingerprint() != before


def test_kernels_live_in_the_rooms_whose_text_names_the_cache_folder():
    import hbtom.bench  # noqa: F401  # all rooms that may have one
    from hbtom.compiled import _ROOMS, Kernel

    rooms = {one.__module__.split(".")[1] for one in Kernel.all if one.__module__ != __name__}
    assert rooms <= set(_ROOMS)


THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from hbtom import judge
from hbtom.compiled import start_compiler

def judged(file):
    assert start_compiler()
    return judge(file).plausibility

with ThreadPoolExecutor(4) as pool:
    found = set(pool.map(judged, [sys.argv[1]] * 8))
print(len(found))
"""


@needs_numba
def test_threads_may_start_the_compiler_at_once():
    example = Path(__file__).parents[1] / "examples" / "preference_e.json.zst"
    command = [sys.executable, "-c", THREADS, str(example)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (ran.returncode, ran.stdout) == (0, "1\n"), ran.stderr


@needs_numba
def test_a_compiler_that_is_switched_off_is_none():
    command = [sys.executable, "-c", "from hbtom.compiled import *; print(start_compiler())"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ran.stdout == "False\n", ran.stderr
