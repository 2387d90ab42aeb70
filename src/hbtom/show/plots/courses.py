"""The figure of people and models over time: a panel for each scenario, a colour for each goal."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hbtom.bench.agreements import Correlation
from hbtom.errors import BadInput
from hbtom.show.plots.correlation_figure import COLOURS
from hbtom.show.plots.posteriors import LINES
from hbtom.show.plots.sheet import (
    LINE,
    PAGE,
    POINT,
    SMALL,
    TEXT,
    Column,
    How,
    Sheet,
    grid,
    label,
    size_of,
    styled,
    text_width,
)
from hbtom.show.plots.signs import INK, SOFT
from hbtom.show.words import plain

MOST = 60  # most scenarios in a figure
# Centimetres
EDGE, LEFT, RIGHT, TITLE, BELOW = 0.15, 0.8, 0.25, 0.85, 0.7
WIDE, TALL = 3.2, 2.4  # least width of a panel, and its height


@styled()
def draw_courses(found: Correlation, width: float = PAGE) -> Figure:
    """Return people's answers (with standard errors) and each model's over time, on one axis."""
    timed = [item.scenario for item in found.measures.items if item.time is not None]
    names = list(dict.fromkeys(timed))
    if not names:
        raise BadInput("there are no times to draw", hint="the measures need a column 'time'")
    if len(names) > MOST:
        hint = f"draw at most {MOST} at a time"
        raise BadInput(f"there are {len(names)} scenarios", hint=hint)
    inner = width - 2 * EDGE
    many = max(1, min(len(names), int(inner // (WIDE + LEFT))))
    cell, tall = inner / many, TITLE + TALL + BELOW
    sheet = Sheet(width, LINE + math.ceil(len(names) / many) * tall + 2 * EDGE)
    _draw_legend(sheet, found)
    column = Column(sheet, EDGE, EDGE + LINE, inner)
    for number, name in enumerate(names):
        row, place = divmod(number, many)
        axes = column.axes(place * cell + LEFT, row * tall + TITLE, cell - LEFT - RIGHT, TALL)
        _draw_scenario(axes, found, name)
        if place == 0:
            label(axes, y="people, models")
    return sheet.figure


def _draw_legend(sheet: Sheet, found: Correlation) -> None:
    people = Line2D([], [], color=INK, linewidth=1.4, marker="o", markersize=2.5)
    styles = LINES[1:]
    models = [
        Line2D([], [], color=INK, linewidth=0.9, linestyle=styles[number % len(styles)])
        for number in range(len(found.models))
    ]
    corner = EDGE / sheet.width, 1 - EDGE / sheet.height
    how: How = {"frameon": False, "fontsize": SMALL, "borderaxespad": 0.0, "borderpad": 0.0}
    labels = ["people", *map(plain, found.models)]
    sheet.figure.legend(
        [people, *models], labels, loc="upper left", bbox_to_anchor=corner, ncols=6, **how
    )


def _draw_scenario(axes: Axes, found: Correlation, name: str) -> None:
    people = found.measures
    here = [n for n, item in enumerate(people.items) if item.scenario == name]
    goals = list(dict.fromkeys(people.items[n].label for n in here))
    errors = np.nanstd(people.values, axis=0) / np.sqrt((~np.isnan(people.values)).sum(axis=0))
    for number, goal in enumerate(goals):
        places = [n for n in here if people.items[n].label == goal]
        places.sort(key=lambda n: people.items[n].time or 0.0)
        times = np.array([people.items[n].time for n in places], dtype=np.float64)
        colour = COLOURS[number % len(COLOURS)]
        means = people.means[places]
        axes.plot(times, means, color=colour, linewidth=1.4, marker="o", markersize=2.5, zorder=4)
        if len(people.participants) > 1:
            low, high = means - errors[places], means + errors[places]
            axes.fill_between(times, low, high, color=colour, alpha=0.15, linewidth=0)
        for other, said in enumerate(found.models.values()):
            style: How = {"linestyle": LINES[1 + other % (len(LINES) - 1)], "linewidth": 0.9}
            axes.plot(times, said[places], color=colour, zorder=3, **style)
    grid(axes)
    if people.answer != "looking":
        axes.set_ylim(-0.03, 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    label(axes, x="time")
    _draw_names(axes, plain(name), plain(people.categories.get(name, "")), goals)


def _draw_names(axes: Axes, name: str, category: str, goals: list[str]) -> None:
    """Write the scenario above the panel, and the names of its goals, each in its colour."""
    how: How = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
    above = 1.5 * LINE / POINT
    axes.annotate(name, (0, 1), (0, above), fontweight="bold", fontsize=TEXT, **how)
    place = (text_width(name, bold=True) + 0.18) / POINT, above
    axes.annotate(category, (0, 1), place, color=SOFT, fontsize=SMALL, **how)
    along, room = 0.0, size_of(axes)[0] + RIGHT + EDGE
    for number, goal in enumerate(goals):
        wide = text_width(plain(goal), SMALL - 0.5) + 0.08
        if along + wide <= room:
            place, colour = (along / POINT, LINE / 2 / POINT), COLOURS[number % len(COLOURS)]
            axes.annotate(plain(goal), (0, 1), place, color=colour, fontsize=SMALL - 0.5, **how)
        along += wide
