"""``hbtom convert``."""

from __future__ import annotations

from typing import Any

import click

from hbtom.bench.conversion import convert
from hbtom.cli.output import tell_left_out
from hbtom.cli.progress import progress
from hbtom.errors import count


def run(source: str, target: str, **how: Any) -> int:
    """Convert a file or a dataset; return 1 if anything in it could not be read."""
    with progress("converting episodes", "episodes") as converted:
        result = convert(source, target, progress=converted, **how)
    status = tell_left_out(result)
    click.echo(f"{count(result.episodes, 'episode')} in {target}")
    return status
