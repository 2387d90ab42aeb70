"""``hbtom generate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from hbtom.bench.synth import generate
from hbtom.bench.synth.jitter import Jitter
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS
from hbtom.cli.progress import progress
from hbtom.cli.say import complain, warn
from hbtom.errors import BadInput

LARGE = 100  # MB


def run(
    out: str,
    pairs: int,
    seed: int,
    tasks: Sequence[str],
    background: bool,
    compress: Literal["gz", "zst"] | None,
    jitter: float,
    missing: float,
    workers: int | None,
) -> int:
    """Write a synthetic benchmark."""
    chosen = list(tasks) or [one.folder for one in EVALUATION_TASKS]
    chosen += [one.folder for one in BACKGROUND_TASKS if background]
    try:
        with progress("making pairs") as made:
            files = generate(
                Path(out),
                pairs=pairs,
                seed=seed,
                tasks=chosen,
                compress=compress,
                jitter=Jitter(jitter, missing),
                workers=workers,
                progress=made,
            )
    except BadInput as error:
        complain(error)
        return 1
    except OSError as error:
        problem = f"the episodes cannot be written: {error.strerror or error}"
        complain(BadInput(problem, hint="name a folder that can be written").at(file=out))
        return 1
    size = sum(file.stat().st_size for file in files) / 1e6
    click.echo(f"{len(files)} episodes in {out}, {size:.1f} MB")
    if compress is None and size > LARGE:
        warn(out, "with --compress zst the same files take a hundredth of the space")
    return 0
