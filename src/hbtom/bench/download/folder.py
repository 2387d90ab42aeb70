"""The folder of the archives: which files are in it, and to whom they belong.

``downloads.json`` lists the files that hbtom wrote, with their checksums. All other files belong to
the user and are left alone; only the checksums of the user's archives are recorded.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from hbtom.bench.download.outcome import FetchedArchive
from hbtom.bench.entries import LEDGER
from hbtom.bench.tasks import task
from hbtom.errors import BadInput, located
from hbtom.files import WRITTEN, read_whole, write_whole


@dataclass(frozen=True, slots=True)
class FileSource:
    """Where a file came from; for a partial file, only what the server said about it."""

    url: str | None  # None: the user put it there
    size: int | None = None
    etag: str | None = None
    sha256: str | None = None


class Folder:
    """A folder of archives and its record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._ledger = _read(path / LEDGER)
        except OSError as error:
            raise BadInput(f"cannot use the folder {path}: {error.strerror or error}") from error

    def archive(self, name: str) -> FetchedArchive | None:
        """Return the archive if it exists; refuse anything else of that name."""
        path, source = self.path / name, self._ledger.get(name)
        if not os.path.lexists(path):
            return None
        if not path.is_file():
            raise _left_alone(path, "is not a file")
        if source is None:
            return self._taken(path)
        found = _described(path)
        if found.sha256 != source.sha256:
            since = "it was fetched" if source.url else "it was first used"
            raise _left_alone(path, f"has changed since {since} (its sha256 is in {LEDGER})")
        return replace(found, url=source.url)

    def _taken(self, path: Path) -> FetchedArchive:
        """Accept an archive that the user put there, as is necessary without a network."""
        check_archive(path)
        found = _described(path)
        with suppress(BadInput):  # the folder may be read-only
            source = FileSource(None, found.size, sha256=found.sha256)
            self._record({**self._ledger, path.name: source})
        return found

    def is_as_before(self, name: str) -> bool:
        """Return whether a part equals the archive fetched before under that name, if any."""
        before = self._ledger.get(name)
        return before is None or before.sha256 == _digest(self.path / f"{name}.part")

    def refuse_foreign(self, name: str) -> None:
        """Make sure that an archive may be written: nothing exists, or hbtom wrote it."""
        here = self.archive(name)
        if here is not None and here.url is None:
            raise _left_alone(here.path, "was not written by hbtom")

    def part(self, name: str) -> tuple[Path, FileSource | None]:
        """Return the file for an archive's bytes, and the source of those already there."""
        path, source = self.path / f"{name}.part", self._ledger.get(f"{name}.part")
        if source is None and os.path.lexists(path):
            raise _left_alone(path, "was not written by hbtom")
        return path, source if path.exists() else None

    def begin(self, name: str, source: FileSource) -> None:
        """Record a part before it is written: without a record, it would be the user's."""
        self._record({**self._ledger, f"{name}.part": source})

    def finish(self, name: str) -> FetchedArchive:
        """Give a checked part its final name, and record it."""
        self.refuse_foreign(name)  # one may have appeared in the meantime
        part = self.path / f"{name}.part"
        size, digest = part.stat().st_size, _digest(part)
        whole = replace(self._ledger[part.name], size=size, sha256=digest)
        self._record({**self._ledger, name: whole})  # first: without it, the file is the user's
        os.replace(part, self.path / name)
        self._record({key: one for key, one in self._ledger.items() if key != part.name})
        return FetchedArchive(
            task(name).folder, self.path / name, size, digest, whole.url, fetched=True
        )

    def _record(self, ledger: dict[str, FileSource]) -> None:
        write_whole(self.path / LEDGER, msgspec.json.format(msgspec.json.encode(ledger)) + b"\n")
        self._ledger = ledger


def _read(path: Path) -> dict[str, FileSource]:
    if not os.path.lexists(path):
        return {}
    try:
        with located(file=str(path)):
            return msgspec.json.decode(read_whole(path, WRITTEN), type=dict[str, FileSource])
    except msgspec.MsgspecError as error:
        raise _left_alone(path, f"is not a record of downloads ({error})") from error


def _described(path: Path) -> FetchedArchive:
    return FetchedArchive(task(path.name).folder, path, path.stat().st_size, _digest(path))


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _left_alone(path: Path, why: str) -> BadInput:
    return BadInput(f"{path} {why}; it is left alone: move it away, or choose another folder")


def check_archive(path: Path) -> None:
    """Raise `BadInput` unless this is a whole zip archive with files in it.

    Every member must start where the directory at the archive's end says, which reveals missing or
    surplus bytes. Contents are not unpacked, which would take minutes (they are 160 times as long);
    `zipfile` checks the CRC of a member when it is read.
    """
    hint = "delete it or move it away"
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            for member in members:
                archive.open(member).close()
    except Exception as error:  # broken archives make zipfile raise almost anything
        raise BadInput(f"not a whole zip archive ({error})", hint=hint, file=path) from error
    if all(member.is_dir() for member in members):
        raise BadInput("a zip archive without any file in it", hint=hint, file=path)
