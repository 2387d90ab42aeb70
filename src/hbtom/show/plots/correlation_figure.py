"""The figure of people against models: a point for each item, a panel for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Annotated

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hbtom.arrays import Floats, Ints
from hbtom.bench.agreements import ALL, Correlation
from hbtom.bench.measures import Measures
from hbtom.show.plots.sheet import (
    LINE,
    PAGE,
    SMALL,
    Column,
    How,
    Sheet,
    label,
    size_of,
    styled,
    text_width,
    title,
    wrapped,
)
from hbtom.show.plots.signs import HAIR, INK, SOFT
from hbtom.show.words import plain

# Okabe and Ito's colours without yellow, which is hard to see on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5E6067")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
# Centimetres
EDGE, LEFT, TITLE, BELOW = 0.15, 1.0, 0.5, 0.9
LARGEST = 7.0  # largest side of a panel
_FEW = 24  # up to this many items, all are labelled; of more, only those that fit least
_ODD = 6
_LONGEST = 22  # most letters in a label
LABEL = SMALL - 1  # points
_OFF, _TALL = 0.08, 0.2  # from a point to its label, and the height of that


@styled()
def draw_correlation(found: Correlation, width: float = PAGE) -> Figure:
    """Return people's means against each model's predictions, with the farthest points labelled.

    A single panel without a legend is no wider than it needs to be.
    """
    names = list(found.models)
    many = min(len(names), 3)
    if not found.measures.categories:
        width = min(width, 2 * EDGE + many * (LEFT + LARGEST + 0.2))
    cell = (width - 2 * EDGE) / many
    side = min(cell - LEFT - 0.2, LARGEST)
    rows = math.ceil(len(names) / many)
    notes = wrapped(_note(found), width - 2 * EDGE, SMALL)
    legend = LINE if found.measures.categories else 0.0
    tall = TITLE + side + BELOW
    sheet = Sheet(width, rows * tall + legend + len(notes) * LINE + 2 * EDGE)
    column = Column(sheet, EDGE, EDGE + legend, width - 2 * EDGE)
    for number, name in enumerate(names):
        row, place = divmod(number, many)
        axes = column.axes(place * cell + LEFT, row * tall + TITLE, side, side)
        _draw_panel(axes, found, name, first=place == 0)
        if legend and number == 0:
            _draw_legend(sheet, axes)
    for number, text in enumerate(notes):
        column.below(rows * tall).text(0, (number + 0.5) * LINE, text, fontsize=SMALL, color=SOFT)
    return sheet.figure


def _note(found: Correlation) -> str:
    people = found.measures
    what = {"looking": "looking times", "rating": "ratings", "choice": "choices"}[people.answer]
    bars = "Lines: standard errors. " if _few(people) and len(people.participants) > 1 else ""
    ceiling = [f" Split halves agree at {one.reliability:.2f}." for one in found.ceilings[:1]]
    return f"{bars}Mean {what} in {plain(people.name)}.{''.join(ceiling)}"


def _few(people: Measures) -> bool:
    return len(people.items) <= _FEW


def _draw_legend(sheet: Sheet, axes: Axes) -> None:
    near: How = {"handletextpad": 0.1, "columnspacing": 0.9, "borderaxespad": 0.0, "borderpad": 0.0}
    corner = EDGE / sheet.width, 1 - EDGE / sheet.height
    handles, labels = axes.get_legend_handles_labels()
    how: How = {"ncols": len(labels), "frameon": False, "fontsize": SMALL, **near}
    sheet.figure.legend(handles, labels, loc="upper left", bbox_to_anchor=corner, **how)


def _draw_panel(axes: Axes, found: Correlation, name: str, *, first: bool) -> None:
    people, x = found.measures, found.models[name]
    y = people.means
    known = np.flatnonzero(~np.isnan(x))  # a model may not be able to judge all
    _draw_guide(axes, people, x[known], y[known])
    of = [people.categories.get(item.scenario, "") for item in people.items]
    for number, category in enumerate(dict.fromkeys(of)):
        chosen = [place for place, one in enumerate(of) if one == category]
        how: How = {"color": COLOURS[number % len(COLOURS)], "marker": MARKS[number % len(MARKS)]}
        size = 14 if _few(people) else 7
        shown: How = {"s": size, "linewidths": 0, "alpha": 0.75, "zorder": 3, **how}
        axes.scatter(x[chosen], y[chosen], label=plain(category) or None, **shown)
    if _few(people) and len(people.participants) > 1:
        errors = np.nanstd(people.values, axis=0) / np.sqrt((~np.isnan(people.values)).sum(axis=0))
        axes.errorbar(x, y, yerr=errors, fmt="none", ecolor=SOFT, elinewidth=0.5, zorder=2)
    _draw_labels(axes, people, x, y, known)
    r = next(one.r for one in found.agreements if one.model == name and one.category == ALL)
    ends = "" if r.low is None or r.high is None else f" ({r.low:.2f} to {r.high:.2f})"
    title(axes, plain(name), f"r = {r.value:.2f}{ends}")
    surprising = people.direction == "looking"
    label(axes, x="model: surprise" if surprising else "model")
    if first:
        unit = ", log seconds" if people.log else ", seconds" if people.answer == "looking" else ""
        label(axes, y=f"people{unit}")


def _draw_guide(axes: Axes, people: Measures, x: Floats, y: Floats) -> None:
    """Draw the line on which the points of a perfect model lie, or the best line."""
    axes.grid(color=HAIR, linewidth=0.4)
    axes.set_axisbelow(True)
    how: How = {"color": SOFT, "linewidth": 0.6, "linestyle": (0, (1, 1.5))}
    inside = float(min(x.min(), y.min())) >= 0 and float(max(x.max(), y.max())) <= 1
    if people.answer != "looking" and inside:
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        axes.plot([0, 1], [0, 1], **how)
    elif np.ptp(x) > 0:
        slope, start = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, start + slope * ends, **how)
        axes.margins(0.1)


def _draw_labels(
    axes: Axes, people: Measures, x: Floats, y: Floats, known: Annotated[Ints, "some"]
) -> None:
    """Label all points if they are few, else those farthest from the line, without overlap."""
    items, x, y = [people.items[place] for place in known], x[known], y[known]
    slope, start = np.polyfit(x, y, 1) if np.ptp(x) > 0 else (0.0, float(y.mean()))
    order = np.argsort(-np.abs(y - (start + slope * x)), kind="stable").tolist()
    ends = np.array([axes.get_xlim(), axes.get_ylim()])
    size = np.array(size_of(axes))
    points = (np.stack([x, y], axis=1) - ends[:, 0]) / np.ptp(ends, axis=1) * size  # centimetres
    taken: list[Floats] = []
    for place in order:
        text = plain(str(items[place]))
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        box = _free_box(points, place, text_width(text, LABEL), size, taken)
        if box is not None:
            taken.append(box)
            left, low = box[0] / size
            how: How = {"va": "bottom", "fontsize": LABEL, "color": INK}
            axes.text(left, low, text, transform=axes.transAxes, **how)
        if len(taken) == (_FEW if _few(people) else _ODD):
            return


def _free_box(
    points: Floats, place: int, width: float, size: Floats, taken: Sequence[Floats]
) -> Floats | None:
    """Return the first free place for the label of a point, as two corners, or None."""
    point = points[place]
    for right, up in product((True, False), repeat=2):
        left = point[0] + _OFF if right else point[0] - _OFF - width
        low = point[1] if up else point[1] - _TALL
        box = np.array([[left, low], [left + width, low + _TALL]])
        inside = (box[0] >= 0).all() and (box[1] <= size).all()
        on_points = ((points > box[0]) & (points < box[1])).all(axis=1).any()
        on_labels = any((box[0] < one[1]).all() and (one[0] < box[1]).all() for one in taken)
        if inside and not on_points and not on_labels:
            return box
    return None
