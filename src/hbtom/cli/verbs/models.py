"""Verbs for models."""

from __future__ import annotations

import sys

import click


@click.group()
def model() -> None:
    """Show the models: every assumption, in a file that you can edit."""


@model.command("list")
def list_models() -> None:
    """List the models that come with hbtom."""
    from hbtom.cli.model import list_presets

    sys.exit(list_presets())


@model.command("show")
@click.argument("name", default="default", metavar="[PRESET|FILE]")
def show_model(name: str) -> None:
    """Print a model as TOML. Save it, edit it, and pass the file to --model."""
    from hbtom.cli.model import show

    sys.exit(show(name))
