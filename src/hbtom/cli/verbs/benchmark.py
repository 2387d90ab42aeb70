"""Verbs for the benchmark: evaluating models, fitting them, and telling how good they are."""

from __future__ import annotations

import sys
from typing import Any

import click

from hbtom.cli.options import (
    Number,
    check_rater,
    format_option,
    labels_option,
    model_option,
    rater_option,
    score_option,
    tasks_option,
    workers_option,
)


@click.command()
@click.argument("dataset", required=False, type=click.Path())
@labels_option
@model_option
@tasks_option
@click.option(
    "--out",
    type=click.Path(),
    help="Write a row an episode, as it is judged: .csv, .jsonl, .parquet.",
)
@click.option("--resume", is_flag=True, help="Go on with what an earlier run has left.")
@click.option("--report", type=click.Path(), help="Also write a report on it: .html")
@click.option("--overwrite", is_flag=True, help="Replace the files given to --out and --report.")
@score_option
@click.option("--wrong", is_flag=True, help="List the pairs that are judged wrong.")
@format_option
@workers_option
@click.option(
    "--cluster", metavar="ADDRESS", help="Use a Dask scheduler: its address, or its file (.json)."
)
@rater_option
def evaluate(**given: Any) -> None:
    """Judge all pairs of DATASET and print the benchmark's table.

    DATASET is a folder of task folders, or one of the public zip archives, or a .parquet archive
    that 'hbtom pack' made, or a folder of them. With labels, files may have any name and folder.
    Without DATASET, a synthetic benchmark is made once and kept in the cache folder.
    """
    if given["resume"] and given["out"] is None:
        raise click.UsageError("--resume goes on with a file: name it with --out.")
    if given["cluster"] is not None and given["workers"] is not None:
        raise click.UsageError("--workers are processes on this machine: not with --cluster.")
    check_rater(given["rater"])
    from hbtom.cli.evaluate import run

    sys.exit(run(**given))


@click.command()
@click.argument("dataset", required=False, type=click.Path())
@click.option("-o", "--out", required=True, type=click.Path(), help="The model to write: .toml")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@labels_option
@model_option
@tasks_option
@click.option("--penalty", type=Number(0, 1e6), default=1e-4, show_default=True, help="L2 penalty.")
@format_option
@workers_option
def fit(**given: Any) -> None:
    """Fit the classifier of a model to DATASET and write the model to a file.

    Without DATASET, 220 synthetic episodes are made, with a seed that is not used for reporting.
    """
    from hbtom.cli.fit import run

    sys.exit(run(**given))


@click.command()
@click.argument("dataset", required=False, type=click.Path())
@labels_option
@model_option
@tasks_option
@click.option(
    "--out", type=click.Path(), help="A row a variation and task: .csv, .jsonl, .parquet."
)
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@format_option
@workers_option
def ablate(**given: Any) -> None:
    """Switch off surprises and assumptions one at a time, and evaluate each time."""
    from hbtom.cli.ablate import run

    sys.exit(run(**given))


@click.command()
@click.argument("dataset", required=False, type=click.Path())
@click.option(
    "--set",
    "changes",
    multiple=True,
    required=True,
    metavar="NAME=VALUE[,VALUE]",
    help="Values of a parameter, as in 'hbtom model show'; may be given again.",
)
@labels_option
@model_option
@tasks_option
@click.option("--out", type=click.Path(), help="A row a model and task: .csv, .jsonl, .parquet.")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@score_option
@format_option
@workers_option
@rater_option
def sweep(**given: Any) -> None:
    """Evaluate a model on DATASET with every combination of some parameters."""
    check_rater(given["rater"])
    from hbtom.cli.sweep import run

    sys.exit(run(**given))


@click.command()
@click.argument("ratings", type=click.Path())
@click.option("--dataset", type=click.Path(), help="Also say which of its pairs are not rated.")
@labels_option
@format_option
def score(ratings: str, dataset: str | None, labels: str | None, form: str) -> None:
    """Print the benchmark's table for the RATINGS of any model, one row an episode.

    A row names its episode by 'file', or by 'task', 'pair' and 'member', and has a 'rating'. With
    labels, files may have any name.
    """
    from hbtom.cli.compare import score as run

    sys.exit(run(ratings, dataset, labels, form))


@click.command()
@click.argument("results", type=click.Path())
@click.option("-o", "--out", required=True, type=click.Path(), help="The report to write: .html")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out, and its pages.")
@click.option(
    "--dataset", type=click.Path(), help="Where the episodes are. Default: where they were judged."
)
@labels_option
@click.option("--model", help="The preset or TOML file that judged. Default: the preset it was.")
@click.option(
    "--pages",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Pages on which to watch pairs, beside the report.",
)
def report(**given: Any) -> None:
    """Make a report of RESULTS, a file that 'evaluate --out' wrote, or of anybody's ratings.

    The report is one HTML file that needs no network: accuracy against all published figures, what
    separates expected from unexpected episodes, calibration, and every pair. Pairs that went wrong,
    and the closest calls, can be watched: their pages are in a folder beside the report.
    """
    from hbtom.cli.report import run

    sys.exit(run(**given))


@click.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@labels_option
@format_option
def compare(first: str, second: str, labels: str | None, form: str) -> None:
    """Tell, with a paired test, in which tasks two sets of ratings differ."""
    from hbtom.cli.compare import compare_ratings

    sys.exit(compare_ratings(first, second, labels, form))
