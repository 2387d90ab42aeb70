"""The figure of a judged episode, or of a pair: heading, maps of all trials, legend, beliefs.

If there is room, the two of a pair stand side by side, with comparable panels at the same height;
otherwise one stands above the other. The panels of beliefs stand one below the other, or two in a
row if there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from matplotlib.figure import Figure

from hbtom.judgement import Judgement
from hbtom.mind import Posterior
from hbtom.show.plots.legend import (
    aim_entries,
    draw_legend,
    episode_entries,
    item_entries,
    legend_rows,
)
from hbtom.show.plots.maps import GAP, draw_strip, lay_out
from hbtom.show.plots.posteriors import (
    Scales,
    draw_efficiency,
    draw_goal,
    draw_observation,
    draw_preference,
    scales,
)
from hbtom.show.plots.sheet import (
    COLUMN,
    LARGE,
    LINE,
    PAGE,
    Column,
    How,
    Sheet,
    label,
    styled,
    wrapped,
)
from hbtom.show.plots.signs import Signs, said, signs, signs_of_goals
from hbtom.show.terminal import three
from hbtom.show.words import plain

EDGE = 0.15  # centimetres around everything
APART = 0.5  # centimetres between the members of a pair
_BOLD: How = {"fontweight": "bold", "fontsize": LARGE}
_LONGEST = 32  # most letters of a file's name; of a longer name, the end is shown
# Centimetres
BESIDE = 14.0  # least width of a sheet on which panels stand side by side
HIGH, LOW = 2.2, 1.7  # height of a panel beside another one, and of a panel by itself
LEFT, TITLE, SCALE = 1.0, 0.45, 0.75  # space left of a panel, above it, and below it
BETWEEN = 0.4  # between columns


@styled()
def draw_judgements(judgements: Sequence[Judgement], width: float = PAGE) -> Figure:
    """Return the figure of one judged episode, or of both episodes of a pair."""
    beside = width >= BESIDE
    columns = len(judgements) if beside else 1
    each = (width - 2 * EDGE - (columns - 1) * APART) / columns
    known = signs(judgement.episode for judgement in judgements)
    shared = scales([judgement.test for judgement in judgements])
    headings = [_heading(judgement, known, each) for judgement in judgements]
    lines = max(map(len, headings))
    heights = [_height(judgement, known, each, lines) for judgement in judgements]
    heights = [max(heights)] * len(heights) if beside else heights
    height = heights[0] if beside else sum(heights) + (len(heights) - 1) * APART
    column = Column(Sheet(width, height + 2 * EDGE), EDGE, EDGE, each)
    for judgement, heading, tall in zip(judgements, headings, heights, strict=True):
        for number, (line, how) in enumerate(heading):
            column.text(0, (number + 0.5) * LINE, line, **how)
        strip = column.below(lines * LINE + GAP)
        below = draw_strip(strip, judgement.episode, known, judgement.posteriors)
        draw_legend(below, legend_rows(episode_entries(judgement, known), each))
        draw_panels(column.below(tall - panels_height(each)), judgement, known, shared)
        column = column.beside(APART) if beside else column.below(tall + APART)
    return column.sheet.figure


def _height(judgement: Judgement, known: Signs, width: float, lines: int) -> float:
    maps = lay_out(len(judgement.episode), width).height
    legend = len(legend_rows(episode_entries(judgement, known), width)) * LINE
    return lines * LINE + GAP + maps + legend + panels_height(width)


def _heading(judgement: Judgement, known: Signs, width: float) -> list[tuple[str, How]]:
    """Return the lines of a heading: file and plausibility, its parts, and a sentence."""
    name = plain(PurePath(judgement.episode.name).name)
    name = name if len(name) <= _LONGEST else "…" + name[1 - _LONGEST :]
    first = f"{name}: plausibility {three(judgement.plausibility)}"
    parts = judgement.parts.to_dict()
    product = " × ".join(f"{kind} {three(part)}" for kind, part in parts.items())
    why = f"because {judgement.missing}" if judgement.missing else f"= {product}"
    return [
        *((line, _BOLD) for line in wrapped(first, width, LARGE, bold=True)),
        *((line, {}) for line in wrapped(why, width)),
        *((line, {}) for line in wrapped(said(judgement, known), width)),
    ]


@styled()
def draw_posterior(posterior: Posterior, width: float = COLUMN) -> Figure:
    """Return the figure of the beliefs during one trial."""
    known = signs_of_goals(posterior.goals)
    inner = width - 2 * EDGE
    rows = legend_rows([*item_entries(known.items.values()), *aim_entries(posterior, known)], inner)
    sheet = Sheet(width, len(rows) * LINE + 3 * (TITLE + LOW) + SCALE + 2 * EDGE)
    below = draw_legend(Column(sheet, EDGE, EDGE, inner), rows)
    draw_stack(below, posterior, known, scales([posterior]), "frame")
    return sheet.figure


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
