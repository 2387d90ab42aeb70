"""Output: results on standard output, diagnostics on standard error, one line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import click

from hbtom.errors import BadInput

if TYPE_CHECKING:
    from hbtom.bench.dataset import LeftOut
    from hbtom.judgement import Judgement

INTERRUPTED = 130  # the status that shells expect of a command that Ctrl-C has ended

P = ParamSpec("P")


def or_complain(run: Callable[P, int]) -> Callable[P, int]:
    """Let a verb print what is wrong with its input, and return 1."""

    @wraps(run)
    def runs(*args: P.args, **options: P.kwargs) -> int:
        try:
            return run(*args, **options)
        except BadInput as error:
            complain(error)
            return 1

    return runs


def complain(message: object) -> None:
    """Print what is wrong."""
    from hbtom.show.words import plain

    click.echo(plain(f"hbtom: {message}"), err=True)


def warn(where: str, message: str) -> None:
    """Print what limits a result."""
    complain(f"warning: {where}: {message}")


def warn_of(*judgements: Judgement) -> None:
    """Print what limits judgements."""
    for judgement in judgements:
        for warning in judgement.warnings:
            warn(judgement.episode.name, warning)


def tell_left_out(files: Sequence[LeftOut]) -> None:
    """Name every file that was left out and say why, and count them."""
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
