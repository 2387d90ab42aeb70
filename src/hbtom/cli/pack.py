"""``hbtom pack``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from hbtom.bench.dataset_packing import pack
from hbtom.cli.output import tell_left_out
from hbtom.cli.progress import given_or_default, progress


def run(dataset: str, out: str, labels: str | None, tasks: Sequence[str], **how: Any) -> int:
    """Pack a dataset into an archive; return 1 if anything in it could not be read."""
    with progress("packing pairs") as packed:
        where = given_or_default(dataset, labels, tasks)
        result = pack(where, out, tasks=tasks or None, progress=packed, **how)
    status = tell_left_out(result)
    click.echo(f"{2 * result.pairs} episodes in {out}")
    return status
