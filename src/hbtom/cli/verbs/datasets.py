"""Verbs for datasets: getting, making, packing and browsing them."""

from __future__ import annotations

import sys
from typing import Any, Literal

import click

from hbtom.cli.options import (
    Number,
    labels_option,
    model_option,
    rater_option,
    tasks_option,
    workers_option,
)


@click.command()
@click.argument("dataset", required=False, type=click.Path())
@labels_option
@model_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port to listen at; 0 is any that is free.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at. Only this machine can reach the default; at any other, the "
    "address that is printed has a token in it, without which nobody is answered.",
)
@click.option("--no-open", is_flag=True, help="Do not show the list in a browser.")
@workers_option
@rater_option
def view(**given: Any) -> None:
    """Browse DATASET in a web browser: its tasks, pairs and episodes, and what comes of them.

    A small server is started on this machine, and its address is printed. Pairs are judged when
    they are looked at, or all of them at the press of a button. Ctrl-C ends it.

    DATASET is what 'hbtom evaluate' takes. Needs the extra 'viewer'.
    """
    from hbtom.cli.view import run

    sys.exit(run(**given))


@click.command()
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
    help="Another place that has the archives: http, https or file.",
)
@click.option("--background", is_flag=True, help="The four background (training) tasks as well.")
@click.option("--again", is_flag=True, help="Fetch even what is there.")
def download(
    tasks: tuple[str, ...], to: str | None, base: str | None, background: bool, again: bool
) -> None:
    """Fetch the public archives of the benchmark: of each TASK, or of all nine."""
    from hbtom.cli.download import run

    sys.exit(run(tasks, to, base, background, again))


@click.command()
@click.argument("out", type=click.Path())
@click.option(
    "--pairs",
    type=click.IntRange(1, 1_000_000),
    default=20,
    show_default=True,
    help="Pairs of each task.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed gives the same files.",
)
@tasks_option
@click.option("--background", is_flag=True, help="Also make the four background tasks.")
@click.option("--compress", type=click.Choice(["gz", "zst"]), help="Pack every file.")
@click.option(
    "--jitter",
    type=Number(0, 20),
    default=0.0,
    metavar="PIXELS",
    help="Standard deviation of noise on agents' places.",
)
@click.option(
    "--missing",
    type=Number(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Share of frames in which the agent is not seen.",
)
@workers_option
def generate(
    out: str,
    pairs: int,
    seed: int,
    tasks: tuple[str, ...],
    background: bool,
    compress: Literal["gz", "zst"] | None,
    jitter: float,
    missing: float,
    workers: int | None,
) -> None:
    """Write a synthetic benchmark into the folder OUT, the same for the same seed."""
    from hbtom.bench.synth.jitter import Jitter
    from hbtom.cli.generate import run

    seen = Jitter(jitter, missing)
    sys.exit(run(out, pairs, seed, tasks, background, compress, seen, workers))


@click.command()
@click.argument("dataset", type=click.Path())
@click.argument("out", metavar="OUT.parquet", type=click.Path())
@labels_option
@tasks_option
@click.option("--overwrite", is_flag=True, help="Replace the file OUT.")
@workers_option
def pack(
    dataset: str,
    out: str,
    labels: str | None,
    tasks: tuple[str, ...],
    overwrite: bool,
    workers: int | None,
) -> None:
    """Pack all pairs of DATASET into one compact archive, a Parquet file.

    The archive is a dataset too: evaluate, sweep, fit and ablate take it, and judge takes it or an
    episode of it, as in OUT.parquet/preference/000001loe. It knows its pairs, and needs no labels.
    """
    from hbtom.cli.pack import run

    sys.exit(run(dataset, out, labels, tasks, overwrite, workers))


@click.command()
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@click.option(
    "--to",
    type=click.Choice(["mcs", "bib"]),
    required=True,
    help="Scenes of Machine Common Sense, or the benchmark's own JSON.",
)
@click.option("--compress", type=click.Choice(["gz", "zst"]), help="Pack every file.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@workers_option
def convert(
    source: str,
    target: str,
    to: Literal["mcs", "bib"],
    compress: Literal["gz", "zst"] | None,
    overwrite: bool,
    workers: int | None,
) -> None:
    """Convert SOURCE, an episode or a whole dataset, into another format.

    A file becomes the file TARGET, a folder or an archive becomes the folder TARGET, with the same
    folders and names in it, so that 'hbtom evaluate' finds the same pairs. What SOURCE is in is
    found out by itself.
    """
    from hbtom.cli.convert import run

    sys.exit(run(source, target, to, compress, overwrite, workers))
