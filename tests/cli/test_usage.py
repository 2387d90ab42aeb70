"""Help, version, and wrong usage."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

import hbtom
from hbtom.cli import main
from hbtom.cli.options import Number

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


def test_help_says_in_full_what_each_verb_does(run) -> None:
    listed = " ".join(run("--help").out.split())
    for name, verb in main.commands.items():
        sentence = " ".join(verb.help.split()).partition(". ")[0].removesuffix(".")
        assert f"{name} {sentence}" in listed
    assert "..." not in listed.partition("Judge and watch")[2]


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


NUMBERS = [
    pytest.param(verb.name, option, id=f"{verb.name} {option.opts[-1]}")
    for verb in main.commands.values()
    for option in verb.params
    if isinstance(option.type, click.FloatRange | click.IntRange)
]


@pytest.mark.parametrize(("verb", "option"), NUMBERS)
def test_senseless_numbers_are_refused(run, verb: str, option: click.Option) -> None:
    for given in ("nan", "inf", "-inf", "1e400", "-5e-324", "-1", "", "x", "9" * 5000):
        ran = run(verb, f"{option.opts[-1]}={given}")
        assert ran.status == 2
        assert f"Invalid value for '{option.opts[-1]}'" in ran.err


def test_numbers_on_the_edge() -> None:
    weight = Number(1e-6, 1e6, or_zero=True)
    assert [weight.convert(given, None, None) for given in ("0", "1e-6", "1e6")] == [0, 1e-6, 1e6]
    assert str(weight.convert("-0.0", None, None)) == "0.0"
    assert str(Number(0, 20).convert("-0.0", None, None)) == "0.0"
    for given in ("5e-324", "9e-7", "1.1e6", "nan"):
        with pytest.raises(click.BadParameter, match="not in the range 0 or 1e-06<=x"):
            weight.convert(given, None, None)


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


def test_a_former_name_of_a_verb_still_works_and_says_so(run) -> None:
    ran = run("view", "--help")
    assert ran.status == 0
    assert ran.err == "hbtom: warning: 'view' is now 'browse'\n"
    assert "view" not in main.commands
