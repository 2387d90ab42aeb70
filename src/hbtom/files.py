"""Reading and writing files: whole or not at all.

A file is read up to one limit, and only if it is a file.

A pipe may never end, and a device never does. Anything that is neither a file nor a folder is
refused before hbtom waits for it. The only exceptions are pipes into this very process, by their
own names: ``/dev/stdin``, or ``/dev/fd/63``, as shells call ``<(command)``. All readers have the
same limit, compressed and uncompressed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from hbtom.errors import BadInput, missing, system_errors

LARGEST = 1 << 29  # most bytes in a file, compressed and uncompressed; an episode has 2 MB

WRITTEN = 1 << 24  # most bytes in a file that people write by hand, such as a model

MOST_ROWS = 1_000_000  # of a table; of a track, 11 hours at 25 frames a second
_MOST_CELLS = 1 << 24  # of a CSV file; each takes some 60 bytes of memory

_OWN = re.compile(r"/dev/(stdin|fd/\d+)")
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}


def file_bytes(
    path: Path, what: str = "an episode", most: int | None = None, folder: str = "name a file in it"
) -> bytes:
    """Return the content of a file; raise an error that says why it cannot be read.

    ``what`` is the expected content; ``folder`` is a hint in case a folder was named instead.
    """
    try:
        return read_whole(path, most)
    except FileNotFoundError:
        raise BadInput("there is no such file", hint="check the name and the folder") from None
    except IsADirectoryError:
        raise BadInput(f"this is a folder, not {what}", hint=folder) from None
    except OSError as error:
        hint = "check the name and whether you may read the file, or copy it again"
        raise BadInput(f"the file cannot be read: {error.strerror or error}", hint=hint) from None
    except ValueError as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"this is not a valid file name: {error}") from None


def read_whole(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the content of a file; errors of the operating system are not translated."""
    most = LARGEST if most is None else most
    with open(path, "rb", opener=_at_once) as stream:
        known = os.fstat(stream.fileno())
        size = 0 if _is_own_pipe(path, known) else _checked(known).st_size
        if size > most:
            raise too_large(most=most)
        data = stream.read(size + 1)
        if len(data) > size:  # the file grows, or the system does not know its size
            data += stream.read(most - size)
        if len(data) > most:
            raise too_large(most=most)
        return data


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for a writer, unless it is a pipe into this process."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if _is_own_pipe(path, os.fstat(handle)):
        os.set_blocking(handle, True)
    return handle


def _is_own_pipe(path: str | os.PathLike[str], known: os.stat_result) -> bool:
    """Return whether an open file is a pipe into this process, under its own name."""
    return stat.S_ISFIFO(known.st_mode) and _OWN.fullmatch(os.fspath(path)) is not None


def check_file(path: str | os.PathLike[str]) -> os.stat_result:
    """Return the status of a file that a library will open; refuse anything but a file."""
    return _checked(os.stat(path))


def _checked(known: os.stat_result) -> os.stat_result:
    kind = stat.S_IFMT(known.st_mode)
    if kind != stat.S_IFREG:
        called = _KINDS.get(kind, "a device")
        raise BadInput(f"this is {called}, not a file", hint="copy its content into a file")
    return known


def check_rows(rows: int) -> None:
    """Refuse a table that is too long, before its rows are read."""
    if rows > MOST_ROWS:
        problem = f"there are {rows:,} rows or frames, but at most {MOST_ROWS:,} are read"
        raise BadInput(problem, hint="split the file")


def separator(text: str) -> str:
    """Return what separates the cells of a CSV file: in some countries, spreadsheets use ``;``.

    A file with too many cells is refused, also one whose rows would be filled up to its heading.
    """
    heading = text.partition("\n")[0].partition("\r")[0]
    mark = max(",;\t", key=heading.count)
    rows = max(text.count("\n"), text.count("\r"))
    check_rows(rows)
    if max(text.count(mark) + rows, (heading.count(mark) + 1) * rows) > _MOST_CELLS:
        problem = f"there are more than {_MOST_CELLS:,} cells"
        raise BadInput(problem, hint="split the file, or leave out columns")
    return mark


