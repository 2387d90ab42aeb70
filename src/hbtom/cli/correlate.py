"""``hbtom correlate``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from hbtom.bench.agreements import Correlation
from hbtom.bench.correlation import correlate
from hbtom.bench.table_files import write_records
from hbtom.cli.output import complain, print_json
from hbtom.files import check_target, write_whole
from hbtom.show.correlation_text import correlation_text
from hbtom.show.plots import need_matplotlib

KINDS = (".pdf", ".svg", ".png")


def run(
    measures: str,
    results: Sequence[tuple[str, str]],
    out: str | None,
    figure: str | None,
    courses: str | None,
    overwrite: bool,
    form: str,
    raw: bool,
    **how: Any,
) -> None:
    """Compare measures with results, print how well they agree, and write the requested files."""
    figures = [Path(file) for file in (figure, courses) if file is not None]
    if figures:
        need_matplotlib()
    for file in figures:
        check_target(file, overwrite=overwrite, kinds=KINDS)
    if out is not None:
        check_target(Path(out), overwrite=overwrite)
    found = correlate(measures, results, log=not raw, **how)
    for warning in found.warnings:
        complain(f"warning: {measures}: {warning}")
    drawn = list(_drawn(found, figure, courses))
    if form == "json":
        print_json(found.to_dict())
    else:
        click.echo(correlation_text(found))
    for file, data in drawn:
        write_whole(file, data)
    if out is not None:
        write_records(found.to_records(), Path(out), overwrite=overwrite)


def _drawn(
    found: Correlation, figure: str | None, courses: str | None
) -> Iterator[tuple[Path, bytes]]:
    """Yield the requested figures, as the content of their files."""
    if figure is None and courses is None:
        return
    from hbtom.show.plots.correlation_figure import draw_correlation
    from hbtom.show.plots.courses import draw_courses
    from hbtom.show.plots.sheet import figure_bytes

    for file, draw in ((figure, draw_correlation), (courses, draw_courses)):
        if file is not None:
            yield Path(file), figure_bytes(draw(found), Path(file).suffix[1:])
