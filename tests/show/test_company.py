"""Company on the page: what agents do, what moves, what the agent sees, what is believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import companions
import hbtom
from browsing import Browser
from hbtom.judgement import Judgement
from hbtom.observe import Body, Identity
from hbtom.show.page import page
from hbtom.show.page.page_values import film
from hbtom.show.page.viewer import differences
from hbtom.show.trial_deeds import deeds, has_company
from hbtom.world.course import last_onset
from stories import story

ADDED = {"busy", "deeds", "standing", "there", "camera", "viewed", "mind"}


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return companions.judged()


@pytest.fixture(scope="module")
def imagined(judged: Judgement) -> Judgement:
    return companions.imagine(judged)


@pytest.fixture(scope="module")
def file(written: Callable[[str], Path], imagined: Judgement) -> Path:
    return written(page(imagined))


def test_actors_and_their_deeds() -> None:
    found = [(one.kind, one.actor, one.first, one.last) for one in deeds(companions.busy())]
    assert found == [("gesture", 1, 4, 24), ("door", 2, 26, 36), ("start", 0, 41, 41)]
    found = [(one.kind, one.actor, one.first, one.last) for one in deeds(companions.hidden())]
    assert found == [
        ("away", 0, 0, 29),
        ("carry", 1, 4, 24),
        ("leaves", 1, 26, 26),
        ("away", 1, 26, 59),
        ("comes", 0, 30, 30),
    ]
    assert last_onset(companions.hidden()) == 40


def test_the_story_mentions_company(judged: Judgement) -> None:
    told = [[one.text for one in part.moments if one.kind == "deed"] for part in story(judged)]
    assert told == [
        ["The ben makes a gesture.", "The cat moves the door.", "It starts to move by itself."],
        [
            "The ben lifts the ball.",
            "The ben puts the ball down.",
            "The ben leaves.",
            "It comes in.",
        ],
    ]


def test_a_pushed_agent_wants_nothing() -> None:
    trial = companions.busy()
    box = Body(Identity("box"), (170.0, 150.0), 9.0)
    judged = hbtom.judge(hbtom.Episode((replace(trial, objects=(*trial.objects, box)),)))
    for chance, verb in ((0.98, "wants"), (0.02, "moves towards")):
        [chapter] = story(companions.imagine(judged, by_itself=chance))
        told = " ".join(one.text for one in chapter.moments if one.kind in ("goal", "certain"))
        assert f"{verb} the ball" in told


def test_the_page_holds_changes_only_with_company(judged: Judgement, to_heart: Judgement) -> None:
    first, test = film(judged)["trials"]
    assert first["camera"] == [260, -60]
    assert first["deeds"][0] == [1, 4, 24, "gesture", "makes a gesture"]
    assert test["standing"] == [[0, 1, 1], [30, 0, 1]]
    assert test["there"] == [[0, 0], [30, 1]]
    [ball] = test["objects"]
    assert ball["path"][:2] == [[0, 40, 150], [5, 40, 145]]
    assert ball["seen"] == [[0, 0], [52, 1]]  # the agent is absent, then a board is in between
    assert "seen" not in first["objects"][0]
    for trial in film(to_heart)["trials"]:
        assert not ADDED & set(trial)
    assert not any(map(has_company, to_heart.episode))


def test_scripts_for_company_are_included_only_if_needed(
    judged: Judgement, to_heart: Judgement
) -> None:
    for text, there in ((page(judged), True), (page(to_heart), False)):
        assert ("function layCompany(" in text) is ("function drawDeeds(" in text) is there
        assert (".attitude" in text) is there
        assert ("const layCompany = " in text) is not there


def test_beliefs_about_company_are_in_the_page(imagined: Judgement) -> None:
    mind = film(imagined)["trials"][1]["mind"]
    assert mind["cause"][0] == 0.5
    assert mind["cause"][-1] == 0.98
    [[other, attitude]] = mind["attitudes"]
    assert (other, attitude[-1]) == (0, [0.1, 0.2, 0.7])
    assert mind["ghosts"] == [[0, 40, 150, 0.9, 40, 52]]  # until she sees the ball


WHERE = """
const shown = (selector) => [...document.querySelectorAll(`.world ${selector}`)]
  .filter((node) => !node.classList.contains("gone"));
