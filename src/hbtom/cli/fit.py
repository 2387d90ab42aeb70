"""``hbtom fit``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom import __version__
from hbtom.bench.calibration import Calibration, calibrate
from hbtom.bench.dataset import Dataset, find_pairs
from hbtom.bench.evaluation import Progress, evaluate
from hbtom.bench.results import check_target, write_whole
from hbtom.bench.synthetic import fitting_dataset
from hbtom.cli.progress import progress
from hbtom.cli.say import complain, print_json
from hbtom.errors import BadInput


def run(
    dataset: str | None,
    model: str,
    tasks: Sequence[str],
    out: str,
    overwrite: bool,
    penalty: float,
    form: str,
    workers: int | None,
) -> int:
    """Fit the classifier of a model and write the model; return 1 if that is not possible."""
    target = Path(out)
    try:
        check_target(target, overwrite=overwrite, kinds=(".toml",))
        with progress("making synthetic episodes") as made:
            found = _dataset(dataset, tasks, made)
        with progress("judging pairs") as judged:
            result = evaluate(found, model, workers=workers, progress=judged)
        fitted = calibrate(result, name=target.stem, penalty=penalty)
        note = f"# classifier fitted by hbtom {__version__} to {fitted.episodes} episodes\n"
        write_whole(target, (note + fitted.model.to_toml()).encode())
    except BadInput as error:
        complain(error)
        return 1
    for one in (*result.left_out, *result.unreadable):
        complain(f"left out: {one.file}: {one.why}")
    _print(fitted, target, form)
    return 1 if result.unreadable else 0


def _dataset(dataset: str | None, tasks: Sequence[str], made: Progress) -> Dataset:
    if dataset is not None:
        return find_pairs(Path(dataset), tasks or None)
    return fitting_dataset(made)


def _print(fitted: Calibration, target: Path, form: str) -> None:
    if form == "json":
        print_json({"model": str(target), **fitted.to_dict()})
        return
    from hbtom.show.scores import calibration_table

    click.echo(calibration_table(fitted))
    click.echo(f"written to {target}, fingerprint {fitted.model.fingerprint}")
