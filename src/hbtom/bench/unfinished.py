"""Datasets that are being written: marked until they are whole, since half of one looks complete.

The mark holds the command that writes the dataset. It stays if that command is killed, or stops and
leaves files behind, so that nobody mistakes the part for the whole, and the same command can
complete it.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hbtom import __version__
from hbtom.errors import BadInput
from hbtom.files import read_whole
from hbtom.scratch import Taken, hold, let_go, remove

MARK = "hbtom-unfinished-"  # how the names of marks begin
_LONGEST = 1 << 20  # most bytes in a mark; no command is longer


@dataclass
class Writing:
    """A dataset that is being written; the writer notes whether an error would leave files."""

    begun: bool  # whether the same command was started before and stopped
    left: bool  # whether any of its files exist


@contextmanager
def unfinished(folder: Path, command: Sequence[str]) -> Iterator[Writing]:
    """Mark a folder until its dataset is whole; after an error, the mark stays if files are left.

    ``command`` lacks the folder, which is its last word.
    """
    text = shlex.join(command)
    digest = hashlib.sha256(f"{__version__}\n{text}".encode(errors="surrogateescape")).hexdigest()
    mark = folder / f"{MARK}{digest[:16]}.txt"
    try:
        handle = hold(mark)
    except Taken:
        hint = "wait for it to end, or choose another folder"
        raise BadInput("another run is writing the same here", hint=hint, file=folder) from None
    begun = os.fstat(handle).st_size > 0
    writing = Writing(begun, left=begun)
    try:
        if not begun:
            os.write(handle, text.encode(errors="surrogateescape"))
        yield writing
    except BaseException:
        if writing.left:
            let_go(handle)
        else:
            remove(mark, handle)
        raise
    remove(mark, handle)


def refuse_unfinished(mark: Path) -> None:
    """Refuse a dataset that has a mark."""
    command = ""
    with suppress(OSError, BadInput):  # such as a pipe of that name
        command = read_whole(mark, _LONGEST).decode(errors="surrogateescape")
    again = f"{command} {shlex.quote(str(mark.parent))}" if command else "the command that wrote it"
    raise BadInput(
        "this dataset is unfinished: the command that writes it is still running, or was killed",
        hint=f"to complete it, run the same command again: {again}",
        file=mark.parent,
    )
