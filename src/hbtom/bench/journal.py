"""Results that are written while pairs are judged, so that an interrupted evaluation can go on.

Rows are added to the results file itself, in whole lines, as long as what is in it is the beginning
of what shall be in it. Where that is not so (a Parquet file cannot grow, an older file is to be
replaced, some of its rows are out of date) they are added to a journal beside it, and the file is
replaced at the end. So a file is only ever added to, or replaced by a complete one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hbtom import __version__
from hbtom.bench.dataset import Member, Pair
from hbtom.bench.results import (
    Compared,
    Row,
    check_target,
    decode,
    encode,
    whole_lines,
    write_rows,
)
from hbtom.errors import BadInput
from hbtom.model import Model

Kept = Mapping[Pair, Sequence[Row]]  # the rows of pairs that need not be judged again


@dataclass(frozen=True)
class Target:
    """A results file that is to be written, and what an earlier run has left of it."""

    path: Path
    grows: Path  # what rows are added to: the file itself, or the journal beside it
    size: int | None  # bytes of whole lines that it has; None if there is no such file
    kept: Kept  # in the dataset's order


def journal_of(path: Path) -> Path:
    """Return the file for rows that cannot be added to a results file yet."""
    return path.with_name(path.name + ".part.jsonl")


def check(path: Path | None, *, resume: bool = False, overwrite: bool = False) -> None:
    """Refuse a results file that cannot or should not be written, before any work is done."""
    if path is None:
        if resume:
            raise BadInput("there is no file to resume", hint="name it: --out FILE")
        return
    check_target(path, overwrite=overwrite or resume, otherwise="--resume or --overwrite")
    if resume:
        for left in (path, journal_of(path)):
            _whole(left)
    elif journal_of(path).exists() and not overwrite:
        raise BadInput(
            "this is what an interrupted evaluation has left",
            hint="--resume goes on with it, --overwrite starts anew",
        ).at(file=str(journal_of(path)))


def start(path: Path) -> Target:
    """Return a target that holds nothing yet; what is there is replaced at the end."""
    journal = journal_of(path)
    with _written(journal):
        journal.unlink(missing_ok=True)
    grows = journal if path.exists() or path.suffix == ".parquet" else path
    return Target(path, grows, size=None, kept={})


def resume(path: Path, pairs: Sequence[Pair], model: Model, score: Compared) -> Target:
    """Return a target that goes on where an earlier run has stopped, if there was one.

    Of what that run has left, those pairs are kept both of whose rows are up to date: files that
    have not changed since, judged by the same model, hbtom and score.
    """
    left = [*_rows(path), *_rows(journal_of(path))]
    _refuse_others(path, left, pairs)
    kept = _kept(left, pairs, model, score)
    grows = path if _is_beginning(path, pairs, kept) else journal_of(path)
    return Target(path, grows, len(_whole(grows)) if grows.exists() else None, kept)


def _is_beginning(path: Path, pairs: Sequence[Pair], kept: Kept) -> bool:
    """Tell whether a file holds what is kept and no more, and that is of the first pairs."""
    rows = [row for both in kept.values() for row in both]
    begun = encode(rows, path.suffix) if rows else b""
    first = list(pairs[: len(kept)])
    return path.suffix != ".parquet" and list(kept) == first and _whole(path) == begun


def _whole(path: Path) -> bytes:
    """Return the whole lines of a file of ours; of one that does not exist there are none."""
    try:
        return whole_lines(path.read_bytes(), path.suffix)
    except FileNotFoundError:
        return b""
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror or error}"
        raise BadInput(problem).at(file=str(path)) from None
    except BadInput as error:
        raise error.at(file=str(path)) from None


def _rows(path: Path) -> list[Row]:
    whole = _whole(path)
    try:
        return decode(whole, path.suffix)
    except BadInput as error:
        raise error.at(file=str(path)) from None


def _refuse_others(path: Path, rows: Sequence[Row], pairs: Sequence[Pair]) -> None:
    """Refuse a file with rows of other pairs: they would be lost when it is replaced."""
    known = {(pair.task, pair.name) for pair in pairs}
    others = {(row.task, row.pair) for row in rows} - known
    if others:
        raise BadInput(
            f"it has results of {len(others)} pairs that are not judged here "
            f"(first {'/'.join(min(others))})",
            hint="name the same dataset and tasks as before, or another file",
        ).at(file=str(path))


def _kept(rows: Sequence[Row], pairs: Sequence[Pair], model: Model, score: Compared) -> Kept:
    """Return the pairs both of whose members have a row that is up to date, with these rows."""
    left = {(_source(row), (row.model, row.version, row.score)): row for row in rows}
    judge = (model.fingerprint, __version__, score)
    kept = {}
    for pair in pairs:
        both = [left.get((_source(one), judge)) for one in (pair.expected, pair.unexpected)]
        found = [row for row in both if row is not None]
        if len(found) == 2:
            kept[pair] = found
    return kept


def _source(one: Row | Member) -> tuple[str, ...]:
    return one.task, one.pair, one.member, one.file, one.stamp


class Growing:
    """A target while it grows; what rows are added to is made when there are any."""

    def __init__(self, target: Target | None) -> None:
        self._target = target
        self._stream: io.FileIO | None = None

    def __enter__(self) -> Growing:
        if self._target is not None and self._target.size is not None:
            with _written(self._target.grows):
                self._stream = io.FileIO(self._target.grows, "a")
                self._stream.truncate(self._target.size)  # a last line may have been torn
                self._stream.seek(self._target.size)
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows: all of them, or none."""
        if self._target is None or not rows:
            return
        with _written(self._target.grows):
            if self._stream is None:
                self._stream = io.FileIO(self._target.grows, "x")
            heading = self._stream.tell() == 0
            _add(self._stream, encode(rows, self._target.grows.suffix, heading=heading))


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = f"the file cannot be written: {error.strerror or error}"
        raise BadInput(problem).at(file=str(path)) from None


def _add(stream: io.FileIO, lines: bytes) -> None:
    """Write lines at once, so that being killed tears none; take back what a full disk tears."""
    start, written = stream.tell(), 0
    try:
        written = stream.write(lines)
        if written < len(lines):
            raise OSError("there is no space left")
    finally:
        if written < len(lines):
            with suppress(OSError):
                stream.truncate(start)


def finish(target: Target, rows: Sequence[Row]) -> None:
    """Put all rows in the results file, unless they are there, and remove the journal."""
    if target.grows != target.path or not target.path.exists():
        write_rows(rows, target.path, overwrite=True)
    journal_of(target.path).unlink(missing_ok=True)


def and_resume(error: BadInput) -> BadInput:
    """Return the error that has ended an evaluation, with a word on what it has left."""
    hints = (error.hint, "what was judged until then is kept: --resume goes on from there")
    return BadInput(error.problem, hint="; ".join(filter(None, hints)), place=error.place)
