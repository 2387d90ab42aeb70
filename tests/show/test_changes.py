"""Walls that come and go and objects that move are drawn where they are in each frame."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.patches import Polygon
from PIL import Image

import hbtom
from hbtom import Episode, Trial
from hbtom.judgement import Judgement
from hbtom.observe import Body, Identity
from hbtom.show.plots import html, plot
from hbtom.show.plots.cast import WALL
from hbtom.show.plots.movie import animate

FRAMES = 20


def changing() -> Trial:
    """Halfway, one wall vanishes and another appears; a thing moves from the right to the top."""
    path = np.stack([np.linspace(40, 80, FRAMES), np.full(FRAMES, 150.0)], axis=1)
    thing = np.stack([np.linspace(170, 110, FRAMES), np.linspace(150, 30, FRAMES)], axis=1)
    there = np.ones((FRAMES, 2), dtype=bool)
    there[:10, 1] = there[10:, 0] = False
    return Trial(
        size=(200.0, 200.0),
        walls=np.array([[20.0, 20.0, 20.0, 20.0], [60.0, 20.0, 20.0, 20.0]]),
        barrier=np.empty((0, 4)),
        objects=(Body(Identity("heart", (255, 0, 0)), (170.0, 150.0), 8.0),),
        agent=Body(Identity("anna"), (40.0, 150.0), 6.0),
        path=path,
        barrier_left=np.zeros(FRAMES),
        walls_there=there,
        object_paths=thing[:, None],
    )


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return hbtom.judge(Episode((changing(), changing())))


def test_movies_show_each_frame_as_it_is(judged: Judgement) -> None:
    movie = Image.open(io.BytesIO(animate(judged.episode, trials=[2], scale=1)))
    pictures = {}
    for number in range(movie.n_frames):
        movie.seek(number)
        pictures[number] = np.array(movie.convert("RGB"))
    first, last = pictures[0], pictures[movie.n_frames - 1]
    assert tuple(first[30, 30]) == tuple(last[30, 70]) == WALL
    assert tuple(last[30, 30]) == tuple(first[30, 70]) == (255, 255, 255)
    assert tuple(first[150, 170]) == tuple(last[30, 110]) == (255, 0, 0)
    assert tuple(last[150, 170]) == tuple(first[30, 110]) == (255, 255, 255)


def test_figures_and_notebooks_show_the_end(judged: Judgement) -> None:
    axes = next(one for one in plot(judged).axes if one.get_xlim() == (0, 200))
    (wall,) = axes.collections[0].get_paths()
    assert wall.get_extents().bounds == (60, 20, 20, 20)
    way = [line.get_xydata() for line in axes.lines]
    assert any(np.allclose(one[[0, -1]], [(170, 150), (110, 30)]) for one in way)
    corners = [one.get_xy() for one in axes.patches if isinstance(one, Polygon)]
    assert any(np.allclose((one.min(0) + one.max(0)) / 2, (110, 30)) for one in corners)
    assert '<rect x="60"' in html(judged)
    assert '<rect x="20"' not in html(judged)
