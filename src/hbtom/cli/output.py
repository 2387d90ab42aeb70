"""Output: results on standard output, diagnostics on standard error, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hbtom.errors import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hbtom.bench.pairs import LeftOut, Result
    from hbtom.judgement import Judgement
    from hbtom.observe import Episode

MOST_TOLD = 20  # lines about files that cannot be used
INTERRUPTED = 130  # the status that shells expect of a command ended by Ctrl-C


def complain(message: object) -> None:
    """Print an error or another diagnostic."""
    from hbtom.show.words import plain

    click.echo(plain(f"hbtom: {message}"), err=True)


def warn(where: str, message: str) -> None:
    """Print a warning about a result."""
    complain(f"warning: {where}: {message}")


def warn_of(*judgements: Judgement) -> None:
    """Print the warnings of judgements."""
    for judgement in judgements:
        for warning in judgement.warnings:
            warn(judgement.episode.name, warning)


def tell_notes(*episodes: Episode) -> None:
    """Print the guesses made about episodes."""
    for episode in episodes:
        for note in episode.notes:
            complain(f"{episode.name}: {note}")


def tell_left_out(result: Result) -> int:
    """Print the files left out, with reasons, and their number; return the exit status.

    It is 1 if any of them should have been used but could not be read.
    """
    tell_files(result.left_out)
    return 1 if result.unreadable else 0


def tell_files(left_out: Sequence[LeftOut]) -> None:
    """Print the files left out and their number; if there are many, those that are broken first."""
    many = len(left_out) > MOST_TOLD
    told = sorted(left_out, key=lambda one: not one.unreadable) if many else left_out
    complain_of([f"left out: {shortened(f'{one.file}: {one.why}', 280)}" for one in told])
    if left_out:
        complain(f"{sum(one.count for one in left_out)} left out in all")


def complain_of(messages: Sequence[str]) -> None:
    """Print the first messages, and how many there are besides."""
    for message in messages[:MOST_TOLD]:
        complain(message)
    if len(messages) > MOST_TOLD:
        complain(f"... and {len(messages) - MOST_TOLD} more like these")


def print_json(values: object) -> None:
    """Print plain values as JSON for programs."""
    click.echo(to_json(values))


def to_json(values: object) -> str:
    """Return plain values as JSON for programs."""
    import json

    return json.dumps(values, indent=2, allow_nan=False)
