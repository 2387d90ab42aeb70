"""The front door: one verb for each function of the library.

Only click is imported here; everything else when its verb is called, so that help is instant.
"""

from __future__ import annotations

import sys

import click

from hbtom import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="hbtom %(version)s")
def main() -> None:
    """Watch an agent, infer what it wants and how well it plans, judge what it does next."""


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--model", default="default", show_default=True, help="A preset or a TOML file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table for people, or JSON for programs.",
)
@click.option("--trace", is_flag=True, help="Add what is believed at every step.")
def judge(files: tuple[str, ...], model: str, form: str, trace: bool) -> None:
    """Judge how plausible the last trial of each episode FILE is, given the trials before it."""
    from hbtom.cli.judge import run

    sys.exit(run(files, model, form, trace))


@main.group()
def model() -> None:
    """Look at the models: every assumption, in a file that you can change."""


@model.command("list")
def list_models() -> None:
    """List the models that come with hbtom."""
    from hbtom.cli.model import list_presets

    sys.exit(list_presets())


@model.command("show")
@click.argument("name", default="default", metavar="[PRESET|FILE]")
def show_model(name: str) -> None:
    """Print a model as TOML. Save it, change it, and give the file to --model."""
    from hbtom.cli.model import show

    sys.exit(show(name))
