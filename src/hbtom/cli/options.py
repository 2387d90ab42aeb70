"""Code that several verbs share: how they run, and options."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, NoReturn

import click

from hbtom.cli.output import complain
from hbtom.errors import BadInput


def verb(words: Callable[..., None]) -> click.Command:
    """Return a command that calls a function to check options, then runs ``hbtom.cli.<verb>``."""

    @click.command(words.__name__)
    @wraps(words)
    def command(**given: Any) -> None:
        words(**given)
        start(words.__name__, "run", **given)

    return command


def start(module: str, function: str, **given: Any) -> NoReturn:
    """Import the function of a verb, call it, and exit with the status that it returns, or with 0.

    If its input is wrong, print the error and exit with status 1.
    """
    from pkgutil import resolve_name

    try:
        sys.exit(resolve_name(f"hbtom.cli.{module}:{function}")(**given) or 0)
    except BadInput as error:
        complain(error)
        sys.exit(1)


class Number(click.FloatRange):
    """A float within a range, or zero if ``or_zero`` is true.

    Unlike click's own ranges, it refuses "nan" and reads minus zero as zero.
    """

    def __init__(
        self, least: float, most: float, *, or_zero: bool = False, max_open: bool = False
    ) -> None:
        super().__init__(least, most, max_open=max_open)
        self.or_zero = or_zero

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the given number, or say which numbers are valid."""
        number = click.FLOAT.convert(value, param, ctx)
        if number == 0 and self.or_zero:
            return 0.0
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return float(super().convert(number, param, ctx)) + 0.0

    def _describe_range(self) -> str:
        return f"{'0 or ' if self.or_zero else ''}{super()._describe_range()}"


class Ends(click.ParamType[tuple[float, float]]):
    """The two ends of a scale, the lower one first: ``1,7``."""

    name = "ends"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Return both ends, or say how to give them."""
        if isinstance(value, tuple):
            return value
        try:
            low, high = map(float, value.split(","))
            if -1e12 <= low < high <= 1e12:
                return low, high
        except ValueError:
            pass
        self.fail(f"{value!r} is not a scale: give LOW,HIGH, as in 1,7.", param, ctx)


def named(given: tuple[str, ...], otherwise: str) -> tuple[tuple[str, str], ...]:
    """Return the name and the file of each ``[NAME=]FILE``; ``otherwise`` if there is no name."""
    found = [re.fullmatch(r"([\w.-]+)=(.+)", one, re.DOTALL) for one in given]
    return tuple(
        (match[1], match[2]) if match else (otherwise, file)
        for match, file in zip(found, given, strict=True)
    )


path = click.Path()
file_option = partial(click.option, type=path)
flag = partial(click.option, is_flag=True)
option = partial(click.option, show_default=True)

model_option = option("--model", default="default", help="A preset or a TOML file.")
scene_option = file_option(
    "--scene", help="For tracks: what is where. Default: the .toml of the same name."
)
format_option = option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="A table for people, or JSON for programs.",
)
tasks_option = click.option(
    "--tasks",
    multiple=True,
    metavar="TASK[,TASK]",
    callback=lambda context, option, given: tuple(n for one in given for n in one.split(",") if n),
    help="Only these tasks; may be repeated.",
)
suite_option = option(
    "--suite",
    type=click.Choice(["bib", "social"]),
    default="bib",
    help="The benchmark's nine tasks, or five tasks with other agents.",
)
labels_option = file_option(
    "--labels",
    metavar="FILE",
    help="Which files are pairs, and which of the two is expected: .json or .csv",
)
overwrite_option = flag("--overwrite", help="Replace the file given to --out.")
compress_option = option("--compress", type=click.Choice(["gz", "zst"]), help="Pack every file.")
workers_option = click.option(
    "--workers", type=click.IntRange(1, 4096), help="Processes to use. Default: all cores."
)
RATER = "NAME"
rater_option = click.option(
    "--rater",
    metavar=RATER,
    help="Use a rater instead of a model: a network by name or its weights, a file of ratings, or "
    "a rater of your own, as MODULE:OBJECT.",
)
score_option = option(
    "--score",
    type=click.Choice(["plausibility", "predictive"]),
    default="plausibility",
    help="Compare by fitted plausibility, or by predictive probability without fitted weights.",
)


direction_option = click.option(
    "--direction",
    type=click.Choice(["looking", "rating"]),
    help="More is more surprising, or more plausible. Default: by the name of the column.",
)


def measures_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading people's answers."""
    raw = flag("--raw", help="Use looking times as they are, not their logarithms.")
    number = Number(1e-9, 1e9)
    total = click.option("--sum", "total", type=number, help="The sum of ratings of all goals.")
    scale = option(
        "--scale", type=Ends(), default="0,1", metavar="LOW,HIGH", help="The scale of ratings."
    )
    for add in (raw, total, scale, direction_option):
        command = add(command)
    return command


def serving_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say where pages are served."""
    port = option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8765,
        help="The port to listen on; 0 is any free port.",
    )
    host = option(
        "--host",
        default="127.0.0.1",
        help="The address to listen on. Only this machine can reach the default. For any other, "
        "the printed address includes a token, and requests without it are refused.",
    )
    no_open = flag("--no-open", help="Do not open the page in a browser.")
    return port(host(no_open(command)))


def dataset_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which pairs are judged, and by which model."""
    for add in (tasks_option, model_option, labels_option):
        command = add(command)
    return click.argument("dataset", required=False, type=path)(command)


def check_rater(rater: str | None) -> None:
    """Refuse a rater together with options for models; let networks compute with one thread.

    Numpy reads this setting when it is imported, which is later. On a busy machine, threads cost
    more than they save.
    """
    if rater is not None and ":" not in rater:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    context = click.get_current_context()
    for name in ("model", "score") if rater is not None else ():
        if context.get_parameter_source(name) not in (None, click.core.ParameterSource.DEFAULT):
            raise click.UsageError(f"--{name} is for models: not with --rater.")
