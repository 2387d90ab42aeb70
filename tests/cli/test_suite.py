"""The suite of social tasks on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hbtom.bench.social_ablation import PARTS, WHOLE
from hbtom.model import Model, with_settings

from .conftest import Ran

Run = Callable[..., Ran]
MADE = ("--suite", "social", "--pairs", "1", "--seed", "4", "--workers", "1")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from hbtom.bench.synth import generate

    out = tmp_path_factory.mktemp("social")
    generate(out, pairs=1, seed=4, tasks=["helper_hinderer", "true_false_belief"], workers=1)
    return out


def test_tasks_of_the_suite_are_made_in_either_format(run: Run, tmp_path: Path) -> None:
    for form in ("bib", "mcs"):
        out = tmp_path / form
        ran = run("generate", out, *MADE, "--tasks", "helper_hinderer", "--format", form)
        assert ran.status == 0
        assert ran.out.startswith("2 episodes in ")
        assert {file.name for file in out.iterdir()} == {"helper_hinderer", "labels.json"}
    sizes = [
        sum(file.stat().st_size for file in (tmp_path / form).rglob("*.json"))
        for form in ("bib", "mcs")
    ]
    assert sizes[0] > sizes[1]


def test_noise_and_background_are_for_the_other_suite(run: Run, tmp_path: Path) -> None:
    for words in (("--jitter", "1"), ("--missing", ".1"), ("--background",)):
        ran = run("generate", tmp_path / "out", *MADE, *words)
        assert ran.status == 2
        assert "are for the suite 'bib'" in ran.err
    assert not (tmp_path / "out").exists()


def test_tasks_of_the_other_suite_are_refused(run: Run, tmp_path: Path) -> None:
    verbs = ("generate", tmp_path / "out"), ("design", "paper", "default")
    for verb in verbs:
        ran = run(*verb, "--suite", "social", "--tasks", "helper_hinderer,preference")
        assert (ran.status, ran.out) == (1, "")
        told = "'preference' is not a task of the suite 'social'. Hint: choose from agent_non_agent"
        assert told in ran.err
    assert not (tmp_path / "out").exists()


def test_social_tasks_are_not_downloaded(run: Run, tmp_path: Path) -> None:
    ran = run("download", "social_approach", "--to", tmp_path)
    assert ran.status == 1
    assert "is not published. Hint: generate it: hbtom generate --suite social" in ran.err


def test_scores_come_with_the_mean_of_each_level(run: Run, data: Path) -> None:
    ran = run("evaluate", "--suite", "social", data, "--workers", "1")
    assert ran.status == 0
    assert "published" not in ran.out
    words = [line.split() for line in ran.out.splitlines()]
    means = next(i for i, line in enumerate(words) if line == ["mean", "plausibility"])
    assert words[means + 1] == ["task", "expected", "no", "expectation", "unexpected"]
    assert [len(line) for line in words[means + 2 : means + 4]] == [4, 5]
    told = json.loads(run("evaluate", data, "--workers", "1", "--format", "json").out)
    assert told["levels"].keys() == {"helper_hinderer", "true_false_belief"}
    assert set(told["levels"]["helper_hinderer"]) == {"expected", "unexpected"}


def test_without_data_the_suite_is_made_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hbtom.bench.synthetic.REPORTING", (1, 4))
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    words = "evaluate", "--suite", "social", "--tasks", "helper_hinderer", "--workers", "1"
    ran = run(*words)
    assert ran.status == 0
    assert "Helper, Hinderer" in ran.out
    (made,) = (one for one in tmp_path.iterdir() if one.name.startswith("synthetic-social-"))
    assert len(list(made.glob("*/*.json.zst"))) == 10
    before = {file: file.stat().st_mtime_ns for file in made.rglob("*")}
    assert run(*words).out == ran.out
    assert before == {file: file.stat().st_mtime_ns for file in made.rglob("*")}


def test_every_part_to_be_removed_exists() -> None:
    model = Model.preset("default")
    for name, settings in PARTS.items():
        assert (with_settings(model, settings) == model) == (name == WHOLE), name


def test_ablation_shows_what_each_part_is_for(run: Run, data: Path) -> None:
    ran = run("ablate", "--suite", "social", data, "--workers", "1", "--format", "json")
    assert ran.status == 0
    found = {(row["variation"], row["task"]): row["accuracy"] for row in json.loads(ran.out)}
    assert {name for name, _ in found} == set(PARTS)
    assert found["others as goals", "helper_hinderer"] < found[WHOLE, "helper_hinderer"]
