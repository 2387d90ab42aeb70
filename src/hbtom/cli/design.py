"""``hbtom design``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hbtom.bench.designing import Search, ablated, design
from hbtom.bench.tasks import chosen_tasks
from hbtom.cli.output import print_json
from hbtom.cli.progress import judging, progress
from hbtom.cli.sweep import read_settings
from hbtom.errors import BadInput, count
from hbtom.files import check_folder, write_folder
from hbtom.model import Model, find_model, with_settings
from hbtom.show.score_text import design_table


def run(
    model: str,
    other: str | None,
    ablation: str | None,
    changes: Sequence[str],
    suite: str,
    tasks: Sequence[str],
    out: str | None,
    form: str,
    workers: int | None,
    **search: Any,
) -> None:
    """Print and write the episodes on which two models disagree most."""
    if out is not None:
        check_folder(Path(out))
    models = find_model(model), _other(find_model(model), other, ablation, changes)
    chosen = tuple(chosen_tasks(suite, tasks))
    with judging() as judged, progress("cutting short", "episodes") as cut:
        what = Search(chosen, **search)
        found = design(*models, what, workers=workers, progress=judged, shortening=cut)
    if form == "json":
        print_json(found.to_records())
    else:
        click.echo(design_table(found))
        click.echo(
            "plausibility with all familiarization trials, and with the fewest that keep "
            f"{100 * what.share:g} % of the difference\n"
            f"first: model {models[0].name} ({models[0].fingerprint}), second: "
            f"{other or ablation or ', '.join(changes)} ({models[1].fingerprint})"
        )
    if out is not None:
        files = found.files()
        write_folder(Path(out), files)
        click.echo(f"{count(len(files) - 1, 'episode')} and design.csv in {out}", err=True)


def _other(model: Model, other: str | None, ablation: str | None, changes: Sequence[str]) -> Model:
    """Return the second model: another one, or the first one changed."""
    if other is not None:
        return find_model(other)
    if ablation is not None:
        return ablated(model, ablation)
    settings = read_settings(changes)
    several = next((name for name, values in settings.items() if len(values) != 1), None)
    if several is not None:
        raise BadInput(f"'{several}' must have one value here", hint="--set NAME=VALUE")
    return with_settings(model, {name: values[0] for name, values in settings.items()})
