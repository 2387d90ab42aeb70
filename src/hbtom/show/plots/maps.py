"""A trial as a small map: walls, barrier, things, and the agent's path with arrowheads.

The trials of an episode make a strip: familiarization small and numbered, the test trial large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Polygon, Rectangle

from hbtom.arrays import Floats
from hbtom.mind import Posterior
from hbtom.observe import Episode, Trial
from hbtom.show.company_beliefs import cause, unseen
from hbtom.show.plots.company_map import LARGER, draw_company
from hbtom.show.plots.glyphs import JUMP, SQUARE, seen_at, turned, walked
from hbtom.show.plots.glyphs import Polygon as Glyph
from hbtom.show.plots.sheet import LINE, SMALL, Column, How, text_width
from hbtom.show.plots.signs import BARRIER, INK, SOFT, WALL, Sign, Signs

PALE = 0.35  # opacity of things that the agent does not see
HATCH = "//////"  # of the barrier, visible in grey
_ARROW = np.array([(1.0, 0.0), (-0.8, 0.75), (-0.8, -0.75)])
LARGEST = 2.7  # centimetres: the largest side of a familiarization trial's map
GAP = 0.12  # between maps


def draw_map(
    axes: Axes,
    trial: Trial,
    signs: Signs,
    posterior: Posterior | None = None,
    *,
    large: bool = False,
) -> None:
    """Draw a trial from above, with the agent's whole path and the final beliefs.

    If walls or objects change, they are drawn as they are at the end, with the paths of objects.
    Things that the agent does not see when it sets out are pale.
    """
    width, height = trial.size
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal", xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set(visible=True, linewidth=1.0 if large else 0.5, color=INK if large else SOFT)
    at_end, pale = seen_at(trial, -1), unseen(trial)
    _draw_blocks(axes, at_end.walls, WALL)
    _draw_blocks(axes, trial.barrier, BARRIER, hatch=HATCH)
    if trial.lock is not None:
        draw_lock(axes, trial.lock.centre, trial.lock.radius, turned(trial.lock.look.image))
    for index, (item, sign) in enumerate(zip(at_end.items, signs.of(trial), strict=True)):
        shape = turned(item.look.image) if item is trial.key else sign.glyph
        size = item.radius * (1.0 if large else LARGER)
        look: How = {"edgecolor": "white", "linewidth": 0.5, "alpha": PALE if index in pale else 1}
        _draw_glyph(axes, np.array(item.centre) + size * shape, sign.colour, **look)
    if trial.object_paths is not None:
        for path in trial.object_paths.swapaxes(0, 1):
            axes.plot(*walked(path).T, color=SOFT, linewidth=0.5)
    draw_company(axes, trial, signs, posterior, large=large)
    draw_path(axes, trial, signs.agents[trial.agent.look], large=large)


def draw_path(axes: Axes, trial: Trial, agent: Sign, *, large: bool) -> None:
    """Draw the agent's start, its path with arrowheads, and the agent at the end."""
    radius = trial.agent.radius
    x, y = trial.whole_path[0]
    start = Rectangle((x - radius, y - radius), 2 * radius, 2 * radius)
    start.set(facecolor="white", edgecolor=INK, linewidth=0.5, gid="start")
    axes.add_patch(start)
    axes.plot(*walked(trial.whole_path).T, color=INK, linewidth=1.0 if large else 0.7, gid="path")
    for place, heading in _headings(trial.whole_path, at=(0.35, 0.7) if large else (0.5,)):
        turn = np.array([heading, (-heading[1], heading[0])])
        corners = place + _ARROW * (4.5 if large else 7.0) @ turn
        axes.add_patch(Polygon(corners, facecolor=INK, linewidth=0, zorder=3))
    if trial.agent_there is None or trial.agent_there[-1]:
        corners = trial.whole_path[-1] + radius * agent.glyph
        _draw_glyph(axes, corners, agent.colour, edgecolor=INK, linewidth=0.6)


