"""Judgements as text for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from hbtom.judgement import Judgement
from hbtom.judgement.accounts import Account
from hbtom.observe import names
from hbtom.show.words import explain, plain


@dataclass(frozen=True)
class Row:
    """What a table says about one judgement."""

    name: str
    plausibility: float
    surprise: Mapping[str, float]
    sentence: str
    trace: str = ""  # the beliefs at every step


def judgement_row(judgement: Judgement, told: Account, *, trace: bool = False) -> Row:
    """Return what a table says about a judgement, given an account of it.

    ``trace`` adds the beliefs at every step.
    """
    return Row(
        name=judgement.episode.name,
        plausibility=judgement.plausibility,
        surprise=judgement.surprise.to_dict(),
        sentence=explain(told),
        trace=trace_table(judgement) if trace else "",
    )


def judgement_table(rows: Sequence[Row], heading: str = "file") -> str:
    """Return two lines a row, the plausibility with the surprises and a sentence; then traces."""
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.surprise))
    surprises = [f"surprise: {kind}" for kind in kinds[:1]] + kinds[1:]
    cells = [(heading, "plausibility", *surprises)]
    for row in rows:
        numbers = (f"{row.surprise[kind]:.2f}" if kind in row.surprise else "" for kind in kinds)
        cells.append((plain(PurePath(row.name).name), three(row.plausibility), *numbers))
    first, *lines = columns(cells, right="." + "R" * (len(kinds) + 1))
    text = [f"{line}\n    {row.sentence}" for line, row in zip(lines, rows, strict=True)]
    traces = [f"\n{plain(row.name)}, test trial\n{row.trace}" for row in rows if row.trace]
    return "\n".join([first, *text, *traces])


def three(value: float) -> str:
    """Return a plausibility, or a part of one, with three decimals."""
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"


def trace_table(judgement: Judgement) -> str:
    """Return the beliefs before the first step of the test trial, and after each step."""
    test = judgement.test
    goals = [f"P({plain(name)})" for name in names(test.goals)]
    rows = [("step", "frame", *goals, "efficiency", "surprise of the step")]
    mean = test.efficiency @ test.efficiencies
    surprise = ["", *(f"{-value:.2f}" for value in test.log_likelihood)]
    for step, (frame, goal) in enumerate(zip(test.frame, test.goal, strict=True)):
        beliefs = (f"{probability:.3f}" for probability in goal)
        rows.append((str(step), str(frame + 1), *beliefs, f"{mean[step]:.2f}", surprise[step]))
    return "\n".join(columns(rows, right="R" * len(rows[0])))


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
