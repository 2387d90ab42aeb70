"""Datasets that are being written: marked until they are whole, since half of one looks like all.

The mark holds the command that writes the dataset. It stays if that command is killed, so that
nobody takes what is there for everything, and so that the same command can complete it.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hbtom import __version__
from hbtom.errors import BadInput
from hbtom.scratch import Taken, hold, remove

MARK = "hbtom-unfinished-"  # how the names of marks begin
_LONGEST = 10_000  # letters of a command


@contextmanager
def unfinished(folder: Path, command: Sequence[str]) -> Iterator[bool]:
    """Mark a folder for a while; yield whether the same command was killed before it was done.

    ``command`` is without the folder, which is its last word.
    """
    text = shlex.join(command)
    digest = hashlib.sha256(f"{__version__}\n{text}".encode(errors="surrogateescape")).hexdigest()
    mark = folder / f"{MARK}{digest[:16]}.txt"
    try:
        handle = hold(mark)
    except Taken:
        hint = "wait for it to end, or choose another folder"
        raise BadInput("another run is writing the same here", hint=hint).at(
            file=str(folder)
        ) from None
    try:
        begun = os.fstat(handle).st_size > 0
        if not begun:
            os.write(handle, text.encode(errors="surrogateescape"))
        yield begun
    finally:
        remove(mark, handle)


def refuse_unfinished(mark: Path) -> None:
    """Refuse the dataset in which there is a mark."""
    try:
        command = mark.read_bytes()[:_LONGEST].decode(errors="surrogateescape")
    except OSError:
        command = ""
    again = f"{command} {shlex.quote(str(mark.parent))}" if command else "the command that wrote it"
    raise BadInput(
        "this dataset is unfinished: the command that writes it is still at work, or was killed",
        hint=f"to complete it, run the same command again: {again}",
    ).at(file=str(mark.parent))
