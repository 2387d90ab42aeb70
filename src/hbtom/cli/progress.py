"""Progress of long work, on standard error and, with few exceptions, only on a terminal."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hbtom.bench.pairs import Dataset

PAUSE = 0.001  # least seconds between two writes: short, since the last of a chunk should be seen


@contextmanager
def progress(
    label: str, unit: str = "pairs", lines: float = math.inf
) -> Iterator[Callable[..., None]]:
    """Keep one line up to date; the yielded function takes the units done and the total.

    The first call gives the units done before; the rate counts the work since then. A third
    argument may be a note, such as how good the result is so far. Without a terminal, a new line is
    printed every ``lines`` seconds.
    """
    terminal = sys.stderr.isatty()
    first: tuple[int, float] | None = None
    shown = -math.inf if terminal else time.monotonic()

    def update(done: int, total: int, note: str = "") -> None:
        nonlocal first, shown
        now = time.monotonic()
        first = first or (done, now)
        if now - shown >= (PAUSE if terminal else lines) or (terminal and done == total):
            shown = now
            text = line(label, done, total, done - first[0], now - first[1], unit)
            text = f"{text}  {note}" if note else text
            width = shutil.get_terminal_size().columns - 1
            # A long line is cut rather than wrapped.
            click.echo(
                f"\r{text[:width]:<{width}}" if terminal else text, nl=not terminal, err=True
            )

    try:
        yield update
    finally:
        if terminal and first is not None:
            click.echo(err=True)


@contextmanager
def judging() -> Iterator[Callable[[int, int], None]]:
    """Show how many pairs have been judged; if there are many, suggest a faster way."""
    from hbtom.cli.output import complain
    from hbtom.judgement.warm_up import advice

    advised = False
    with progress("judging pairs") as tell:

        def update(done: int, total: int) -> None:
            nonlocal advised
            if not advised and (text := advice(total - done)):
                complain(text)
            advised = True
            tell(done, total)

        yield update


def line(
    label: str, done: int, total: int, lately: int, seconds: float, unit: str = "pairs"
) -> str:
    """Return the line of progress: ``judging pairs  120/360  31.2 pairs/s  0:08 left``.

    ``lately`` is the number of units done in the last ``seconds``.
    """
    parts = [label, f"{done}/{total}"]
    if lately and seconds > 0:
        rate = lately / seconds
        parts += [f"{rate:.1f} {unit}/s", f"{_clock((total - done) / rate)} left"]
    return "  ".join(parts)


def _clock(seconds: float) -> str:
    """Return a duration such as 0:08, 12:30 or 3:05:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def given_or_default(
    dataset: str | None,
    labels: str | None = None,
    tasks: Sequence[str] = (),
    suite: str = "bib",
    scene: str | None = None,
) -> Path | Dataset:
    """Return the given dataset, by default a synthetic benchmark, which is generated if necessary.

    With labels or a scene, its pairs are found here; otherwise, they are found later.
    """
    if labels is not None or scene is not None:
        if dataset is None:
            raise click.UsageError("--labels and --scene describe DATASET: give both.")
        from hbtom.bench.dataset import find_pairs

        return find_pairs(dataset, tasks or None, labels=labels, scene=scene)
    if dataset is not None:
        return Path(dataset)
    from hbtom.bench.synthetic import default_dataset

    with progress("making a synthetic benchmark") as made:
        return default_dataset(made, suite)
