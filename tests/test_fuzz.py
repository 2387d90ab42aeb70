"""Bugs found by fuzzing stay fixed, and the harness finds the bugs it should."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hbtom.bench.table_files import encode_records

if sys.platform != "linux":
    pytest.skip("limits on processes are those of Linux", allow_module_level=True)

HERE = Path(__file__).parents[1] / "fuzz"
sys.path.insert(0, str(HERE))

import seeds  # noqa: E402
import worker  # noqa: E402
from runner import Runner, reproduced  # noqa: E402
from targets import TARGETS, case  # noqa: E402

GOOD = {
    "bib": {"episode.json": seeds.episodes.to_bytes(seeds.bib()[0])},
    "mcs": {"scene.json": seeds.episodes.to_bytes(seeds.mcs()[0])},
    "track": {"plain.csv": dict(seeds.tracks())["plain.csv"], "scene.toml": seeds.SCENE.encode()},
    "labels": {"labels.json": seeds.episodes.to_bytes(seeds.LABELS)},
    "measures": {
        f"{name}.csv": encode_records(rows, ".csv", list(rows[0]))
        for name, rows in {"measures": seeds.MEASURES, "results": seeds.BELIEFS}.items()
    },
    "model": {"model.toml": seeds.models()[-1].encode()},
    "pddl": {name: text.encode() for name, text in seeds.PDDL[1].items()},  # everything was seen
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as made:
        yield made


@pytest.mark.parametrize("folder", sorted((HERE / "corpus").iterdir()), ids=lambda path: path.name)
def test_found_bugs_stay_fixed(runner: Runner, folder: Path) -> None:
    assert runner.findings(*reproduced(folder)) == []


@pytest.mark.parametrize("kind", TARGETS)
def test_cases_are_the_same_for_the_same_numbers(kind: str) -> None:
    numbers = range(6)
    cases = [case(kind, 1, number) for number in numbers]
    assert cases == [case(kind, 1, number) for number in numbers]
    assert cases != [case(kind, 2, number) for number in numbers]


@pytest.mark.parametrize("kind", GOOD)
def test_seeds_are_valid_input(kind: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    seeds.write({**TARGETS[kind].beside(), **GOOD[kind]}, tmp_path)
    for command in TARGETS[kind].commands(list(GOOD[kind])):
        assert worker.ran(tmp_path, command)[0] == 0


def test_the_time_limit_is_enforced() -> None:
    with Runner(0.01, 1024) as runner:
        assert "of processor time" in runner.findings("bib", GOOD["bib"])[0]


def test_the_memory_limit_is_enforced() -> None:
    """A whole file is read with far too little memory."""
    large = {"episode.json": GOOD["bib"]["episode.json"] + b" " * (1 << 27)}
    with Runner(20.0, 0) as runner:
        assert runner.findings("bib", large)


def test_findings_are_saved_and_can_be_run_again(tmp_path: Path) -> None:
    def ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, HERE / "run.py", *words, "--save", tmp_path]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    case_0 = "--kind", "labels", "--cases", "1", "--seed", "4"
    assert (ran(*case_0).returncode, list(tmp_path.iterdir())) == (0, [])
    found = ran(*case_0, "--seconds", "0.00001")
    assert found.returncode == 1
    assert f"again: python fuzz/run.py {tmp_path / 'labels-4-0'}" in found.stdout
    assert ran(tmp_path / "labels-4-0").stdout == "1 cases: 1 labels\n"


@click.command()
@click.argument("way")
def careless(way: str) -> None:
    """Fail in all the ways that hbtom must not."""
    if way == "traceback":
        print({}["x"])
    if way == "files":
        Path("half").write_text("written")
    if way == "programmer":
        click.echo("hbtom: 'NoneType' object is not subscriptable", err=True)
    if way == "terminal":
        click.echo("hbtom: \x07", err=True)
    if way == "json":
        click.echo("[NaN]")
        sys.exit(0)
    sys.exit(3 if way == "status" else 1)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("traceback", "KeyError"),
        ("files", "changed or left files"),
        ("silent", "without a message"),
        ("programmer", "for programmers"),
        ("terminal", "control characters"),
        ("json", "JSON has no NaN"),
        ("status", "status is 3"),
    ],
)
def test_all_kinds_of_failure_are_found(way: str, said: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(worker, "main", careless)
    monkeypatch.setattr(worker.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    (tmp_path / "none").mkdir()
    (tmp_path / "case").mkdir()
    found = worker.wrong(tmp_path / "case", [[way]])
    assert any(said in finding for finding in found)
