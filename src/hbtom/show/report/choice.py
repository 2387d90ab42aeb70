"""Which pairs are looked at closely: those that went wrong, and those that nearly did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hbtom.bench.comparison import PairName
from hbtom.bench.score import margin
from hbtom.show.report.findings import Findings

WRONG = 20  # pairs that went wrong, unless more are to be watched
CLOSE = 10  # pairs that nearly did


@dataclass(frozen=True)
class Choice:
    """Pairs to look at closely, those first that are most worth it."""

    wrong: tuple[PairName, ...]
    close: tuple[PairName, ...]


def choose(findings: Findings, limit: int = WRONG) -> Choice:
    """Choose up to ``limit`` pairs that went wrong, and the closest calls among the right ones."""
    margins = {name: margin(*both) for name, both in findings.ratings.items()}
    values = findings.values
    wrong = [name for name in margins if values[name] < 1]
    right = [name for name in margins if values[name] == 1]
    close = sorted(right, key=margins.__getitem__)[:CLOSE]
    return Choice(tuple(in_turn(wrong, margins)[:limit]), tuple(close))


def in_turn(names: Sequence[PairName], margins: Mapping[PairName, float]) -> list[PairName]:
    """Return the worst pair of each task, then the second worst of each, and so on."""
    seen: dict[str, int] = {}
    places = {}
    for name in sorted(names, key=margins.__getitem__):
        task, _ = name
        seen[task] = seen.get(task, 0) + 1
        places[name] = seen[task], margins[name]
    return sorted(places, key=places.__getitem__)
