"""Whether a file is a whole zip archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

from hbtom.errors import BadInput


def check_archive(path: Path) -> None:
    """Raise `BadInput` unless this is a whole zip archive with files in it.

    Every member must start where the directory at the archive's end says: bytes that are missing
    or too many are found that way. Contents are not unpacked, which would take minutes (they are
    160 times as long); whoever reads a member has it compared with its CRC by `zipfile`.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            for member in members:
                archive.open(member).close()
    except Exception as error:  # broken archives make zipfile raise almost anything
        raise _bad(path, f"not a whole zip archive ({error})") from error
    if all(member.is_dir() for member in members):
        raise _bad(path, "a zip archive without any file in it")


def _bad(path: Path, problem: str) -> BadInput:
    return BadInput(problem, hint="delete it or move it away").at(file=str(path))
