"""A report: how good ratings are, task by task, and where they go wrong, as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hbtom.bench.evaluation import Evaluation
    from hbtom.bench.labels import Labels
    from hbtom.bench.pairs import Dataset
    from hbtom.bench.ratings import Ratings
    from hbtom.model import Model
    from hbtom.show.report.saving import Written

    Source = str | os.PathLike[str]
    Results = Evaluation | Ratings | Source

__all__ = ["PAGES", "report", "write_report"]

PAGES = 20  # most pairs that can be watched, by default


def report(
    results: Results,
    *,
    model: Model | Source | None = None,
    dataset: Dataset | Source | None = None,
    labels: Labels | Source | None = None,
) -> str:
    """Return an HTML report on an evaluation, on ratings, or on a file of either.

    The report is a single document that needs no other file and no network. To describe the model,
    it needs the model: presets are recognised, any other must be given. For results of a network,
    ``model`` is its file of weights, unless they are shipped with hbtom. With a dataset, the report
    also lists pairs that were not rated. ``labels`` give the task, pair and member of files whose
    names do not.
    """
    from hbtom.show.report.findings import choose, find
    from hbtom.show.report.saving import build

    found = find(results, model, dataset, labels)
    return build(found, choose(found), {})


def write_report(
    results: Results,
    path: Source,
    *,
    model: Model | Source | None = None,
    dataset: Dataset | Source | None = None,
    labels: Labels | Source | None = None,
    pages: int = PAGES,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Write a report, and next to it pages to watch wrong and nearly wrong pairs on.

    There are up to ``pages`` of them, in the folder ``<name of the report>-pages``. ``dataset`` is
    where the episodes are, if they have moved since they were judged; ``labels`` give the task,
    pair and member of files whose names do not.
    """
    from hbtom.show.report.findings import find
    from hbtom.show.report.saving import check, write

    file = Path(path)
    check(file, overwrite=overwrite)  # before any work is done
    found = find(results, model, dataset, labels)
    return write(found, file, pages=pages, overwrite=overwrite, progress=progress)
