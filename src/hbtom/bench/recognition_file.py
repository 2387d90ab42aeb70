"""Write answers while problems are solved, so that an interrupted run can be continued.

Answers are added as whole lines of JSON: to the file itself if it is a JSON lines file, otherwise
to a journal next to it. A file that is to be replaced stays as it is until the end.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hbtom import __version__
from hbtom.bench.growing_file import Kept, add_lines, journal_of
from hbtom.bench.recognition import Answer, Recognised, RecognitionWork
from hbtom.bench.recognition_problems import ProblemSource, read_texts
from hbtom.bench.recognition_rows import BEGINNING, Line, decode, encode
from hbtom.bench.workers import Progress, each
from hbtom.errors import BadInput, located, system_errors
from hbtom.files import only_writer, read_whole, write_whole


class RecognitionInterrupted(KeyboardInterrupt):
    """Ctrl-C, with the answers so far."""

    def __init__(self, so_far: Recognised, problems: int) -> None:
        super().__init__(f"{len(so_far.answers)} of {problems} problems were answered")
        self.so_far = so_far


def recognise_all(
    sources: Sequence[ProblemSource],
    task: RecognitionWork,
    *,
    workers: int | None = None,
    kept: Kept | None = None,
    progress: Progress | None = None,
) -> Recognised:
    """Return the answers to all problems, in order.

    Problems that cannot be answered are left out, with the reason. If agents are named, a single
    process solves the problems one by one, and it always solves all problems of named agents.
    """
    kept = kept or Kept()
    kept.check()
    tell = progress or (lambda done, total: None)
    done: dict[str, Answer] = {}
    try:
        with _file(kept, task) as file:
            done.update(_known(file.lines, sources, task, kept))
            todo = [source for source in sources if source.path not in done]
            tell(len(done), len(sources))
            in_order = any(source.agent for source in todo)
            for answer in each(task, todo, 1 if in_order else workers):
                if answer.values:
                    file.add(_line(answer, task))
                done[answer.source.path] = answer
                tell(len(done), len(sources))
            file.finish(_result(sources, task, done))
    except KeyboardInterrupt:
        raise RecognitionInterrupted(_result(sources, task, done), len(sources)) from None
    return _result(sources, task, done)


def _result(
    sources: Sequence[ProblemSource], task: RecognitionWork, done: dict[str, Answer]
) -> Recognised:
    return Recognised(task.model, tuple(done[one.path] for one in sources if one.path in done))


def _line(answer: Answer, task: RecognitionWork) -> Line:
    return {**answer.values, "stamp": answer.stamp, "by": _by(task)}


def _by(task: RecognitionWork) -> dict[str, Any]:
    """Return everything that an answer depends on, apart from the problem."""
    whole = {"version": __version__, "model": task.model.fingerprint, **asdict(task.how)}
    return {**whole, **{flag: getattr(task, flag) for flag in ("strict", "whole", "peers")}}


def _known(
    lines: Sequence[Line], sources: Sequence[ProblemSource], task: RecognitionWork, kept: Kept
) -> dict[str, Answer]:
    """Return the answers of an earlier run whose problems have not changed since."""
    if any(line["by"] != _by(task) for line in lines):
        problem = "it has answers of another model, version or engine"
        raise BadInput(problem, hint="--overwrite without --resume starts over", file=kept.out)
    left = {line["problem"]: line for line in lines}
    known = {}
    for source in sources:
        line = left.get(source.path)
        if line is None or source.agent or line.get("agent"):
            continue
        try:
            same = read_texts(source).stamp == line["stamp"]
        except BadInput:
            same = False
        if same:
            values = {key: line[key] for key in line if key not in ("stamp", "by")}
            known[source.path] = Answer(source, values, line["stamp"])
    return known


@dataclass(frozen=True)
class _File:
    """A file of answers that is being written."""

    kept: Kept
    task: RecognitionWork
    grows: Path | None = None  # the file to which lines are added
    stream: io.FileIO | None = None
    lines: tuple[Line, ...] = ()  # that an earlier run has left

    def add(self, line: Line) -> None:
        """Add the answer of one problem."""
        if self.stream is None:
            return
        add_lines(self.stream, encode([line], ".jsonl", {}))

    def finish(self, result: Recognised) -> None:
        """Write the whole file, unless it already has exactly these lines."""
        out = self.kept.out
        if out is None or self.grows is None:
            return
        asked = {one.source.path for one in result.answers}
        others = [line for line in self.lines if line["problem"] not in asked]
        lines = [*others, *(_line(one, self.task) for one in result.answered)]
        if self.grows != out or len(lines) < len(decode(read_whole(out), ".jsonl")):
            write_whole(out, encode(lines, out.suffix, result.to_dict()))
            journal_of(out).unlink(missing_ok=True)


@contextmanager
def _file(kept: Kept, task: RecognitionWork) -> Iterator[_File]:
    """Yield a file that answers can be added to, while no other run can."""
    if kept.out is None:
        yield _File(kept, task)
        return
    with system_errors("the file cannot be written", kept.out), only_writer(kept.out):
        kept.check()  # another run may just have finished
        yield from _opened(kept.out, kept, task)


def _opened(out: Path, kept: Kept, task: RecognitionWork) -> Iterator[_File]:
    journal = journal_of(out)
    replaced = kept.overwrite and out.exists()
    grows = out if out.suffix == ".jsonl" and not replaced else journal
    if not kept.resume:
        grows.unlink(missing_ok=True)
    lines: list[Line] = []
    if out.exists() and not kept.overwrite:
        lines += _left(out)
    if journal.exists():
        lines += _left(journal)
    whole = _whole_lines(grows) if grows.exists() else b""
    with io.FileIO(grows, "a") as stream:
        stream.truncate(len(whole))
        try:
            yield _File(kept, task, grows, stream, tuple(lines))
        finally:
            if grows == journal and not stream.tell():
                journal.unlink(missing_ok=True)


def _left(path: Path) -> list[Line]:
    with located(file=os.fspath(path)):
        data = _whole_lines(path) if path.suffix == ".jsonl" else read_whole(path)
        return decode(data, path.suffix)


def _whole_lines(path: Path) -> bytes:
    """Return the lines of a file of answers; the last one is left out if it was torn."""
    data = read_whole(path)
    whole = data.rfind(b"\n") + 1
    torn = BEGINNING.startswith(data[whole:]) or data[whole:].startswith(BEGINNING)
    return data[:whole] if torn else data
