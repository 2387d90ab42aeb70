"""``hbtom compare``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from hbtom.bench.comparison import compare
from hbtom.bench.labels import read_labels
from hbtom.bench.ratings import read_ratings
from hbtom.cli.output import print_json, tell_left_out
from hbtom.errors import BadInput
from hbtom.show.score_text import difference_table


def run(first: str, second: str, labels: str | None, form: str) -> None:
    """Print in which tasks two sets of ratings differ."""
    known_labels = None if labels is None else read_labels(Path(labels))
    result = compare(
        read_ratings(Path(first), known_labels), read_ratings(Path(second), known_labels)
    )
    if not result.tasks:
        raise BadInput("the two files have no pair in common")
    tell_left_out(result)
    if form == "json":
        print_json([asdict(one) for one in result.tasks])
        return
    click.echo(difference_table(result.tasks))
    click.echo(f"first: {first}\nsecond: {second}\np: exact sign test on pairs scored differently")
