"""``hbtom fit --to``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from hbtom import __version__
from hbtom.bench.measures import MeasureOptions
from hbtom.bench.pairs import Dataset
from hbtom.bench.people_fit import fit_to_people
from hbtom.cli.output import complain, print_json
from hbtom.cli.progress import progress
from hbtom.files import write_whole
from hbtom.show.correlation_text import people_fit_text


def fit_people(
    seen: Path | Dataset,
    model: str,
    to: str,
    grid: Mapping[str, Sequence[Any]],
    target: Path,
    check: Callable[[], None],
    form: str,
    *,
    workers: int | None,
    **reading: Any,
) -> None:
    """Choose the parameters with which a model agrees best with people, and write the model.

    ``check`` looks at the file again before it is replaced.
    """
    log = not reading.pop("raw")
    how = MeasureOptions(log=log, **reading)
    with progress("predicting", "scenarios") as tell:
        fitted = fit_to_people(seen, to, grid, model, reading=how, workers=workers, progress=tell)
    for warning in fitted.found.warnings:
        complain(f"warning: {to}: {warning}")
    best = msgspec.structs.replace(fitted.model, name=target.stem)
    r = fitted.found.agreements[0].r.value
    note = (
        f"# fitted by hbtom {__version__} to {Path(to).name}; r = {r:.3f} on scenarios left out\n"
    )
    check()
    write_whole(target, (note + best.to_toml()).encode())
    if form == "json":
        print_json({"model": str(target), **fitted.to_dict()})
    else:
        click.echo(people_fit_text(fitted))
        click.echo(f"written to {target}, fingerprint {best.fingerprint}")
