"""Compiled kernels in tests of code that uses the model, plain Python in most tests of the model.

Both give the same results to the last bit; compiled ones take less time. Compiling takes as long as
a few hundred tests, so it is only done for many tests, or if HBTOM_TEST_CACHE has compiled kernels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hbtom.compiled import Kernel, start_compiler
from hbtom.kernel_store import is_complete

HERE = Path(__file__).parent
FOLDERS = ("bench", "cli", "judgement", "neural", "show")
FILES = ("test_docs.py", "test_metamorphic.py", "test_people.py")
LARGE = (  # tests of the model that need many plans or samples, and do not test kernels
    "mind/test_company.py",
    "mind/test_desires.py",
    "mind/test_graph_regret.py",
    "mind/test_in_the_way.py",
    "mind/test_infer.py",
    "mind/test_noisy.py",
    "mind/test_simulation.py",
    "observe/test_mcs.py",
    "observe/test_writing.py",
    "plan/test_counting.py",
    "plan/test_graph.py",
    "world/test_pddl_states.py",
)
PLAIN = ("test_trace.py",)  # compares the two
MANY = 1000  # tests


def worth_it(tests: int) -> bool:
    """Return whether kernels should be compiled; never while coverage is measured."""
    coverage = sys.modules.get("coverage")
    measured = coverage is not None and coverage.Coverage.current() is not None
    known = find_spec("numba") is not None and not measured
    return known and (tests >= MANY or is_complete("Continuous"))


def is_other_kind(file: Path) -> bool:
    """Return whether the tests in a file need the other kind of kernels than those in use."""
    path = file.relative_to(HERE)
    using = path.parts[0] in (*FOLDERS, *FILES) and file.name not in PLAIN
    return Kernel.compiling != (using or path.as_posix() in LARGE)


def import_compiler() -> None:
    """Import numba with compilation enabled, but disable it until :func:`switch`."""
    os.environ["NUMBA_DISABLE_JIT"] = "0"
    from numba.core import config

    os.environ["NUMBA_DISABLE_JIT"] = "1"  # for the commands that tests start
    config.reload_config()


def switch(compiled: dict[Kernel[Any], Callable[..., Any]]) -> None:
    """Run compiled kernels instead of plain Python, or the other way round.

    Compiled kernels are kept in a dictionary while they are not used.
    """
    from numba.core import config

    Kernel.compiling, before = False, Kernel.compiling
    config.reload_config()  # now; otherwise the compiler reloads it if the environment has changed
    config.DISABLE_JIT = before
    if before:
        compiled.update((one, one._run) for one in Kernel.all)
        for one in Kernel.all:
            one._run = one.plain
    elif not compiled:
        assert start_compiler()
    else:
        Kernel.compiling = True
        for one in Kernel.all:
            if one in compiled:
                one._run = compiled[one]
            else:  # it was imported since then
                one.prepare()
