"""``hbtom attribute``: what it prints and writes, and its error messages."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from domains import EXAMPLES

TRUCKS = EXAMPLES / "trucks.toml"
PANTRY = EXAMPLES / "pantry"
FILES = ("--domain", PANTRY / "domain.pddl", "--goals", PANTRY / "goals.txt")
PLAN = ("--plan", PANTRY / "plans" / "turns-back.plan", "--stopped")


def test_a_line_and_a_sentence_for_each_path(run) -> None:
    ran = run("attribute", TRUCKS)
    assert (ran.status, ran.err) == (0, "")
    head, first, sentence, *_ = ran.out.splitlines()
    assert head.split()[:5] == ["path", "likes:", "Korean", "Lebanese", "Mexican"]
    assert first.split()[-6:] == ["6.1", "3.8", "3.8", "0.38", "0.38", "0.23"]
    assert sentence == "    it probably likes Korean best and took it; it had no clear expectation"
    assert "step" not in ran.out


def test_the_beliefs_after_every_step(run, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_bytes(TRUCKS.read_bytes())
    ran = run("attribute", TRUCKS, other, "--trace")
    assert ran.out.startswith("trucks: takes the Korean truck at once\nstep  action  likes: Korean")


def test_json_and_a_table_and_a_figure(run, tmp_path: Path) -> None:
    table, figure = tmp_path / "out.csv", tmp_path / "out.svg"
    more = ("--format", "json", "--out", table, "--plot", figure)
    ran = run("attribute", TRUCKS, *more)
    values = json.loads(ran.out)
    assert list(values) == ["model", "paths"]
    last = values["paths"][2]["steps"][-1]
    assert max(last["rating"], key=last["rating"].get) == "Mexican"
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert ",".join(rows[0]) == "scenario,agent,time,action,variable,goal,value,rating"
    told = {
        row["goal"]: float(row["value"]) for row in rows if row["scenario"] == rows[-1]["scenario"]
    }
    assert told["nothing at 2"] == values["paths"][-1]["steps"][-1]["belief"]["nothing"]
    assert "Mexican" in figure.read_text()
    ran = run("attribute", TRUCKS, *more)
    assert ran.status == 1
    assert "exists already" in ran.err


def test_problems_that_the_agent_may_believe(run) -> None:
    problems = ("--problem", PANTRY / "no-cake.pddl", "--problem", PANTRY / "problem.pddl")
    ran = run("attribute", *FILES, *problems, "--sees", PANTRY / "sees.txt", *PLAN)
    assert ran.status == 0
    assert "it probably likes cake best, went to see whether it was there" in ran.out


@pytest.mark.parametrize(
    ("words", "message", "status"),
    [
        ([], "give WORLDS, or all of", 2),
        ([TRUCKS, *FILES], "give WORLDS, or all of", 2),
        ([TRUCKS, "--stopped"], "are for PDDL", 2),
        ([TRUCKS.parent / "none.toml"], "there is no such file", 1),
        ([TRUCKS, TRUCKS], "two files have a path", 1),
        ([TRUCKS, "--model", "none"], "there is no model 'none'", 1),
        ([TRUCKS, "--out", "x.txt"], "this is not written as '.txt'", 1),
    ],
)
def test_error_messages(run, words: list, message: str, status: int) -> None:
    ran = run("attribute", *words)
    assert ran.status == status
    assert message in ran.err
    assert ran.out == ""
