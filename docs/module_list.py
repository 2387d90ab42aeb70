"""The list of all modules, from the first lines of their docstrings.

python docs/module_list.py          writes docs/reference/modules.md
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "hbtom"
PAGE = Path(__file__).parent / "reference" / "modules.md"
CORE = "core", "modelling", "places"
ROOMS = "observe", "world", "plan", "mind", "judgement", "bench", "neural", "show", "cli"
HEAD = """# All modules

Every module of hbtom and the first line of its documentation: the core, then room by room in the
order of the [architecture](../architecture.md). `python docs/module_list.py` writes this page.
"""


def page() -> str:
    """Return the page as Markdown."""
    rooms = (folder for room in (*CORE, *ROOMS) for folder in _packages(SOURCES / room))
    return "\n".join([HEAD, *map(_section, [SOURCES, *rooms])])


def _packages(folder: Path) -> Iterator[Path]:
    """Yield a package and those inside it."""
    yield folder
    for inside in sorted(folder.iterdir()):
        if (inside / "__init__.py").exists():
            yield from _packages(inside)


def _section(package: Path) -> str:
    name = ".".join(["hbtom", *package.relative_to(SOURCES).parts])
    modules = sorted(path for path in package.glob("*.py") if not path.stem.startswith("__"))
    rows = [f"| `{path.stem}` | {_first_line(path)} |" for path in modules]
    title = "Below all rooms: `hbtom`" if package == SOURCES else f"`{name}`"
    about = "" if package == SOURCES else f"{_first_line(package / '__init__.py')}\n\n"
    table = "\n".join(["| module | what it is for |", "|---|---|", *rows, ""]) if rows else ""
    return f"## {title}\n\n{about}{table}"


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    line = re.sub(r":\w+:`", "`", text.partition("\n")[0])  # roles of Sphinx
    return line.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
