"""Figures of scores: accuracy compared with published figures, and calibration.

Accuracies are in per cent, like the published ones.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hbtom.bench.calibration import Calibration
from hbtom.bench.evaluation import Evaluation
from hbtom.bench.published import MODELS, published
from hbtom.bench.score import wilson
from hbtom.show.plots.sheet import (
    COLUMN,
    LINE,
    SMALL,
    Column,
    How,
    Sheet,
    grid,
    label,
    styled,
    text_width,
    wrapped,
)
from hbtom.show.plots.signs import HAIR, INK, ITEMS, SOFT
from hbtom.show.score_text import ScoreLine, score_lines
from hbtom.show.words import plain

MARKS = dict(zip(MODELS, ("D", "x", "+", "v", "^", "s"), strict=True))
THEIRS = ITEMS[1]
_OURS: How = {"color": ITEMS[0], "markersize": 4, "zorder": 4}
_OTHERS: How = {"color": "#85878D", "markersize": 3.2}
# Centimetres
ROW = 0.44  # from task to task
BELOW = 0.85  # the scale below the chart
EDGE = 0.15
DODGE = 0.18  # in rows: published figures are drawn higher, ours lower
INDENT = {"group": 0.0, "task": 0.25, "all": 0.0}


def draw_scores(result: object, **wide: float) -> Figure:
    """Return a figure of an evaluation or a calibration."""
    if isinstance(result, Evaluation):
        return draw_evaluation(result, **wide)
    if isinstance(result, Calibration):
        return draw_calibration(result, **wide)
    raise TypeError(f"there is no figure for {type(result).__name__}")


@styled()
def draw_evaluation(evaluation: Evaluation, width: float = COLUMN) -> Figure:
    """Return accuracy by task, with 95 % intervals and every published figure."""
    lines = list(score_lines(evaluation.tasks))
    notes = wrapped(_note(evaluation), width - 2 * EDGE, SMALL)
    tall = len(lines) * ROW
    sheet = Sheet(width, 2 * LINE + tall + BELOW + len(notes) * LINE + 2 * EDGE)
    column = Column(sheet, EDGE, EDGE, width - 2 * EDGE)
    chart = column.below(2 * LINE)
    left = max(text_width(line.label) + INDENT[line.kind] for line in lines) + 0.2
    axes = chart.axes(left, 0, column.width - left - 0.1, tall)
    _draw_accuracy(axes, lines)
    for number, line in enumerate(lines):
        shade = SOFT if line.kind == "task" else INK
        chart.text(INDENT[line.kind], (number + 0.5) * ROW, line.label, color=shade)
    near: How = {"handletextpad": 0.1, "columnspacing": 0.9, "borderaxespad": 0.0, "borderpad": 0.0}
    corner = (EDGE / sheet.width, 1 - EDGE / sheet.height)
    sheet.figure.legend(
        loc="upper left", bbox_to_anchor=corner, ncols=4, frameon=False, fontsize=SMALL, **near
    )
    for number, text in enumerate(notes):
        chart.below(tall + BELOW).text(0, (number + 0.5) * LINE, text, fontsize=SMALL, color=SOFT)
    return sheet.figure


def _note(evaluation: Evaluation) -> str:
    model = evaluation.model
    return (
        f"Lines: 95 % intervals. Model {plain(model.name)} ({model.fingerprint}) on "
        f"{plain(evaluation.dataset)}; published figures: the real benchmark. Dotted: chance."
    )


def _draw_accuracy(axes: Axes, lines: list[ScoreLine]) -> None:
    """Draw a row for each line: published figures above, this model's below."""
    rows = np.arange(len(lines))
    axes.set(xlim=(0, 102), ylim=(len(lines) - 0.5, -0.5), yticks=[])
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.grid(axis="x", color=HAIR, linewidth=0.4)
    axes.axvline(50, color=SOFT, linewidth=0.6, linestyle=(0, (1, 1.5)))
    axes.set_axisbelow(True)
    accuracy = np.array([100 * line.score.accuracy for line in lines])
    bounds = 100 * np.array([line.score.interval for line in lines]).T
    errors = np.abs(bounds - accuracy)
    ours: How = {"elinewidth": 1.3, "label": "this model", **_OURS}
    axes.errorbar(accuracy, rows + DODGE, xerr=errors, fmt="o", **ours)
    for name, mark in MARKS.items():
        theirs = [100 * published(line.score.task).get(name, np.nan) for line in lines]
        main = name == "HBToM"
        how: How = {"color": THEIRS, "markersize": 4} if main else _OTHERS
        thin: How = {"fillstyle": "none", "markeredgewidth": 0.8}
        axes.plot(theirs, rows - DODGE, mark, label=name, **how, **thin)
    axes.spines["left"].set_visible(False)
    label(axes, x="accuracy, % of pairs")


@styled()
def draw_calibration(calibration: Calibration, width: float = COLUMN) -> Figure:
    """Return the share of expected episodes by plausibility, on held-out pairs."""
    side = width - 2 * EDGE - 1.1
    sheet = Sheet(width, side + LINE + 1.0 + 2 * EDGE)
    column = Column(sheet, EDGE, EDGE, width - 2 * EDGE)
    axes = column.axes(1.0, LINE, side, side)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    grid(axes)
    axes.plot([0, 1], [0, 1], color=SOFT, linewidth=0.6, linestyle=(0, (1, 1.5)))
    mean = np.array([one.mean_plausibility for one in calibration.bins])
    share = np.array([one.expected for one in calibration.bins])
    bounds = [wilson(one.expected * one.episodes, one.episodes) for one in calibration.bins]
    errors = np.abs(np.array(bounds).T - share)
    ours: How = {"elinewidth": 1.2, "linewidth": 0.8, "clip_on": False, **_OURS}
    axes.errorbar(mean, share, yerr=errors, fmt="o-", **ours)
    for one, x, y in zip(calibration.bins, mean, share, strict=True):
        near = "right" if x > 0.9 else "left"
        far: How = {"xytext": (5 if near == "left" else -5, 3), "textcoords": "offset points"}
        how: How = {"bbox": {"fc": "white", "ec": "none", "pad": 0.5}, "color": SOFT}
        axes.annotate(str(one.episodes), (x, y), **far, ha=near, fontsize=SMALL, **how)
    label(axes, "plausibility", "share of expected episodes")
    note = f"calibration error {calibration.calibration_error:.3f}; numbers: episodes"
    column.text(1.0, LINE / 2, note, fontsize=SMALL, color=SOFT)
    return sheet.figure
