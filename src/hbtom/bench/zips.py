"""Published zip archives, which may be damaged.

Damaged archives make zipfile raise almost any error; here it is always `BadInput`.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from hbtom import files
from hbtom.errors import BadInput

LONGEST = 1 << 26  # most bytes in one read; enough for the list of a million members
_PIECE = 1 << 16  # bytes of a member that are unpacked at a time
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks others without any limit


def is_zip(path: Path) -> bool:
    """Return whether a file ends like a zip archive."""
    return os.path.isfile(path) and zipfile.is_zipfile(path)


def members(path: str) -> list[zipfile.ZipInfo]:
    """Return all files in an archive, by their names."""
    with _errors("not a zip archive that can be read"):
        found = (one for one in _opened_now(path).infolist() if one.filename and not one.is_dir())
        return sorted(found, key=lambda one: one.filename)


def member_bytes(path: str, name: str) -> bytes:
    """Return the content of a file in an archive."""
    with _errors("the archive is broken"):
        archive = _opened_now(path)
        info = archive.getinfo(name)
        if info.file_size > files.LARGEST:  # zipfile never yields more than file_size
            raise files.too_large("unpacks to")
        if info.compress_type not in _READ:
            hint = "pack it again with deflate"
            raise BadInput("its compression method is not supported", hint=hint)
        with archive.open(info) as stream:
            return b"".join(iter(lambda: stream.read(_PIECE), b""))


@contextmanager
def _errors(what: str) -> Iterator[None]:
    try:
        yield
    except BadInput:
        raise
    except OSError as error:
        raise BadInput(f"{what} ({error.strerror or error})") from None
    except Exception as error:
        raise BadInput(f"{what} ({error or type(error).__name__})") from None


def _opened_now(path: str) -> zipfile.ZipFile:
    known = files.check_file(path)
    return _opened(path, known.st_size, known.st_mtime_ns, known.st_ino, os.getpid())


# Workers read a few members at a time, and the list of all members takes longer to read than these.
# The arguments make sure that a file is opened again if it has changed. A forked process also opens
# it again, because processes that share an open file share the position in it.
@lru_cache(maxsize=4)
def _opened(path: str, size: int, changed: int, number: int, process: int) -> zipfile.ZipFile:
    return _Zip(path)


class _File(io.FileIO):
    """A file that never reads too much at once, regardless of what the archive says."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LONGEST:
            raise BadInput(f"the list of its members has more than {LONGEST >> 20} MB")
        return super().read(-1 if size is None else size) or b""


class _Zip(zipfile.ZipFile):
    """An archive that closes its file when it is no longer used."""

    def __init__(self, path: str) -> None:
        self._file = _File(path)
        try:
            super().__init__(self._file)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        super().close()
        self._file.close()
