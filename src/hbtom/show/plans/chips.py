"""Rows of facts on a board: their places, and those of their chips."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hbtom.show.plans.fact_rows import FactRow
from hbtom.show.plans.floors import Box
from hbtom.show.words import plain

LETTER, HIGH = 7.4, 26.0  # the width of a letter and the height of a token
NARROWEST, WIDEST = 30.0, 132.0  # tokens
EDGE = 6.0  # of a box
ROW_NAME = 116.0  # the width of the names of rows

Spot = tuple[float, float]


@dataclass(frozen=True)
class Chips:
    """A row of facts, and where its chips are."""

    row: FactRow
    box: Box
    chip: tuple[float, float]

    @property
    def bottom(self) -> float:
        return self.box[1] + self.box[3]

    def spot(self, number: int) -> Spot:
        """Return the middle of a chip."""
        line, column = divmod(number, _across(self.box[2], self.chip[0]))
        x = self.box[0] + ROW_NAME + (column + 0.5) * self.chip[0]
        return x, self.box[1] + EDGE / 2 + (line + 0.5) * self.chip[1]


def _across(width: float, chip: float) -> int:
    return max(1, int((width - ROW_NAME) // chip))


def lay_rows(rows: Sequence[FactRow], top: float, width: float, thing: float) -> Iterator[Chips]:
    """Yield rows of facts from the top downwards, given the widths of the board and of things."""
    for row in rows:
        longest = max(len(chip_name(row.name, fact)) for fact in row.facts)
        least = thing if row.held else NARROWEST
        chip = min(max(LETTER * longest + 14, least), width - ROW_NAME), HIGH
        lines = math.ceil(len(row.facts) / _across(width, chip[0]))
        yield Chips(row, (0.0, top, width, lines * HIGH + EDGE), chip)
        top += lines * HIGH + EDGE + 4


def chip_name(row: str, fact: Sequence[str]) -> str:
    """Return the text of a chip: the part of a fact that the name of its row does not say."""
    return " ".join(map(plain, fact[1:] if fact[0] == row else fact))
