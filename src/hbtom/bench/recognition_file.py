"""Answers that are written while problems are solved, so that an interrupted run can go on.

One JSON object a line, whole lines only. A file that is to be replaced stays as it is until the
end: until then, answers are added to a file beside it.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hbtom import __version__
from hbtom.bench.journal import journal_of
from hbtom.bench.posed_files import Source, read_texts
from hbtom.bench.recognition import Answer, Recognised, Task
from hbtom.bench.workers import Progress, each
from hbtom.errors import BadInput, located, system_errors
from hbtom.files import check_target, read_whole
from hbtom.scratch import Taken, alone

KINDS = (".jsonl",)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, and what was found until then."""

    def __init__(self, so_far: Recognised, problems: int) -> None:
        super().__init__(f"{len(so_far.answers)} of {problems} problems were answered")
        self.so_far = so_far


@dataclass(frozen=True)
class Kept:
    """Where answers are kept, if anywhere."""

    out: Path | None = None
    resume: bool = False
    overwrite: bool = False

    def check(self) -> None:
        """Refuse a file that cannot or should not be written, before any work is done."""
        if self.out is None:
            if self.resume:
                raise BadInput("there is no file to resume", hint="name it: --out FILE")
            return
        replace = self.overwrite or self.resume
        check_target(self.out, overwrite=replace, kinds=KINDS, otherwise="--resume or --overwrite")


def recognise_all(
    sources: Sequence[Source],
    task: Task,
    *,
    workers: int | None = None,
    kept: Kept | None = None,
    progress: Progress | None = None,
) -> Recognised:
    """Return what is found for every problem, in order.

    Problems that cannot be answered are left out, with the reason. Problems of one agent are solved
    one after the other, by one process, and always all of them.
    """
    kept = kept or Kept()
    kept.check()
    tell = progress or (lambda done, total: None)
    done: dict[str, Answer] = {}
    try:
        with _growing(kept) as (lines, add):
            done.update(_known(lines, sources, task, kept))
            todo = [source for source in sources if source.path not in done]
            tell(len(done), len(sources))
            results = each(task, todo, 1 if task.same_agent else workers)
            for answer in results:
                if answer.values:
                    add({**answer.values, "stamp": answer.stamp, "by": _by(task)})
                done[answer.source.path] = answer
                tell(len(done), len(sources))
    except KeyboardInterrupt:
        raise Interrupted(_result(sources, task, done), len(sources)) from None
    return _result(sources, task, done)


def _result(sources: Sequence[Source], task: Task, done: dict[str, Answer]) -> Recognised:
    return Recognised(task.model, tuple(done[one.path] for one in sources if one.path in done))


def _by(task: Task) -> dict[str, Any]:
    """Return all that an answer depends on, beside the problem."""
    whole = {"version": __version__, "model": task.model.fingerprint, **asdict(task.how)}
    flags = ("strict", "whole", "same_agent", "peers")
    return {**whole, **{flag: getattr(task, flag) for flag in flags}}


def _known(
    lines: Sequence[dict[str, Any]], sources: Sequence[Source], task: Task, kept: Kept
) -> dict[str, Answer]:
    """Return the answers of an earlier run whose problems have not changed since."""
    others = [line for line in lines if line.get("by") != _by(task)]
    if others or (task.same_agent and lines):
        problem = "it has answers of another model, version or engine, or of one agent"
        raise BadInput(problem, hint="--overwrite without --resume starts over", file=kept.out)
    left = {line["problem"]: line for line in lines}
    known = {}
    for source in sources:
        if source.path in left:
            line = left[source.path]
            try:
                same = read_texts(source).stamp == line["stamp"]
            except BadInput:
                same = False
            if same:
                values = {key: line[key] for key in line if key not in ("stamp", "by")}
                known[source.path] = Answer(source, values, line["stamp"])
    return known


@contextmanager
def _growing(
    kept: Kept,
) -> Iterator[tuple[list[dict[str, Any]], Callable[[dict[str, Any]], None]]]:
    """Yield the lines that are kept, and a function that adds one."""
    if kept.out is None:
        yield [], lambda values: None
        return
    with system_errors("the file cannot be written", kept.out):
        try:
            with alone(kept.out):
                kept.check()  # another run may just have finished
                replaced = kept.overwrite and kept.out.exists()
                path = journal_of(kept.out) if replaced else kept.out
                yield from _open(path, kept)
                if replaced:
                    os.replace(path, kept.out)
        except Taken:
            hint = "wait for it to end, or choose another name"
            problem = "another run is writing to this file"
            raise BadInput(problem, hint=hint, file=kept.out) from None


def _open(
    path: Path, kept: Kept
) -> Iterator[tuple[list[dict[str, Any]], Callable[[dict[str, Any]], None]]]:
    if not kept.resume:
        path.unlink(missing_ok=True)
    data = read_whole(path) if path.exists() else b""
    data = data[: data.rfind(b"\n") + 1]  # a last line may have been torn
    with located(file=os.fspath(path)):
        lines = [_line(one) for one in data.splitlines()]
    with io.FileIO(path, "a") as stream:
        stream.truncate(len(data))
        yield lines, lambda values: _add(stream, values)


def _add(stream: io.FileIO, values: dict[str, Any]) -> None:
    line = (json.dumps(values, allow_nan=False) + "\n").encode()
    start = stream.seek(0, os.SEEK_END)
    if stream.write(line) < len(line):
        stream.truncate(start)
        raise OSError("there is no space left")


def _line(data: bytes) -> dict[str, Any]:
    try:
        line = json.loads(data)
        if isinstance(line, dict) and {"problem", "stamp", "by", "posterior"} <= line.keys():
            return line
    except ValueError:
        pass
    hint = "it is left as it is; choose another name"
    raise BadInput("this is not a file of answers of this hbtom", hint=hint)
