"""Options that several verbs share."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A float within a range, or zero where ``or_zero`` is true.

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
        """Return the number that was given, or say which numbers are valid."""
        number = click.FLOAT.convert(value, param, ctx)
        if number == 0 and self.or_zero:
            return 0.0
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return float(super().convert(number, param, ctx)) + 0.0

    def _describe_range(self) -> str:
        return f"{'0 or ' if self.or_zero else ''}{super()._describe_range()}"


model_option = click.option(
    "--model", default="default", show_default=True, help="A preset or a TOML file."
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table for people, or JSON for programs.",
)
tasks_option = click.option(
    "--tasks",
    multiple=True,
    metavar="TASK[,TASK]",
    callback=lambda context, option, given: tuple(n for one in given for n in one.split(",") if n),
    help="Only these tasks; may be repeated.",
)
labels_option = click.option(
    "--labels",
    metavar="FILE",
    type=click.Path(),
    help="Which files are pairs, and which of the two is expected: .json or .csv",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 4096), help="Processes to use. Default: all cores."
)
rater_option = click.option(
    "--rater",
    metavar="MODULE:OBJECT",
    help="Use a rater of your own, or a file of ratings, instead of a model.",
)
score_option = click.option(
    "--score",
    type=click.Choice(["plausibility", "predictive"]),
    default="plausibility",
    show_default=True,
    help="Compare by fitted plausibility, or by predictive probability without fitted weights.",
)


def check_rater(rater: str | None) -> None:
    """Refuse a rater together with what only models have."""
    context = click.get_current_context()
    for name in ("model", "score") if rater is not None else ():
        if context.get_parameter_source(name) != click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name} is for models: not with --rater.")
