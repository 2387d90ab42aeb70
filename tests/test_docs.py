"""What the documentation shows is what the commands print.

Every fenced ``console`` block is run, in a folder that has the repository's examples, and its
output compared. After a change that should change them: ``python tests/test_docs.py``.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_HERE = ("episode.json", "pip ", "git ")  # shows a file of the reader's, or sets up a machine


def blocks(page: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield command, output, and the model files that the page defines just before."""
    models: list[str] = []
    for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "toml":
            models.append(body)
            continue
        command, _, output = body.partition("\n")
        if not command.startswith("$ hbtom") or any(part in command for part in NOT_HERE):
            continue
        named = re.findall(r"[\w-]+\.toml", command)
        yield command[2:], output, dict(zip(named, models[-1:], strict=False))


def printed(command: str, models: dict[str, str], folder: Path) -> str:
    """Run a command as a reader would and return all that it prints."""
    examples = folder / "examples"
    if not examples.exists():
        examples.symlink_to(ROOT / "examples", target_is_directory=True)
    for name, text in models.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return done.stdout + done.stderr


def rounded(text: str) -> str:
    """Return text with long decimals cut to eight digits: the last ones depend on the machine."""
    return re.sub(r"(\d\.\d{8})\d+", r"\1", text)


CASES = [(page, *block) for page in PAGES for block in blocks(page)]


@pytest.mark.parametrize(
    ("page", "command", "output", "models"),
    CASES,
    ids=[f"{page.name}-{number}" for number, (page, *_) in enumerate(CASES)],
)
def test_the_page_shows_what_is_printed(page, command, output, models, tmp_path):
    assert rounded(printed(command, models, tmp_path)) == rounded(output)


PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
every_page = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


@every_page
def test_python_runs_and_shows_what_it_gives(page, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for snippet in PYTHON.findall(page.read_text(encoding="utf-8")):
        if snippet.startswith(">>>"):
            session = doctest.DocTestParser().get_doctest(snippet, {}, page.name, page.name, 0)
            assert doctest.DocTestRunner(verbose=False).run(session).failed == 0
        elif '"DATASET"' not in snippet:  # of the reader's
            exec(compile(snippet, page.name, "exec"), names)


def test_there_are_pages_to_test():
    assert len(CASES) >= 5


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("http"):
            continue
        file, _, anchor = target.partition("#")
        linked = page.parent / file if file else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {_anchor(heading) for heading in headings}, target


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def refresh() -> None:
    """Write what the commands print now into the pages."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for command, output, models in blocks(page):
            with tempfile.TemporaryDirectory() as folder:
                now = printed(command, models, Path(folder))
            text = text.replace(f"$ {command}\n{output}```", f"$ {command}\n{now}```")
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    refresh()
