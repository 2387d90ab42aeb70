"""Other agents and boards are shown with every trial: on the page, in figures, in movies."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hbtom
import scenes
from browsing import Browser
from hbtom.judgement import Judgement
from hbtom.observe import Identity, Other
from hbtom.show.page import page
from hbtom.show.page.page_values import film
from hbtom.show.plots import html, plot
from hbtom.show.plots.glyphs import shape
from hbtom.show.plots.movie import Pace, animate
from stories import story

CROWD, USUAL = scenes.CROWDED


@pytest.fixture(scope="module")
def crowded() -> Judgement:
    """A trial without objects, and one with objects; both have others."""
    return hbtom.judge(scenes.read(scenes.scene(CROWD, USUAL)))


@pytest.fixture(scope="module")
def idle() -> Judgement:
    """A test trial without things to want and without other agents."""
    first, crowd = scenes.read(scenes.scene(USUAL, CROWD))
    boards = tuple(other for other in crowd.others if other.kind != "agent")
    return hbtom.judge(hbtom.Episode((first, replace(crowd, others=boards))))


def board(angle: float) -> Other:
    return Other("paddle", Identity("cube"), (10.0, 40.0), np.zeros((1, 2)), np.array([angle]))


def test_a_board_turns_from_x_towards_y() -> None:
    upright = {(-5, -20), (-5, 20), (5, -20), (5, 20)}
    lying = {(y, x) for x, y in upright}
    for angle, corners in ((0, upright), (90, lying), (180, upright)):
        assert {(x, y) for x, y in shape(board(angle), 0).round(9).tolist()} == corners
    leaning = shape(board(30), 0)
    top = leaning[leaning[:, 1] > 10]  # of the long sides; y points down, so it leans to the left
    assert (top[:, 0] < 0).all()


def test_the_page_has_all_others(crowded: Judgement) -> None:
    first, test = film(crowded)["trials"]
    assert [one["kind"] for one in first["others"]] == ["agent", "agent", "occluder", "paddle"]
    assert [one["name"] for one in first["others"][:2]] == ["blob 07", "blob 05"]
    assert first["others"][3]["path"][:2] == [[0, 100, 105, 0], [1, 100, 105, 2]]
    friend, door = test["others"]
    assert friend["path"][0] == [0, None, None, None]
    assert friend["path"][1] == [4, 140, 140, 0]
    assert (door["width"], door["height"], door["rgb"]) == (20, 40, [0, 255, 255])
    assert first["objects"] == []


def test_the_story_of_a_trial_with_nothing_to_want(idle: Judgement) -> None:
    chapter = story(idle)[1]
    assert chapter.summary == "There is nothing it could want."
    assert "nothing it could want" in chapter.moments[0].text
    assert "expected" not in chapter.moments[0].text


PLACES = """
return [...document.querySelectorAll(".world :is(.board, .other)")].map((node) => [
  node.querySelector("title").textContent,
  node.getAttribute("transform"),
  node.classList.contains("gone"),
]);
"""


def test_a_browser_draws_others_where_they_are(
    browser: Browser, written: Callable[[str], Path], crowded: Judgement
) -> None:
    file = written(page(crowded))
    browser.open(file, "#trial=1&frame=11")
    assert browser.run(PLACES) == [
        ["blob 07, another agent", "translate(130 140)", False],
        ["blob 05, another agent", "translate(130 60)", False],
        ["occluder", "translate(60 140) rotate(0)", False],
        ["paddle", "translate(100 105) rotate(20)", False],
    ]
    label = browser.run("return document.querySelector('.world').getAttribute('aria-label')")
    assert "blob 12 beside blob 07, blob 05, occluder, paddle" in label
    browser.open(file, "#trial=2&frame=1")
    assert [gone for _, _, gone in browser.run(PLACES)] == [True, False]
    browser.open(file, "#trial=2&frame=7")
    assert browser.run(PLACES)[0] == ["blob 05, another agent", "translate(136 138)", False]
    assert browser.run("return document.querySelectorAll('.thumbnail .board').length") == 3
    assert not browser.driver.get_log("browser")


def test_pages_of_pairs_and_of_nothing_to_want(
    browser: Browser, written: Callable[[str], Path], crowded: Judgement, idle: Judgement
) -> None:
    browser.open(written(page(crowded, idle)))
    assert browser.run("return document.querySelectorAll('.world').length") == 2
    assert not browser.driver.get_log("browser")


def test_figures_show_others_with_a_legend(crowded: Judgement, idle: Judgement) -> None:
    texts = {text.get_text() for axes in plot(crowded).axes for text in axes.texts}
    assert {"door", "occluder", "paddle"} <= texts
    assert texts & {"blob 05", "blob 05 (other agent)"}  # a goal, or just another agent
    assert "nothing" not in texts
    assert "nothing" in {text.get_text() for axes in plot(idle).axes for text in axes.texts}
    usual = hbtom.judge(scenes.read(scenes.preference()))
    assert not {"other agent", "door"} & {t.get_text() for a in plot(usual).axes for t in a.texts}


def test_notebooks_show_others(crowded: Judgement) -> None:
    shown = html(crowded)
    assert "<title>door</title>" in shown
    assert "<title>other agent</title>" in shown


def test_movies_show_others_in_their_own_colours(crowded: Judgement) -> None:
    with Image.open(io.BytesIO(animate(crowded.episode, trials=[2], scale=2))) as image:
        first = np.array(image.convert("RGB"))
        image.seek(image.n_frames - 1)  # type: ignore[attr-defined]
        last = np.array(image.convert("RGB"))
    cyan = (0, 255, 255)
    rows, columns = np.nonzero((first == cyan).all(axis=2))
    assert (columns.min(), columns.max() + 1) == (160, 200)
    assert (rows.min(), rows.max() + 1) == (260, 340)
    rows, _ = np.nonzero((last == cyan).all(axis=2))
    assert (rows.min(), rows.max() + 1) == (220, 300)
    assert animate(crowded, trials=[2], pace=Pace(speed=8.0))  # with beliefs beside it
