"""What users of 0.3 hold on to is still there, and comparing with 0.3 finds what is not."""

from __future__ import annotations

import copy
import gzip
import importlib
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "benchmarks" / "contract-0.3.json.gz"
ACCEPTED = ROOT / "benchmarks" / "contract-accepted.toml"
STATIC = ("verbs", "names", "models", "extras")


@pytest.fixture
def contract(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("contract")


@pytest.fixture
def call(contract: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def called(*words: object) -> tuple[int, list[str]]:
        monkeypatch.setattr("sys.argv", ["contract.py", *map(str, words)])
        status = contract.main()
        return status, capsys.readouterr().out.splitlines()

    return called


def kinds(found: Any) -> list[str]:
    return [kind for kind, _, _ in found]


def test_verbs_names_models_and_extras_are_those_of_0_3(call) -> None:
    only = [word for kind in STATIC for word in ("--only", kind)]
    status, lines = call("compare", RECORD, *only)
    assert status == 0, "\n".join(lines)


def test_it_prints_what_there_is(call) -> None:
    status, lines = call("print", "--only", "verbs", "--only", "models")
    assert status == 0
    assert "verbs judge options --format: [table|json] [default: table]" in lines
    assert "models default keys preference concentration: 1.0" in lines


def test_it_prints_what_was_recorded(call) -> None:
    _, lines = call("print", RECORD)
    assert {
        "names judge arguments episode type: Episode | str | os.PathLike[str]",
        "episodes judge JSON: [] surprise goal",
        "episodes judge .csv: [] plausibility",
        "tracks judge reads .h5",
        "figures animate writes .mp4",
        "problems recognise reads .tar.bz2",
    } <= set(lines)


def test_a_difference_is_found_and_may_be_accepted(call, contract, tmp_path, monkeypatch) -> None:
    kept = contract.read(RECORD)
    kept["outputs"] = {"worlds": dict([next(iter(kept["outputs"]["worlds"].items()))])}
    changed, accepted = tmp_path / "changed.json.gz", tmp_path / "accepted.toml"

    def compare() -> tuple[int, list[str]]:
        changed.write_bytes(gzip.compress(json.dumps(kept).encode()))
        return call("compare", changed, "--only", "worlds")

    accepted.write_text("")
    monkeypatch.setattr(contract, "ACCEPTED", accepted)
    assert compare() == (0, ["differences that nobody accepted: none"])
    ((line, found),) = kept["outputs"]["worlds"].items()
    found["stdout"] = re.sub(r"\b0\.\d{6,}", "0.123456789", found["stdout"], count=1)
    status, lines = compare()
    assert status == 1
    assert any(one.startswith(f"number: worlds: {line}: stdout") for one in lines)
    accepted.write_text("[[accepted]]\nmatch = '^number: worlds'\nwhy = 'planted'\n")
    assert compare()[1][-2:] == ["accepted 1: planted", "differences that nobody accepted: none"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a.csv 0.94 0.75", "a.csv  0.94   0.75", []),
        ("a.csv 0.94 0.75", "a.csv 0.94 0.76", ["number"]),
        ("a.csv 0.94 0.75", "a.csv – 0.75", ["missing"]),
        ("went to cup by a detour", "stopped 60 px from cup", ["words"]),
        ("went to cup, 1.3 times the way", "came to cup, 1.4 times the way", ["words", "number"]),
        ("went to cup, 1.3 times the way", "came to cup, 1.3 times the way", ["words"]),
        ("one\ntwo 2", "one\nbetween\ntwo 2", ["new"]),
        ('{"p": 0.3, "q": 1}', '{"p": 0.3000000000001, "q": 1}', []),
        ('{"p": 0.3, "q": 1}', '{"p": 0.301, "r": 1}', ["number", "gone", "new"]),
        ('{"p": 0.3, "goal": "cup"}', '{"p": null, "goal": "box"}', ["name", "missing"]),
        ('{"p": 0.3}', '{"p": NaN}', ["missing"]),
        ('{"p": NaN}', '{"p": NaN}', []),
        ('{"text": "went to cup"}', '{"text": "stopped near cup"}', ["words"]),
        ('{"text": "1.3 times longer"}', '{"text": "1.4 times longer"}', ["number"]),
        ("[1, 2, 3]", "[1, 2]", ["gone"]),
        ('[{"p": 1}, 2.0]', '[{"p": 1, "q": 0}, {"p": 3}]', ["new", "number"]),
        ("by a detour, 1.3 times as long", "did it up to frame 64 and went on", ["words"]),
        ('[{"p": 1}, {"p": 2}]', '[{"p": 1, "q": 0}, {"p": 3, "q": 0}]', ["new", "number"]),
        ('["it is so"]', '["it is far", "it is so"]', ["words"]),
        ('{"right": true}', '{"right": false}', ["number"]),
    ],
)
def test_words_numbers_and_missing_values_are_told_apart(contract, old, new, expected) -> None:
    found = contract.differences(contract.parsed(old), contract.parsed(new), "stdout")
    assert kinds(found) == expected


def test_cells_of_tables_are_compared_by_column(contract) -> None:
    old = contract.parsed("file,p,right\na,0.5,True\nb,,False\n", "out/a.csv")
    new = contract.parsed("right,file,p\nTrue,a,\nFalse,b,0.25\n", "out/a.csv")
    assert kinds(contract.differences(old, new, "a.csv")) == ["missing", "missing"]


def test_what_has_a_new_name_is_still_compared(contract) -> None:
    names = {"recognise": "recognize", "surprise_goal": "goal_surprise"}
    assert contract.renamed("recognise in/posed", names) == "recognize in/posed"
    row = [{"surprise_goal": 1.0}]
    assert contract.with_keys(row, names) == [{"goal_surprise": 1.0}]


def test_a_change_of_the_status_is_one_difference(contract) -> None:
    kept = contract.read(RECORD)
    now = copy.deepcopy({"static": {}, "outputs": {"fits": kept["outputs"]["fits"]}})
    first = next(iter(now["outputs"]["fits"].values()))
    first |= {"status": 1, "stdout": "", "stderr": "hbtom: no", "files": {}}
    ((kind, where, what),) = contract.compared(kept, now, {})
    assert kind == "number"
    assert where.endswith("status")
    assert what == "0 → 1: hbtom: no"


def test_every_accepted_difference_is_in_the_migration_page() -> None:
    page = " ".join((ROOT / "docs" / "migration.md").read_text(encoding="utf-8").split())
    accepted = tomllib.loads(ACCEPTED.read_text(encoding="utf-8")).get("accepted", [])
    assert [one["why"] for one in accepted if one["why"] not in page] == []
