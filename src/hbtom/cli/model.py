"""``hbtom model``."""

from __future__ import annotations

import click

from hbtom.model import Model, find_model, presets


def list_presets() -> None:
    """Print the name, fingerprint and motion of every preset."""
    wide = max(map(len, presets()))
    for name in presets():
        model = Model.preset(name)
        motion = type(model.motion).__name__.lower()
        click.echo(f"{name:{wide}} {model.fingerprint}  {motion} motion")


def show(name: str) -> None:
    """Print a model as TOML, with its fingerprint."""
    model = find_model(name)
    click.echo(f"# fingerprint {model.fingerprint}")
    click.echo(model.to_toml(), nl=False)
