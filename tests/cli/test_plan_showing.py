"""Pages and movies of plans from the command line, and error messages."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from domains import EXAMPLES
from episodes import simple_episode, write

GEMS = EXAMPLES / "doors-keys-gems"
PLAN = GEMS / "plans" / "gem-c.plan"
FILES = [
    *("--domain", GEMS / "domain.pddl", "--problem", GEMS / "problem.pddl"),
    *("--goals", GEMS / "goals.txt", "--plan", PLAN),
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty folder, to which relative names refer."""
    monkeypatch.chdir(tmp_path)


def test_show_makes_a_page_of_a_plan_or_of_two(run, tmp_path: Path) -> None:
    ran = run("show", PLAN, "-o", "one.html")
    assert (ran.status, ran.out, ran.err) == (0, "one.html\n", "")
    assert "<title>gem-c.plan – hbtom</title>" in Path("one.html").read_text(encoding="utf-8")
    assert '"model":"paper"' in Path("one.html").read_text(encoding="utf-8")
    ran = run("show", PLAN, GEMS / "plans" / "gem-a.plan", "-o", "two.html", "--model", "default")
    text = Path("two.html").read_text(encoding="utf-8")
    assert ran.status == 0
    assert "<title>gem-c.plan and gem-a.plan – hbtom</title>" in text
    assert '"model":"default"' in text


def test_a_plan_may_lie_beside_its_world(run, tmp_path: Path) -> None:
    shutil.copytree(GEMS, "maze")
    Path("maze/plans/gem-c.plan").rename("maze/mine.plan")
    assert run("show", "maze/mine.plan", "-o", "page.html").status == 0


def test_animate_makes_a_movie_of_a_plan(run) -> None:
    ran = run("animate", PLAN, "-o", "gem.gif", "--size", "1")
    assert (ran.status, ran.out.split(",")[0]) == (0, "written to gem.gif")
    assert Path("gem.gif").read_bytes().startswith(b"GIF")


def test_infer_also_makes_a_page_and_a_movie(run) -> None:
    plain = run("infer", *FILES).out
    ran = run("infer", *FILES, "--page", "page.html", "--movie", "movie.gif")
    assert (ran.status, ran.out) == (0, plain)
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert Path("movie.gif").read_bytes().startswith(b"GIF")
    again = run("infer", *FILES, "--page", "page.html")
    assert (again.status, again.out) == (1, "")
    assert "exists already" in again.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", GEMS], "this is a world, not a plan"),
        (["show", "none.plan"], "there is no such file"),
        (["show", "alone.plan"], "this plan has no world"),
        (["show", PLAN, "good.json"], "this is not a plan, but the other one is"),
        (
            ["show", "wrong/plans/bad.plan"],
            "bad.plan: line 1: step 1, (move c44 c00), is impossible",
        ),
        (["animate", PLAN, "--trials", "2"], "there is no plan 2"),
    ],
)
def test_errors_are_one_line(run, words: list[str | Path], told: str) -> None:
    shutil.copy(PLAN, "alone.plan")
    Path("good.json").write_text("{}")
    shutil.copytree(GEMS, "wrong")
    Path("wrong/plans/bad.plan").write_text("(move c44 c00)\n")
    target = "movie.gif" if words[0] == "animate" else "page.html"
    ran = run(*words, "-o", target)
    assert (ran.status, ran.out, len(ran.complaints)) == (1, "", 1)
    assert told in ran.err
    assert not Path(target).exists()


@pytest.mark.parametrize("words", [["judge"], ["plot", "-o", "a.png"], ["studio", "--no-open"]])
def test_plans_are_referred_to_the_commands_that_read_plans(run, words: list[str]) -> None:
    ran = run(*words, PLAN)
    assert (ran.status, ran.out, len(ran.complaints)) == (1, "", 1)
    assert "gem-c.plan: this is a plan, not an episode. Hint: hbtom show plays it" in ran.err
    assert "hbtom infer" in ran.err


def test_an_episode_may_be_called_a_plan(run) -> None:
    write(Path("odd.plan"), simple_episode())
    assert run("judge", "odd.plan").status == 0


def test_worlds_have_no_single_page(run) -> None:
    ran = run("infer", GEMS, "--page", "page.html")
    assert ran.status == 2
    assert "--page" in ran.err