def draw_lock(axes: Axes, centre: tuple[float, float], radius: float, slot: Glyph) -> None:
    """Draw a lock: a square with a slot for the key."""
    for glyph, size, colour in ((SQUARE, radius, WALL), (slot, 0.6 * radius, "white")):
        corners = np.array(centre) + size * glyph
        axes.add_patch(Polygon(corners, facecolor=colour, edgecolor="white", linewidth=0.4))


def _headings(path: Floats, at: tuple[float, ...]) -> list[tuple[Floats, Floats]]:
    """Return the points at these fractions of the path, with the smoothed heading there."""
    gone = np.concatenate([[0.0], np.hypot(*np.diff(path, axis=0).T).cumsum()])
    if gone[-1] < 2 * JUMP:
        return []
    found = []
    for share in at:
        along = share * gone[-1] + np.array([-JUMP / 2, 0.0, JUMP / 2])
        before, here, after = np.stack([np.interp(along, gone, side) for side in path.T], axis=1)
        length = np.hypot(*(after - before))
        if length > 0:  # it may have turned around
            found.append((here, (after - before) / length))
    return found


def _draw_blocks(
    axes: Axes, blocks: Annotated[Floats, "block 4"], colour: str, hatch: str | None = None
) -> None:
    """Draw blocks, with edges of the same colour to hide the seams between them."""
    boxes = [Rectangle((x, y), width, height) for x, y, width, height in blocks]
    if boxes:
        axes.add_collection(PatchCollection(boxes, color=colour, linewidth=0.3, antialiased=False))
    if boxes and hatch:
        lines: How = {"facecolor": "none", "edgecolor": "white", "linewidth": 0, "hatch": hatch}
        axes.add_collection(PatchCollection(boxes, **lines))


def _draw_glyph(axes: Axes, corners: Glyph, colour: str, **look: Any) -> None:
    axes.add_patch(Polygon(corners, facecolor=colour, **look, zorder=4))


@dataclass(frozen=True)
class Strip:
    """The layout of the maps of an episode; all lengths are in centimetres."""

    rows: int
    columns: int
    side: float  # of a familiarization trial's map
    large: float  # of the test trial's map, about twice that

    @property
    def height(self) -> float:
        return max(self.rows * (self.side + LINE + GAP), self.large + LINE + GAP)


def lay_out(trials: int, width: float) -> Strip:
    """Return a layout for a number of trials, no wider than ``width``."""
    familiar = trials - 1
    rows = 1 if familiar <= 2 else 2 if familiar <= 8 else -(-familiar // 4)
    columns = -(-familiar // rows)
    between = GAP + LINE if rows > 1 else 0.0  # the large map is as high as two small ones
    room = width - columns * GAP - GAP - between
    side = min(room / (columns + 2), LARGEST)
    return Strip(rows, columns, side, 2 * side + between)


def draw_strip(
    column: Column, episode: Episode, known: Signs, posteriors: Sequence[Posterior]
) -> Column:
    """Draw all trials of an episode, with the beliefs then; return the column below them."""
    strip = lay_out(len(episode), column.width)
    for index, trial in enumerate(episode.familiarization):
        row, place = divmod(index, strip.columns)
        left, top = place * (strip.side + GAP), row * (strip.side + LINE + GAP)
        axes = column.axes(left, top + LINE, strip.side, strip.side)
        draw_map(axes, trial, known, posteriors[index])
        column.text(left, top + LINE / 2, str(index + 1), color=SOFT)
    left = strip.columns * (strip.side + GAP) + (GAP if strip.columns else 0)
    axes = column.axes(left, LINE, strip.large, strip.large)
    draw_map(axes, episode.test, known, posteriors[-1], large=True)
    column.text(left, LINE / 2, "test trial", fontweight="bold")
    if text := cause(posteriors[-1]):
        room = strip.large - text_width("test trial", bold=True) - GAP / 2
        shorter = (text, text.removeprefix("moves "), "")
        text = next(one for one in shorter if text_width(one, SMALL) <= room or not one)
        column.text(left + strip.large, LINE / 2, text, ha="right", fontsize=SMALL, color=SOFT)
    return column.below(strip.height)
