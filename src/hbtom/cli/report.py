"""``hbtom report``, and ``hbtom evaluate --report``."""

from __future__ import annotations

from typing import Any

import click

from hbtom.bench.evaluation import Evaluation
from hbtom.cli.output import complain
from hbtom.cli.progress import progress
from hbtom.show.report import write_report


def run(results: str, out: str, overwrite: bool, **more: Any) -> None:
    """Write a report on a file of results, and print where it is."""
    write(results, out, overwrite, **more)
    click.echo(out)


def write(results: str | Evaluation, out: str, overwrite: bool, **more: Any) -> None:
    """Write a report, and say which pairs have no page to watch."""
    with progress("making pages", "pages") as made:
        written = write_report(results, out, overwrite=overwrite, progress=made, **more)
    if written.missing:
        first, *others = written.missing
        rest = f"; and {len(others)} more like it" if others else ""
        complain(f"no page to watch: {first}{rest}")
