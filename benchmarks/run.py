"""Speed, as ratios measured in one run: machines differ and are noisy, ratios less so.

    python benchmarks/run.py [--data FOLDER] [--pairs 40] [--page docs/speed.md]
                             [--against PYTHON]

It makes a synthetic benchmark of 720 uncompressed files (about 2 GB) in a temporary folder, or
uses that of ``--data``, and prints a table, which ``--page`` also puts into a page of the docs.
Unless stated otherwise, CPU time is user plus system time of whole processes, including start-up.
``--against`` names the Python of another installation, such as that of an older version in an
environment of its own: both are then measured in turn, in the same minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from compile import TARGET as COMPILING
from growth import growth

MARKS = "<!-- measured -->", "<!-- end of measured -->"
TARGETS = {
    "orjson": 0.12,  # of the CPU time of decoding, compiled and warm
    "plain": 0.4,  # the same without a compiler
    "motion": 3.0,
    "memory": 300.0,  # MB
    "pictures": 20_000.0,  # a second
    "archive": 0.2,  # of the rate of 0.3, from an archive
}
# Bytecode is kept, as it is for users, even if that is switched off here.
USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PLAIN = USUAL | {"NUMBA_DISABLE_JIT": "1"}  # as if numba were not installed

DECODE = """
import sys, pathlib, orjson
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*.json")):
    orjson.loads(path.read_bytes())
"""
RATE = """
import sys, time
from hbtom import evaluate
evaluate(sys.argv[1], sys.argv[2], workers=1)  # compiles, and fills the page cache
spent = []
for _ in range(3):
    start = time.process_time()
    judged = evaluate(sys.argv[1], sys.argv[2], workers=1)
    spent.append(time.process_time() - start)
