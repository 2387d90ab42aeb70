"""Fetching one archive: resume, retry, check, and only then give it its name."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hbtom.bench.download.folder import FileSource, Folder, check_archive
from hbtom.bench.download.http_request import Again, Changed, Reply, TooLong, ask
from hbtom.bench.download.outcome import FetchedArchive
from hbtom.bench.entries import LEDGER
from hbtom.errors import BadInput

PAUSES = (1, 2, 4, 8)  # seconds before each retry

Progress = Callable[[str, int, int | None], None]  # archive, bytes so far, bytes in all if known


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches archives from one place into one folder."""

    folder: Folder
    base: str
    progress: Progress
    notice: Callable[[str], None]
    again: bool = False  # accept archives that differ from those fetched before

    def fetch(self, name: str) -> FetchedArchive:
        """Fetch an archive; retry as long as that may help."""
        for pause in PAUSES:
            try:
                return self._attempt(name)
            except Again as error:
                self.notice(f"{name}: {error}; trying again in {pause} s")
                time.sleep(pause)
        return self._attempt(name)

    def _attempt(self, name: str) -> FetchedArchive:
        """Fetch an archive, or the rest of it, with one request."""
        self.folder.refuse_foreign(name)
        part, source = self.folder.part(name)
        size = part.stat().st_size if source else 0
        known = source if _goes_on(source, self.base + name, size) else None
        try:
            with ask(self.base + name, size, known) as reply:
                self._receive(name, part, reply)
        except (Changed, TooLong):
            part.unlink(missing_ok=True)
            raise
        return self._finish(name, part)

    def _receive(self, name: str, part: Path, reply: Reply) -> None:
        done, total = reply.start, reply.source.size
        self.folder.begin(name, reply.source)
        self.progress(name, done, total)
        with open(part, "ab" if done else "wb") as file:
            for piece in reply.pieces():
                file.write(piece)
                done += len(piece)
                self.progress(name, done, total)
            file.flush()
            os.fsync(file.fileno())  # before renaming, so that a power cut leaves no empty archive
        if total is not None and done != total:
            raise Again(f"the connection was lost after {done} of {total} bytes")

    def _finish(self, name: str, part: Path) -> FetchedArchive:
        try:
            check_archive(part)
        except BadInput as error:
            part.unlink()
            raise BadInput(f"the file at {self.base}{name} is {error.problem}") from error
        if not (self.again or self.folder.is_as_before(name)):
            part.unlink()
            raise BadInput(
                f"the file at {self.base}{name} differs from the one fetched before: its sha256 is "
                f"not the one in {LEDGER}; --again accepts it"
            )
        return self.folder.finish(name)


def _goes_on(source: FileSource | None, url: str, size: int) -> bool:
    """Return whether a part can be continued: only an ETag can show that the file is the same."""
    return bool(source and source.url == url and source.etag and 0 < size < (source.size or 0))
