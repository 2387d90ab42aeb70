"""``hbtom fit``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hbtom import __version__
from hbtom.bench.calibration import calibrate
from hbtom.bench.evaluation import as_dataset, evaluate
from hbtom.bench.synthetic import fitting_dataset
from hbtom.cli.output import print_json, tell_left_out
from hbtom.cli.progress import given_or_default, judging, progress
from hbtom.cli.sweep import read_settings
from hbtom.files import replacing, write_whole
from hbtom.judgement.fitting import optimiser
from hbtom.show.score_text import calibration_table


def run(
    dataset: str | None,
    labels: str | None,
    model: str,
    tasks: Sequence[str],
    out: str,
    overwrite: bool,
    penalty: float,
    form: str,
    workers: int | None,
    to: str | None,
    changes: Sequence[str],
    **reading: Any,
) -> int:
    """Fit the classifier of a model and write the model; return 1 if that is not possible."""
    target = Path(out)
    with replacing(target, overwrite=overwrite, kinds=(".toml",)) as check:
        if to is not None and dataset is not None:
            from hbtom.cli.fit_people import fit_people

            where = given_or_default(dataset, labels, tasks)
            grid = read_settings(changes, "--vary")
            fit_people(where, model, to, grid, target, check, form, workers=workers, **reading)
            return 0
        optimiser()
        if dataset is None and labels is None:
            with progress("making synthetic episodes") as made:
                where = fitting_dataset(made)
        else:
            where = given_or_default(dataset, labels, tasks)
        found = as_dataset(where, tasks or None)
        with judging() as judged:
            result = evaluate(found, model, workers=workers, progress=judged)
        status = tell_left_out(result)
        fitted = calibrate(result, name=target.stem, penalty=penalty)
        note = (
            f"# classifier fitted by hbtom {__version__} to {fitted.episodes} episodes of "
            f"{found.name}, penalty {penalty:g}\n"
        )
        check()
        write_whole(target, (note + fitted.model.to_toml()).encode())
        if form == "json":
            print_json({"model": str(target), **fitted.to_dict()})
        else:
            click.echo(calibration_table(fitted))
            click.echo(f"written to {target}, fingerprint {fitted.model.fingerprint}")
        return status
