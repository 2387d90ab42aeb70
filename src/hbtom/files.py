"""Reading and writing files: whole or not at all.

A file is read up to one limit, and only if it is a file.

A pipe may never end and a device never does; whatever is neither a file nor a folder is refused
before anything waits for it. Only a pipe that somebody has laid into this very process is read, by
its own name: ``/dev/stdin``, or ``/dev/fd/63``, as shells call ``<(command)``. Every way into hbtom
keeps to the same limit, packed or unpacked.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from hbtom.errors import BadInput, missing

LARGEST = 1 << 29  # bytes that are read of one file, packed and unpacked; an episode has 2 MB

WRITTEN = 1 << 24  # bytes of what people write by hand, such as models and worlds

_OWN = re.compile(r"/dev/(stdin|fd/\d+)")
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}


def file_bytes(path: Path, what: str = "an episode", most: int | None = None) -> bytes:
    """Return what a file holds, or say why it cannot be read; ``what`` names what was expected."""
    try:
        return read_whole(path, most)
    except FileNotFoundError:
        raise BadInput("there is no such file", hint="check the name and the folder") from None
    except IsADirectoryError:
        raise BadInput(f"this is a folder, not {what}", hint="name the files in it") from None
    except OSError as error:
        raise BadInput(f"the file cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"this cannot be the name of a file: {error}") from None


def read_whole(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return what a file holds; errors of the system are left as they are."""
    most = LARGEST if most is None else most
    with open(path, "rb", opener=_at_once) as stream:
        known = os.fstat(stream.fileno())
        size = 0 if _is_own_pipe(path, known) else _checked(known).st_size
        if size > most:
            raise too_large(most=most)
        data = stream.read(size + 1)
        if len(data) > size:  # it grows, or the system does not tell its size
            data += stream.read(most - size)
        if len(data) > most:
            raise too_large(most=most)
        return data


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for anybody to write to it, but for all that comes of a pipe."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if _is_own_pipe(path, os.fstat(handle)):
        os.set_blocking(handle, True)
    return handle


def _is_own_pipe(path: str | os.PathLike[str], known: os.stat_result) -> bool:
    """Tell whether an open file is a pipe into this process, by a name that no link has."""
    return stat.S_ISFIFO(known.st_mode) and _OWN.fullmatch(os.fspath(path)) is not None


def check_file(path: str | os.PathLike[str]) -> os.stat_result:
    """Return what the system knows of a file that others will open; refuse what is none."""
    return _checked(os.stat(path))


def _checked(known: os.stat_result) -> os.stat_result:
    kind = stat.S_IFMT(known.st_mode)
    if kind != stat.S_IFREG:
        called = _KINDS.get(kind, "a device")
        raise BadInput(f"this is {called}, not a file", hint="copy what it holds into a file")
    return known


def too_large(does: str = "holds", most: int | None = None) -> BadInput:
    """Return the error for a file beyond the limit."""
    return BadInput(
        f"the file {does} more than {(LARGEST if most is None else most) >> 20} MB",
        hint="this is the most that is read of such a file; is it the right one?",
    )


def check_target(
    path: Path,
    *,
    overwrite: bool = False,
    kinds: Sequence[str] = (".csv", ".jsonl", ".parquet"),
    otherwise: str = "--overwrite",
) -> None:
    """Refuse a file that cannot or should not be written, before any work is done.

    ``kinds`` are the endings that its name may have; ``otherwise`` says how to replace a file.
    """
    import tempfile

    if path.suffix not in kinds:
        raise BadInput(
            f"this is not written as '{path.suffix}'",
            hint=f"end the name in {' or '.join(kinds)}",
        ).at(file=str(path))
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise missing("pyarrow", "tables")
    if path.exists() and not path.is_dir() and not overwrite:
        raise BadInput(
            "the file exists already", hint=f"choose another name, or say {otherwise}"
        ).at(file=str(path))
    if path.is_dir():
        raise BadInput("this is a folder", hint="choose another name").at(file=str(path))
    if not path.parent.is_dir():
        raise BadInput("there is no such folder", hint="make it first").at(
            file=str(path.resolve().parent)
        )
    try:
        tempfile.TemporaryFile(dir=path.parent).close()  # rights alone do not tell, as in /proc
    except OSError as error:
        raise BadInput(
            f"nothing can be written in this folder: {error.strerror or error}",
            hint="choose another one",
        ).at(file=str(path.resolve().parent)) from None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file elsewhere and move it into place, so that nobody ever sees half of it."""
    from hbtom.scratch import scratch

    try:
        with scratch(path.parent) as folder:
            part = folder / "whole"
            part.write_bytes(data)
            part.replace(path)
    except OSError as error:
        raise BadInput(f"the file cannot be written: {error.strerror or error}").at(
            file=str(path)
        ) from None
