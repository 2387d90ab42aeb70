"""The board of a plan, drawn by matplotlib as the page draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.text import Text

from hbtom.show.plans.board import Board, BoardBox, Token
from hbtom.show.plots.sheet import How
from hbtom.show.plots.signs import HAIR, INK, SOFT, WALL

SIZE = (420.0, 120.0)  # of an empty board
LETTERS = 3.5, 7.0  # points: least and largest height of letters
BRIGHT = 1.7  # if red, green and blue add up to more, letters are dark
WIDE = 1.05  # pixels of a board to a letter, for each point of its height
FILLS = {"cell": "#FFFFFF", "place": "#F3F1EA", "row": "none", "table": "none"}
LOOKS: dict[str, tuple[str, str, str]] = {  # of tokens: ground, edge, letters
    "thing": ("#FFFFFF", "#55565C", INK),
    "fact": ("#E7EDF3", "#7F93A8", INK),
    "mark": ("#55565C", "none", "#FFFFFF"),
    "agent": (INK, "#FFFFFF", "#FFFFFF"),
}


@dataclass(frozen=True, eq=False)
class Moving:
    """Parts of a drawing that change, and a function that makes them show a state."""

    artists: tuple[Artist, ...]
    show: Callable[[int], None]


def draw_panels(axes: Axes, board: Board, colours: Sequence[str]) -> None:
    """Draw everything that does not move; ``colours`` are those of the goals."""
    cells = [panel.box for panel in board.panels if panel.kind == "cell"]
    if cells:
        left, top = (min(box[axis] for box in cells) for axis in (0, 1))
        right, bottom = (max(box[axis] + box[axis + 2] for box in cells) for axis in (0, 1))
        axes.add_patch(Rectangle((left, top), right - left, bottom - top, color=WALL, zorder=0))
    for x, y, to_x, to_y in board.links:
        axes.plot([x, to_x], [y, to_y], color="#A9A59A", linewidth=1.5, zorder=1)
    for panel in board.panels:
        _draw_panel(axes, panel, colours)
    for x, y, to_x, to_y in board.walls:
        axes.plot([x, to_x], [y, to_y], color=WALL, linewidth=2, zorder=3)


def _draw_panel(axes: Axes, panel: BoardBox, colours: Sequence[str]) -> None:
    left, top, wide, high = panel.box
    colour = None if panel.goal is None else colours[panel.goal]
    edge = "none" if panel.kind == "table" else colour or HAIR
    how: How = {"facecolor": FILLS[panel.kind], "edgecolor": edge, "zorder": 2}
    axes.add_patch(Rectangle((left, top), wide, high, linewidth=1.4 if colour else 0.5, **how))
    if panel.kind == "table":
        axes.plot([left, left + wide], [top + high] * 2, color=SOFT, linewidth=2, zorder=2)
    elif panel.kind == "row":
        text, size = _fitted(panel.name, 108, LETTERS[1])
        axes.text(left + 6, top + 16, text, fontsize=size, va="center", fontweight="bold")
    else:
        text, size = _fitted(panel.name, wide - 6, 4.5 if panel.kind == "cell" else 6.0)
        text = "" if panel.kind == "cell" and text != panel.name else text
        axes.text(left + 3, top + 2, text, fontsize=size, va="top", color=colour or SOFT, zorder=3)


def place_tokens(axes: Axes, board: Board, colours: Sequence[str]) -> Moving:
    """Draw the tokens, which move to their places in a state."""
    drawn = [(token, *_draw_token(axes, token, colours)) for token in board.tokens]

    def show(state: int) -> None:
        for token, box, text in drawn:
            spot = token.spots[state]
            box.set_visible(spot is not None)
            text.set_visible(spot is not None)
            if spot is not None:
                box.set_x(spot[0] - box.get_width() / 2)
                box.set_y(spot[1] - box.get_height() / 2)
                text.set_position(spot)

    return Moving(tuple(artist for _, *both in drawn for artist in both), show)


def _draw_token(axes: Axes, token: Token, colours: Sequence[str]) -> tuple[FancyBboxPatch, Text]:
    ground, edge, ink = LOOKS[token.kind]
    if token.goal is not None:
        ground = colours[token.goal]
        ink = INK if sum(to_rgb(ground)) > BRIGHT else "#FFFFFF"
    wide, high = token.size
    round_by = high / 2 if token.kind == "agent" else 4
    style = f"round,pad=0,rounding_size={round_by:g}"
    how: How = {"facecolor": ground, "edgecolor": edge, "linewidth": 0.8, "zorder": 4}
    box = FancyBboxPatch((0, 0), wide, high, boxstyle=style, **how)
    axes.add_patch(box)
    name, size = _fitted("••" if token.kind == "agent" else token.name, wide - 3, high * 0.3)
    letters: How = {"ha": "center", "va": "center", "color": ink, "fontweight": "bold"}
    return box, axes.text(0, 0, name, fontsize=size, zorder=5, **letters)


def _fitted(text: str, room: float, height: float) -> tuple[str, float]:
    """Return a text that fits into the room, and the height of its letters in points."""
    least, most = LETTERS
    size = min(max(room / (WIDE * max(len(text), 1)), least), height, most)
    many = max(1, int(room / (WIDE * size)))
    return (text if len(text) <= many else f"{text[: max(many - 1, 1)]}…"), size
