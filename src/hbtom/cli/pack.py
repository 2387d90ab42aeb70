"""``hbtom pack``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hbtom.bench.archive import pack
from hbtom.cli.progress import given_or_default, progress
from hbtom.cli.say import or_complain, tell_left_out


@or_complain
def run(
    dataset: str,
    out: str,
    labels: str | None,
    tasks: Sequence[str],
    overwrite: bool,
    workers: int | None,
) -> int:
    """Pack a dataset into an archive; return 1 if anything in it could not be read."""
    with progress("packing pairs") as packed:
        result = pack(
            given_or_default(dataset, labels, tasks),
            out,
            tasks=tasks or None,
            overwrite=overwrite,
            workers=workers,
            progress=packed,
        )
    tell_left_out(result.left_out)
    click.echo(f"{2 * result.pairs} episodes in {out}")
    return 1 if result.unreadable else 0
