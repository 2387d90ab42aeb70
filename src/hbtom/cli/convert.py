"""``hbtom convert``."""

from __future__ import annotations

from typing import Any

import click

from hbtom.bench.conversion import convert
from hbtom.cli.progress import progress
from hbtom.cli.say import tell_left_out


def run(source: str, target: str, **how: Any) -> int:
    """Convert a file or a dataset; return 1 if anything in it could not be read."""
    with progress("converting episodes", "episodes") as converted:
        result = convert(source, target, progress=converted, **how)
    status = tell_left_out(result)
    word = "episode" if result.episodes == 1 else "episodes"
    click.echo(f"{result.episodes} {word} in {target}")
    return status
