"""Company in figures, movies and the terminal: others, what moves, and what is believed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from PIL import Image

import companions
import hbtom
from hbtom.judgement import Judgement
from hbtom.show.company_beliefs import attitudes, cause, ghosts, unseen
from hbtom.show.plots import html, plot
from hbtom.show.plots.cast import ATTITUDE_COLOURS, FLOOR, WALL, paler
from hbtom.show.plots.company_pixels import dashed
from hbtom.show.plots.glyphs import DISC, mask
from hbtom.show.plots.maps import draw_strip
from hbtom.show.plots.movie import animate
from hbtom.show.plots.sheet import Column, Sheet
from hbtom.show.plots.signs import signs
from hbtom.show.terminal import trace_table, two

BLUE, VERMILION = (0, 114, 178), (213, 94, 0)  # the ball and Ben, in figures


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return companions.imagine(companions.judged(), known=False)


@pytest.fixture(scope="module")
def imagined(judged: Judgement) -> Judgement:
    return companions.imagine(judged)


def test_beliefs_about_places(judged: Judgement, imagined: Judgement) -> None:
    trial, test = imagined.episode.test, imagined.test
    [ghost] = ghosts(trial, test)
    assert (ghost.place, ghost.chance) == ((40, 150), 0.9)
    assert ghost.frames == (40, 52)  # from when she sets off until she sees the ball
    assert ghosts(trial, judged.test) == attitudes(trial, judged.test) == ()
    assert (cause(test), cause(judged.test)) == ("moves by itself: 0.98", "")
    assert unseen(trial) == {0}
    assert unseen(trial, 55) == unseen(companions.busy()) == frozenset()


def maps(figure: Figure) -> list[Axes]:
    return [one for one in figure.axes if one.get_xlim() == (0, 200)]


def named(axes: Axes, name: str) -> list[Patch]:
    return [one for one in axes.patches if one.get_gid() == name]


def middle(patch: Patch) -> tuple[float, float]:
    box = patch.get_extents().transformed(patch.axes.transData.inverted())
    return round((box.x0 + box.x1) / 2, 6), round((box.y0 + box.y1) / 2, 6)


def test_figures_show_others_and_what_is_believed(imagined: Judgement) -> None:
    figure = plot(imagined)
    first, test = maps(figure)
    assert {middle(one) for one in named(first, "before")} == {(90, 33), (90, 60)}  # Cat, the door
    assert len(named(first, "camera")) == 1
    assert {middle(one) for one in named(test, "ghost")} == {(40, 150)}
    assert {middle(one) for one in named(test, "before")} == {(40, 135)}  # Ben, who has left
    widths = [named(first, part)[0].get_width() for part in ("hinders", "neutral", "helps")]
    assert widths == pytest.approx([2, 4, 14])
    [ball] = [one for one in test.patches if one.get_alpha() == 0.35]
    assert middle(ball) == (40, 50)
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert {"believed place", "out of its sight"} <= texts
    assert texts & {"ben", "ben (other agent)"}  # a goal, or just another agent
    assert "hinders, neutral, helps" in texts
    assert "moves by itself: 0.98" in {text.get_text() for text in figure.texts}


def test_without_beliefs_figures_show_only_what_is_seen(judged: Judgement) -> None:
    figure = plot(judged)
    first, test = maps(figure)
    assert not named(test, "ghost")
    assert not named(first, "helps")
    assert "believed place" not in {t.get_text() for axes in figure.axes for t in axes.texts}
    assert "<title>door</title>" not in html(judged)  # it is only in the first trial


def pictures(movie: bytes) -> Iterator[np.ndarray]:
    with Image.open(io.BytesIO(movie)) as image:
        for number in range(image.n_frames):  # type: ignore[attr-defined]
            image.seek(number)
            yield np.array(image.convert("RGB"))


def colour_at(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    return tuple(picture[round(2 * y), round(2 * x)].tolist())


def test_plain_movies_show_motion_and_absence(judged: Judgement) -> None:
    first, *_, last = pictures(animate(judged.episode, trials=[2], scale=2))
    ball, anna = (0, 200, 200), (0, 0, 200)
    assert (colour_at(first, 40, 150), colour_at(first, 40, 50)) == (ball, FLOOR)
    assert (colour_at(last, 40, 150), colour_at(last, 40, 50)) == (FLOOR, ball)
    assert (colour_at(first, 90, 10), colour_at(last, 90, 10)) == (WALL, FLOOR)
    assert not (first == anna).all(axis=2).any()
    assert (last == anna).all(axis=2).any()


def test_movies_with_beliefs_show_them(imagined: Judgement) -> None:
    shown = [one[:, :400] for one in pictures(animate(imagined, trials=[2], scale=2))]
    first, last = shown[0], shown[-1]
    assert colour_at(first, 40, 150) == paler(BLUE)  # no agent is there to see it
    assert colour_at(last, 40, 50) == BLUE
    ghost = [(one == paler(BLUE, 0.85)).all(axis=2)[270:330, 50:110].any() for one in shown]
    assert [index for index, there in enumerate(ghost) if there] == [*range(40, 52)]
    assert colour_at(last, 40, 120) == paler(VERMILION)  # Ben's path
    for colour in ATTITUDE_COLOURS:
        assert (first == colour).all(axis=2).any()


def test_a_dashed_outline_has_gaps_and_no_inside() -> None:
    disc = mask(DISC, 40)
    outline = dashed(disc, 2)
    assert not (outline & ~disc).any()
    assert not outline[10:30, 10:30].any()
    assert 0.3 < outline.sum() / (disc.sum() - mask(DISC, 34).sum()) < 0.9


def test_the_terminal_shows_company_step_by_step(judged: Judgement, imagined: Judgement) -> None:
    """Long headings are abbreviated to letters, so that lines are short enough."""
    head, *lines, places = trace_table(imagined).splitlines()
    rows, heads = lines[:-5], lines[-5:]
    assert max(map(len, (head, *rows))) < 120
    assert head.split()[2:8] == ["A", "B", "efficiency", "C", "D", "E"]
    assert heads[:2] == ["A: P(ball where it is)", "B: P(ball where it was)"]
    assert heads[2:] == ["C: P(by itself)", "D: P(ben hinders)", "E: P(ben helps)"]
    assert rows[-1].split()[5:8] == ["0.980", "0.100", "0.700"]
    assert places == "where it believes ball to be: (40, 150) 0.900, (40, 50) 0.100"
    assert "itself" not in trace_table(judged)


def test_zero_has_no_minus_sign() -> None:
    assert [two(value) for value in (-0.004, 0.0, -0.006, 1.005)] == [
        "0.00",
        "0.00",
        "-0.01",
        "1.00",
    ]


def test_beliefs_about_company_are_printed_in_one_line() -> None:
    judged = companions.judged()
    first, test = map(repr, (one.company for one in judged.posteriors))
    assert first.startswith("<CompanyPosterior: moves by itself 0.")
    assert ", cat helps 0." in first
    assert test.endswith(", ball in 2 places>")


def test_bars_avoid_nearby_agents() -> None:
    """At the end, Cat stands right above Ben."""
    trial = companions.busy()
    ben, cat, *others = trial.others
    near = ben.path[-1] - (0.0, ben.size[1])
    cat = replace(cat, path=np.where(np.arange(len(cat.path))[:, None] > 36, near, cat.path))
    episode = hbtom.Episode((replace(trial, others=(ben, cat, *others)),))
    [axes] = maps(plot(companions.imagine(hbtom.judge(episode))))
    [helps] = named(axes, "helps")
    assert middle(helps)[1] > ben.path[-1, 1]  # it is below Ben


@pytest.mark.parametrize("trials", [6, 9])
def test_words_above_the_test_trial_do_not_overlap(trials: int, imagined: Judgement) -> None:
    """The strip is as wide as for one member of a pair."""
    (first, test), (before, after) = imagined.episode, imagined.posteriors
    sheet = Sheet(8.1, 6.0)
    episode = hbtom.Episode((*[first] * (trials - 1), test))
    posteriors = (*[before] * (trials - 1), after)
    draw_strip(Column(sheet, 0, 0, 8.1), episode, signs([episode]), posteriors)
    renderer = FigureCanvasAgg(sheet.figure).get_renderer()
    *_, heading, cause = (one.get_window_extent(renderer) for one in sheet.figure.texts)
    assert sheet.figure.texts[-1].get_text() == "by itself: 0.98"
    assert heading.x1 < cause.x0
