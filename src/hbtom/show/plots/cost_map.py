"""The cost-to-go of a goal as a map: the cost of the rest of the way from every cell."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from hbtom.arrays import Bools, Floats
from hbtom.show.plots.posteriors import SHADES
from hbtom.show.plots.sheet import COLUMN, LINE, SMALL, Column, How, Sheet, styled, title
from hbtom.show.plots.signs import HAIR, INK, SOFT, WALL

# Centimetres
EDGE, BAR, RIGHT = 0.15, 0.25, 1.1  # around everything; the bar of shades; the room for it


@styled()
def draw_cost_map(
    cost: Annotated[Floats, "row column"],
    blocked: Annotated[Bools, "row column"],
    cell: float,
    path: Annotated[Floats, "step 2"],
    *,
    name: str = "",
    width: float = COLUMN,
) -> Figure:
    """Return the figure of a goal's cost-to-go, with the trajectory on top.

    ``cost`` is infinite where the goal cannot be reached, or where the cost was not needed.
    ``cell`` is the side of a cell and ``path`` has positions (x, y), both in pixels; ``name`` is
    the name of the goal.
    """
    rows, columns = cost.shape
    side = width - 2 * EDGE - RIGHT
    tall = side * rows / columns
    sheet = Sheet(width, tall + LINE + 2 * EDGE)
    column = Column(sheet, EDGE, EDGE, width - 2 * EDGE)
    axes = column.axes(0, LINE, side, tall)
    shades = draw_costs(axes, cost, blocked, cell)
    draw_trajectory(axes, path)
    bar = sheet.figure.colorbar(shades, cax=column.axes(side + BAR, LINE, BAR, tall))
    bar.ax.tick_params(labelsize=SMALL, length=2, width=0.5, pad=1.5)
    bar.outline.set(linewidth=0.5, edgecolor=SOFT)
    title(axes, name or "goal", "cost-to-go")
    return sheet.figure


def draw_costs(
    axes: Axes,
    cost: Annotated[Floats, "row column"],
    blocked: Annotated[Bools, "row column"],
    cell: float,
) -> AxesImage:
    """Draw the cost of every cell; blocked cells are dark grey, unknown ones light grey."""
    rows, columns = cost.shape
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(visible=True, linewidth=0.5, color=SOFT)
    on: How = {"extent": (0, columns * cell, rows * cell, 0), "interpolation": "nearest"}
    axes.set_facecolor(HAIR)
    known = np.isfinite(cost) & ~blocked
    drawn = axes.imshow(np.ma.masked_where(~known, cost), cmap=SHADES.reversed(), **on)
    walls = np.ma.masked_where(~blocked, blocked)
    axes.imshow(walls, cmap=ListedColormap([WALL]), **on)
    return drawn


def draw_trajectory(axes: Axes, path: Annotated[Floats, "step 2"]) -> None:
    """Draw a trajectory: its start, its path, and its end."""
    axes.plot(*path.T, color="white", linewidth=2.4)  # visible on dark and on light
    axes.plot(*path.T, color=INK, linewidth=1.0, gid="path")
    ends: How = {"linestyle": "none", "markeredgecolor": INK, "markeredgewidth": 0.6}
    axes.plot(*path[:1].T, marker="s", markersize=4, markerfacecolor="white", **ends, gid="start")
    axes.plot(*path[-1:].T, marker="o", markersize=4, markerfacecolor=INK, **ends, gid="end")
