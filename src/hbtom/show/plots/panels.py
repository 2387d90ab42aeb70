"""The layout of the panels of beliefs: one below the other, or two in a row if there is room."""

from __future__ import annotations

from hbtom.judgement import Judgement
from hbtom.mind import Posterior
from hbtom.show.plots.posteriors import (
    Scales,
    draw_efficiency,
    draw_goal,
    draw_observation,
    draw_preference,
)
from hbtom.show.plots.sheet import Column, label
from hbtom.show.plots.signs import Signs

# Centimetres
BESIDE = 14.0  # the least width of a sheet on which panels stand side by side
HIGH, LOW = 2.2, 1.7  # height of a panel beside another one, and of a panel by itself
LEFT, TITLE, SCALE = 1.0, 0.45, 0.75  # left of a panel, above it, and below it
BETWEEN = 0.4  # between columns


def panels_height(width: float) -> float:
    """Return the height that the panels of a judgement need; two of their rows have a scale."""
    rows, height = (2, HIGH) if width >= BESIDE else (4, LOW)
    return rows * (TITLE + height) + 2 * SCALE


def draw_panels(column: Column, judgement: Judgement, known: Signs, shared: Scales) -> None:
    """Draw the beliefs from trial to trial, and during the test trial."""
    when = "frame of the test trial"
    if column.width < BESIDE:
        axes = column.axes(LEFT, TITLE, column.width - LEFT, LOW)
        draw_preference(axes, judgement.posteriors, known)
        draw_stack(column.below(TITLE + LOW + SCALE), judgement.test, known, shared, when)
        return
    wide = (column.width - 2 * LEFT - BETWEEN) / 2
    first, second = LEFT, 2 * LEFT + wide + BETWEEN
    upper, lower = TITLE, 2 * TITLE + HIGH + SCALE
    draw_preference(column.axes(first, upper, wide, HIGH), judgement.posteriors, known)
    goal = column.axes(second, upper, wide, HIGH)
    efficiency = column.axes(first, lower, wide, HIGH)
    observation = column.axes(second, lower, wide, HIGH)
    draw_goal(goal, judgement.test, known)
    draw_efficiency(efficiency, judgement.test, shared.efficiency)
    draw_observation(observation, judgement.test, shared.surprise)
    for axes in (goal, efficiency, observation):
        label(axes, x=when)


def draw_stack(
    column: Column, posterior: Posterior, known: Signs, shared: Scales, when: str
) -> None:
    """Draw the beliefs during a trial: three panels with one time axis."""
    tops = [TITLE + row * (LOW + TITLE) for row in range(3)]
    panels = [column.axes(LEFT, top, column.width - LEFT, LOW) for top in tops]
    draw_goal(panels[0], posterior, known)
    draw_efficiency(panels[1], posterior, shared.efficiency)
    draw_observation(panels[2], posterior, shared.surprise)
    for axes in panels[:2]:
        axes.tick_params(labelbottom=False)
    label(panels[2], x=when)
