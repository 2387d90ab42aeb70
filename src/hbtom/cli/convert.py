"""``hbtom convert``."""

from __future__ import annotations

from typing import Literal

import click

from hbtom.bench.conversion import convert
from hbtom.cli.progress import progress
from hbtom.cli.say import or_complain, tell_left_out


@or_complain
def run(
    source: str,
    target: str,
    to: Literal["bib", "mcs"],
    compress: Literal["gz", "zst"] | None,
    overwrite: bool,
    workers: int | None,
) -> int:
    """Convert a file or a dataset; return 1 if anything in it could not be read."""
    with progress("converting episodes", "episodes") as converted:
        result = convert(
            source,
            target,
            to,
            compress=compress,
            overwrite=overwrite,
            workers=workers,
            progress=converted,
        )
    tell_left_out(result.left_out)
    word = "episode" if result.episodes == 1 else "episodes"
    click.echo(f"{result.episodes} {word} in {target}")
    return 1 if result.unreadable else 0
