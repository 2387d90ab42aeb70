"""Scores as text: the paper's Table 1, with intervals and every published figure."""

from __future__ import annotations

from collections.abc import Sequence

from hbtom.bench.published import published
from hbtom.bench.referee import Difference
from hbtom.bench.score import Score, in_groups, total
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.show.columns import columns
from hbtom.show.words import plain

_HEADING = ("task", "pairs", "accuracy", "95 % interval", "ties", "HBToM", "best published")
_ROW = {one.folder: one.row for one in EVALUATION_TASKS}


def score_table(tasks: Sequence[Score]) -> str:
    """Return the table: groups of tasks with their tasks below, and all pairs together."""
    rows: list[tuple[str, ...]] = [_HEADING]
    for group, parts in in_groups(tasks):
        if len(parts) == 1 and _ROW.get(parts[0].task, parts[0].task) == group:
            rows.append(_row(group, parts[0], parts[0].task))
            continue
        rows.append(_row(group, total(group, parts), group))
        rows += [_row(f"  {_ROW[part.task]}", part, part.task) for part in parts]
    rows.append(_row("all", total("overall", tasks), "overall"))
    return "\n".join(columns(rows, right=".RRRRR"))


def _row(label: str, score: Score, name: str) -> tuple[str, ...]:
    figures = published(name)
    best = max(figures, key=figures.__getitem__, default=None)
    return (
        plain(label),
        str(score.pairs),
        _per_cent(score.accuracy),
        "{} – {}".format(*(_per_cent(bound) for bound in score.interval)),
        str(score.ties),
        _per_cent(figures["HBToM"]) if figures else "",
        f"{_per_cent(figures[best])} {best}" if best else "",
    )


def difference_table(differences: Sequence[Difference]) -> str:
    """Return one row a task: either accuracy, who wins how many pairs, and the paired test."""
    rows = [("task", "pairs", "first", "second", "first better", "second better", "p", "p (Holm)")]
    for one in differences:
        rows.append(
            (
                plain(one.task),
                str(one.pairs),
                _per_cent(one.first),
                _per_cent(one.second),
                str(one.first_better),
                str(one.second_better),
                f"{one.p:.3g}",
                f"{one.p_adjusted:.3g}",
            )
        )
    return "\n".join(columns(rows, right=".RRRRRRR"))


def _per_cent(fraction: float) -> str:
    return f"{100 * fraction:.1f}"
