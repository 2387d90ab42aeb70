"""The gallery of theories: each file prints what its page shows, and its finding holds."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
FILES = ["ullman-2009", "hamlin-2013", "traces", "utterance"]


def theory(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"examples/theories/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(name: str) -> list[str]:
    page = (ROOT / f"docs/theories/{name}.md").read_text(encoding="utf-8")
    return re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_short_and_prints_what_its_page_shows(name, tmp_path):
    file, figure = ROOT / f"examples/theories/{name}.py", tmp_path / "figure.png"
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    command = [sys.executable, str(file), "--figure", str(figure)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert [done.stdout] == shown(name)
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert (ROOT / f"docs/figures/theory-{name}.png").stat().st_size < 60_000


def test_an_act_is_judged_by_what_it_does_to_the_other():
    study = theory("ullman-2009")
    believed = {film: study.watch(*seen)["big.goal"] for film, seen in study.FILMS.items()}
    assert believed["clears"]["help"] > 0.9
    assert believed["passes"]["tree"] > 0.9
    assert min(believed["bars"]["hinder"], believed["pushes"]["hinder"]) > 0.9
    clears, passes = (study.watch(*study.FILMS[film]) for film in ("clears", "passes"))
    same = clears.margin("big.goal")[5], passes.margin("big.goal")[5]  # before they differ
    np.testing.assert_allclose(*same, atol=1e-12)
    assert max(same[0]) < 0.5


def test_only_those_are_liked_who_knew_what_they_gave():
    study = theory("hamlin-2013")
    gave = {
        case: [study.liking(*about, toy) for toy in study.TOYS]
        for case, about in study.CASES.items()
    }
    ball, duck = gave["choice, seen"]
    assert ball > 0.4
    assert duck < -0.4
    np.testing.assert_allclose([gave["no choice"], gave["choice, unseen"]], 0, atol=1e-12)


def test_crumbs_tell_door_and_goal_together():
    study = theory("traces")
    found = {room: study.trace(drawn) for room, drawn in study.ROOMS.items()}
    for P in found.values():
        assert P.sum() == pytest.approx(1)
    assert found["in the open"][1].sum() > 0.99
    assert found["beside C"][:, 2].sum() > 0.99
    (to_a, _, to_c), (from_2_to_a, _, from_2_to_c) = found["a passage"]
    assert to_c + from_2_to_a > 0.99
    assert max(to_a, from_2_to_c) < 0.01


def test_the_crumbs_of_simulated_walks_are_as_probable_as_they_are_said_to_be():
    study = theory("traces")
    room = study.hb.maze("\n".join(study.ROOMS["a passage"]))
    start = int(room["2"].argmax())
    log = study.crumbs(room, start)
    before = study.hb.watch(study.walker, study.hb.Walk([], start=start, world=room))
    passed: dict[str, list[float]] = {goal: [] for goal in study.GOALS}
    for walk in before.sample(6000, rounds=60):
        on = room["*"][walk.states]
        passed[walk.truth["goal"]].append(on.sum() / len(walk.states))
    for goal in ("A", "B"):
        assert np.mean(passed[goal]) == pytest.approx(np.exp(log(goal)), abs=0.004)


def test_a_word_and_an_act_tell_more_than_either_and_their_order_matters():
    study = theory("utterance")
    found = {case: [*study.listen(*about)["goal"].values()] for case, about in study.CASES.items()}
    np.testing.assert_allclose(found["a word"], [3 / 5, 2 / 5, 0], atol=1e-12)
    assert max(found["an act"]) < 0.51
    assert found["word, act"][1] > 0.95
    np.testing.assert_allclose(found["blue, then up"], [3 / 5, 2 / 5, 0], atol=1e-3)
    np.testing.assert_allclose(found["up, then blue"], [1 / 2, 1 / 2, 0], atol=5e-3)


MINDS = ROOT.parent / "shared" / "data" / "minds"


def helping(folder: Path) -> str:
    command = [sys.executable, str(ROOT / "examples/helping.py"), str(folder), "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not MINDS.is_dir(), reason="needs the trials of Wu and others (2023)")
def test_help_and_what_would_have_happened_are_judged_as_by_people(tmp_path):
    shutil.copy(MINDS / "turns-example.txt", tmp_path)
    printed = json.loads(helping(tmp_path))["turns-example.txt"]
    assert printed == pytest.approx(json.loads(shown("wu-2023")[0])["turns-example.txt"], rel=1e-9)
    said = json.loads(helping(MINDS))
    with (MINDS / "human.csv").open(encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    ours = [said[f"e1-{int(row['trial']):02d}.txt"] for row in people]
    page = (ROOT / "docs/theories/wu-2023.md").read_text(encoding="utf-8")
    for column, question, model in (
        ("intention", "did blue", [100 * (one["help"] + one["none"] / 2) for one in ours]),
        ("counterfactual", "would red", [100 * one["counterfactual"] for one in ours]),
    ):
        human = np.array([float(row[column]) for row in people])
        r, rmse = np.corrcoef(model, human)[0, 1], np.sqrt(((model - human) ** 2).mean())
        row = next(line for line in page.splitlines() if line.startswith(f"| {question}"))
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[2] == f"{r:.3f}".lstrip("0")
        assert cells[4] == f"{rmse:.1f}"
