"""Where the agent looks for a thing: charts, words and questions if this is the surprise.

Ben carries the ball away while Anna is absent, and yet she goes where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hbtom
from browsing import Browser
from companions import DOWN, UP, ball, carried, made, to
from hbtom import Episode
from hbtom.judgement import Judgement
from hbtom.show.company_beliefs import aims
from hbtom.show.page import page
from hbtom.show.page.page_values import film
from hbtom.show.page.viewer import differences
from hbtom.show.plots import plot
from hbtom.show.plots.cast import WALL
from hbtom.show.plots.charts import draw_charts
from stories import story

BEFORE = made(to(DOWN), objects=ball(DOWN))


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return hbtom.judge(Episode((*[BEFORE] * 8, carried(UP, late=True))))


def test_goals_have_places_if_there_are_several(judged: Judgement) -> None:
    found = aims(judged.test)
    assert [one.where for one in found] == ["where it is", "where it was"]
    assert np.sum([one.chance for one in found], axis=0) == pytest.approx(1)
    assert found[1].chance[0] > 0.8
    assert found[0].chance[-1] > 0.9
    assert [one.where for one in aims(judged.posteriors[0])] == [""]


def test_the_page_has_a_chart_of_places(
    browser: Browser, written: Callable[[str], Path], judged: Judgement
) -> None:
    first, *_, test = (trial["beliefs"] for trial in film(judged)["trials"])
    assert "aims" not in first
    assert [one[:3] for one in test["aims"]] == [[0, 0, "where it is"], [0, 1, "where it was"]]
    assert max(test["goal_shift"]) == pytest.approx(judged.surprise.goal, abs=1e-3)
    file = written(page(judged))
    hidden = "return document.querySelector('.chart-box.places').hidden"
    assert browser.open(file, "#trial=1&frame=60").run(hidden)
    assert not browser.open(file, "#trial=9&frame=60").run(hidden)
    assert browser.texts(".chart.places .end-label") == ["where it is", "where it was"]
    assert "Did it look for it where it was expected to?" in browser.text(".part")
    assert not browser.complaints()


def test_words_say_where_it_looks(judged: Judgement) -> None:
    chapter = story(judged)[-1]
    told = [one.text for one in chapter.moments if one.kind in ("start", "goal")]
    assert told[0].startswith("It is expected to look for the ball where it was (")
    assert told[1].startswith("It now seems to look for the ball where it is (")
    assert told[1].endswith("rather than where it was.")
    other = hbtom.judge(Episode((*[BEFORE] * 8, carried(DOWN, late=True))))
    assert "where the agent looks for what it wants" in differences(judged, other)[1]


def test_the_figure_shows_places(judged: Judgement) -> None:
    texts = {text.get_text() for axes in plot(judged).axes for text in axes.texts}
    assert {"goal and place", "ball where it is", "ball where it was"} <= texts
    assert f"shifts by at most {judged.surprise.goal:.2f}" in texts


def test_the_movie_shows_places(judged: Judgement) -> None:
    lines = {}
    for index in (0, 8):
        [chart], _ = draw_charts(judged, [index], 400, (WALL,))
        drawn = (chart.full != chart.empty)[:, chart.columns[5:30]]  # lines may have gaps
        lines[index] = (np.diff(drawn.astype(int), axis=0) == 1).sum(axis=0).max()
    assert lines == {0: 2, 8: 3}  # one place or two, and self-motion
