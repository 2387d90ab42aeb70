"""The rooms of the package: data and imports flow one way; heavy imports are lazy."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import pytest

import hbtom

HOUSE = Path(hbtom.__file__).parent
ROOMS = [
    "core",
    "modelling",
    "observe",
    "places",
    "world",
    "plan",
    "mind",
    "judgement",
    "bench",
    "neural",
    "show",
    "cli",
]
SHARED = [  # every room may import them
    "errors",
    "arrays",
    "assumptions",
    "cache",
    "compiled",
    "files",
    "model",
    "scratch",
    "toml_files",
    "kernel_store",
    "kernels",
    "linking",
    "lowering",
    "numba_shortcuts",
    "plottable",
    "signatures",
]
UPWARD = {"plottable": ["show"]}  # shared modules import no room, except to draw a result
FRONT = ["__init__", "__main__"]  # the names that a user imports, and ``python -m hbtom``


def imported(source: str, package: str) -> Iterator[str]:
    """Yield the full names of all modules and names that a source file imports, lazily or not."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = ".".join([*up, node.module or ""] if node.level else [node.module or ""])
            yield from (f"{start.strip('.')}.{alias.name}" for alias in node.names)


def part_of(name: str) -> str | None:
    """Return the room or shared module that a full name belongs to, or None if it is not ours."""
    top, *inside = name.split(".")
    if top != "hbtom" or not inside:
        return None
    if inside[0] in hbtom._HOME:  # a public name, which is defined in a room
        return part_of(hbtom._HOME[inside[0]])
    return inside[0]


def wrong_imports(source: str, home: str, package: str) -> list[str]:
    """Return the imports that are not allowed in a room or shared module."""
    rooms = UPWARD.get(home, []) if home in SHARED else ROOMS[: ROOMS.index(home) + 1]
    allowed = {*SHARED, *rooms, "__version__"}
    return [name for name in imported(source, package) if (part_of(name) or home) not in allowed]


def sources() -> list[Path]:
    return [path for path in HOUSE.rglob("*.py") if path.stem not in FRONT or path.parent != HOUSE]


def home_of(path: Path) -> str:
    return path.relative_to(HOUSE).with_suffix("").parts[0]


def test_the_package_has_exactly_these_rooms() -> None:
    assert {home_of(path) for path in sources()} == {*ROOMS, *SHARED}


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_imports_run_one_way(path: Path) -> None:
    package = ".".join(["hbtom", *path.relative_to(HOUSE).parent.parts])
    text = path.read_text(encoding="utf-8")
    assert wrong_imports(text, home_of(path), package) == []
    assert "import_module" not in text
    assert "__import__" not in text


@pytest.mark.parametrize(
    ("home", "source", "wrong"),
    [
        ("mind", "from hbtom.plan import make_plans", []),
        ("mind", "from hbtom.mind.beliefs import Beliefs", []),
        ("mind", "import numpy as np\nfrom hbtom.model import Model", []),
        ("mind", "from hbtom.judgement import judge", ["hbtom.judgement.judge"]),
        ("mind", "import hbtom.cli.output", ["hbtom.cli.output"]),
        ("mind", "def f():\n    from hbtom.show import plain", ["hbtom.show.plain"]),
        ("mind", "from hbtom import judge, load", ["hbtom.judge"]),
        ("mind", "from hbtom import cli", ["hbtom.cli"]),
        ("mind", "from ..judgement import judge", ["hbtom.judgement.judge"]),
        ("mind", "from .. import show", ["hbtom.show"]),
        ("mind", "from . import policy\nfrom .policy import log_choice", []),
        ("observe", "if TYPE_CHECKING:\n    from hbtom.world import Floor", ["hbtom.world.Floor"]),
        ("model", "from hbtom.errors import BadInput", []),
        ("model", "from hbtom.observe import Trial", ["hbtom.observe.Trial"]),
        ("plottable", "from hbtom.show.plots import plot", []),
        ("plottable", "from hbtom.cli.output import warn", ["hbtom.cli.output.warn"]),
        ("cli", "from hbtom import __version__\nfrom hbtom.show import plain", []),
    ],
)
def test_the_check_finds_wrong_imports(home: str, source: str, wrong: list[str]) -> None:
    package = "hbtom" if home in SHARED else f"hbtom.{home}"
    assert wrong_imports(source, home, package) == wrong


# Light imports stay light


def modules_after(code: str) -> set[str]:
    """Return the top-level names of all modules that are loaded after a new Python ran ``code``."""
    told = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    finished = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(finished.stderr.splitlines()[-1])}


HEAVY = {"numpy", "pandas", "xarray", "matplotlib", "scipy", "numba", "distributed", "pyarrow"}
HELP = "from hbtom.cli import main\nmain(['--help'], standalone_mode=False)"


@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("import hbtom", {*HEAVY, "msgspec", "click"}),
        ("import hbtom; dir(hbtom); hbtom.__version__", {*HEAVY, "msgspec"}),
        ("import hbtom.cli", {*HEAVY, "msgspec"}),
        (HELP, {*HEAVY, "msgspec"}),
        ("import hbtom; hbtom.Model.preset('default')", HEAVY),
        ("import hbtom; hbtom.judge", HEAVY - {"numpy"}),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str, without: set[str]) -> None:
    assert modules_after(code) & without == set()


def test_imported_modules_are_detected() -> None:
    assert "msgspec" in modules_after("import hbtom; hbtom.Model")


# The front


def test_every_public_name_exists() -> None:
    for name in hbtom.__all__:
        assert getattr(hbtom, name) is not None
    assert set(dir(hbtom)) == {*hbtom.__all__, "show"}
    assert callable(hbtom.show)
    assert {"load", "judge", "Model", "BadInput"} <= set(hbtom.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="guess"):
        _ = hbtom.guess


ROOT = Path(__file__).parent.parent
WORLD = ROOT / "worlds" / "logistics"
JUDGE = ["judge", str(ROOT / "examples" / "preference_u.json.zst")]
INFER = [
    *("infer", "--judge", f"--domain={WORLD / 'domain.pddl'}"),
    *(f"--problem={WORLD / 'problem.pddl'}", f"--goals={WORLD / 'goals.txt'}"),
    f"--plan={WORLD / 'plans' / 'farm.plan'}",
]


@pytest.mark.parametrize("command", [JUDGE, [*INFER, "--plot=plan.svg"]], ids=lambda one: one[0])
def test_judging_and_inferring_do_not_load_the_benchmark(
    command: list[str], tmp_path: Path
) -> None:
    code = (
        "import sys\nfrom hbtom.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = [sys.executable, "-c", code, *command]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [name for name in ran.stderr.split() if name.startswith("hbtom.bench")] == []


@pytest.mark.parametrize("folder", ["benchmarks", "fuzz", "docs/extensions"])
def test_scripts_import_only_existing_names(folder: str) -> None:
    for file in (ROOT / folder).glob("*.py"):
        for name in imported(file.read_text(encoding="utf-8"), ""):
            if name.startswith("hbtom"):
                assert resolve_name(name) is not None
