"""What is said: results on standard output, diagnostics on standard error, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hbtom.bench.dataset import LeftOut

INTERRUPTED = 130  # the status that shells expect of a command that Ctrl-C has ended


def complain(message: object) -> None:
    """Tell what is wrong."""
    _say(f"hbtom: {message}")


def warn(where: str, message: str) -> None:
    """Tell what limits a result."""
    _say(f"hbtom: warning: {where}: {message}")


def tell_left_out(files: Sequence[LeftOut]) -> None:
    """Name every file that was left out, with the reason, and count them."""
    for one in files:
        complain(f"left out: {one.file}: {one.why}")
    if files:
        complain(f"{sum(one.count for one in files)} left out in all")


def print_json(values: object) -> None:
    """Print plain values as JSON for programs."""
    click.echo(to_json(values))


def to_json(values: object) -> str:
    """Return plain values as JSON for programs."""
    import json

    return json.dumps(values, indent=2, allow_nan=False)


def _say(line: str) -> None:
    from hbtom.show.words import plain

    click.echo(plain(line), err=True)
