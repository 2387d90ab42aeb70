"""Write synthetic episodes in the benchmark's format; the same seed gives the same bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from hbtom.bench.packing import Compression, packed, suffix_of
from hbtom.bench.synth import background, efficiency, instrumental, preference
from hbtom.bench.synth.geometry import Rng
from hbtom.bench.synth.jitter import Jitter, jittered
from hbtom.bench.synth.script import Pair, Script, encode_all
from hbtom.bench.tasks import EVALUATION_TASKS, TASKS, Task, task
from hbtom.bench.unfinished import unfinished
from hbtom.bench.workers import Progress, each
from hbtom.errors import BadInput

SHARP = Jitter()
T = TypeVar("T")

_PAIRS: dict[str, Callable[[Rng], Pair]] = {
    "preference": preference.preference,
    "multi_agent": preference.multi_agent,
    "inaccessible_goal": preference.inaccessible_goal,
    "efficiency_path": efficiency.efficiency_path,
    "efficiency_time": efficiency.efficiency_time,
    "efficiency_irrational": efficiency.efficiency_irrational,
    "instrumental_no_barrier": instrumental.instrumental_no_barrier,
    "instrumental_inconsequential_barrier": instrumental.instrumental_inconsequential_barrier,
    "instrumental_blocking_barrier": instrumental.instrumental_blocking_barrier,
}
_SINGLES: dict[str, Callable[[Rng], Script]] = {
    "background/single_object": background.single_object,
    "background/preference": background.preference,
    "background/multi_agent": background.multi_agent,
    "background/instrumental_action": background.instrumental_action,
}


def episode_pair(task_name: str, rng: Rng) -> Pair:
    """One pair of an evaluation task in memory: expected, unexpected."""
    return _maker("evaluation", _PAIRS, task_name)(rng)


def background_episode(task_name: str, rng: Rng) -> Script:
    """One episode of a background task in memory."""
    return _maker("background", _SINGLES, task_name)(rng)


def _maker(kind: str, makers: dict[str, T], name: str) -> T:
    if name not in makers:
        hint = f"choose from {', '.join(makers)}"
        raise BadInput(f"there is no {kind} task called '{name}'", hint=hint)
    return makers[name]


def generate(
    out: Path,
    *,
    pairs: int,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    compress: Compression = None,
    jitter: Jitter = SHARP,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Write `pairs` pairs of every task under `out` and return the files in a fixed order.

    Files are OUT/<task folder>/<id>e.json and <id>u.json, with ".gz" or ".zst" appended if they are
    compressed. `tasks` are folder names, by default those of the nine evaluation tasks; of the
    background tasks, only expected outcomes are written. `jitter` adds noise to the same episodes.

    Each pair depends only on the seed, its task and its number, not on the number of workers or the
    other tasks. An episode that exists, compressed or not, is never overwritten: the call raises
    BadInput before it writes anything. If an earlier identical call was killed, this call completes
    what it left behind; until then, the folder is marked as unfinished.
    """
    if pairs < 0:
        raise BadInput(f"the number of pairs must not be negative, but is {pairs}")
    names = {one.folder for one in EVALUATION_TASKS} if tasks is None else tasks
    wanted = {task(name).folder for name in names}
    chosen = [one for one in TASKS if one.folder in wanted]  # always in the benchmark's order
    jobs = [
        _Job(Path(out), t.folder, number, seed, compress, jitter)
        for t in chosen
        for number in range(pairs)
    ]
    files = [path for job in jobs for path in job.files()]
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
        except BaseException:
            _remove(files)
            writing.left = False
            raise
    return files


def _command(last: _Job, chosen: Sequence[Task]) -> list[str]:
    """The command line that makes the same files, given the last job."""
    every = tuple(chosen) == EVALUATION_TASKS
    options = {
        "--pairs": last.number + 1,
        "--seed": last.seed,
        "--tasks": "" if every else ",".join(t.folder for t in chosen),
        "--compress": last.compress,
        "--jitter": last.jitter.noise,
        "--missing": last.jitter.missing,
    }
    given = [word for name, value in options.items() if value for word in (name, str(value))]
    return ["hbtom", "generate", *given]


@dataclass(frozen=True, slots=True)
class _Job:
    """One pair to be written."""

    out: Path
    folder: str
    number: int
    seed: int
    compress: Compression
    jitter: Jitter

    def files(self) -> list[Path]:
        """The files this job writes, expected member first."""
        this = task(self.folder)
        suffix = f".json{suffix_of(self.compress)}"
        members = "e" if this.background else "eu"
        stem = f"{self.number:06d}{this.letters}"
        return [self.out / self.folder / f"{stem}{member}{suffix}" for member in members]

    def write(self) -> None:
        """Make the pair and write it."""
        index = next(i for i, t in enumerate(TASKS) if t.folder == self.folder)
        rng = np.random.default_rng(np.random.SeedSequence([self.seed, index, self.number]))
        if task(self.folder).background:
            episodes: tuple[Script, ...] = (background_episode(self.folder, rng),)
        else:
            episodes = episode_pair(self.folder, rng)
        seen = [jittered(one, self.jitter, (self.seed, index, self.number)) for one in episodes]
        for path, data in zip(self.files(), encode_all(seen), strict=True):
            _part(path).write_bytes(packed(data, self.compress))
            os.replace(_part(path), path)  # a file under its final name is always complete


def _remove(files: Sequence[Path]) -> None:
    """Remove what an interrupted run has written, because half a dataset looks like a whole one."""
    for path in files:
        path.unlink(missing_ok=True)
        _part(path).unlink(missing_ok=True)


def _refuse_existing(files: Sequence[Path], ours: Set[Path]) -> None:
    """Refuse to write an episode that exists already, compressed or not, and is not ours."""
    for path in files:
        plain = path.name.partition(".json")[0] + ".json"
        for suffix in ("", ".gz", ".zst"):
            there = path.with_name(plain + suffix)
            if there.exists() and there not in ours:
                hint = "choose another folder, or remove it"
                raise BadInput("this file exists already", hint=hint, file=there)


def _write_pairs(jobs: Sequence[_Job]) -> Iterator[None]:
    for job in jobs:
        job.write()
        yield


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