print(len(judged.rows) / min(spent))
"""
DRAW = """
import sys
sys.path.insert(0, sys.argv[1])
from drawing import measure
found = measure()
print(found.drawing / found.reading, found.rate)
"""


@dataclass(frozen=True)
class Spent:
    """The resources that a process used."""

    cpu: float  # seconds
    wall: float  # seconds
    memory: float  # MB at its peak


def spent(command: Sequence[str], rounds: int = 1, environ: Mapping[str, str] = USUAL) -> Spent:
    """Run a command several times and return the least that it used."""
    runs = [_run(command, environ) for _ in range(rounds)]
    return Spent(
        min(run.cpu for run in runs), min(run.wall for run in runs), max(run.memory for run in runs)
    )


def _run(command: Sequence[str], environ: Mapping[str, str] = USUAL) -> Spent:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environ)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    wall = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024  # bytes, or kilobytes
    return Spent(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * unit / 1e6)


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def hbtom(*arguments: str, by: str = sys.executable) -> list[str]:
    return [by, "-m", "hbtom", *arguments]


def rate(dataset: Path, model: str, by: str = sys.executable) -> float:
    """Return how many episodes are judged in a second of CPU time, once everything is loaded."""
    return float(_printed([by, "-c", RATE, str(dataset), model]))


def _printed(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env=USUAL).stdout


@dataclass(frozen=True)
class Line:
    """One thing measured."""

    what: str
    value: str
    target: str = ""
    holds: bool | None = None


def measured(folder: Path, archive: Path) -> Iterator[Line]:
    """Yield what is measured on a dataset and on the archive that is packed from it."""
    files = sorted(folder.glob("*/*.json"))
    size = sum(path.stat().st_size for path in files)
    yield Line("files", f"{len(files)}, {size / 1e6:.0f} MB")

    def evaluate(where: Path, model: str = "default", workers: int = 1) -> list[str]:
        return hbtom("evaluate", str(where), "--model", model, "--workers", str(workers))

    _run(evaluate(folder)), _run(evaluate(folder, "paper"))  # compile, and fill the page cache
    decode = spent(python(DECODE, str(folder)), 2)
    default, paper = spent(evaluate(folder), 2), spent(evaluate(folder, "paper"), 2)
    for name, one in (("default", default), ("paper", paper)):
        ratio, target = one.cpu / decode.cpu, TARGETS["orjson"]
        what = f"evaluate ({name}) / orjson.loads, CPU"
        yield Line(what, f"{ratio:.3f}", f"at most {target}", ratio <= target)
    ratio, target = spent(evaluate(folder), environ=PLAIN).cpu / decode.cpu, TARGETS["plain"]
    what = "evaluate (default) without numba / orjson.loads, CPU"
    yield Line(what, f"{ratio:.3f}", f"at most {target}", ratio <= target)
    two = spent(evaluate(folder, workers=2), 2)
    yield Line("one worker / two workers, wall clock", f"{default.wall / two.wall:.2f}")

    packing = spent(hbtom("pack", str(folder), str(archive), "--overwrite"))
    yield Line("pack / evaluate, CPU", f"{packing.cpu / default.cpu:.2f}")
    each = archive.stat().st_size / len(files) / 1000
    yield Line("archive, kB an episode", f"{each:.1f}", "at most 20", each <= 20)
    rates = {}
    for name in ("default", "paper"):
        rates[name] = rate(archive, name)
        yield Line(f"archive ({name}), episodes a second and core", f"{rates[name]:.0f}")
        ratio = rates[name] / rate(folder, name)
        yield Line(f"archive / folder ({name}), episodes a second", f"{ratio:.1f}")
    motion, target = rates["paper"] / rates["default"], TARGETS["motion"]
    yield Line(
        "default / paper, cost of judging", f"{motion:.2f}", f"about {target:.0f}", motion <= target
    )

    packed = spent(evaluate(archive))
    third = spent([*evaluate(folder), "--tasks", "preference,multi_agent,inaccessible_goal"])
    for what, one in (("folder", default), ("a third of it", third), ("archive", packed)):
        fits = one.memory <= TARGETS["memory"]
        yield Line(f"peak memory, {what}, MB", f"{one.memory:.0f}", "at most 300", fits)


def compared(folder: Path, archive: Path, other: str) -> Iterator[Line]:
    """Yield how fast this version is compared with another, which has its own archive."""
    theirs = archive.with_name("theirs.parquet")
    _run(hbtom("pack", str(folder), str(theirs), by=other))
    number = _printed([other, "-c", "import hbtom; print(hbtom.__version__)"]).strip()
    for name in ("default", "paper"):
        command = "evaluate", str(folder), "--model", name, "--workers", "1"
        _run(hbtom(*command, by=other))  # compiles
        times = [[_run(hbtom(*command, by=by)).cpu for by in (sys.executable, other)] for _ in "ab"]
        ratio = min(one for one, _ in times) / min(one for _, one in times)
        what = f"evaluate ({name}) / the same by hbtom {number}, CPU"
        yield Line(what, f"{ratio:.2f}")
        both = [(rate(archive, name), rate(theirs, name, other)) for _ in "abc"]
        ratio = max(one for one, _ in both) / max(one for _, one in both)
        what = f"archive ({name}) / the same by hbtom {number}, episodes a second"
        least = TARGETS["archive"]
        yield Line(what, f"{ratio:.2f}", f"at least {least}", ratio >= least)


def compiling() -> Iterator[Line]:
    """Yield what compiling everything takes, from an empty cache folder."""
    script = str(Path(__file__).with_name("compile.py"))
    cpu = spent([sys.executable, script, "--top", "0"]).cpu  # a table of functions takes time
    yield Line(
        "compiling everything, CPU s", f"{cpu:.1f}", f"at most {COMPILING:.0f}", cpu <= COMPILING
    )


def drawing() -> Iterator[Line]:
    """Yield how fast pictures are drawn for networks, on one core."""
    ratio, rate = map(float, _printed(python(DRAW, str(Path(__file__).parent))).split())
    what = "drawing the pictures of an episode / reading it, CPU"
    yield Line(what, f"{ratio:.2f}", "at most 1", ratio <= 1)
    what, target = "pictures drawn a second, one core", TARGETS["pictures"]
    yield Line(what, f"{rate:,.0f}", f"at least {target:,.0f}", rate >= target)


def start_up() -> Iterator[Line]:
    """Yield how long it takes until there is something to see."""
    numpy, helped = spent(python("import numpy"), 15), spent(hbtom("--help"), 15)
    ratio = helped.wall / numpy.wall
    yield Line(
        "hbtom --help / import numpy, wall clock", f"{ratio:.2f}", "at most 1.5", ratio <= 1.5
    )


def machine() -> str:
    """Describe the machine in one line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "orjson"))
    return f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def table(lines: Sequence[Line]) -> str:
    """Return a table in Markdown."""
    rows = ["| what | measured | target |", "|---|---:|---|"]
    for line in lines:
        mark = "" if line.holds is None else " ✓" if line.holds else " ✗"
        rows.append(f"| {line.what} | {line.value} | {line.target}{mark} |")
    return "\n".join(rows)


def put_into(page: Path, text: str) -> None:
    """Replace the text between the markers of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    page.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")


def main() -> int:
    """Measure, print, and return whether all targets are met as the exit status."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, help="a folder of uncompressed episodes")
    arguments.add_argument("--pairs", type=int, default=40, help="pairs a task to make without it")
    arguments.add_argument("--page", type=Path, help="a page to put the table into")
    arguments.add_argument("--against", help="the Python of another installation of hbtom")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="hbtom-benchmark-") as scratch:
        folder = given.data
        if folder is None:
            folder = Path(scratch) / "data"
            _run(hbtom("generate", str(folder), "--pairs", str(given.pairs), "--seed", "1"))
        archive = Path(scratch) / "packed.parquet"
        lines = list(measured(folder, archive))
        if given.against is not None:
            lines += compared(folder, archive, given.against)
        lines += [*compiling(), *drawing(), *start_up()]
    text = f"Measured on {machine()}.\n\n{table(lines)}\n\n{growth()}"
    print(text)
    if given.page is not None:
        put_into(given.page, text)
    return 0 if all(line.holds is not False for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
