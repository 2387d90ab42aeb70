"""Compiled kernels: the same numbers as in plain Python, and no obstacles."""

from __future__ import annotations

import gc
import importlib.util
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pkgutil import resolve_name

import networkx as nx
import numpy as np
import pytest

import computed
import goldens
import hbtom
from episodes import simple_episode, write
from floors import solve
from hbtom import cache, compiled, judge, kernel_store
from hbtom.mind.policy import log_headings

HERE = Path(__file__).parent
COMPILED = {"NUMBA_DISABLE_JIT": "0"}  # unlike in the commands that other tests start
needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="there is no compiler: numba is not installed"
)


def run(*arguments: str, **environment: str) -> str:
    """Run Python in a process of its own, with warnings as errors; return its output."""
    paths = os.pathsep.join([str(Path(hbtom.__file__).parents[1]), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        env=os.environ | COMPILED | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tests_of_the_model_run_plain_python() -> None:
    """This does not depend on earlier tests in this process; see compiling.py."""
    assert all(one._run == one.plain for one in compiled.Kernel.all)


_MANY_TRIALS = """
import hbtom
from hbtom.compiled import Kernel
from hbtom.mind import bayes
things = {"a": (150, 40), "b": (150, 160), "c": (40, 160)}
trial = hbtom.Trial.from_arrays([(30 + 9 * at, 100 - 4 * at) for at in range(12)], things)
told = []
for bayes.MANY in (1 << 30, 4):
    judged = hbtom.judge(hbtom.Episode((trial,) * 4), {"hypotheses.outdated": 0.1})
    told.append(judged.plausibility)
    told.append(Kernel.compiling)
print(told[0] == told[2], told[1], told[3])
"""


@needs_numba
def test_learning_from_many_trials_is_compiled() -> None:
    """In plain Python, that takes a minute for 200 trials with three goals."""
    assert run("-c", _MANY_TRIALS).split() == ["True", "False", "True"]


# The same numbers


@needs_numba
@pytest.mark.usefixtures("kernels")
def test_plain_and_compiled_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    """This is one test, because compiling is slow if the cache folder is empty."""
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
    assert sum(left_out) > 500  # otherwise leaving out would not have been tested
    for model, wanted in goldens.read("synthetic").items():
        assert goldens.difference(results["golden"][model], wanted) < 1e-9, model


def check_needed(seed: int, partial: np.ndarray) -> int:
    """Check a field that was solved only for some cells; return how many were left out."""
    blocked, seeds, stencil, cell, needed = computed.some_field(seed)
    whole = solve(blocked, seeds, stencil, cell)
    row, column = needed.T
    np.testing.assert_array_equal(partial[:, row, column], whole[:, row, column])
    assert ((partial == whole) | np.isinf(partial)).all()
    if seed < 12:
        np.testing.assert_allclose(whole, shortest(seed), rtol=1e-12)
    return int((partial != whole).sum())


def shortest(seed: int) -> np.ndarray:
    """Return the costs of a field, computed by a graph library."""
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


# No obstacles


def test_without_a_compiler_everything_works(tmp_path: Path) -> None:
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
log = log_headings(np.array([[0.3]]), np.ones(1), yes, 1.0, np.array([2.0]))
compiled = len(log_headings._dispatcher.overloads)
folder = Kernel.folder and str(Kernel.folder)
print(json.dumps([*started, compiled, log.item(), folder]))
"""


def plainly() -> float:
    yes = np.array([True])
    return log_headings(np.array([[0.3]]), np.ones(1), yes, 1.0, np.array([2.0])).item()


@needs_numba
def test_compiled_kernels_are_kept_in_the_cache_folder(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    environment = {"HBTOM_CACHE": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": str(elsewhere)}
    *found, folder = json.loads(run("-c", COMPILES.format(first=""), **environment))
    assert found == [True, True, 1, plainly()]
    assert Path(folder).parent == tmp_path / "cache" / "compiled"
    assert [path.name for path in Path(folder).iterdir()] == [
        "hbtom.mind.policy.log_headings.kernel"
    ]
    assert not elsewhere.exists()


@needs_numba
@pytest.mark.parametrize("obstacle", ["file", "read-only"])
def test_an_unwritable_cache_folder_does_not_matter(tmp_path: Path, obstacle: str) -> None:
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
def test_a_full_disk_does_not_matter(tmp_path: Path) -> None:
    small = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
"""
    *found, folder = json.loads(run("-c", COMPILES.format(first=small), HBTOM_CACHE=str(tmp_path)))
    assert found == [True, True, 1, plainly()]
    assert list(Path(folder).iterdir()) == []


def test_without_a_home_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    for name in ("HBTOM_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert kernel_store.writable_folder() is None


# Kernels are kept as long as nothing changes that they depend on


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources in another place, used instead of the sources."""
    folder = tmp_path / "hbtom"
    shutil.copytree(kernel_store.SOURCES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernel_store, "SOURCES", folder)
    return folder


@needs_numba
@pytest.mark.parametrize("changed", ["world/floor.py", "plan/field.py", "compiled.py"])
def test_changed_source_is_kept_in_another_folder(copy: Path, changed: str) -> None:
    """This includes the source of functions that a kernel in another file calls."""
    before = kernel_store.fingerprint()
    assert kernel_store.fingerprint() == before
    with (copy / changed).open("a") as source:
        source.write("\n")
    assert kernel_store.fingerprint() != before


@needs_numba
def test_other_checkouts_versions_and_cpus_have_other_folders(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    found = {kernel_store.fingerprint()}
    with monkeypatch.context() as patch:
        patch.setattr(kernel_store, "version", lambda name: "99.0")
        found.add(kernel_store.fingerprint())
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version", "99.0")
        found.add(kernel_store.fingerprint())
    with monkeypatch.context() as patch:
        patch.setenv("NUMBA_CPU_NAME", "generic")
        found.add(kernel_store.fingerprint())
    request.getfixturevalue("copy")
    assert len(found | {kernel_store.fingerprint()}) == 5


def test_kernels_are_only_in_rooms_whose_source_names_the_cache_folder():
    import hbtom.bench  # noqa: F401  # all rooms that may have one

    modules = [one.__module__.split(".") for one in compiled.Kernel.all]
    assert {names[1] for names in modules if names[0] == "hbtom"} <= set(kernel_store.ROOMS)


@needs_numba
def test_complete_kernels_are_recognised_per_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    assert not kernel_store.is_complete("Grid")
    folder = kernel_store.writable_folder()
    assert folder is not None
    (folder / "one.kernel").write_bytes(b"compiled")
    kernel_store.write_marker(folder, "Grid")
    assert kernel_store.is_complete("Grid")
    assert not kernel_store.is_complete("Continuous")
    for damaged in (b"", b"\xff", b"[]", b"{", b'{"another.kernel": 8}', b'{"one.kernel": 7}'):
        (folder / "Grid.ready").write_bytes(damaged)
        assert not kernel_store.is_complete("Grid")
    kernel_store.write_marker(folder, "Grid")
    monkeypatch.setattr(kernel_store, "SOURCES", tmp_path)  # as if it were another checkout
    assert not kernel_store.is_complete("Grid")


@needs_numba
@pytest.mark.parametrize(("days", "kept"), [(1.9, kernel_store.KEPT - 1), (0.75, 9)])
def test_unused_folders_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: float, kept: int
) -> None:
    """The folders used last are kept, and so are all folders used within a week."""
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    day, names = 24 * 3600, [f"{number:012x}" for number in range(12)]
    for age, name in enumerate([*names, "something else"]):
        (tmp_path / "compiled" / name).mkdir(parents=True)
        os.utime(tmp_path / "compiled" / name, (0, time.time() - (age + 0.5) * days * day))
    folder = kernel_store.writable_folder()
    assert folder is not None
    left = {path.name for path in folder.parent.iterdir()}
    assert left == {*names[:kept], "something else", folder.name}


def test_only_kernels_that_were_read_from_files_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """For other kernels, changes in their source could not be detected."""
    monkeypatch.setattr(compiled.Kernel, "all", [])
    kept = compiled.kernel(shortest)._name()
    assert kept is not None
    assert kept.startswith(f"{__name__}.shortest-")
    typed = eval("lambda value: 2 * value", {"__name__": "typed_in"})
    assert compiled.kernel(typed)._name() is None


DAMAGED = """
from typing import Annotated
import numpy as np
from hbtom.arrays import Floats
from hbtom.compiled import Kernel, kernel, kernel_or, part, start_compiler

@part
def times(value: float, factor: int) -> float:
    return factor * value

def total(values: Annotated[Floats, "value"]) -> float:
    found = times(1.0, 0)
    for value in values:
        found += times(value, 2) + times(value, 3)
    return found

@kernel
def less(values: Annotated[Floats, "value"]) -> float:
    return total_kernel(values.copy()) - 1.0

def loaded():
    "Return whether the kernel was on disk, and whether its result is right."
    again = kernel(total)
    right = again(np.array([1.0, 2.0])) == 15.0
    return bool(again._dispatcher._cache_hits), right

def remove(path):
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

def damages(path, other):
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    for data in (b"", whole[:10], whole[:-1], bytes(flipped), b"x" * 5000, other.read_bytes()):
        path.write_bytes(data)
        yield
    remove(path), path.mkdir()
    yield
    remove(path), path.symlink_to("nowhere")
    yield

total_kernel = kernel_or(lambda values: 15.5)(total)
assert less(np.array([1.0, 2.0])) == 14.5  # not compiled yet
assert start_compiler()
assert less(np.array([1.0, 2.0])) == 14.0
assert len(times._inner.overloads) == 1  # whatever constants it is given
assert len(total_kernel._inner.overloads) == 1  # an array that can be written is fine, too
assert total_kernel(np.array([1.0, 2.0])) == 15.0
path, other = (next(Kernel.folder.glob(f"*{name}-*.kernel")) for name in ("total", "less"))
assert loaded() == (True, True)
for _ in damages(path, other):
    assert loaded() == (False, True)  # compiled again
    assert loaded() == (True, True)  # and kept
assert not Kernel.standard
print("fine")
"""


@needs_numba
def test_a_damaged_file_is_silently_compiled_again(tmp_path: Path) -> None:
    script = tmp_path / "damaged.py"
    script.write_text(DAMAGED)
    assert run(str(script), HBTOM_CACHE=str(tmp_path / "cache")) == "fine\n"


def test_tests_do_not_use_the_users_cache() -> None:
    environ = {name: value for name, value in os.environ.items() if name != cache.VARIABLE}
    assert not cache.cache_folder().is_relative_to(cache.cache_folder(environ=environ))
    script = "from hbtom.cache import cache_folder; print(cache_folder())"
    assert run("-c", script) == f"{cache.cache_folder()}\n"


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
@pytest.mark.usefixtures("kernels")
def test_all_kernels_for_evaluation_are_ready_before_processes_are_forked() -> None:
    """Otherwise each process would compile the rest."""
    script = """
import sys
from hbtom import Model, evaluate
from hbtom.compiled import Kernel
from hbtom.judgement.warm_up import warm_up
models = list(map(Model.preset, ("default", "paper")))
assert warm_up(models, 1000)
ready = {one for one in Kernel.all if one._dispatcher is not None}
for model in models:
    evaluate(sys.argv[1], model, workers=1)
print(*(one.__name__ for one in Kernel.all if one._dispatcher is not None and one not in ready))
"""
    assert run("-c", script, str(HERE / "golden" / "episodes")).strip() == ""


@needs_numba
@pytest.mark.usefixtures("kernels")
def test_threads_may_start_the_compiler_simultaneously():
    example = Path(__file__).parents[1] / "examples" / "preference_e.json.zst"
    assert run("-c", THREADS, str(example)) == "1\n"


@needs_numba
def test_a_disabled_compiler_is_not_used():
    command = [sys.executable, "-c", "from hbtom.compiled import *; print(start_compiler())"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ran.stdout == "False\n", ran.stderr


def test_numba_is_restored_after_kernels_are_compiled() -> None:
    """The user's own functions compile as if there were no hbtom, even after an error."""
    pytest.importorskip("numba")
    from numba.core.target_extension import jit_registry, target_registry

    from hbtom.linking import fast_compilation
    from hbtom.numba_shortcuts import SHORTCUTS

    def state() -> list[object]:
        methods = [vars(resolve_name(owner)).get(name) for owner, name, _ in SHORTCUTS]
        return [
            gc.isenabled(),
            gc.get_freeze_count(),
            jit_registry[target_registry["cpu"]],
            *methods,
        ]

    before = state()
    with fast_compilation():
        during = state()
    assert state() == before
    with pytest.raises(ZeroDivisionError), fast_compilation():
        raise ZeroDivisionError
    assert state() == before
    assert None not in before
    assert not set(before[2:]) & set(during)


STRANGE = """
import sys
import numpy as np
from hbtom.compiled import Kernel, start_compiler
from hbtom.mind.policy import log_boltzmann
if sys.argv[1] == "import":
    sys.modules["hbtom.linking"] = None  # it cannot be imported
assert start_compiler()
if sys.argv[1] == "lowering":
    from hbtom.linking import KernelLowering
    KernelLowering.run_pass = None
given = np.zeros((1, 2)), np.array([[[0.0, 1.0], [1.0, 0.0]]]), np.ones(1)
assert (log_boltzmann(*given) == log_boltzmann.plain(*given)).all()
assert Kernel.standard and log_boltzmann._dispatcher.overloads
print("fine")
"""


@needs_numba
@pytest.mark.parametrize("what", ["import", "lowering"])
def test_unknown_versions_of_numba_are_used_as_documented(what: str, tmp_path: Path) -> None:
    """A future version of numba also compiles kernels, only more slowly."""
    assert run("-c", STRANGE, what, HBTOM_CACHE=str(tmp_path)) == "fine\n"


def test_missing_parts_of_numba_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("numba")
    from hbtom import numba_shortcuts

    places = ["numba.no_such_module:Thing", "numba.core.base:NoSuchClass", "numba.core.base"]
    monkeypatch.setattr(
        numba_shortcuts, "SHORTCUTS", [(one, "no_such_thing", repr) for one in places]
    )
    with numba_shortcuts.with_shortcuts():
        assert not hasattr(resolve_name(places[-1]), "no_such_thing")


OTHERS = """
from typing import Annotated, NamedTuple
import numpy as np
from numba import njit
from hbtom.arrays import Floats
from hbtom.compiled import Kernel, kernel, start_compiler

class Two(NamedTuple):
    a: float
    b: float

@njit
def mean(values):
    return values.sum() / len(values)

@kernel
def odd(values: Annotated[Floats, "value"], flat: Two, function: float, _0: float) -> float:
    counts = {0: values[np.int32(1)]}
    return np.sort(values)[0] + np.unique(values)[-1] + mean(values) + counts[0] + flat.b + _0

def times(factor):
    @kernel
    def product(value: float) -> float:
        return value * factor
    return product

@kernel
def mistaken(value: float) -> float:
    return value.nothing()

values = np.array([3.0, 1.0, 2.0])
given = values, Two(10.0, 20.0), 0.0, 100.0
wanted = odd.plain(*given)
assert start_compiler()
assert odd(*given) == wanted == 127.0
assert njit(lambda one: np.sort(one)[0] + one.argmin())(values) == 2.0
assert [times(2.0)(1.0), times(3.0)(1.0)] == [2.0, 3.0]
try:
    mistaken(1.0)
except Exception as error:
    assert "nothing" in str(error)
else:
    raise AssertionError
assert odd._run != odd._first  # it is still compiled
assert not Kernel.standard
print("fine")
"""


@needs_numba
def test_kernels_made_elsewhere_may_use_what_numba_has(tmp_path: Path) -> None:
    """An error in one of them affects only that kernel; numba works as before for others."""
    script = tmp_path / "others.py"
    script.write_text(OTHERS)
    for _ in range(2):  # the second time, kept kernels are loaded
        assert run(str(script), HBTOM_CACHE=str(tmp_path / "cache")) == "fine\n"


def test_a_kernel_made_elsewhere_has_another_file_if_a_constant_changes(monkeypatch) -> None:
    one = compiled.kernel(with_factor)
    before = one._name()
    assert before is not None
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3.0)
    assert one._name() not in (None, before)


FACTOR = 2.0


def with_factor(value: float) -> float:
    return FACTOR * value
