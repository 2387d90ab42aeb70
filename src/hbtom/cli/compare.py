"""``hbtom score`` and ``hbtom compare``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from hbtom.bench.comparison import compare, score_ratings
from hbtom.bench.dataset import find_pairs
from hbtom.bench.labels import read_labels
from hbtom.bench.ratings import read_ratings
from hbtom.bench.score import total
from hbtom.cli.say import complain, print_json, tell_left_out
from hbtom.errors import BadInput


def score(ratings: str, dataset: str | None, labels: str | None, form: str) -> int:
    """Print the table for anybody's ratings."""
    try:
        told = None if labels is None else read_labels(Path(labels))
        known = None if dataset is None else find_pairs(dataset, labels=told)
        result = score_ratings(read_ratings(Path(ratings), told), known)
    except BadInput as error:
        complain(error)
        return 1
    tell_left_out(result.left_out)
    if not result.tasks:
        complain(BadInput("there is no pair to score", hint="rate both members of a pair"))
        return 1
    if form == "json":
        overall = total("overall", result.tasks)
        print_json(
            {
                "ratings": ratings,
                "tasks": [one.to_dict() for one in result.tasks],
                "overall": overall.to_dict(),
                "left_out": [asdict(one) for one in result.left_out],
            }
        )
    else:
        from hbtom.show.score_text import score_table

        click.echo(score_table(result.tasks))
    return 0


def compare_ratings(first: str, second: str, labels: str | None, form: str) -> int:
    """Print in which tasks two sets of ratings differ."""
    try:
        told = None if labels is None else read_labels(Path(labels))
        one, other = (read_ratings(Path(ratings), told) for ratings in (first, second))
        differences, left_out = compare(one, other)
        if not differences:
            raise BadInput("the two files have no pair in common")
    except BadInput as error:
        complain(error)
        return 1
    tell_left_out(left_out)
    if form == "json":
        print_json([asdict(one) for one in differences])
        return 0
    from hbtom.show.score_text import difference_table

    click.echo(difference_table(differences))
    click.echo(f"first: {first}\nsecond: {second}\np: exact sign test on pairs scored differently")
    return 0
