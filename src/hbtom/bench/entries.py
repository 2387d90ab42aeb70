"""What a dataset holds: every file of it, in folders and in zip archives as they are published."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hbtom.bench.tasks import task as task_called
from hbtom.bench.unfinished import MARK, refuse_unfinished
from hbtom.observe.archive import SUFFIX
from hbtom.observe.video import SUFFIXES

LEDGER = "downloads.json"  # what is known of archives that were downloaded


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, an archive of our own, or a file within a zip archive."""

    task: str  # that its folder stands for
    path: str  # of the file, or of the archive
    inside: str = ""  # name within the archive
    checksum: str = ""  # of the content, if the archive lists it
    why: str = ""  # nothing in it can be evaluated
    unreadable: bool = False  # though it should have been

    @property
    def file(self) -> str:
        return f"{self.path}/{self.inside}" if self.inside else self.path

    @property
    def name(self) -> str:
        return PurePosixPath(self.inside).name if self.inside else Path(self.path).name


def entries(path: Path, *, background: bool = False) -> Iterator[Entry]:
    """Yield all that a folder or an archive holds; of background tasks only if that is asked for.

    What systems and downloads leave beside the data is passed over; a dataset that is not finished
    is refused.
    """
    if path.is_file():
        yield from [Entry("", str(path))] if is_table(path.name) else _in_zip(path)
        return
    for child in sorted(path.iterdir()):
        if child.name.startswith(MARK):
            refuse_unfinished(child)
        if child.name.startswith((".", "__MACOSX")) or child.name == LEDGER:
            continue
        if not background and task_name(child.stem).startswith("background"):
            yield Entry("", str(child), why="background episodes do not come in pairs")
        elif child.is_dir():
            yield from entries(child, background=background)
        elif child.suffix == ".zip":
            yield from _in_zip(child)
        else:
            yield Entry(task_name(path.resolve().name), str(child))


def task_name(folder: str) -> str:
    """Return the benchmark's own name of a task; a name that is not known stands for itself."""
    try:
        return task_called(folder).folder
    except KeyError:
        return folder


def is_table(path: str) -> bool:
    """Tell whether this is the name of an archive of our own."""
    return path.endswith(SUFFIX)


def called_video(path: str) -> bool:
    """Tell whether this is the name of a video."""
    return path.endswith(SUFFIXES)


def _in_zip(path: Path) -> Iterator[Entry]:
    try:
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
    except (OSError, zipfile.BadZipFile) as error:
        why = f"not a zip archive that can be read ({error})"
        yield Entry("", str(path), why=why, unreadable=True)
        return
    for one in sorted(files, key=lambda one: one.filename):
        inner = PurePosixPath(one.filename)
        if inner.name.startswith(".") or "__MACOSX" in inner.parts:
            continue
        task = task_name(inner.parent.name or path.stem)
        known = f"{one.CRC:08x}-{one.file_size}"
        yield Entry(task, str(path), one.filename, known)
