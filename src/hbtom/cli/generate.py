"""``hbtom generate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hbtom.bench.labels import FILE as LABELS
from hbtom.bench.synth import generate
from hbtom.bench.synth.jitter import Jitter
from hbtom.bench.tasks import BACKGROUND_TASKS, chosen_tasks
from hbtom.cli.output import warn
from hbtom.cli.progress import progress
from hbtom.errors import system_errors

LARGE = 100  # MB


def run(
    out: str,
    suite: str,
    tasks: Sequence[str],
    background: bool,
    jitter: float,
    missing: float,
    **how: Any,
) -> None:
    """Write a synthetic benchmark."""
    chosen = chosen_tasks(suite, tasks)
    chosen += [one.folder for one in BACKGROUND_TASKS if background]
    problem, hint = "the episodes cannot be written", "name a folder that can be written"
    with progress("making pairs") as made, system_errors(problem, out, hint):
        noise = Jitter(jitter, missing)
        files = generate(Path(out), tasks=chosen, jitter=noise, progress=made, **how)
    size = sum(file.stat().st_size for file in files) / 1e6
    episodes = sum(file.name != LABELS for file in files)
    click.echo(f"{episodes} episodes in {out}, {size:.1f} MB")
    if how["compress"] is None and size > LARGE:
        warn(out, "with --compress zst the same files take a hundredth of the space")
