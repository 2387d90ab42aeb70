"""A sheet to draw on, measured in centimetres from its top left corner.

Figures are made without pyplot and in their own style, so that they neither change the user's
figures and settings nor depend on them.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import TextPath

from hbtom.show.plots.signs import HAIR, INK, SOFT

COLUMN, PAGE = 8.5, 17.0  # centimetres: the usual widths of a column and of a page
LARGE, TEXT, SMALL = 8.0, 7.0, 6.0  # points
LINE = 0.36  # centimetres from line to line
INCH, POINT = 2.54, 2.54 / 72  # centimetres

STYLE = {
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.unicode_minus": True,
    "font.size": TEXT,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,  # text stays text in PDF
    "svg.fonttype": "none",  # and in SVG
    "svg.hashsalt": "hbtom",  # elements have the same names each time
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}

How = dict[str, Any]  # matplotlib's options for how something looks


@contextmanager
def styled() -> Iterator[None]:
    """Use matplotlib's defaults and our style, then restore the settings; also a decorator."""
    with matplotlib.style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


class Picture(Figure):
    """A figure that notebooks display automatically."""

    def _repr_png_(self) -> bytes:
        return figure_bytes(self, "png", dpi=150)


class Sheet:
    """A figure whose size is given in centimetres."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = Picture(figsize=(width / INCH, height / INCH), dpi=150)


@dataclass(frozen=True)
class Column:
    """A part of a sheet to draw on, from the top left corner downwards."""

    sheet: Sheet
    left: float
    top: float
    width: float

    def below(self, height: float) -> Column:
        """Return the rest of the column below its first ``height`` centimetres."""
        return replace(self, top=self.top + height)

    def beside(self, gap: float) -> Column:
        """Return the next column to the right."""
        return replace(self, left=self.left + self.width + gap)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Add axes whose frame has this position and size."""
        across, down = self.sheet.width, self.sheet.height
        left, bottom = self.left + left, down - self.top - top - height
        sides = left / across, bottom / down, width / across, height / down
        axes = self.sheet.figure.add_axes(sides)
        axes.tick_params(labelsize=SMALL, length=2, width=0.5, pad=1.5)
        return axes

    def text(self, left: float, top: float, text: str, **how: Any) -> Text:
        """Add a line of text; the position is that of its left end, at mid-height."""
        x, y = (self.left + left) / self.sheet.width, (self.top + top) / self.sheet.height
        return self.sheet.figure.text(x, 1 - y, text, **{"va": "center", "fontsize": TEXT, **how})


def title(axes: Axes, bold: str, rest: str = "", *, taken: float = 0.0) -> None:
    """Write a name above the axes, on the left, and the rest if there is room for it.

    ``taken`` centimetres are in use on the right.
    """
    gap = LINE / 2 / POINT
    how: How = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(bold, (0, 1), (0, gap), **how, va="center", fontweight="bold", fontsize=TEXT)
    along = text_width(bold, bold=True) + 0.18
    if along + text_width(rest, SMALL) <= size_of(axes)[0] - taken:
        place = along / POINT, gap
        axes.annotate(rest, (0, 1), place, **how, va="center", color=SOFT, fontsize=SMALL)


def label(axes: Axes, x: str = "", y: str = "") -> None:
    """Label one axis, or both."""
    if x:
        axes.set_xlabel(x, fontsize=TEXT, labelpad=1.5)
    if y:
        axes.set_ylabel(y, fontsize=TEXT, labelpad=2.5)


def grid(axes: Axes) -> None:
    """Draw hairlines behind the data, at the ticks of the vertical axis."""
    axes.grid(axis="y", color=HAIR, linewidth=0.4)
    axes.set_axisbelow(True)


def root(axes: Axes) -> Figure:
    """Return the figure that axes belong to."""
    assert isinstance(axes.figure, Figure)  # there are no subfigures here
    return axes.figure


def size_of(axes: Axes) -> tuple[float, float]:
    """Return the width and the height of axes, in centimetres."""
    across, down = root(axes).get_size_inches() * INCH
    box = axes.get_position()
    return float(box.width * across), float(box.height * down)


def text_width(text: str, size: float = TEXT, *, bold: bool = False) -> float:
    """Return how wide a text is, in centimetres."""
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    outline = TextPath((0, 0), text + ".", prop=font, usetex=False)  # so trailing spaces count
    corners = outline.vertices[outline.codes != outline.CLOSEPOLY]  # corners of letters
    return float(np.ptp(corners[:, 0])) * POINT


def wrapped(text: str, width: float, size: float = TEXT, *, bold: bool = False) -> list[str]:
    """Return text as lines of at most ``width`` centimetres, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@styled()
def figure_bytes(figure: Figure, form: str, *, dpi: float = 300) -> bytes:
    """Return a figure as the bytes of a file, always the same; ``form`` is pdf, svg or png."""
    undated: Mapping[str, Mapping[str, str | None]] = {
        "pdf": {"CreationDate": None, "Creator": "hbtom"},
        "svg": {"Date": None, "Creator": "hbtom"},
        "png": {"Software": "hbtom"},
    }
    file = io.BytesIO()
    figure.savefig(file, format=form, dpi=dpi, metadata=dict(undated[form]))
    return file.getvalue()
