"""Company on a map: others and their paths, the observer, and beliefs about company."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from hbtom.mind import Posterior
from hbtom.observe import Other, Trial
from hbtom.show.company_beliefs import attitudes, ghosts
from hbtom.show.plots.glyphs import CAMERA, camera_place, outline, seen_from_to, walked
from hbtom.show.plots.glyphs import Polygon as Glyph
from hbtom.show.plots.sheet import How
from hbtom.show.plots.signs import ATTITUDES, INK, SOFT, Signs, hexadecimal
from hbtom.world.course import last_onset

DASHES = (0, (2, 1.4))
BAR = (20.0, 4.5)  # pixels: width and height of an attitude's bar
_Box = tuple[float, float, float, float]  # its middle, and half of its width and height
LARGER = 1.3  # factor by which things are enlarged on small maps


def draw_company(
    axes: Axes, trial: Trial, signs: Signs, posterior: Posterior | None, *, large: bool
) -> None:
    """Draw others where they end, and a ghost of each thing where the agent believes it to be.

    Others that have left or were moved are outlined at their first place. Paddles, which turn all
    the time, are drawn as they are when the agent sets out.
    """
    start = last_onset(trial)
    for other in trial.others:
        _draw_one(axes, other, signs, start, large=large)
    for ghost in ghosts(trial, posterior):
        sign, radius = signs.of(trial)[ghost.index], trial.objects[ghost.index].radius
        corners = np.array(ghost.place) + radius * (1.0 if large else LARGER) * sign.glyph
        draw_ghost(axes, corners, sign.colour, ghost.chance)
    taken: list[_Box] = [*_bodies(trial)]
    for other, chances in attitudes(trial, posterior):
        middle = _beside(other, taken, trial.size)
        taken.append((*middle, BAR[0] / 2, BAR[1] / 2))
        draw_attitude(axes, middle, chances[-1].tolist())
    if trial.camera is not None:
        (x, y), turn = camera_place(trial.camera, trial.size)
        look: How = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.5, "zorder": 5}
        size = 1.0 if large else 1.5
        axes.add_patch(Polygon((x, y) + size * CAMERA @ turn, **look, gid="camera"))


def _bodies(trial: Trial) -> Iterator[_Box]:
    """Yield where agents and objects end."""
    radius = trial.agent.radius
    yield (*trial.whole_path[-1].tolist(), radius, radius)
    for other in trial.others:
        if other.kind == "agent":
            yield (*other.path[seen_from_to(other)[1]].tolist(), *np.divide(other.size, 2).tolist())
    for body, place in zip(trial.objects, trial.objects_at[-1].tolist(), strict=True):
        yield (*place, body.radius, body.radius)


def _beside(other: Other, taken: Sequence[_Box], size: tuple[float, float]) -> tuple[float, float]:
    """Return a free place for the bar of another agent: above, below or beside it."""
    (x, y), (width, height) = other.path[seen_from_to(other)[1]].tolist(), other.size
    up, along, half = height / 2 + BAR[1], width / 2 + BAR[0] / 2 + 2.0, np.divide(BAR, 2)
    for dx, dy in ((0.0, -up), (0.0, up), (along, 0.0), (-along, 0.0)):
        middle = np.array((x + dx, y + dy))
        apart = (np.abs(middle - box[:2]) >= half + box[2:] for box in map(np.array, taken))
        if (
            all(one.any() for one in apart)
            and (half <= middle).all()
            and (middle + half <= size).all()
        ):
            return x + dx, y + dy
    return x, y - up


def _draw_one(axes: Axes, other: Other, signs: Signs, start: int, *, large: bool) -> None:
    first, last = seen_from_to(other)
    if first > last:
        return  # it is never there
    is_agent = other.kind == "agent"
    colour = signs.items[other.look].colour if is_agent else hexadecimal(other.look)
    gone = last < len(other.path) - 1
    moved = np.hypot(*(other.path[last] - other.path[first])) > 1.0
    if moved or (is_agent and gone):
        empty: How = {"facecolor": "none", "edgecolor": SOFT, "linewidth": 0.5, "zorder": 3.4}
        axes.add_patch(Polygon(outline(other, first), **empty, linestyle=DASHES, gid="before"))
    if is_agent or moved:
        way: How = {"color": colour if is_agent else SOFT, "alpha": 0.6}
        width = 1.0 if large else 0.7
        axes.plot(*walked(other.path).T, **way, linewidth=width, zorder=3.4, gid="way")
    if not gone:
        frame = max(first, start) if other.kind == "paddle" else last
        draw_other(axes, outline(other, frame), colour, solid=is_agent)


def draw_other(axes: Axes, corners: Glyph, colour: str, *, solid: bool = False) -> None:
    """Draw another agent, or a board, which is half transparent."""
    for share, edge in ((1.0 if solid else 0.45, "none"), (None, SOFT)):
        fill = colour if share else "none"
        look: How = {"facecolor": fill, "edgecolor": edge, "linewidth": 0.6, "alpha": share}
        axes.add_patch(Polygon(corners, zorder=3.5, **look))


def draw_ghost(axes: Axes, corners: Glyph, colour: str, chance: float) -> None:
    """Draw a thing where it is believed to be; the more probable, the stronger."""
    for fill, edge, strength in ((colour, "none", 0.3), ("none", INK, 1.0)):
        look: How = {"facecolor": fill, "edgecolor": edge, "linewidth": 0.7, "linestyle": DASHES}
        opacity = strength * (0.25 + 0.75 * chance)
        axes.add_patch(Polygon(corners, **look, alpha=opacity, zorder=4, gid="ghost"))


def draw_attitude(
    axes: Axes, middle: tuple[float, float], chances: list[float], size: tuple[float, float] = BAR
) -> None:
    """Draw a bar of three parts: P(hinders), P(neutral) and P(helps)."""
    (x, y), (width, height) = middle, size
    x, y = x - width / 2, y - height / 2
    at = x
    for (name, colour), chance in zip(ATTITUDES, chances, strict=True):
        look: How = {"facecolor": colour, "linewidth": 0, "zorder": 5, "gid": name}
        axes.add_patch(Rectangle((at, y), chance * width, height, **look))
        at += chance * width
    edge: How = {"facecolor": "none", "edgecolor": INK, "linewidth": 0.4, "zorder": 5}
    axes.add_patch(Rectangle((x, y), width, height, **edge))
