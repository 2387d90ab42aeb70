"""P(goal) next to the moving world: each trial's chart is drawn twice, full and empty.

The picture at a frame is the full chart up to that frame and the empty one after it, so that
matplotlib draws two pictures per trial rather than one per frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray

from hbtom.judgement import Judgement
from hbtom.show.company_beliefs import aims, company_of
from hbtom.show.plots.cast import MOST, WALL, Colour
from hbtom.show.plots.encoders import pillow
from hbtom.show.plots.glyphs import DISC
from hbtom.show.plots.legend import draw_legend, item_entries, legend_rows
from hbtom.show.plots.pixels import Pixels
from hbtom.show.plots.posteriors import aim_sign, draw_belief, draw_goal_lines
from hbtom.show.plots.sheet import INCH, LINE, Column, Sheet, label, root, styled
from hbtom.show.plots.signs import INK, Sign, signs

# Centimetres; letters and lines are as large as in figures
WIDTH, HEIGHT = 7.0, 6.0
EDGE, LEFT, RIGHT, ABOVE, BELOW = 0.15, 1.0, 0.2, 0.2, 0.8

Photograph = Annotated[NDArray[np.uint8], "row column 3"]


@dataclass(frozen=True, eq=False)
class Chart:
    """The chart of one trial, and the column that belongs to each frame."""

    empty: Pixels
    full: Pixels
    columns: Annotated[NDArray[np.int64], "frame"]
    rows: slice  # of the axes
    cursor: int  # the number of its colour

    @property
    def width(self) -> int:
        return int(self.full.shape[1])

    def at(self, frame: int) -> Pixels:
        """Return the chart with the beliefs up to a frame, and a line at that frame."""
        now = self.columns[frame]
        picture = np.concatenate([self.full[:, :now], self.empty[:, now:]], axis=1)
        picture[self.rows, now] = self.cursor
        return picture


def draw_charts(
    judgement: Judgement, trials: Sequence[int], height: int, colours: tuple[Colour, ...]
) -> tuple[list[Chart], tuple[Colour, ...]]:
    """Return the charts of trials, given by their indices, and all colours of the movie.

    Charts are ``height`` pixels high. The colours begin with those given, which the world needs.
    """
    drawn = [_draw(judgement, index, height) for index in trials]
    photographs = [_photographs(axes) for axes in drawn]
    together = np.concatenate([one for both in photographs for one in both])
    numbers, theirs = _few_colours(together, MOST - len(colours))
    pictures = (numbers + len(colours)).astype(np.uint8).reshape(len(drawn), 2, height, -1)
    charts = []
    for index, axes, (full, empty) in zip(trials, drawn, pictures, strict=True):
        frames = np.arange(len(judgement.episode[index].path)) + 1
        box = axes.get_window_extent()
        columns = axes.transData.transform(np.stack([frames, 0 * frames], axis=1))[:, 0]
        rows = slice(height - round(box.y1), height - round(box.y0))
        charts.append(Chart(empty, full, columns.astype(np.int64), rows, colours.index(WALL)))
    return charts, colours + theirs


@styled()
def _draw(judgement: Judgement, index: int, height: int) -> Axes:
    """Draw a trial's chart on a separate sheet, and return its axes."""
    posterior, known = judgement.posteriors[index], signs([judgement.episode])
    wide = 2 * round(height * WIDTH / HEIGHT / 2)  # encoders need an even width
    sheet = Sheet(WIDTH, HEIGHT)
    dots = height / HEIGHT * INCH
    sheet.figure.set_dpi(dots)
    sheet.figure.set_size_inches((wide + 0.1) / dots, (height + 0.1) / dots)  # is rounded down
    column = Column(sheet, EDGE, EDGE, WIDTH - 2 * EDGE)
    last = len(judgement.episode)
    kind = "test trial" if index + 1 == last else "familiarization"
    column.text(0, LINE / 2, f"trial {index + 1} of {last}, {kind}", fontweight="bold")
    shown = [aim_sign(posterior, aim, known) for aim in aims(posterior)]
    company = company_of(posterior)
    itself = Sign("moves by itself", INK, DISC, 2)
    shown += [] if company is None else [itself]
    entries = item_entries(shown)
    below = draw_legend(column.below(LINE), legend_rows(entries, column.width))
    tall = HEIGHT - below.top - ABOVE - BELOW
    axes = below.axes(LEFT, ABOVE, column.width - LEFT - RIGHT, tall)
    frames = len(judgement.episode[index].path)
    ends = (1, max(frames, 2))
    draw_goal_lines(axes, posterior, known, ends)
    if company is not None:
        draw_belief(axes, posterior, company.cause[:, 0], itself, ends[1])
    label(axes, "frame", "P(goal)" if company is None else "probability")
    return axes


def _photographs(axes: Axes) -> tuple[Photograph, Photograph]:
    """Return pictures of a chart, with its lines and without."""
    canvas = FigureCanvasAgg(root(axes))
    full = _photograph(canvas)
    for line in (*axes.lines, *axes.collections):
        line.set_visible(False)
    return full, _photograph(canvas)


@styled()
def _photograph(canvas: FigureCanvasAgg) -> Photograph:
    agg: Any = canvas  # matplotlib has no types for these
    agg.draw()
    return np.asarray(agg.buffer_rgba())[..., :3].copy()


def _few_colours(picture: Photograph, most: int) -> tuple[Pixels, tuple[Colour, ...]]:
    """Reduce a picture to at most ``most`` colours; return their numbers and the colours."""
    few = pillow().fromarray(picture).quantize(most, dither=0)
    flat = few.getpalette() or []
    colours = [(flat[i], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 3)]
    return np.asarray(few), tuple(colours)
