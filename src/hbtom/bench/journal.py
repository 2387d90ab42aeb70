"""Write results while pairs are judged, so that an interrupted evaluation can be continued.

Rows are added to the results file itself, in whole lines, as long as the file is the beginning of
its final version. Otherwise (a Parquet file cannot grow, an older file is to be replaced, some of
its rows are out of date) they are added to a journal next to it, and the file is replaced at the
end. So a file is only ever appended to, or replaced by a complete one. A file that is to be
replaced is never read, neither by the run that starts nor by the run that continues it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hbtom import __version__
from hbtom.bench.checked_rater import AnyRater
from hbtom.bench.growing_file import Kept, add_lines, journal_of
from hbtom.bench.pairs import Member, Pair
from hbtom.bench.results import Columns, Row, decode, encode, whole_lines, write_rows
from hbtom.bench.table_files import spelt
from hbtom.errors import BadInput, count, located, system_errors
from hbtom.files import only_writer, read_whole

Done = Mapping[Pair, Sequence[Row]]  # the rows of pairs that need not be judged again
_written = partial(system_errors, "the file cannot be written")
Judge = tuple[str, ...]  # the rater's fingerprint, the version of hbtom, the score, own columns


@dataclass(frozen=True)
class Target:
    """A results file to be written, and the rows that an earlier run has left."""

    path: Path
    grows: Path  # where rows are added: the file itself, or the journal next to it
    size: int | None  # bytes in its whole lines; None if there is no such file
    kept: Done  # in the dataset's order
    columns: Columns  # the rater's own

    def ends_with(self, rows: Sequence[Row]) -> bool:
        """Return whether these rows were the last to be written."""
        if not rows or not self.grows.is_file():
            return False
        return self.grows.read_bytes().endswith(encode(rows, self.grows.suffix, heading=False))


def check(path: Path | None, columns: Columns, *, resume: bool, overwrite: bool) -> None:
    """Refuse a results file that cannot or should not be written, before any work is done."""
    Kept(path, resume, overwrite).check()
    if path is not None and resume:
        for left in (journal_of(path),) if overwrite else (path, journal_of(path)):
            _whole(left, columns)


@contextmanager
def reserved(path: Path | None, columns: Columns, **how: bool) -> Iterator[None]:
    """Check a results file, and keep other runs from writing to it meanwhile."""
    check(path, columns, **how)
    if path is None:
        yield
        return
    with only_writer(path):
        check(path, columns, **how)  # another run may just have finished
        yield


def start(
    path: Path, pairs: Sequence[Pair], rater: AnyRater, *, resume: bool, overwrite: bool
) -> Target:
    """Return the target of a run; with ``resume``, including rows that an earlier run has left.

    A pair of that run is kept if both its rows are up to date, which means that its files have not
    changed since. With ``overwrite``, only pairs in the journal are kept. Without ``resume``,
    nothing is kept, and an existing file is replaced at the end.
    """
    journal, columns = journal_of(path), rater.columns
    if not resume:
        with _written(journal):
            journal.unlink(missing_ok=True)
        grows = journal if overwrite or path.suffix == ".parquet" else path
        return Target(path, grows, size=None, kept={}, columns=columns)
    judge = rater.fingerprint, __version__, rater.score, *rater.columns
    added = _rows(journal, columns)
    _refuse_others(journal, added, pairs, "--overwrite without --resume starts over")
    _refuse_other_judges(journal, added, judge, "--overwrite without --resume starts over")
    there = [] if overwrite else _rows(path, columns)
    _refuse_others(path, there, pairs, _REPLACE)
    if not added:  # otherwise the file will be replaced
        _refuse_other_judges(path, there, judge, _REPLACE)
    kept = _kept([*there, *added], pairs, judge)
    grows = path if not overwrite and _is_beginning(path, pairs, kept, columns) else journal
    size = len(_whole(grows, columns)) if grows.exists() else None
    return Target(path, grows, size, kept, columns)


_REPLACE = "--resume with --overwrite replaces the file once all pairs are judged"


def _is_beginning(path: Path, pairs: Sequence[Pair], kept: Done, columns: Columns) -> bool:
    """Return whether a file holds exactly the kept rows, and these are of the first pairs."""
    rows = [row for both in kept.values() for row in both]
    begun = encode(rows, path.suffix) if rows else b""
    first = list(pairs[: len(kept)])
    return path.suffix != ".parquet" and list(kept) == first and _whole(path, columns) == begun


def _whole(path: Path, columns: Columns) -> bytes:
    """Return the whole lines of a results file; none if the file does not exist."""
    with located(file=str(path)), system_errors("the file cannot be read", path):
        try:
            return whole_lines(read_whole(path), path.suffix, columns)
        except FileNotFoundError:
            return b""


def _rows(path: Path, columns: Columns) -> list[Row]:
    with located(file=str(path)):
        return decode(_whole(path, columns), path.suffix, columns)


def _refuse_others(path: Path, rows: Sequence[Row], pairs: Sequence[Pair], hint: str) -> None:
    """Refuse a file with rows of other pairs, which would be lost when it is replaced."""
    known = {(spelt(pair.task), spelt(pair.name)) for pair in pairs}
    others = {(spelt(row.task), spelt(row.pair)) for row in rows} - known
    if others:
        raise BadInput(
            f"it has results of {count(len(others), 'pair')} not judged here "
            f"(first {'/'.join(min(others))})",
            hint=f"name the same dataset and tasks as before, or another file; {hint}",
            file=path,
        )


def _refuse_other_judges(path: Path, rows: Sequence[Row], judge: Judge, hint: str) -> None:
    """Refuse a file with results of another rater, version or score: they belong to another run."""
    for other in (_judge(row) for row in rows if _judge(row) != judge):
        both = ((*one[:3], ", ".join(one[3:]) or "none") for one in (other, judge))
        kinds = "rater or model", "version of hbtom", "score", "columns"
        of_each = zip(kinds, *both, strict=True)
        what, theirs, ours = next(one for one in of_each if one[1] != one[2])
        raise BadInput(
            f"its results differ in {what}: {theirs}, not {ours}",
            hint=f"use the same as before, or another file; {hint}",
            file=path,
        )


def _kept(rows: Sequence[Row], pairs: Sequence[Pair], judge: Judge) -> Done:
    """Return the pairs whose members both have rows that are up to date, with these rows."""
    left = {(_source(row), _judge(row)): row for row in rows}
    wanted = {pair: [(_source(one), judge) for one in pair.members] for pair in pairs}
    found = {pair: [left[key] for key in keys if key in left] for pair, keys in wanted.items()}
    return {pair: rows for pair, rows in found.items() if len(rows) == 2}


def _source(one: Row | Member) -> tuple[str, ...]:
    return spelt(one.task), spelt(one.pair), one.member, spelt(one.file), one.stamp


def _judge(row: Row) -> Judge:
    return row.model, row.version, row.score, *row.own


@contextmanager
def growing(target: Target | None) -> Iterator[Callable[[Sequence[Row]], None]]:
    """Yield a function that adds rows, all or none; the first rows create the file."""
    stream: io.FileIO | None = None

    def add(rows: Sequence[Row]) -> None:
        nonlocal stream
        if target is not None and rows:
            with _written(target.grows):
                stream = stream or io.FileIO(target.grows, "x")
                heading = stream.tell() == 0
                add_lines(stream, encode(rows, target.grows.suffix, heading=heading))

    try:
        if target is not None and target.size is not None:
            with _written(target.grows):
                stream = io.FileIO(target.grows, "a")
                stream.truncate(target.size)  # a last line may have been torn
                stream.seek(target.size)
        yield add
    finally:
        if stream is not None:
            stream.close()


def finish(target: Target, rows: Sequence[Row]) -> None:
    """Write all rows to the results file, unless it has them, and remove the journal."""
    if target.grows != target.path or not target.path.exists():
        write_rows(rows, target.path, overwrite=True, columns=target.columns)
    journal_of(target.path).unlink(missing_ok=True)
