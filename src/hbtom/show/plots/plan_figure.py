"""The figure of observed plans: beliefs about goal, efficiency and foresight after every action."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hbtom.assumptions import depth_names
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.mind import Posterior
from hbtom.show.plots.legend import draw_legend, item_entries, legend_rows
from hbtom.show.plots.posteriors import draw_line, draw_shades, probability_axis, shade_rows
from hbtom.show.plots.sheet import (
    LINE,
    PAGE,
    SMALL,
    Column,
    How,
    Sheet,
    label,
    styled,
    text_width,
    title,
)
from hbtom.show.plots.signs import Signs, signs_of_goals
from hbtom.show.words import plain
from hbtom.world.pddl import SeenPlan

# Centimetres
EDGE, LEFT, TITLE = 0.15, 1.0, 0.45
GOAL, EFFICIENCY, BETWEEN, SCALE = 2.4, 1.2, 0.12, 0.75
_STEEP = math.radians(50)  # the angle of the actions written below the axis
_MOST = 40  # actions that fit there; longer plans have numbered steps


@styled()
def draw_plans(judgement: PlanJudgement, width: float = PAGE) -> Figure:
    """Return the figure of all plans of a judgement, one below the other."""
    inner = width - 2 * EDGE
    known = signs_of_goals(goal for one in judgement.posteriors for goal in one.goals)
    rows = legend_rows(item_entries(known.items.values()), inner)
    heights = [
        TITLE + GOAL + _rows(posterior) * (BETWEEN + EFFICIENCY) + below_steps(plan.steps)
        for plan, posterior in zip(judgement.plans, judgement.posteriors, strict=True)
    ]
    sheet = Sheet(width, len(rows) * LINE + sum(heights) + 2 * EDGE)
    below = draw_legend(Column(sheet, EDGE, EDGE, inner), rows)
    for plan, posterior, height in zip(judgement.plans, judgement.posteriors, heights, strict=True):
        _draw_plan(below, plan, posterior, known)
        below = below.below(height)
    return sheet.figure


def below_steps(steps: Sequence[str]) -> float:
    """Return the height needed below an axis of steps."""
    if not 0 < len(steps) <= _MOST:
        return SCALE
    return max(text_width(word, SMALL) for word in _words(steps)) * math.sin(_STEEP) + 0.4


def _rows(posterior: Posterior) -> int:
    """Return the number of rows of shades: for efficiency, and for foresight if it varies."""
    return 1 if len(posterior.foresights) == 1 else 2


def _draw_plan(column: Column, plan: SeenPlan, posterior: Posterior, known: Signs) -> None:
    goal = column.axes(LEFT, TITLE, column.width - LEFT, GOAL)
    rows = [
        column.axes(LEFT, TITLE + GOAL + BETWEEN + row, column.width - LEFT, EFFICIENCY)
        for row in np.arange(_rows(posterior)) * (BETWEEN + EFFICIENCY)
    ]
    for look, belief in zip(posterior.goals, posterior.goal.T, strict=True):
        draw_line(goal, np.arange(len(belief)), belief, known.items[look])
    probability_axis(goal)
    label(goal, y="P(goal)")
    edges = np.linspace(-0.5, len(plan) + 0.5, len(plan) + 2)
    draw_shades(rows[0], posterior, edges)
    label(rows[0], y="efficiency")
    for foresight in rows[1:]:
        names = depth_names(posterior.foresights)
        shade_rows(foresight, edges, posterior.foresight, names)
        label(foresight, y="foresight")
    title(goal, plain(PurePath(plan.name).name), f"by {plain(plan.agent)}")
    write_steps([goal, *rows], plan.steps)


def write_steps(panels: Sequence[Axes], steps: Sequence[str]) -> None:
    """Write the steps below the last of these panels, or number them if there are many."""
    *upper, last = panels
    for axes in panels:
        axes.set_xlim(-0.5, len(steps) + 0.5)
    for axes in upper:
        axes.tick_params(labelbottom=False)
    if 0 < len(steps) <= _MOST:
        how: How = {"rotation": math.degrees(_STEEP), "ha": "right", "rotation_mode": "anchor"}
        for axes in panels:
            axes.set_xticks(range(len(steps) + 1))
        last.set_xticklabels(_words(steps), **how)
    else:
        for axes in panels:
            axes.xaxis.set_major_locator(MaxNLocator(10, integer=True))
        label(last, x="step")


def _words(steps: Sequence[str]) -> list[str]:
    return ["at the start", *(plain(step.strip("()")) for step in steps)]
