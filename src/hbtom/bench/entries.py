"""The files of a dataset, in folders and in published zip archives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hbtom.bench.tasks import task as task_called
from hbtom.bench.unfinished import MARK, refuse_unfinished
from hbtom.bench.zips import members
from hbtom.errors import BadInput
from hbtom.observe.archive.columns import SUFFIX
from hbtom.observe.video import SUFFIXES

LEDGER = "downloads.json"  # the record of downloaded archives
CODE = ".py"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, an archive of hbtom, or a file within a zip archive."""

    task: str  # of its folder
    path: str  # of the file, or of the archive
    inside: str = ""  # name within the archive
    checksum: str = ""  # of the content, if the archive lists it
    why: str = ""  # the reason why it cannot be evaluated
    unreadable: bool = False  # whether it should have been evaluated

    @property
    def file(self) -> str:
        return f"{self.path}/{self.inside}" if self.inside else self.path

    @property
    def name(self) -> str:
        return PurePosixPath(self.inside).name if self.inside else Path(self.path).name


def entries(path: Path, *, background: bool = False) -> Iterator[Entry]:
    """Yield everything in a folder or an archive; background tasks only on request.

    Files that operating systems, Python and downloads leave among the data are ignored, as are
    Python files, such as a theory that lies beside its data. An unfinished dataset is refused. A
    folder is entered only once even if several links lead to it, so that circular links do no harm.
    """
    if path.is_file():
        yield from [Entry("", str(path))] if is_table(path.name) else _in_zip(path)
        return
    entered = {_identity(path): path}
    waiting = _children(path)
    while waiting:
        child = waiting.pop()
        if not background and task_name(child.path.stem).startswith("background"):
            yield Entry("", str(child.path), why="background episodes do not come in pairs")
        elif child.is_folder:
            try:
                same = entered.setdefault(_identity(child.path), child.path)
                if same is child.path:
                    waiting += _children(child.path)
                else:
                    yield Entry("", str(child.path), why=f"the same folder as {same}")
            except OSError as error:
                why = f"the folder cannot be read: {error.strerror or error}"
                yield Entry("", str(child.path), why=why, unreadable=True)
        elif child.path.suffix == ".zip":
            yield from _in_zip(child.path)
        elif child.path.suffix != CODE:
            yield Entry(child.task, str(child.path))


class _Child(NamedTuple):
    """A file or folder within a folder, and the task of that folder."""

    path: Path
    is_folder: bool
    task: str


def _children(folder: Path) -> list[_Child]:
    """Return the contents of a folder in reverse order; links come after their possible targets."""
    is_alias = folder.is_symlink() or folder.name in ("", "..")
    task = task_name(folder.resolve().name if is_alias else folder.name)
    with os.scandir(folder) as found:
        inside = list(found)
    for one in inside:
        if one.name.startswith(MARK):
            refuse_unfinished(folder / one.name)
    beside = (".", "__MACOSX", "__pycache__")  # left by systems, as the ledger is by downloads
    inside = [one for one in inside if not one.name.startswith(beside) and one.name != LEDGER]
    inside.sort(key=lambda one: (one.is_symlink(), one.name), reverse=True)
    folders = {one for one in inside if (os.path.isdir(one) if one.is_symlink() else one.is_dir())}
    return [_Child(folder / one.name, one in folders, task) for one in inside]


def _identity(folder: Path) -> tuple[int, int]:
    known = os.stat(folder)
    return known.st_dev, known.st_ino


def task_name(folder: str) -> str:
    """Return the benchmark's own name of a task; an unknown name is returned as it is."""
    try:
        return task_called(folder).folder
    except BadInput:
        return folder


def is_table(path: str) -> bool:
    """Return whether this is the name of an archive of hbtom."""
    return path.endswith(SUFFIX)


def called_video(path: str) -> bool:
    """Return whether this is the name of a video."""
    return path.endswith(SUFFIXES)


def _in_zip(path: Path) -> Iterator[Entry]:
    try:
        files = members(str(path))
    except BadInput as error:
        yield Entry("", str(path), why=error.said, unreadable=True)
        return
    for one in files:
        inner = PurePosixPath(one.filename)
        beside = {"__MACOSX", "__pycache__"} & set(inner.parts)
        if inner.name.startswith(".") or inner.suffix == CODE or beside:
            continue
        task = task_name(inner.parent.name or path.stem)
        known = f"{one.CRC:08x}-{one.file_size}"
        yield Entry(task, str(path), one.filename, known)
