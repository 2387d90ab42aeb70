"""``hbtom download``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any

import click

from hbtom.bench.download import DEFAULT_BASE, FetchedArchive, Incomplete, download
from hbtom.bench.tasks import task
from hbtom.cli.output import INTERRUPTED, complain


def run(tasks: Sequence[str], to: str | None = None, base: str | None = None, **how: Any) -> int:
    """Fetch archives and print the path of each; return 1 if any is missing."""
    try:
        with closing(_Bars()) as bars:
            how |= {"progress": bars.progress, "notice": bars.notice}
            archives = download(tasks, to, base=base or DEFAULT_BASE, **how)
    except Incomplete as error:
        _tell(error.archives)
        for line in (*error.reasons(), *error.by_hand()):
            # Each address has a line of its own, so that it can be copied.
            click.echo(line, err=True) if line.startswith(" ") else complain(line)
        return 1
    except KeyboardInterrupt:
        complain("interrupted; files fetched so far are kept, and the same command continues")
        return INTERRUPTED
    _tell(archives)
    if archives:
        complain(f"now: hbtom evaluate {archives[0].path.parent}")
    return 0


def _tell(archives: Iterable[FetchedArchive]) -> None:
    for archive in archives:
        how = "fetched" if archive.fetched else "already there"
        complain(f"{archive.task}: {how}, {size(archive.size)}, sha256 {archive.sha256[:12]}")
        click.echo(archive.path)


class _Bars:
    """A progress bar for each archive, on a terminal."""

    def __init__(self) -> None:
        self.name = ""
        self.bar: Any = None

    def progress(self, name: str, done: int, total: int | None) -> None:
        """Advance the bar of an archive; if its size is unknown, there is no bar."""
        if not sys.stderr.isatty() or not total:
            return
        if self.bar is None or name != self.name:
            self.close()
            label = f"{task(name).folder}, {size(total)}"
            self.name = name
            self.bar = click.progressbar(length=total, label=label, file=sys.stderr)
            self.bar.__enter__()
        self.bar.update(done - self.bar.pos)

    def notice(self, text: str) -> None:
        """Print the reason for a delay below an archive's bar."""
        self.close()
        complain(text)

    def close(self) -> None:
        """Leave the bar as it is, and start a new line."""
        if self.bar is not None:
            self.bar.__exit__(None, None, None)
            self.bar = None


def size(count: int) -> str:
    """Return a number of bytes in a suitable unit."""
    for unit, worth in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= worth:
            return f"{count / worth:.1f} {unit}"
    return f"{count} bytes"
