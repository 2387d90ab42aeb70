"""``hbtom sweep``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hbtom.bench.ablation import Ablation
from hbtom.bench.sweep import Sweep, sweep
from hbtom.bench.table_files import write_records
from hbtom.cli.output import print_json, tell_left_out
from hbtom.cli.progress import given_or_default, judging, progress
from hbtom.cli.rating import named_rater
from hbtom.errors import BadInput, count
from hbtom.files import check_target
from hbtom.show.score_text import sweep_table


def run(
    dataset: str | None,
    labels: str | None,
    model: str,
    changes: Sequence[str],
    tasks: Sequence[str],
    out: str | None,
    overwrite: bool,
    form: str,
    rater: str | None,
    **how: Any,
) -> int:
    """Evaluate a grid of models or raters; return 1 if anything could not be read."""
    settings = read_settings(changes)
    if out is not None:
        check_target(Path(out), overwrite=overwrite)
    where = given_or_default(dataset, labels, tasks)
    with judging() if rater is None else progress("rating pairs") as judged:
        rates = model if rater is None else named_rater(rater)
        result = sweep(where, settings, rates, tasks=tasks or None, progress=judged, **how)
    if form == "table":
        click.echo(sweep_table(result))
        pairs = max((one.overall.pairs for one in result.models), default=0)
        click.echo(
            f"accuracy in per cent, {count(pairs, 'pair')}; margin: rating of e minus that of u, "
            "its mean and its 5 % quantile\n"
            "every task: see --out and --format json\n"
            f"{'model' if rater is None else 'rater'} {rater or model}, dataset {result.dataset}"
        )
    return finish(result, form, out, overwrite)


def finish(result: Sweep | Ablation, form: str, out: str | None, overwrite: bool) -> int:
    """List the files left out and print the table; write it last, in case that fails."""
    if form == "json":
        print_json(result.to_records())
    status = tell_left_out(result)
    if out is not None:
        write_records(result.to_records(), Path(out), overwrite=overwrite)
    return status


def read_settings(changes: Sequence[str], option: str = "--set") -> dict[str, list[Any]]:
    """Read ``efficiency.scale=0.5,1,2``: a parameter, and its values as in a TOML list."""
    settings: dict[str, list[Any]] = {}
    for text in changes:
        name, _, values = text.partition("=")
        try:
            read = tomllib.loads(f"values = [{values}]")["values"]
        except (ValueError, RecursionError):
            hint = f"write it like {option} efficiency.scale=0.5,1,2; 'hbtom model show' names them"
            raise BadInput(f"'{option} {text}' does not set a parameter", hint=hint) from None
        settings.setdefault(name.strip(), []).extend(read)
    return settings
