"""The legend of an episode's figure: the meaning of each sign and each line."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from hbtom.judgement import Judgement
from hbtom.mind import Posterior
from hbtom.mind.regret import NOTHING, name_goals
from hbtom.observe import Identity
from hbtom.show.company_beliefs import aims, attitudes, ghosts, unseen
from hbtom.show.plots.company_map import draw_attitude, draw_ghost, draw_other
from hbtom.show.plots.glyphs import CALLED, DISC, SQUARE, TRIANGLE, kinds
from hbtom.show.plots.maps import HATCH, PALE, draw_lock
from hbtom.show.plots.posteriors import aim_sign, line_style
from hbtom.show.plots.sheet import LINE, SMALL, Column, How, text_width
from hbtom.show.plots.signs import BARRIER, INK, SOFT, Sign, Signs, hexadecimal

_BEFORE, _AFTER = 0.08, 0.25  # from a sign to its name, and from a name to the next sign
_RADIUS = 0.1  # of a sign
_HALF = 0.3  # of a sign on a line
_START: How = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.5}
_BARRIER: How = {"facecolor": BARRIER, "edgecolor": "white", "hatch": HATCH, "linewidth": 0}


@dataclass(frozen=True)
class LegendEntry:
    """A sign with its name. ``draw`` draws it around a point; all lengths are in centimetres."""

    name: str
    half: float  # of the sign's width
    draw: Callable[[Axes, float, float], None]

    @property
    def width(self) -> float:
        return 2 * self.half + _BEFORE + text_width(self.name, SMALL) + _AFTER


def legend_rows(entries: Iterable[LegendEntry], width: float) -> list[list[LegendEntry]]:
    """Return entries in rows that are no wider than ``width``."""
    rows: list[list[LegendEntry]] = [[]]
    for entry in entries:
        if rows[-1] and sum(one.width for one in rows[-1]) + entry.width > width + _AFTER:
            rows.append([])
        rows[-1].append(entry)
    return rows


def draw_legend(column: Column, rows: Sequence[Sequence[LegendEntry]]) -> Column:
    """Draw a legend; return the column below it."""
    height = len(rows) * LINE
    axes = column.axes(0, 0, column.width, height)
    axes.set(xlim=(0, column.width), ylim=(height, 0))
    axes.set_axis_off()
    for number, row in enumerate(rows):
        x, y = 0.0, (number + 0.5) * LINE
        for entry in row:
            entry.draw(axes, x + entry.half, y)
            axes.text(x + 2 * entry.half + _BEFORE, y, entry.name, va="center", fontsize=SMALL)
            x += entry.width
    return column.below(height)


def item_entries(signs: Iterable[Sign]) -> Iterator[LegendEntry]:
    """Yield an entry for each item."""
    for sign in signs:
        yield LegendEntry(sign.name, _HALF, partial(_item, sign))


def aim_entries(posterior: Posterior, known: Signs) -> Iterator[LegendEntry]:
    """Yield an entry for each place where the agent may look for a thing, if there are several."""
    yield from item_entries(aim_sign(posterior, one, known) for one in aims(posterior) if one.where)


def episode_entries(judgement: Judgement, known: Signs) -> Iterator[LegendEntry]:
    """Yield an entry for everything in an episode."""
    episode, test = judgement.episode, judgement.test
    wanted = (goal for one in judgement.posteriors for goal in one.goals if goal != NOTHING)
    items = dict.fromkeys(look for trial in episode if trial.items for look in name_goals(trial))
    items |= dict.fromkeys((*wanted, *test.goals))
    yield from item_entries(known.items[look] for look in items)
    yield from aim_entries(test, known)
    for look in dict.fromkeys(trial.agent.look for trial in episode):
        sign = known.agents[look]
        yield LegendEntry(f"{sign.name} (agent)", _RADIUS, partial(_polygon, sign, INK, 0.6))
    yield LegendEntry("start", _RADIUS, partial(_box, _RADIUS, _START))
    if any(trial.lock is not None for trial in episode):
        yield LegendEntry(
            "lock", _RADIUS, lambda axes, x, y: draw_lock(axes, (x, y), _RADIUS, TRIANGLE)
        )
    if any(len(trial.barrier) for trial in episode):
        yield LegendEntry("barrier", 0.2, partial(_box, 0.2, _BARRIER))
    yield from _company_entries(judgement, known, items)


def _company_entries(
    judgement: Judgement, known: Signs, items: Container[Identity]
) -> Iterator[LegendEntry]:
    """Yield an entry for everything about others, and for the beliefs about them."""
    episode, posteriors = judgement.episode, judgement.posteriors
    looks = {other.look: other.kind for trial in episode for other in trial.others}
    for look in (look for look, kind in looks.items() if kind == "agent" and look not in items):
        sign = known.items[look]
        yield LegendEntry(f"{sign.name} (other agent)", _RADIUS, partial(_polygon, sign, SOFT, 0.6))
    for kind in (kind for kind in kinds(episode) if kind != "agent"):
        look = next(look for look, other in looks.items() if other == kind)
        yield LegendEntry(CALLED[kind], _RADIUS, partial(_board, hexadecimal(look)))
    both = list(zip(episode, posteriors, strict=True))
    if any(map(unseen, episode)):
        yield LegendEntry("out of its sight", _RADIUS, _pale)
    if any(ghosts(trial, posterior) for trial, posterior in both):
        yield LegendEntry("believed place", _RADIUS, _ghost)
    if any(attitudes(trial, posterior) for trial, posterior in both):
        yield LegendEntry("hinders, neutral, helps", 2 * _RADIUS, _attitude)


def _item(sign: Sign, axes: Axes, x: float, y: float) -> None:
    axes.plot([x - _HALF, x + _HALF], [y, y], **line_style(sign))
    _polygon(sign, "white", 0.4, axes, x, y)


def _polygon(sign: Sign, edge: str, line: float, axes: Axes, x: float, y: float) -> None:
    corners = np.array((x, y)) + _RADIUS * sign.glyph
    look: How = {"facecolor": sign.colour, "edgecolor": edge, "linewidth": line, "zorder": 3}
    axes.add_patch(Polygon(corners, **look))


def _box(half: float, look: How, axes: Axes, x: float, y: float) -> None:
    box = Rectangle((x - half, y - _RADIUS), 2 * half, 2 * _RADIUS)
    box.set(**look)
    axes.add_patch(box)


def _board(colour: str, axes: Axes, x: float, y: float) -> None:
    draw_other(axes, np.array((x, y)) + _RADIUS * SQUARE * (0.5, 1.0), colour)


def _pale(axes: Axes, x: float, y: float) -> None:
    axes.add_patch(Polygon(np.array((x, y)) + _RADIUS * DISC, facecolor=INK, alpha=PALE))


def _ghost(axes: Axes, x: float, y: float) -> None:
    draw_ghost(axes, np.array((x, y)) + _RADIUS * DISC, "white", 1.0)


def _attitude(axes: Axes, x: float, y: float) -> None:
    draw_attitude(axes, (x, y), [1 / 3] * 3, size=(4 * _RADIUS, _RADIUS))