def too_large(does: str = "contains", most: int | None = None) -> BadInput:
    """Return the error for a file beyond the limit."""
    return BadInput(
        f"the file {does} more than {(LARGEST if most is None else most) >> 20} MB",
        hint="this is the limit for such files; is it the right one?",
    )


def check_target(
    path: Path,
    *,
    overwrite: bool = False,
    kinds: Sequence[str] = (".csv", ".jsonl", ".parquet"),
    otherwise: str = "--overwrite",
) -> None:
    """Refuse a file that cannot or should not be written, before any work is done.

    ``kinds`` are the permitted endings of its name; ``otherwise`` says how to replace a file.
    """
    import tempfile

    if path.suffix not in kinds:
        problem = f"this is not written as '{path.suffix}'" if path.suffix else "it has no ending"
        raise BadInput(problem, hint=f"end the name in {' or '.join(kinds)}", file=path)
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise missing("pyarrow", "tables")
    with system_errors("the file cannot be written", path, "choose another name"):
        there = path.exists() or path.is_symlink()  # fails if the name is too long
    if there and not path.is_dir() and not overwrite:
        hint = f"choose another name, or use {otherwise}"
        raise BadInput("the file exists already", hint=hint, file=path)
    if path.is_dir():
        raise BadInput("this is a folder", hint="choose another name", file=path)
    if not path.parent.is_dir():
        raise BadInput("there is no such folder", hint="make it first", file=path.resolve().parent)
    problem, folder = "nothing can be written in this folder", path.resolve().parent
    with system_errors(problem, folder, "choose another one"):
        tempfile.TemporaryFile(dir=path.parent).close()  # permissions may mislead, as in /proc


def write_whole(path: Path, data: bytes) -> None:
    """Write a file elsewhere and move it into place, so that half of it is never seen."""
    from hbtom.scratch import scratch

    with system_errors("the file cannot be written", path), scratch(path.parent) as folder:
        part = folder / "whole"
        part.write_bytes(data)
        part.replace(path)


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Keep other runs from writing to a file meanwhile."""
    from hbtom.scratch import Taken, alone

    with ExitStack() as held:
        try:
            with system_errors("the file cannot be written", path):
                held.enter_context(alone(path))
        except Taken:
            hint = "wait for it to end, or choose another name"
            raise BadInput("another run is writing to this file", hint=hint, file=path) from None
        yield


@contextmanager
def replacing(path: Path, *, overwrite: bool, kinds: Sequence[str]) -> Iterator[Callable[[], None]]:
    """Keep other runs from replacing a file; yield a check to make before this run replaces it."""
    check_target(path, overwrite=overwrite, kinds=kinds)
    with only_writer(path):
        before = _state(path)
        check_target(path, overwrite=overwrite, kinds=kinds)  # another run may just have finished

        def check() -> None:
            if _state(path) != before:
                hint = "move it away, and run this again"
                raise BadInput("something else has written this file", hint=hint, file=path)

        yield check


def _state(path: Path) -> tuple[int, ...] | None:
    """Return what changes whenever a file is written or replaced."""
    try:
        known = os.lstat(path)
    except FileNotFoundError:
        return None
    return known.st_ino, known.st_size, known.st_mtime_ns


def check_folder(path: Path) -> None:
    """Refuse a folder that exists, or that cannot be made, before any work is done."""
    with system_errors("the folder cannot be made", path, "choose another name"):
        there = os.path.lexists(path)  # fails if the name is too long
    if there:
        raise BadInput("this exists already", hint="name a folder that does not exist", file=path)
    if not path.parent.is_dir():
        raise BadInput("there is no such folder", hint="make it first", file=path.resolve().parent)


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files elsewhere and move it into place, unless something is there."""
    from hbtom.scratch import scratch

    with system_errors("the folder cannot be written", path), scratch(path.parent) as place:
        whole = place / "whole"
        whole.mkdir()
        for name, data in files.items():
            (whole / name).write_bytes(data)
        check_folder(path)
        whole.rename(path)
