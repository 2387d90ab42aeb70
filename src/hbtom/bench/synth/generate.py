"""Write synthetic episodes in the benchmark's own format, the same bytes for the same seed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hbtom.bench.packing import Compression, packed, suffix_of
from hbtom.bench.unfinished import unfinished
from hbtom.bench.workers import each

from ..tasks import BACKGROUND_TASKS, EVALUATION_TASKS, TASKS, Task, task
from . import background as training
from . import efficiency, instrumental, preference
from .jitter import Jitter, jittered
from .script import Script, encode_all

Pair = tuple[Script, Script]
SHARP = Jitter()

_PAIRS: dict[str, Callable[[np.random.Generator], Pair]] = {
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
_SINGLES: dict[str, Callable[[np.random.Generator], Script]] = {
    "background/single_object": training.single_object,
    "background/preference": training.preference,
    "background/multi_agent": training.multi_agent,
    "background/instrumental_action": training.instrumental_action,
}


def episode_pair(task_name: str, rng: np.random.Generator) -> Pair:
    """One pair of an evaluation task in memory: expected, unexpected."""
    if task_name not in _PAIRS:
        raise KeyError(f"no evaluation task called {task_name!r}; there are {', '.join(_PAIRS)}")
    return _PAIRS[task_name](rng)


def background_episode(task_name: str, rng: np.random.Generator) -> Script:
    """One episode of a background task in memory."""
    if task_name not in _SINGLES:
        raise KeyError(f"no background task called {task_name!r}; there are {', '.join(_SINGLES)}")
    return _SINGLES[task_name](rng)


def generate(
    out: Path,
    *,
    pairs: int,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    background: bool = False,
    compress: Compression = None,
    jitter: Jitter = SHARP,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write `pairs` pairs of every task under `out` and return the files in a fixed order.

    Files are OUT/<task folder>/<id>e.json and <id>u.json, with ".gz" or ".zst" appended when
    compressed. `tasks` are folder names; without it all nine evaluation tasks are made, and with
    `background` also the four background tasks (expected outcomes only) in OUT/background/. With
    `jitter` the same episodes are seen with noise.

    Each pair depends on the seed, its task and its number alone, so the same files come out
    whatever the number of workers and whichever tasks are chosen beside it. An episode that exists
    already, packed or not, is never written again: FileExistsError is raised before anything is.
    But if the same call was killed before its end, what it has left is completed; until then, the
    folder is marked as unfinished.
    """
    if pairs < 0:
        raise ValueError(f"pairs must not be negative, got {pairs}")
    jobs = [
        _Job(Path(out), t.folder, number, seed, compress, jitter)
        for t in _chosen(tasks, background)
        for number in range(pairs)
    ]
    files = [path for job in jobs for path in job.files()]
    if not files:
        return files
    for folder in {path.parent for path in files}:
        folder.mkdir(parents=True, exist_ok=True)
    command = _command(pairs, seed, tasks, background, compress, jitter)
    with unfinished(Path(out), command) as writing:
        _refuse_existing(files, ours=set(files) if writing.begun else set())
        todo = [job for job in jobs if not (writing.begun and job.is_done())]
        writing.left = True
        try:
            first = len(jobs) - len(todo) + 1
            for done, _ in enumerate(each(_write_pairs, todo, workers), start=first):
                if progress is not None:
                    progress(done, len(jobs))
        except BaseException:
            _remove(files)
            writing.left = False
            raise
    return files


def _command(
    pairs: int,
    seed: int,
    tasks: Sequence[str] | None,
    background: bool,
    compress: Compression,
    jitter: Jitter,
) -> list[str]:
    """The command line that makes the same files."""
    chosen = [] if tasks is None else [t.folder for t in _chosen(tasks, background=False)]
    options = {
        "--pairs": pairs,
        "--seed": seed,
        "--tasks": ",".join(chosen),
        "--compress": compress,
        "--jitter": jitter.noise,
        "--missing": jitter.missing,
    }
    given = [word for name, value in options.items() if value for word in (name, str(value))]
    return ["hbtom", "generate", *given, *(["--background"] if background else [])]


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

    def is_done(self) -> bool:
        """Whether a killed run has written all its files; one that has its name is complete."""
        return all(path.exists() for path in self.files())

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
            _write(path, packed(data, self.compress))


def _chosen(names: Sequence[str] | None, background: bool) -> list[Task]:
    """The tasks to make, in the benchmark's order whatever the order asked for."""
    wanted = {task(name).folder for name in names} if names is not None else None
    chosen = [t for t in EVALUATION_TASKS if wanted is None or t.folder in wanted]
    chosen += [t for t in BACKGROUND_TASKS if background or (wanted and t.folder in wanted)]
    return chosen


def _remove(files: Sequence[Path]) -> None:
    """Take away what an interrupted run has written: half a dataset looks like a whole one."""
    for path in files:
        path.unlink(missing_ok=True)
        _part(path).unlink(missing_ok=True)


def _refuse_existing(files: Sequence[Path], ours: Set[Path]) -> None:
    """Refuse to write an episode that is there already, however it is packed, and is not ours."""
    for path in files:
        plain = path.name.partition(".json")[0] + ".json"
        for suffix in ("", ".gz", ".zst"):
            there = path.with_name(plain + suffix)
            if there.exists() and there not in ours:
                hint = "choose another folder, or remove it"
                raise FileExistsError(f"{there} exists already; {hint}")


def _write_pairs(jobs: Sequence[_Job]) -> Iterator[None]:
    for job in jobs:
        job.write()
        yield


def _write(path: Path, data: bytes) -> None:
    """Write beside the target and rename: a file under its own name is always complete."""
    part = _part(path)
    part.write_bytes(data)
    os.replace(part, path)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