return {
  thing: shown(".thing:not(.agent, .other, .ghost)").map((one) => one.getAttribute("transform")),
  pale: shown(".unseen").length,
  lines: shown(".sight").map((one) => ["x1", "y1", "x2", "y2"].map((name) =>
    Number(one.getAttribute(name)))),
  agent: shown(".agent").length,
  trails: shown(".trail").map((one) => one.getAttribute("d")),
  ghosts: shown(".belief").map((one) => one.getAttribute("transform")),
  bars: shown(".attitude").map((one) => [...one.querySelectorAll("rect")].slice(0, 3).map(
    (part) => Number(part.getAttribute("width")))),
  walls: document.querySelector(".world .walls").getAttribute("d"),
  camera: shown(".camera").length,
  cause: document.querySelector(".cause").textContent,
  doing: document.querySelector(".deeds .value").textContent,
};
"""


def test_a_browser_draws_everything_where_it_is(browser: Browser, file: Path) -> None:
    early = browser.open(file, "#trial=2&frame=15").run(WHERE)
    assert early["thing"] == ["translate(40 100)"]
    assert early["agent"] == 0
    assert early["pale"] == 2  # the ball and Ben: Anna is not there
    assert early["lines"] == early["ghosts"] == []
    assert early["doing"] == "anna is away · ben carries the ball"
    assert early["walls"].count("M") == 2
    assert browser.open(file, "#trial=2&frame=52").run(WHERE)["ghosts"] == ["translate(40 150)"]
    late = browser.open(file, "#trial=2&frame=60").run(WHERE)
    assert late["thing"] == ["translate(40 50)"]
    assert late["agent"] == 1
    assert late["bars"] == []  # Ben has left
    assert late["ghosts"] == []  # by now she has seen the ball
    assert late["cause"] == "moves by itself: 0.98"
    assert late["walls"].count("M") == 1
    assert any(line.startswith("M40 150L40 145") for line in late["trails"])
    assert not browser.complaints()


def test_gestures_leave_a_trail_and_others_have_bars(browser: Browser, file: Path) -> None:
    shown = browser.open(file, "#trial=1&frame=60").run(WHERE)
    assert shown["camera"] == 1
    assert [line.startswith("M150 40L148 40") for line in shown["trails"]] == [True, False]
    [bar] = shown["bars"]
    assert bar == pytest.approx([1.8, 3.6, 12.6])
    assert browser.texts(".deed text") == ["starts by itself", "makes a gesture", "moves the door"]


def test_the_agents_view_can_be_switched_off(browser: Browser, file: Path) -> None:
    def opacity() -> str:
        return browser.run("return getComputedStyle(document.querySelector('.unseen')).opacity")

    browser.open(file, "#trial=2&frame=45")
    assert opacity() == "0.3"
    browser.press("s")
    assert opacity() == "1"
    browser.click(".seeing input")
    assert opacity() == "0.3"
    assert "what the agent sees" in browser.text(".help")


def test_deeds_of_others_count_as_differences(judged: Judgement) -> None:
    first, trial = judged.episode
    ben, board = trial.others
    later = replace(ben, path=np.roll(ben.path, 1, axis=0), angle=np.roll(ben.angle, 1))
    for others in ((board,), (later, board)):
        changed = hbtom.judge(hbtom.Episode((first, replace(trial, others=others))))
        assert differences(judged, changed)[-1].endswith("differ in what the others do.")
    away = trial.object_paths + np.array([10.0, 0.0])
    moved = hbtom.judge(hbtom.Episode((first, replace(trial, object_paths=away))))
    assert differences(judged, moved)[-1].endswith("the objects or their positions.")
