"""The figure of agents' desires and beliefs after every step of each path."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from hbtom.judgement.attributing import Attribution
from hbtom.mind.desires import DesirePosterior
from hbtom.observe import Identity
from hbtom.show.desire_text import explain_desires
from hbtom.show.plots.legend import draw_legend, item_entries, legend_rows
from hbtom.show.plots.plan_figure import BETWEEN, EDGE, LEFT, TITLE, below_steps, write_steps
from hbtom.show.plots.posteriors import draw_line, probability_axis
from hbtom.show.plots.sheet import LINE, PAGE, Column, Sheet, grid, label, styled, title
from hbtom.show.plots.signs import Signs, signs_of_goals
from hbtom.show.words import plain

PANEL = 1.9  # centimetres


@styled()
def draw_desires(attribution: Attribution, width: float = PAGE) -> Figure:
    """Return the figure of all paths, one below the other."""
    inner, paths = width - 2 * EDGE, attribution.posteriors
    names = [name for one in paths for name in one.things]
    known = signs_of_goals(
        map(Identity, [*names, *(name for one in paths for name in one.expected)])
    )
    rows = legend_rows(item_entries(known.items.values()), inner)
    heights = [TITLE + LINE + 2 * PANEL + BETWEEN + below_steps(one.walk.words) for one in paths]
    sheet = Sheet(width, len(rows) * LINE + sum(heights) + 2 * EDGE)
    below = draw_legend(Column(sheet, EDGE, EDGE, inner), rows)
    for one, height in zip(paths, heights, strict=True):
        _draw_path(below, one, known)
        below = below.below(height)
    return sheet.figure


def _draw_path(column: Column, one: DesirePosterior, known: Signs) -> None:
    top, wide = TITLE + LINE, column.width - LEFT
    desire = column.axes(LEFT, top, wide, PANEL)
    belief = column.axes(LEFT, top + PANEL + BETWEEN, wide, PANEL)
    rated = dict(zip(one.things, one.rating.T, strict=True))
    for axes, lines in ((desire, rated), (belief, one.expected)):
        for name, line in lines.items():
            draw_line(axes, np.arange(len(line)), line, known.items[Identity(name)])
    desire.set_ylim(0.8, 7.2)
    desire.set_yticks([1, 4, 7])
    grid(desire)
    label(desire, y="desire")
    probability_axis(belief)
    label(belief, y="belief at first")
    title(desire, plain(one.walk.name), explain_desires(one))
    write_steps([desire, belief], one.walk.words)
