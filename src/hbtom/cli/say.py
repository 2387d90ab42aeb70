"""Output: results on standard output, diagnostics on standard error, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hbtom.bench.pairs import Result
    from hbtom.judgement import Judgement
    from hbtom.observe import Episode

INTERRUPTED = 130  # the status that shells expect of a command that Ctrl-C has ended


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


def tell_notes(*episodes: Episode) -> None:
    """Print what was guessed about episodes."""
    for episode in episodes:
        for note in episode.notes:
            complain(f"{episode.name}: {note}")


def tell_left_out(result: Result) -> int:
    """Name every file that was left out, say why, and count them; return the exit status.

    It is 1 if any of them should have been part of the result and could not be read.
    """
    for one in result.left_out:
        complain(f"left out: {one.file}: {one.why}")
    if result.left_out:
        complain(f"{sum(one.count for one in result.left_out)} left out in all")
    return 1 if result.unreadable else 0


def print_json(values: object) -> None:
    """Print plain values as JSON for programs."""
    click.echo(to_json(values))


def to_json(values: object) -> str:
    """Return plain values as JSON for programs."""
    import json

    return json.dumps(values, indent=2, allow_nan=False)
