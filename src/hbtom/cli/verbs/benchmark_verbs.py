"""Verbs for models and the benchmark: showing, fitting and evaluating models."""

from __future__ import annotations

from typing import Any

import click

from hbtom.cli.options import (
    RATER,
    Number,
    check_rater,
    dataset_options,
    direction_option,
    file_option,
    flag,
    format_option,
    labels_option,
    measures_options,
    named,
    option,
    overwrite_option,
    path,
    rater_option,
    scene_option,
    score_option,
    start,
    suite_option,
    verb,
    workers_option,
)


@verb
@dataset_options
@scene_option
@suite_option
@file_option(
    "-o", "--out", help="Write one row per episode as it is judged: .csv, .jsonl, .parquet."
)
@flag("--resume", help="Continue an earlier run.")
@file_option("--report", help="Also write a report on it: .html")
@flag("--overwrite", help="Replace the files given to --out and --report.")
@score_option
@flag("--wrong", help="List the pairs that are judged wrong or tied.")
@format_option
@workers_option
@click.option(
    "--cluster", metavar="ADDRESS", help="Use a Dask scheduler: its address, or its file (.json)."
)
@rater_option
def evaluate(**given: Any) -> None:
    """Judge all pairs of DATASET and print the benchmark's table.

    DATASET is a folder of task folders, or one of the public zip archives, or a .parquet archive
    made by 'hbtom pack', or a folder of them. With labels, files may have any name and folder.
    Without DATASET, a synthetic benchmark of the suite is generated once and kept in the cache
    folder. With the suite 'social', mean plausibilities of expected and other episodes are also
    printed.
    """
    if given["resume"] and given["out"] is None:
        raise click.UsageError("--resume continues a file: name it with --out.")
    if given["cluster"] is not None and given["workers"] is not None:
        raise click.UsageError("--workers are processes on this machine, not those of --cluster.")
    check_rater(given["rater"])


@verb
@file_option("-o", "--out", required=True, help="The model to write: .toml")
@overwrite_option
@dataset_options
@option("--penalty", type=Number(0, 1e6), default=1e-4, help="L2 penalty.")
@file_option("--to", metavar="FILE", help="Fit to these ratings, looking times or choices instead.")
@click.option(
    "--vary",
    "changes",
    multiple=True,
    metavar="NAME=VALUE[,VALUE]",
    help="With --to: values of a parameter to choose from; may be repeated.",
)
@measures_options
@format_option
@workers_option
def fit(**given: Any) -> None:
    """Fit the classifier of a model to DATASET and write the model to a file.

    Without DATASET, 220 synthetic episodes are generated, with a seed not used for reporting.

    With --to, parameters are chosen so that the model agrees with people who saw DATASET, which may
    then also be a folder of worlds with plans, as for 'hbtom infer'. The agreement on scenarios
    that were left out is printed first. 'hbtom correlate' explains the file.
    """
    if given["to"] is None and given["changes"]:
        raise click.UsageError("--vary is for fitting to people: name their answers with --to.")
    if given["to"] is not None and not (given["changes"] and given["dataset"]):
        raise click.UsageError("--to needs the DATASET people saw, and --vary NAME=VALUE,VALUE.")


@verb
@dataset_options
@suite_option
@file_option("-o", "--out", help="Write one row per variation and task: .csv, .jsonl, .parquet.")
@overwrite_option
@format_option
@workers_option
@rater_option
def ablate(**given: Any) -> None:
    """Evaluate with one surprise or assumption switched off at a time.

    With the suite 'social', these are the parts of the model that concern other minds. With
    --rater, the episodes are changed instead, such as the places of the objects at test.
    """
    check_rater(given["rater"])


@verb
@click.option(
    "--set",
    "changes",
    multiple=True,
    required=True,
    metavar="NAME=VALUE[,VALUE]",
    help="Values of a parameter, as in 'hbtom model show'; may be repeated.",
)
@dataset_options
@file_option("-o", "--out", help="Write one row per model and task: .csv, .jsonl, .parquet.")
@overwrite_option
@score_option
@format_option
@workers_option
@click.option("--rater", metavar=RATER, help="Sweep a rater of your own instead of a model.")
def sweep(**given: Any) -> None:
    """Evaluate a model on DATASET with every combination of parameter values."""
    check_rater(given["rater"])


@verb
@click.argument("ratings", type=path)
@file_option("--dataset", help="Also list its pairs that are not rated.")
@labels_option
@direction_option
@format_option
def score(**given: Any) -> None:
    """Print the benchmark's table for the RATINGS of any model, one row per episode.

    A row names its episode by 'file', or by 'task', 'pair' and 'member', and has a 'rating' or, for
    looking times, 'looking'. With labels, files may have any name.
    """


