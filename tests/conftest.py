"""Fixtures for all tests, and the folder of the tests on the path so that they can share code."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

# Tests run in parallel: threads for arrays of a few numbers would only wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start hundreds of commands. Without cached bytecode, each would compile hbtom's sources.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Episodes are large lists without cycles. Searching for cycles after every thousand objects would
# take more than half of the time that it takes to read them.
gc.set_threshold(100_000, 20, 20)

# Kernels run as plain Python in the commands that tests start, and here unless compiling.py says
# otherwise. Without this, any test with enough pairs would start the compiler for all tests after
# it. Tests of compiled kernels start processes in which it is on.
os.environ["NUMBA_DISABLE_JIT"] = "1"

# Shells make background processes ignore Ctrl-C, and the commands that tests start inherit this.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run; HYPOTHESIS_PROFILE=explore searches for new ones.
settings.register_profile("same", deadline=None, derandomize=True, database=None, max_examples=15)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# No test, and no command that a test starts, sees the user's cache folder. The processes of one run
# share a folder, so that kernels are compiled once; HBTOM_TEST_CACHE keeps them for the next run.
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
if not IS_WORKER:
    os.environ["HBTOM_TEST_RUN"] = tempfile.mkdtemp(prefix="hbtom-tests-")
    kept = os.environ.get("HBTOM_TEST_CACHE")
    os.environ["HBTOM_CACHE"] = kept or os.path.join(os.environ["HBTOM_TEST_RUN"], "cache")
COMMON = Path(os.environ["HBTOM_TEST_RUN"])

import compiling  # noqa: E402  # which is on the path only now


class Backwards(pytest.Dir):
    """A folder whose tests are collected from the last to the first."""

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        return list(super().collect())[::-1]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
    """Let every other process start at the end, so that each compiles half of the test files."""
    backwards = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    return Backwards.from_parent(parent, path=path) if backwards else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests into the same order in all processes."""
    items.sort(key=lambda item: item.path)


COMPILED = pytest.StashKey[dict[Any, Any]]()  # kernels; not set if compiling is not worth it


def pytest_collection_finish(session: pytest.Session) -> None:
    """Freeze the objects that exist before the first test: they stay until the end."""
    if session.items and compiling.worth_it(len(session.items)):
        compiling.import_compiler()
        session.stash[COMPILED] = {}
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Switch to the kind of kernels that a test and its fixtures need."""
    stash = item.session.stash
    if COMPILED in stash and compiling.is_other_kind(item.path):
        compile_kernels()
        compiling.switch(stash[COMPILED])


def pytest_unconfigure() -> None:
    """Remove the folder that the processes of this run share."""
    if not IS_WORKER:
        shutil.rmtree(COMMON, ignore_errors=True)


def make_once(name: str, make: Callable[[Path], str]) -> Path:
    """Make a folder once for all processes that run tests; others wait until it is made.

    The function that makes it returns an error message, if any, which fails all tests that need it.
    """
    folder, told = COMMON / name, COMMON / f"{name}.told"
    try:
        folder.mkdir()
    except FileExistsError:
        while not told.exists():
            time.sleep(0.2)
    else:
        problems = "it was interrupted"
        try:
            problems = make(folder)
        finally:
            told.with_suffix(".telling").write_text(problems, encoding="utf-8")
            told.with_suffix(".telling").replace(told)
    assert told.read_text(encoding="utf-8") == ""
    return folder


@pytest.fixture(scope="session")
def once() -> Callable[[str, Callable[[Path], str]], Path]:
    return make_once


@pytest.fixture(scope="session")
def kernels() -> None:
    compile_kernels()


def compile_kernels() -> None:
    """Compile and keep the kernels of both presets, in one process instead of several."""
    script = (
        "from hbtom import Model\nfrom hbtom.judgement.warm_up import warm_up\n"
        "warm_up([Model.preset('default'), Model.preset('paper')], 1000)"
    )

    def compile_all(_: Path) -> str:
        environment = os.environ | {"NUMBA_DISABLE_JIT": "0"}
        command = [sys.executable, "-c", script]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return ran.stderr

    make_once("kernels", compile_all)


REAL = HERE.parent.parent / "shared" / "data" / "bib"


@pytest.fixture(scope="session")
def real_files() -> list[Path]:
    """Real files of the benchmark, which are not part of this repository."""
    files = sorted(REAL.glob("*/*.json"))
    if not files:
        pytest.skip("no real benchmark files beside the repository, in ../shared/data/bib")
    return files


@pytest.fixture(scope="session")
def real_pairs(real_files: list[Path]) -> list[tuple[Path, Path]]:
    """Pairs of real files: the expected member and the unexpected one."""
    expected = [path for path in real_files if path.stem.endswith("e")]
    pairs = [(path, path.with_name(path.stem[:-1] + "u.json")) for path in expected]
    return [pair for pair in pairs if pair[1].exists()]


@pytest.fixture(scope="session")
def real_scenes() -> Path:
    """A folder of real scenes, which are not part of this repository, with labels beside it."""
    folder = REAL.parent / "mcs"
    if not any(folder.glob("*.json")):
        pytest.skip("no real scenes beside the repository, in ../shared/data/mcs")
    return folder
