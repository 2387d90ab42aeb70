"""``hbtom download``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import click

from hbtom.bench.cache import archive_folder
from hbtom.bench.download import DEFAULT_BASE, RETRIES, Archive, Incomplete, download
from hbtom.bench.tasks import task
from hbtom.cli.say import complain
from hbtom.errors import BadInput

REDRAW = 0.1  # seconds between two drawings of the progress line


def run(
    tasks: Sequence[str],
    to: str | None = None,
    base: str | None = None,
    background: bool = False,
    again: bool = False,
    *,
    retries: int = RETRIES,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Fetch archives and print the path of each; return 1 if any is missing."""
    screen = _Screen(sys.stderr, shown=sys.stderr.isatty())
    try:
        download(
            tasks,
            to,
            base=base or DEFAULT_BASE,
            background=background,
            again=again,
            retries=retries,
            progress=screen.progress,
            finished=screen.finished,
            notice=screen.notice,
            sleep=sleep,
        )
    except Incomplete as error:
        screen.clear()
        _tell_missing(error)
        return 1
    except BadInput as error:
        screen.clear()
        complain(error)
        return 1
    except KeyboardInterrupt:
        screen.clear()
        _tell_interrupted(archive_folder() if to is None else Path(to))
        return 1
    return 0


def _tell_missing(error: Incomplete) -> None:
    for reason in error.reasons():
        complain(reason)
    complain(error.summary)
    for line in error.by_hand():
        if line.startswith(" "):
            click.echo(line, err=True)  # an address, bare, to be copied
        else:
            complain(line)


def _tell_interrupted(folder: Path) -> None:
    parts = sorted(folder.glob("*.zip.part"))
    for part in parts:
        complain(f"interrupted; {size(part.stat().st_size)} are kept in {part}")
    if parts:
        complain("the same command goes on from there")
    else:
        complain("interrupted")


class _Screen:
    """What is shown while archives arrive: a moving line, on a terminal only."""

    def __init__(
        self, stream: TextIO, shown: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.stream = stream
        self.shown = shown
        self.clock = clock
        self.drawn = 0  # length of the line on the screen
        self.last = -REDRAW
        self.name = ""
        self.begin = self.first = self.done = 0.0

    def progress(self, name: str, done: int, total: int | None) -> None:
        """Draw the line, not more often than can be read."""
        if not self.shown:
            return
        now = self.clock()
        if name != self.name or done < self.done:
            self.name, self.begin, self.first, self.last = name, now, done, now - REDRAW
        self.done = done
        if now - self.last >= REDRAW or done == total:
            self.last = now
            rate = (done - self.first) / (now - self.begin) if now > self.begin else 0.0
            self._draw(f"{task(name).folder}: {_amounts(done, total, rate)}")

    def finished(self, archive: Archive) -> None:
        """Tell that an archive is in its place; its path is the result."""
        self.clear()
        how = "fetched" if archive.fetched else "already there"
        complain(f"{archive.task}: {how}, {size(archive.size)}, sha256 {archive.sha256[:12]}")
        click.echo(archive.path)

    def notice(self, text: str) -> None:
        """Tell what delays an archive."""
        self.clear()
        complain(text)

    def clear(self) -> None:
        """Take the moving line away."""
        if self.drawn:
            self.stream.write("\r" + " " * self.drawn + "\r")
            self.stream.flush()
            self.drawn = 0

    def _draw(self, line: str) -> None:
        import shutil

        line = line[: shutil.get_terminal_size().columns - 1]
        self.stream.write("\r" + line.ljust(self.drawn))
        self.stream.flush()
        self.drawn = len(line)


def _amounts(done: int, total: int | None, rate: float) -> str:
    text = size(done) if total is None else f"{size(done)} of {size(total)}"
    if rate:
        text += f", {size(round(rate))}/s"
    if rate and total is not None:
        text += f", {span((total - done) / rate)} left"
    return text


def size(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    if count < 1000:
        return f"{count} bytes"
    for unit, worth in (("kB", 1e3), ("MB", 1e6)):
        if count < 999.95 * worth:
            return f"{count / worth:.1f} {unit}"
    return f"{count / 1e9:.1f} GB"


def span(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
