"""Verbs for episodes: judging them and looking at them."""

from __future__ import annotations

from typing import Any

import click

from hbtom.cli.options import (
    Number,
    check_rater,
    file_option,
    flag,
    format_option,
    model_option,
    option,
    overwrite_option,
    path,
    rater_option,
    scene_option,
    serving_options,
    start,
    verb,
    workers_option,
)


@verb
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=path)
@model_option
@scene_option
@format_option
@flag("--trace", help="Add the beliefs at every step.")
@file_option("-o", "--out", help="Write one row per episode instead: .csv, .jsonl, .parquet.")
@flag("--resume", help="Continue an earlier run.")
@overwrite_option
@workers_option
@rater_option
def judge(**given: Any) -> None:
    """Judge how plausible the last trial of each episode FILE is, given the trials before it.

    FILE is an episode, a track, an archive, or a folder of them.
    """
    check_rater(given["rater"])
    for_files = given["resume"] or given["overwrite"] or given["workers"] is not None
    if given["out"] is None and for_files:
        raise click.UsageError(
            "--resume, --overwrite and --workers are for results in a file: name it with --out."
        )
    if given["out"] is not None and (given["trace"] or given["form"] == "json"):
        raise click.UsageError("--trace and --format json are for printed output, not for --out.")
    if given["out"] is not None and given["rater"] is not None:
        raise click.UsageError("--rater only prints ratings; do not use it with --out.")


@verb
@click.argument("episode", type=path)
@click.argument("other", required=False, metavar="[EPISODE]", type=path)
@file_option("-o", "--out", help="The page to write: .html")
@overwrite_option
@model_option
@scene_option
@click.option(
    "--open/--no-open",
    "opened",
    default=None,
    help="Open the page in a browser, or not. Default: open it unless --out is given.",
)
def show(**given: Any) -> None:
    """Make a page to watch EPISODE on, together with the model's beliefs.

    EPISODE may also be a plan in the folder of its world: *.plan next to domain.pddl, problem.pddl
    and goals.txt, or in plans/ below them. The default model is then 'paper'.

    With a second episode, such as the other one of a pair, both play side by side. The page is a
    single HTML file that needs no network.

    Without --out the page goes to the cache folder and opens in a browser. Its path is printed.
    """


@verb
@click.argument("files", nargs=-1, required=True, metavar="EPISODE [OTHER]", type=path)
@file_option("-o", "--out", required=True, help="The figure: .pdf, .svg, .png")
@overwrite_option
@model_option
@scene_option
@click.option(
    "--width",
    metavar="WIDTH",
    callback=lambda context, option, given: _centimetres(given),
    help="In centimetres, or in inches as in 3.5in; 8.5 is a column. Default: 17, a page.",
)
@option(
    "--dpi", type=click.IntRange(min=30, max=2400), default=300, help="Dots per inch, for .png."
)
def plot(**given: Any) -> None:
    """Draw a figure for print: the trials of EPISODE, the beliefs, and the plausibility.

    With OTHER, such as the other one of a pair, both are drawn side by side, or one above the
    other.
    """
    if len(given["files"]) > 2:
        raise click.UsageError("give one episode, or two")


def _centimetres(given: str | None) -> float | None:
    """Return the width in centimetres, given as 8.5, 8.5cm or 3.5in."""
    if given is None:
        return None
    unit = 2.54 if given.endswith("in") else 1.0
    try:
        return float(given.removesuffix("in").removesuffix("cm")) * unit
    except ValueError:
        raise click.BadParameter(f"'{given}' is not a width; write 8.5, 8.5cm or 3.5in") from None


@verb
@click.argument("episode", type=path)
@file_option("-o", "--out", required=True, help="The movie: .gif, .mp4")
@overwrite_option
@click.option(
    "--trials",
    metavar="N[-M][,N[-M]]",
    callback=lambda context, option, given: _numbers(given),
    help="Only these trials, counted from 1, such as 1-3,9.",
)
@flag("--beliefs", help="Show the probability of each goal next to it.")
@model_option
@scene_option
@option("--fps", type=Number(1, 120), default=25, help="Pictures per second.")
@option(
    "--speed",
    type=Number(0.05, 100),
    default=1,
    help="How many times faster than life; frames are skipped if necessary.",
)
@option(
    "--size",
    type=click.IntRange(min=1, max=10),
    default=4,
    help="Pixels in the picture per pixel of the world, which is 200 wide.",
)
def animate(**given: Any) -> None:
    """Make a movie of EPISODE, frame by frame, as the benchmark shows it.

    EPISODE may also be a plan (*.plan) in the folder of its world. The movie then shows the world
    after each action.
    """


def _numbers(given: str | None) -> tuple[int, ...] | None:
    """Return the numbers that 1-3,9 stands for."""
    if given is None:
        return None
    numbers: list[int] = []
    for part in given.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last if dash else first)
        if not all(end.isdecimal() and len(end) < 5 for end in ends) or int(ends[0]) > int(ends[1]):
            raise click.BadParameter(f"'{given}' does not name trials; write 9, or 1-3,9")
        numbers += range(int(ends[0]), int(ends[1]) + 1)
    return tuple(numbers)


@verb
@click.argument("episode", required=False, type=path)
@model_option
@serving_options
@workers_option
def studio(**given: Any) -> None:
    """Draw episodes on a page, and watch how their judgement changes.

    Starts a small server on this machine and prints its address. The page begins with EPISODE, or
    with an empty room. It saves files in the folder of EPISODE, or in this one. Ctrl-C stops the
    server. Needs the extra 'viewer'.
    """


@click.group()
def scene() -> None:
    """Describe where a track was recorded: the world, and what is in it."""


@scene.command("new")
@click.argument("track", required=False, type=path)
@option("-o", "--out", default="scene.toml", type=path, help="The scene file to write: .toml")
@overwrite_option
def _new_scene(**given: Any) -> None:
    """Write a scene file to fill in, with every field explained.

    With TRACK, a CSV or HDF5 file, names and size are taken from it.
    """
    start("new_scene", "new", **given)
