"""Help, version, and wrong usage."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hbtom
from hbtom.cli import main

VERBS = [(), ("model", "list"), ("model", "show"), *[(verb,) for verb in sorted(main.commands)]]


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_help_is_printed_for_every_verb(run, verb, flag) -> None:
    ran = run(*verb, flag)
    assert ran.status == 0
    assert ran.err == ""
    assert ran.out.startswith(f"Usage: {' '.join(('hbtom', *verb))} ")


def test_help_lists_the_verbs_and_the_options(run) -> None:
    assert {*main.commands, "judge", "model"} <= set(run("--help").out.split())
    options = run("judge", "--help").out
    for option in ("--model", "--format", "[table|json]", "--trace"):
        assert option in options


def test_the_version_is_printed(run) -> None:
    ran = run("--version")
    assert (ran.status, ran.out, ran.err) == (0, f"hbtom {hbtom.__version__}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        ("judge",),
        ("guess", "a.json"),
        ("--colour",),
        ("judge", "a.json", "--colour"),
        ("judge", "a.json", "--format", "xml"),
        ("judge", "a.json", "--format"),
        ("judge", "a.json", "--model"),
        ("judge", "a.json", "--trace=yes"),
        ("model", "paint"),
        ("model", "show", "default", "paper"),
        ("model", "list", "default"),
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_status_2(run, words) -> None:
    ran = run(*words)
    assert ran.status == 2
    assert ran.out == ""
    assert "Error: " in ran.err


def test_the_statuses_of_real_processes(spawn, good: Path) -> None:
    assert spawn("judge", good).status == 0
    assert spawn("judge", good.with_name("nowhere.json")).status == 1
    assert spawn("judge").status == 2
    assert spawn("--version").out == f"hbtom {hbtom.__version__}\n"


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="this system has no /dev/stdin")
def test_a_file_may_come_through_a_pipe(spawn, good: Path) -> None:
    ran = spawn("judge", "/dev/stdin", input=good.read_bytes())
    assert ran.status == 0
    assert f"{hbtom.judge(good).plausibility:.3f}" in ran.out
