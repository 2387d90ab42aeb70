"""Options that several verbs have."""

from __future__ import annotations

import click

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
    help="Only these tasks; may be given again.",
)
labels_option = click.option(
    "--labels",
    metavar="FILE",
    type=click.Path(),
    help="Which files are pairs, and which of the two is expected: .json or .csv",
)
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Processes to use. Default: all cores."
)
score_option = click.option(
    "--score",
    type=click.Choice(["plausibility", "predictive"]),
    default="plausibility",
    show_default=True,
    help="Compare by fitted plausibility, or by predictive probability without fitted weights.",
)