@verb
@click.argument("measures", type=path)
@click.argument(
    "results",
    nargs=-1,
    required=True,
    metavar="[NAME=]RESULTS...",
    callback=lambda context, option, given: named(given, ""),
)
@measures_options
@click.option("--column", help="The column of RESULTS to compare, such as surprise_goal.")
@option("--samples", type=click.IntRange(10, 100_000), default=2000, help="Bootstrap samples.")
@option("--seed", type=click.IntRange(0), default=0, help="Of the samples.")
@file_option(
    "-o", "--out", help="Write one row per answer, for mixed models: .csv, .jsonl, .parquet."
)
@file_option("--plot", "figure", help="Draw people against models: .pdf, .svg or .png")
@file_option("--courses", help="Draw people and models over time: .pdf, .svg or .png")
@flag("--overwrite", help="Replace the files given to --out, --plot and --courses.")
@format_option
def correlate(**given: Any) -> None:
    """Compare looking times, ratings or choices of people with the RESULTS of one or more models.

    MEASURES has one row per answer: a 'scenario' (or 'file', or 'task', 'pair' and 'member'),
    perhaps 'participant', 'time', 'goal' and 'category', and 'looking', 'rating' or 'choice'.
    RESULTS are files written by 'judge --out', 'evaluate --out' or 'infer --out', or JSON of
    'judge' or 'infer', or a folder of it. Prints correlations with 95 % intervals over scenarios
    and participants.
    """


@verb
@click.argument("results", type=path)
@file_option("-o", "--out", required=True, help="The report to write: .html")
@flag("--overwrite", help="Replace the file given to --out, and its pages.")
@file_option("--dataset", help="Where the episodes are. Default: where they were judged.")
@labels_option
@click.option(
    "--model", help="The model used: a preset, TOML file or file of weights. Default: detected."
)
@option(
    "--pages",
    type=click.IntRange(min=0),
    default=20,
    help="Number of pages to watch pairs on, next to the report.",
)
def report(**given: Any) -> None:
    """Make a report of RESULTS, a file written by 'evaluate --out', or of any ratings.

    The report is one HTML file that needs no network. It shows accuracy next to all published
    figures, what separates expected from unexpected episodes, calibration, and every pair. Wrong
    pairs and the closest calls can be watched: their pages are in a folder next to the report.
    """


@verb
@click.argument("first", type=path)
@click.argument("second", type=path)
@labels_option
@format_option
def compare(**given: Any) -> None:
    """Find out, with a paired test, in which tasks two sets of ratings differ."""


@verb
@click.argument("network", type=click.Choice(["bc-mlp", "bc-rnn", "video-rnn", "set-transformer"]))
@file_option("--data", help="Episodes to learn from. Default: generated background tasks.")
@file_option("-o", "--out", help="The weights to write. Default: NETWORK.safetensors")
@flag("--overwrite", help="Replace the file given to --out.")
@click.option("--episodes", type=click.IntRange(2, 10_000_000), help="Number to generate.")
@click.option(
    "--steps",
    type=click.IntRange(1, 100_000_000),
    help="Training steps; for the encoder, at most as many.",
)
@option("--seed", type=click.IntRange(min=0), default=0, help="The same seed gives equal weights.")
@flag("--quick", help="Train little, in a minute or two on a small machine.")
@click.option("--device", type=click.Choice(["cpu", "gpu"]), help="Default: a GPU if there is one.")
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    help="Numbers inside the network. Default: bfloat16 on a GPU, float32 elsewhere.",
)
@flag("--resume", help="Continue an interrupted run.")
@workers_option
def train(**given: Any) -> None:
    """Train a NETWORK to predict what agents do, and write its weights.

    bc-mlp, bc-rnn and video-rnn are the baselines of the benchmark's paper. The set transformer
    sees things instead of pixels. One episode in five is held out to measure the loss.

    An interrupted run leaves a checkpoint next to --out. With --resume and the same options, the
    run continues and ends with the same weights. Needs the extra 'train'.
    """
    if given["data"] is not None and given["episodes"] is not None:
        raise click.UsageError("--episodes says how many to generate; do not use it with --data.")


@click.group()
def model() -> None:
    """Show the models: every assumption, in a file that you can edit."""


@model.command("list")
def _list_models() -> None:
    """List the models shipped with hbtom."""
    start("model", "list_presets")


@model.command("show")
@click.argument("name", default="default", metavar="[PRESET|FILE]")
def _show_model(name: str) -> None:
    """Print a model as TOML. Save it, edit it, and pass the file to --model."""
    start("model", "show", name=name)
