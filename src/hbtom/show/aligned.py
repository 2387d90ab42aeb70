"""Text in aligned columns, for tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Return rows as lines with aligned columns; ``right`` has an R for each column of numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = right.ljust(len(widths), ".")
    lines = []
    for row in rows:
        cells = (
            cell.rjust(width) if side == "R" else cell.ljust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return lines
