"""All trials of an episode as maps: familiarization small and numbered, the test trial large."""

from __future__ import annotations

from dataclasses import dataclass

from hbtom.observe import Episode
from hbtom.show.plots.maps import draw_map
from hbtom.show.plots.sheet import LINE, Column
from hbtom.show.plots.signs import SOFT, Signs

LARGEST = 2.7  # centimetres: the largest side of a familiarization trial's map
GAP = 0.12  # between maps


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

    @property
    def before_test(self) -> float:
        """The width of everything to the left of the test trial's map."""
        return self.columns * (self.side + GAP) + (GAP if self.columns else 0)


def lay_out(trials: int, width: float) -> Strip:
    """Return a layout for a number of trials, no wider than ``width``."""
    familiar = trials - 1
    rows = 1 if familiar <= 2 else 2 if familiar <= 8 else -(-familiar // 4)
    columns = -(-familiar // rows)
    between = GAP + LINE if rows > 1 else 0.0  # the large map is as high as two small ones
    room = width - columns * GAP - GAP - between
    side = min(room / (columns + 2), LARGEST)
    return Strip(rows, columns, side, 2 * side + between)


def draw_strip(column: Column, episode: Episode, known: Signs) -> Column:
    """Draw all trials of an episode; return the column below them."""
    strip = lay_out(len(episode), column.width)
    for index, trial in enumerate(episode.familiarization):
        row, place = divmod(index, strip.columns)
        left, top = place * (strip.side + GAP), row * (strip.side + LINE + GAP)
        draw_map(column.axes(left, top + LINE, strip.side, strip.side), trial, known)
        column.text(left, top + LINE / 2, str(index + 1), color=SOFT)
    left = strip.before_test
    draw_map(column.axes(left, LINE, strip.large, strip.large), episode.test, known, large=True)
    column.text(left, LINE / 2, "test trial", fontweight="bold")
    return column.below(strip.height)
