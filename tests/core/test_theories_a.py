"""The gallery of theories: each file is short, prints what its page shows, and has the finding."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "theories"
NAMES = ("baker-2009", "baker-2017", "jara-ettinger-2016", "liu-2017")
TRUCKS = ROOT.parent / "shared" / "data" / "people" / "btom-2017"


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_short_and_prints_what_its_page_shows(name, tmp_path):
    file, page = FILES / f"{name}.py", ROOT / "docs" / "theories" / f"{name}.md"
    figure = tmp_path / "figure.png"
    done = subprocess.run(
        [sys.executable, file, "--figure", figure],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) == [done.stdout]
    assert figure.stat().st_size < 60_000
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100


def theory(name: str) -> dict[str, object]:
    """Return the names that a file defines."""
    return runpy.run_path(str(FILES / f"{name}.py"))


def test_goals_that_change_are_noticed_and_not_forgotten():
    file = theory("baker-2009")
    watch, gap, solid = file["watch"], file["GAP"], file["SOLID"]
    one, two, last = (watch(gap, change) for change in (0.0, 0.1, 1.0))
    a = {p: p.margin("goal")[:, 0] for p in (one, two, last)}
    assert min(a[p][3] for p in a) > 0.8  # all three see where it is going,
    assert a[one][9] > 0.7 > 0.2 > a[two][9]  # but one goal explains the turn too late,
    assert a[two][5] > a[last][5] + 0.3  # and the last move is not all that people remember
    assert two.log_evidence[-1] > max(one.log_evidence[-1], last.log_evidence[-1]) + 1
    assert two.margin("goal", smoothed=True)[3, 0] > 0.9 > 0.1 > one.margin("goal")[-1, 0]
    straight = watch(solid, 0.0)
    assert straight.margin("goal")[3].round(6).tolist() == [0.333333] * 3  # all climb over it
    assert straight.log_evidence[-1] > watch(solid, 0.1).log_evidence[-1]


def test_who_turns_back_wanted_and_expected_something_else():
    file = theory("baker-2017")
    attribute, lot, paths = file["attribute"], file["LOT"], file["PATHS"]
    K, L, M, nothing, l_there, m_there = attribute(lot, paths["turns back"], "L")
    assert M > K > L
    assert m_there > 0.4 > max(nothing, l_there)
    assert attribute(lot, paths["goes on"], "L")[:3].argmax() == 1
    K, L, M, *belief = attribute(lot, paths["never looks"], "L")
    assert K > L + 0.3
    assert abs(L - M) < 1e-9
    assert np.ptp(belief) < 0.05
    # If the truck that was seen is the other one, so are what was liked and what was expected.
    swapped = attribute(lot, paths["turns back"], "M")
    there = attribute(lot, paths["turns back"], "L")
    assert swapped == pytest.approx(there[[0, 2, 1, 3, 5, 4]])


@pytest.mark.skipif(not TRUCKS.exists(), reason="the data of people are not here")
def test_food_trucks_agree_with_people_as_the_page_says(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from trucks import ODD, gridworlds, ratings

    words = {"N": "up", "S": "down", "E": "right", "W": "left", "wait": "stay", "take": "eat"}
    attribute, found = theory("baker-2017")["attribute"], []
    for path in gridworlds(TRUCKS):
        drawing = path.picture.replace("1", "K").replace("2", "P")
        spot = next((name[0] for name in path.things if name != "Korean"), "nothing")
        found.append(attribute(drawing, " ".join(words[one] for one in path.moves.split()), spot))
    desires, beliefs = ratings(TRUCKS)
    kept = np.setdiff1d(np.arange(len(found)), ODD)
    ours = np.array(found)[kept]
    likes, believed = ours[:, :3], ours[:, [4, 5, 3]]
    assert np.corrcoef(likes.ravel(), desires[kept].ravel())[0, 1] == pytest.approx(0.90, abs=0.005)
    r = np.corrcoef(believed.ravel(), beliefs[kept].ravel())[0, 1]
    assert r == pytest.approx(0.79, abs=0.005)
    centred = [one - one.mean(axis=0) for one in (believed, beliefs[kept])]
    assert np.corrcoef(*map(np.ravel, centred))[0, 1] == pytest.approx(0.71, abs=0.005)


def test_rewards_and_costs_are_inferred_from_one_another():
    file = theory("jara-ettinger-2016")
    mud, detour, free = file["MUD"], file["DETOUR"], file["FREE"]
    watch, goes_for_red = file["watch"], file["goes_for_red"]
    through, near = watch((mud, "right " * 4)), watch((mud, "up left"))
    assert through.mean("red") > through.mean("blue") + 5
    assert 0 < near.mean("blue") - near.mean("red") < 4
    around = watch((detour, "up" + " right" * 5 + " down"))
    straight = watch((detour, "right " * 5))
    assert around.mean("mud") > 4 > 2 > straight.mean("mud")
    assert abs(around.mean("red") - straight.mean("red")) < 1
    liked_red = watch((free, "up left"), (mud, "up left"))
    liked_blue = watch((free, "down left"), (mud, "up left"))
    assert liked_red.mean("mud") > liked_blue.mean("mud") + 0.7
    assert goes_for_red(liked_red) > 0.7 > 0.2 > goes_for_red(liked_blue)
    leaves = watch((mud, "left"))
    prior = watch((mud, ""))
    assert all(abs(leaves.mean(one) - prior.mean(one)) < 1.1 for one in ("red", "blue", "mud"))


def test_who_makes_more_effort_for_b_is_expected_to_choose_b():
    file = theory("liu-2017")
    watch, agent, prefers_b, effort = (
        file[name] for name in ("watch", "agent", "prefers_b", "EFFORT")
    )
    p = watch(agent)
    assert prefers_b(p) > 0.7
    assert effort["low"] + 1 < p.mean("A") < effort["medium"] + 1 < p.mean("B")
    assert p.mean("B") < effort["high"] + 1
    assert abs(prefers_b(watch(file["counting"])) - 0.5) < 0.01
    assert abs(prefers_b(watch(agent, dict.fromkeys(effort, 4.0))) - 0.5) < 1e-9
    other_efforts = {"low": 1.0, "medium": 3.0, "high": 8.0}
    assert prefers_b(watch(agent, other_efforts)) > 0.7  # the order is what matters
