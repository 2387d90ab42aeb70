"""Results files that grow during a run, so that an interrupted run can be continued.

Whole lines are added to the file itself, or to a journal next to it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hbtom.errors import BadInput
from hbtom.files import check_target


@dataclass(frozen=True)
class Kept:
    """Where the results of a run are kept, if anywhere."""

    out: Path | None = None
    resume: bool = False  # continue an earlier run
    overwrite: bool = False  # replace an existing file at the end
    kinds: Sequence[str] = (".csv", ".jsonl", ".parquet")  # permitted endings of its name

    def check(self) -> None:
        """Refuse a file that cannot or should not be written, before any work is done."""
        if self.out is None:
            if self.resume:
                raise BadInput("there is no file to resume", hint="name it: --out FILE")
            return
        replace = self.overwrite or self.resume
        check_target(
            self.out, overwrite=replace, kinds=self.kinds, otherwise="--resume or --overwrite"
        )
        if journal_of(self.out).exists() and not replace:
            problem = "an interrupted run has left this file"
            hint = "--resume continues it, --overwrite starts over"
            raise BadInput(problem, hint=hint, file=journal_of(self.out))


def journal_of(path: Path) -> Path:
    """Return the file for lines that cannot be added to a results file yet."""
    return path.with_name(path.name + ".part.jsonl")


def add_lines(stream: io.FileIO, lines: bytes) -> None:
    """Write lines in one go, so that being killed tears none; undo a write if the disk is full."""
    start, written = stream.seek(0, os.SEEK_END), 0
    try:
        written = stream.write(lines)
        if written < len(lines):
            raise OSError("there is no space left")
    finally:
        if written < len(lines):
            with suppress(OSError):
                stream.truncate(start)
