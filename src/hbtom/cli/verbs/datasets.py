"""Verbs for datasets: downloading, generating, packing, converting and browsing them."""

from __future__ import annotations

import sys
from typing import Any

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
    help="The port to listen on; 0 is any free port.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Only this machine can reach the default. For any other, the "
    "printed address includes a token, and requests without it are refused.",
)
@click.option("--no-open", is_flag=True, help="Do not open the list in a browser.")
@workers_option
@rater_option
def view(**given: Any) -> None:
    """Browse DATASET in a web browser: its tasks, pairs and episodes, and what comes of them.

    Starts a small server on this machine and prints its address. Pairs are judged when you look at
    them, or all at once at the press of a button. Ctrl-C stops the server.

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
    help="Another place to get the archives from: http, https or file.",
)
@click.option("--background", is_flag=True, help="Also the four background (training) tasks.")
@click.option("--again", is_flag=True, help="Fetch archives even if they are there already.")
def download(**options: Any) -> None:
    """Fetch the public archives of the benchmark: those of each TASK, or all nine."""
    from hbtom.cli.download import run

    sys.exit(run(**options))


@click.command()
@click.argument("out", type=click.Path())
@click.option(
    "--pairs",
    type=click.IntRange(1, 1_000_000),
    default=20,
    show_default=True,
    help="Pairs per task.",
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
    help="Standard deviation of the noise on agents' positions.",
)
@click.option(
    "--missing",
    type=Number(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Share of frames in which the agent is not seen.",
)
@workers_option
def generate(**options: Any) -> None:
    """Write a synthetic benchmark into the folder OUT."""
    from hbtom.cli.generate import run

    sys.exit(run(**options))


@click.command()
@click.argument("dataset", type=click.Path())
@click.argument("out", metavar="OUT.parquet", type=click.Path())
@labels_option
@tasks_option
@click.option("--overwrite", is_flag=True, help="Replace the file OUT.")
@workers_option
def pack(**options: Any) -> None:
    """Pack all pairs of DATASET into one compact archive, a Parquet file.

    The archive is a dataset too: evaluate, sweep, fit and ablate read it, and judge reads it or one
    of its episodes, such as OUT.parquet/preference/000001loe. It needs no labels.
    """
    from hbtom.cli.pack import run

    sys.exit(run(**options))


@click.command()
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@click.option(
    "--to",
    type=click.Choice(["mcs", "bib"]),
    required=True,
    help="Machine Common Sense scenes, or the benchmark's own JSON.",
)
@click.option("--compress", type=click.Choice(["gz", "zst"]), help="Pack every file.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@workers_option
def convert(**options: Any) -> None:
    """Convert SOURCE, an episode or a whole dataset, into another format.

    A file becomes the file TARGET. A folder or an archive becomes the folder TARGET, with the same
    folders and names in it, so that 'hbtom evaluate' finds the same pairs. The format of SOURCE is
    recognised automatically.
    """
    from hbtom.cli.convert import run

    sys.exit(run(**options))
