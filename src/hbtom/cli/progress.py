"""Progress of long work, on standard error and only where a person is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with the time left; what is yielded takes (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    bar = None

    def update(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True)
            bar.__enter__()
        bar.update(done - bar.pos)

    try:
        yield update
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)


def given_or_default(dataset: str | None) -> Path:
    """Return the dataset that was named, or else the synthetic benchmark, after making it."""
    if dataset is not None:
        return Path(dataset)
    from hbtom.bench.synthetic import default_dataset

    with progress("making a synthetic benchmark") as made:
        return default_dataset(made)
