"""Write synthetic episodes in the benchmark's format; the same seed gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Unpack

from hbtom.bench.synth.jobs import (
    Job,
    WritingOptions,
    label_file,
    label_text,
    part,
    write_whole_file,
)
from hbtom.bench.tasks import SUITES, TASKS, Task, task
from hbtom.bench.unfinished import unfinished
from hbtom.bench.workers import Progress, each
from hbtom.errors import BadInput


def generate(
    out: Path,
    *,
    pairs: int,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[WritingOptions],
) -> list[Path]:
    """Write `pairs` pairs of every task under `out` and return the files in a fixed order.

    Files are OUT/<task folder>/<id>e.json and <id>u.json, with ".gz" or ".zst" appended if they are
    compressed. `tasks` are folder names, by default those of the nine evaluation tasks; for
    background tasks, only expected outcomes are written. For social tasks, OUT/labels.json says how
    plausible each episode is, and why. `compress` packs every file, `form` is "bib" or "mcs", and
    `jitter` adds noise to the same episodes, except those of social tasks.

    Each pair depends only on the seed, its task and its number, not on the number of workers or the
    other tasks. An episode that exists, compressed or not, is never overwritten: the call raises
    BadInput before it writes anything. If an earlier identical call was killed, this call completes
    what it left behind; until then, the folder is marked as unfinished.
    """
    if pairs < 0:
        raise BadInput(f"the number of pairs must not be negative, but is {pairs}")
    names = {one.folder for one in SUITES["bib"]} if tasks is None else tasks
    wanted = {task(name).folder for name in names}
    chosen = [one for one in TASKS if one.folder in wanted]  # always in the benchmark's order
    jobs = [
        Job(Path(out), one, number, seed, **options) for one in chosen for number in range(pairs)
    ]
    _refuse_jitter(jobs)
    files = [path for job in jobs for path in job.files()]
    files += [label_file(Path(out))] if any(job.social for job in jobs) else []
    if not files:
        return files
    for folder in {path.parent for path in files}:
        folder.mkdir(parents=True, exist_ok=True)
    with unfinished(Path(out), _command(jobs[-1], chosen)) as writing:
        _refuse_existing(files, ours=set(files) if writing.begun else set())
        done = {path for path in files if writing.begun and path.exists()}  # each is complete
        todo = [job for job in jobs if not done.issuperset(job.files())]
        writing.left = True
        try:
            first = len(jobs) - len(todo) + 1
            for number, _ in enumerate(each(_write_pairs, todo, workers), start=first):
                if progress is not None:
                    progress(number, len(jobs))
            if files[-1] == label_file(Path(out)):
                write_whole_file(files[-1], label_text(jobs))
        except BaseException:
            _remove(files)
            writing.left = False
            raise
    return files


def _command(last: Job, chosen: Sequence[Task]) -> list[str]:
    """The command line that generates the same files, given the last job."""
    suite = next((name for name, tasks in SUITES.items() if tuple(chosen) == tasks), "")
    options = {
        "--suite": "" if suite == "bib" else suite,
        "--pairs": last.number + 1,
        "--seed": last.seed,
        "--tasks": "" if suite else ",".join(t.folder for t in chosen),
        "--compress": last.compress,
        "--jitter": last.jitter.noise,
        "--missing": last.jitter.missing,
        "--format": "" if last.form == "bib" else last.form,
    }
    given = [word for name, value in options.items() if value for word in (name, str(value))]
    return ["hbtom", "generate", *given]


def _refuse_jitter(jobs: Sequence[Job]) -> None:
    social = next((job.task.folder for job in jobs if job.social and job.jitter), None)
    if social is not None:
        hint = "leave out --jitter and --missing"
        raise BadInput(f"the social task '{social}' cannot have noise", hint=hint)


def _remove(files: Sequence[Path]) -> None:
    """Remove the files of an interrupted run, because half a dataset looks like a whole one."""
    for path in files:
        path.unlink(missing_ok=True)
        part(path).unlink(missing_ok=True)


def _refuse_existing(files: Sequence[Path], ours: Set[Path]) -> None:
    """Refuse to write an episode that exists already, compressed or not, and is not ours."""
    for path in files:
        plain = path.name.partition(".json")[0] + ".json"
        for suffix in ("", ".gz", ".zst"):
            there = path.with_name(plain + suffix)
            if there.exists() and there not in ours:
                hint = "choose another folder, or remove it"
                raise BadInput("this file exists already", hint=hint, file=there)


def _write_pairs(jobs: Sequence[Job]) -> Iterator[None]:
    for job in jobs:
        job.write()
        yield
