"""The documentation shows what the commands print.

Every page is followed from top to bottom, in a folder that has the repository's examples: commands
in ``console`` blocks are run and their output compared, and snippets of Python are run. The cells
of the tutorial are run when the site is built: see test_site.py. Commands on the first pages that a
reader sees run in processes of their own; those on other pages run in this one, which is faster.
Commands in ``bash`` blocks, which are for the reader's own data, must at least be valid. After a
change that should change the output, run this file by itself: ``python tests/test_docs.py``.
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

import click
import pytest
from click.testing import CliRunner

from hbtom.cli import main

ROOT = Path(__file__).parents[1]
DOCS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts]
PAGES = [ROOT / "README.md", *DOCS]
ROOT_PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
AS_PROCESSES = ("README.md", "start.md")  # pages whose commands run in processes of their own
BLOCK = re.compile(r"^```(console|toml|python|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_HERE = ("episode.json",)  # shows a file of the reader
ANYTHING = "…\n"  # output that depends on the machine


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("page", PAGES, ids=map(name_of, PAGES))


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def follow(page: Path, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Do what a page says; yield each command, its output on the page, and its real output."""
    for name in ("examples", "worlds"):
        (folder / name).symlink_to(ROOT / name, target_is_directory=True)
    names: dict[str, object] = {}
    model = code = ""
    for kind, body in blocks(page):
        command, _, output = body.partition("\n")
        if kind == "toml":
            model = body
        elif kind == "console" and command.startswith("$ hbtom"):
            if not any(part in command for part in NOT_HERE):
                for name in re.findall(r"[\w-]+\.toml", command) if model else ():
                    (folder / name).write_text(model, encoding="utf-8")
                for name in re.findall(r"--rater (\w+):", command):
                    (folder / f"{name}.py").write_text(code, encoding="utf-8")
                alone = page.name in AS_PROCESSES or "--rater" in command  # raters import modules
                status, now = (process if alone else invoke)(shlex.split(command)[2:], folder)
                assert status == 0 or output != ANYTHING, now
                yield command, output, ANYTHING if output == ANYTHING else now
        elif kind not in ("console", "bash") and '"DATASET"' not in body:  # the reader's
            code = body
            run(body, page.name, names)


def process(words: list[str], folder: Path) -> tuple[int, str]:
    """Run a command as a reader would; return its status and all its output."""
    done = subprocess.run(
        [sys.executable, "-m", "hbtom", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return done.returncode, done.stdout + done.stderr


def invoke(words: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in this process and folder; return the same."""
    assert Path.cwd() == folder.resolve()
    done = CliRunner().invoke(main, words, prog_name="hbtom")
    if not isinstance(done.exception, SystemExit | None):
        raise done.exception
    return done.exit_code, done.stdout + done.stderr


def run(snippet: str, name: str, names: dict[str, object]) -> None:
    """Run a snippet of Python; one that is a session must print what it shows."""
    if snippet.startswith(">>>"):
        session = doctest.DocTestParser().get_doctest(snippet, names, name, name, 0)
        assert doctest.DocTestRunner(verbose=False).run(session).failed == 0
    else:
        exec(compile(snippet, name, "exec"), names)


def rounded(text: str) -> str:
    """Return text with long decimals cut to eight digits: the last digits depend on the machine."""
    return re.sub(r"(\d\.\d{8})\d+", r"\1", text)


@every_page
def test_a_page_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for command, output, now in follow(page, tmp_path):
        assert rounded(now) == rounded(output), command


def test_there_are_pages_to_test():
    kinds = [kind for page in PAGES for kind, _ in blocks(page)]
    assert kinds.count("console") >= 12
    assert kinds.count("python") >= 12


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the commands of a page's bash blocks that call hbtom."""
    for kind, body in blocks(page):
        for line in body.replace("\\\n", "").splitlines() if kind == "bash" else ():
            for part in line.split("&&"):
                words = shlex.split(part, comments=True)
                if words and words[0].rpartition("/")[2] == "hbtom":
                    yield words[1:]


@every_page
def test_commands_exist_with_their_options(page):
    for words in commands(page):
        given = [word for word in words if word != "&"]
        group, context = main, click.Context(main, info_name="hbtom", **main.context_settings)
        while isinstance(group, click.Group):
            name, group, given = group.resolve_command(context, given)
            context = click.Context(group, info_name=name, parent=context)
        group.make_context(name, given, parent=context.parent)  # fails for unknown options


@pytest.mark.parametrize("page", [*PAGES, *ROOT_PAGES], ids=name_of)
def test_links_have_targets(page):
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


def test_the_documented_columns_match_the_results():
    from hbtom.bench.results import COLUMNS

    text = (ROOT / "docs" / "reference" / "results.md").read_text(encoding="utf-8")
    section = text.partition("## Evaluations")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == COLUMNS


def refresh() -> None:
    """Write the current output of the commands into the pages."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            text = page.read_text(encoding="utf-8")
            for command, output, now in follow(page, Path(folder)):
                text = text.replace(f"{command}\n{output}```", f"{command}\n{now}```")
            page.write_text(text, encoding="utf-8")
            os.chdir(ROOT)


if __name__ == "__main__":
    refresh()
