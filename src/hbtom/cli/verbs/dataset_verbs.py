"""Verbs for datasets: downloading, generating, designing, packing, converting and browsing them."""

from __future__ import annotations

from typing import Any

import click

from hbtom.cli.options import (
    Number,
    compress_option,
    file_option,
    flag,
    format_option,
    labels_option,
    model_option,
    option,
    path,
    rater_option,
    serving_options,
    suite_option,
    tasks_option,
    verb,
    workers_option,
)


@verb
@click.argument("dataset", required=False, type=path)
@labels_option
@model_option
@serving_options
@workers_option
@rater_option
def browse(**given: Any) -> None:
    """Browse DATASET in a web browser: its tasks, pairs and episodes, and how they are judged.

    Starts a small server on this machine and prints its address. Pairs are judged when you look at
    them, or all at once at the press of a button. Ctrl-C stops the server.

    DATASET is as for 'hbtom evaluate'. Needs the extra 'viewer'.
    """


@verb
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option(
    "--to",
    type=click.Path(file_okay=False),
    help="Folder for the archives. Default: the cache folder.",
)
@click.option(
    "--from",
    "base",
    metavar="URL",
    help="Another place to get the archives from: http, https or file.",
)
@flag("--background", help="Also the four background (training) tasks.")
@flag("--again", help="Fetch archives even if they exist already.")
def download(**given: Any) -> None:
    """Fetch the public archives of the benchmark: those of each TASK, or all nine."""


@verb
@click.argument("out", type=path)
@suite_option
@option("--pairs", type=click.IntRange(1, 1_000_000), default=20, help="Pairs per task.")
@option("--seed", type=click.IntRange(min=0), default=0, help="The same seed gives the same files.")
@tasks_option
@flag("--background", help="Also generate the four background tasks.")
@compress_option
@click.option(
    "--jitter",
    type=Number(0, 20),
    default=0.0,
    metavar="PIXELS",
    help="Standard deviation of the noise on agents' positions.",
)
@click.option(
    "--missing",
    type=Number(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Share of frames in which the agent is not seen.",
)
@option(
    "--format",
    "form",
    type=click.Choice(["bib", "mcs"]),
    default="bib",
    help="The benchmark's own JSON, or Machine Common Sense scenes.",
)
@workers_option
def generate(**given: Any) -> None:
    """Write a synthetic benchmark into the folder OUT.

    The suite 'bib' has the benchmark's nine tasks, 'social' has five tasks with other agents. For
    social tasks, OUT/labels.json says how plausible each episode is, and why.
    """
    if given["suite"] != "bib" and (given["background"] or given["jitter"] or given["missing"]):
        raise click.UsageError("--background, --jitter and --missing are for the suite 'bib'.")


@verb
@click.argument("dataset", type=path)
@click.argument("out", metavar="OUT.parquet", type=path)
@labels_option
@tasks_option
@flag("--overwrite", help="Replace the file OUT.")
@workers_option
def pack(**given: Any) -> None:
    """Pack all pairs of DATASET into one compact archive, a Parquet file.

    The archive is also a dataset: evaluate, sweep, fit and ablate read it, and judge reads it or
    one of its episodes, such as OUT.parquet/preference/000001loe. It needs no labels.
    """


@verb
@click.argument("source", type=path)
@click.argument("target", type=path)
@click.option(
    "--to",
    type=click.Choice(["mcs", "bib"]),
    required=True,
    help="Machine Common Sense scenes, or the benchmark's own JSON.",
)
@compress_option
@flag("--overwrite", help="Replace files that exist.")
@workers_option
def convert(**given: Any) -> None:
    """Convert SOURCE, an episode or a whole dataset, into another format.

    A file becomes the file TARGET. A folder or an archive becomes the folder TARGET, with the same
    folders and names in it, so that 'hbtom evaluate' finds the same pairs. The format of SOURCE is
    recognised automatically.
    """


@verb
@click.argument("model")
@click.argument("other", required=False)
@click.option("--ablation", metavar="NAME", help="Drop one of the assumptions of MODEL.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another value of a parameter, as in 'hbtom model show'; may be repeated.",
)
@file_option("-o", "--out", help="A new folder for the episodes and a table of them.")
@suite_option
@tasks_option
@option("--pairs", type=click.IntRange(1, 100_000), default=20, help="Candidates per task.")
@option("--seed", type=click.IntRange(min=0), default=0, help="The same seed gives the same files.")
@option("--top", type=click.IntRange(1, 1000), default=10, help="Episodes to keep.")
@option(
    "--share",
    type=Number(0, 1),
    default=0.8,
    help="How much of the difference a shorter familiarization must keep.",
)
@format_option
@workers_option
def design(**given: Any) -> None:
    """Search for episodes on which MODEL and OTHER disagree most.

    Models are presets or TOML files. Instead of OTHER, give --ablation or --set to compare MODEL
    with a changed version of it. Candidates are generated. The familiarization of those that are
    kept is cut to the fewest trials that still make the difference.
    """
    ways = (given["other"], given["ablation"], given["changes"])
    if sum(map(bool, ways)) != 1:
        raise click.UsageError("give one of OTHER, --ablation and --set")
