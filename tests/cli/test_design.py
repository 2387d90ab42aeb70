"""``hbtom design``: what it finds, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hbtom
from hbtom.bench.designing import Search, ablated, design
from hbtom.bench.synth import generate
from hbtom.errors import BadInput
from hbtom.model import Model

MODELS = "default-0.1", "paper"
WORDS = ("--tasks", "preference", "--pairs", "2", "--seed", "3", "--workers", "1")


@pytest.fixture(scope="module")
def plausible(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """How plausible each model finds every candidate, by name."""
    folder = tmp_path_factory.mktemp("candidates")
    files = generate(folder, pairs=2, seed=3, tasks=["preference"], workers=1)
    return {
        f"preference-{file.name.partition('.')[0]}": [
            hbtom.judge(file, model).plausibility for model in MODELS
        ]
        for file in files
    }


def test_the_episodes_that_differ_most_come_first_with_few_trials(
    run: Callable[..., Any], tmp_path: Path, plausible: dict[str, list[float]]
) -> None:
    out = tmp_path / "found"
    done = run("design", *MODELS, *WORDS, "--top", "3", "--out", out, "--format", "json")
    assert done.status == 0
    rows = json.loads(done.out)
    ranked = sorted(plausible, key=lambda name: -abs(plausible[name][0] - plausible[name][1]))
    assert [row["episode"] for row in rows] == ranked[:3]
    for row in rows:
        assert [row["first"], row["second"]] == plausible[row["episode"]]
        least = 0.8 * row["difference"]
        whole = hbtom.load(out / f"{row['rank']}-{row['episode']}.json")
        for trials in range(row["enough"] + 1):
            cut = replace(whole, trials=(*whole.familiarization[:trials], whole.test))
            one, other = (hbtom.judge(cut, model).plausibility for model in MODELS)
            makes_it = (one - other) / least >= 1
            assert makes_it == (trials == row["enough"])
    with (out / "design.csv").open() as table:
        assert [row["episode"] for row in csv.DictReader(table)] == ranked[:3]
    short = [row["enough"] < row["trials"] for row in rows]
    assert len(list(out.glob("*-short.json"))) == sum(short)


def test_the_table_and_a_changed_parameter(run: Callable[..., Any]) -> None:
    done = run("design", "paper", *WORDS, "--top", "1", "--set", "efficiency.scale=4")
    assert done.status == 0
    heading, row, *_ = done.out.splitlines()
    assert heading.split()[:4] == ["episode", "first", "second", "difference"]
    assert row.startswith("preference-00000")


def test_no_difference_has_no_sign(run: Callable[..., Any]) -> None:
    done = run("design", "paper", *WORDS, "--top", "4", "--set", "acts.cost=1.0000001")
    rows = [line.split() for line in done.out.splitlines()[1:5]]
    assert [[row[3], row[-1]] for row in rows] == [["0.000", "0.000"]] * 4


def test_ablations_have_the_names_of_hbtom_ablate() -> None:
    default = Model.preset("default")
    assert not ablated(default, "keys are not goals").preference.keys
    assert ablated(default, "copying").social != default.social
    with pytest.raises(BadInput, match="no ablation called 'sight'"):
        ablated(Model.preset("paper"), "sight")


def test_senseless_options_are_refused(run: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="both models are the same"):
        design("paper", "paper", Search(("preference",), pairs=1))
    with pytest.raises(BadInput, match="no pairs of the task"):
        design(*MODELS, Search(("background/preference",), pairs=1))
    assert run("design", "paper").status == 2
    assert run("design", "paper", "default", "--set", "acts.cost=1").status == 2
    done = run("design", *MODELS, *WORDS, "--out", tmp_path)
    assert (done.status, done.out) == (1, "")
    assert "exists already" in done.err
    done = run("design", "paper", *WORDS, "--set", "acts.cost=1,2")
    assert (done.status, "must have one value" in done.err) == (1, True)
