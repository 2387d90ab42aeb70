"""``hbtom show``: where the page goes, and what is never overwritten."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from episodes import simple_episode, write
from hbtom.cli import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run ``hbtom show`` in this process, where no browser is opened."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path / "cache"))
    return lambda *words: CliRunner().invoke(main, ["show", *map(str, words)], prog_name="hbtom")


def spawn(*words: str | Path, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run it in a process of its own, without a screen unless given one."""
    screens = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    usual = {name: value for name, value in os.environ.items() if name not in screens}
    return subprocess.run(
        [sys.executable, "-m", "hbtom", "show", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**usual, "HBTOM_CACHE": str(folder / "cache"), **environ},
        timeout=60,
        check=False,
    )


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write(tmp_path / "good.json", simple_episode())


def test_the_page_is_written_where_requested(run, good: Path, tmp_path: Path) -> None:
    ran = run(good, "-o", "page.html")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "page.html\n", "")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert not (tmp_path / "cache").exists()


def test_two_episodes_make_one_page(run, good: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other.json.gz", simple_episode(3))
    ran = run(good, other, "-o", "page.html", "--model", "paper")
    assert ran.exit_code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>good.json and other.json.gz – hbtom</title>" in text


def test_existing_files_are_not_overwritten_by_default(run, good: Path, tmp_path: Path) -> None:
    kept = tmp_path / "page.html"
    kept.write_text("mine")
    ran = run(good, "-o", kept)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "exists already" in ran.stderr
    assert kept.read_text() == "mine"
    assert run(good, "-o", kept, "--overwrite").exit_code == 0
    assert kept.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("name", ["page.png", "page", "nowhere/page.html"])
def test_a_page_that_cannot_be_written_is_reported(
    run, good: Path, tmp_path: Path, name: str
) -> None:
    ran = run(good, "-o", name)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("hbtom: ")
    assert "Hint: " in ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.json"]


@pytest.mark.parametrize("words", [("nothing.json",), ("good.json", "nothing.json")])
def test_a_missing_episode_leaves_nothing_behind(
    run, good: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    ran = run(*words, "-o", "page.html")
    assert ran.exit_code == 1
    assert "nothing.json" in ran.stderr
    assert not (tmp_path / "page.html").exists()


def test_without_a_name_the_page_goes_to_the_cache(good: Path, tmp_path: Path) -> None:
    ran = spawn(good, folder=tmp_path)
    page = tmp_path / "cache" / "pages" / "good.html"
    assert ran.returncode == 0
    assert ran.stdout == f"{page}\n"
    assert "no browser" in ran.stderr
    assert page.exists()
    again = spawn(good, "--no-open", folder=tmp_path)
    assert (again.returncode, again.stdout, again.stderr) == (0, f"{page}\n", "")


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a browser is a shell script")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ((), True),
        (("--no-open",), False),
        (("-o", "p.html"), False),
        (("-o", "p.html", "--open"), True),
    ],
)
def test_a_browser_is_opened_only_on_request(
    good: Path, tmp_path: Path, words: tuple[str, ...], shown: bool
) -> None:
    """The browser is a script that records what it is asked to show."""
    script, asked = tmp_path / "browse", tmp_path / "asked"
    script.write_text(f'#!/bin/sh\necho "$1" > "{asked}"\n')
    script.chmod(0o755)
    ran = spawn(good, *words, folder=tmp_path, BROWSER=str(script))
    assert (ran.returncode, ran.stderr) == (0, "")
    page = (tmp_path / ran.stdout.strip()).resolve()
    assert asked.exists() == shown
    if shown:
        assert asked.read_text() == f"{page.as_uri()}\n"


def test_warnings_are_printed(run, tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", simple_episode(0))
    ran = run(one, "-o", "page.html")
    assert ran.exit_code == 0
    assert "there is only one trial" in ran.stderr


def test_help_says_where_the_page_goes(run) -> None:
    words = " ".join(run("--help").stdout.split())
    assert "Without --out the page goes to the cache folder and opens in a browser." in words
