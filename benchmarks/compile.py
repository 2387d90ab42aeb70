"""How long compiling takes: every kernel from scratch, function by function, in CPU seconds.

    python benchmarks/compile.py [--top 30]

The user's cache folder is neither read nor written. numba compiles a function once for each
combination of argument types, its own helpers included, and optimises it again as a part of every
function that calls it. "Own" is the time of a function without the functions that it called for the
first time; "instructions" is the amount of machine-independent code in its last optimisation.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from numba.core import event

TARGET = 20.0  # CPU seconds


@dataclass
class Compiled:
    """What was compiled for one function."""

    types: int = 0  # combinations of argument types
    seconds: float = 0.0  # without the functions it called
    instructions: int = 0  # for all types, including the functions they call


class Listener(event.Listener):
    """Adds up what numba reports while it compiles."""

    def __init__(self) -> None:
        self.functions: dict[str, Compiled] = defaultdict(Compiled)
        self.counting = 0.0  # seconds spent on counting instructions
        self._running: list[list[float]] = []  # since when; how long in calls

    def on_start(self, event: Any) -> None:
        """Record a start."""
        self._running.append([time.process_time(), 0.0])

    def on_end(self, event: Any) -> None:
        """Record an end."""
        now = time.process_time()
        since, in_calls = self._running.pop()
        if self._running:
            self._running[-1][1] += now - since
        dispatcher = event.data["dispatcher"]
        function = dispatcher.py_func
        one = self.functions[f"{function.__module__}.{function.__qualname__}"]
        one.types += 1
        one.seconds += now - since - in_calls
        if event.data["args"] in dispatcher.overloads:  # None if compiling failed
            one.instructions += _size(dispatcher.overloads[event.data["args"]].library)
        counted = time.process_time() - now
        self.counting += counted
        if self._running:
            self._running[-1][1] += counted


def _size(library: Any) -> int:
    functions = [one for one in library._final_module.functions if not one.is_declaration]
    return sum(sum(1 for _ in block.instructions) for one in functions for block in one.blocks)


@contextmanager
def empty_cache() -> Any:
    """Let hbtom keep what it compiles in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="hbtom-compile-") as folder:
        os.environ["HBTOM_CACHE"] = folder
        yield


def compile_everything(listener: Listener | None = None) -> None:
    """Compile all kernels of hbtom, and tell a listener what is compiled."""
    import hbtom
    from hbtom.compiled import Kernel, start_compiler
    from hbtom.kernel_store import ROOMS

    for module in pkgutil.walk_packages(hbtom.__path__, "hbtom."):
        if module.name.split(".")[1] in ROOMS:
            importlib.import_module(module.name)

    if not start_compiler():
        raise SystemExit("there is no compiler: install hbtom[fast]")
    if listener is not None:
        event.register("numba:compile", listener)
    for kernel in Kernel.all:
        kernel.compile()
    if listener is not None:
        event.unregister("numba:compile", listener)


def table(functions: dict[str, Compiled], top: int) -> str:
    """Return a table of the functions, the slowest first."""
    rows = [f"{'own':>6} {'types':>5} {'instructions':>12}  function"]
    for name, one in sorted(functions.items(), key=lambda item: -item[1].seconds)[:top]:
        rows.append(f"{one.seconds:6.2f} {one.types:5} {one.instructions:12}  {name}")
    return "\n".join(rows)


def main() -> int:
    """Compile everything and print what took how long."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument(
        "--top", type=int, default=30, help="functions to print; 0: only compile"
    )
    given = arguments.parse_args()
    compiled = Listener() if given.top else None
    with empty_cache():
        compile_everything(compiled)
    if compiled is None:
        return 0
    functions = compiled.functions
    own = [one for name, one in functions.items() if name.startswith("hbtom.")]
    rest = [one for name, one in functions.items() if not name.startswith("hbtom.")]
    print(table(functions, given.top))
    for what, group in (("hbtom's functions", own), ("numba's helpers", rest)):
        seconds, types = sum(one.seconds for one in group), sum(one.types for one in group)
        print(f"{what}: {len(group)}, for {types} combinations of types, {seconds:.1f} s")
    total = time.process_time() - compiled.counting
    print(f"everything, start-up included: {total:.1f} s of CPU time (target: {TARGET:.0f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
