"""``hbtom score``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from hbtom.bench.comparison import score_ratings
from hbtom.bench.dataset import find_pairs
from hbtom.bench.labels import read_labels
from hbtom.bench.ratings import Direction, read_ratings
from hbtom.bench.score import total
from hbtom.cli.output import print_json, tell_left_out, warn
from hbtom.errors import BadInput, count
from hbtom.show.score_text import score_table

LARGEST = 1e100  # a rating that is farther from zero is suspicious


def run(
    ratings: str, dataset: str | None, labels: str | None, direction: Direction | None, form: str
) -> None:
    """Print the table for a file of ratings."""
    known_labels = None if labels is None else read_labels(Path(labels))
    known = None if dataset is None else find_pairs(dataset, labels=known_labels)
    rated = read_ratings(Path(ratings), known_labels, direction)
    result = score_ratings(rated, known)
    tell_left_out(result)
    if not result.tasks:
        raise BadInput("there is no pair to score", hint="rate both members of a pair")
    if extreme := sum(abs(one) > LARGEST for one in rated.values.values()):
        problem = f"{count(extreme, 'rating')} beyond {LARGEST:g}, or infinite"
        warn(ratings, f"{problem}: margins say little; do they stand for missing ratings?")
    if result.reversed:
        problem = "it looks reversed: unexpected episodes are rated as more plausible"
        hint = "use --direction looking if more is more surprising, else --direction rating"
        warn(ratings, f"{problem}; {hint}")
    if form == "table":
        click.echo(score_table(result.tasks))
        return
    values = {
        "ratings": ratings,
        "tasks": [one.to_dict() for one in result.tasks],
        "overall": total("overall", result.tasks).to_dict(),
        "left_out": [asdict(one) for one in result.left_out],
    }
    print_json(values)
