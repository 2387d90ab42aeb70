"""Writing one pair: its files, their contents, and their labels."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from hbtom.bench.labels import FILE
from hbtom.bench.synth.geometry import Rng
from hbtom.bench.synth.jitter import Jitter, jittered
from hbtom.bench.synth.script import encode_all
from hbtom.bench.synth.social import social_labels, social_pair
from hbtom.bench.synth.social.staging import scene_steps
from hbtom.bench.synth.task_episodes import background_episode, episode_pair
from hbtom.bench.tasks import SOCIAL_TASKS, TASKS, Task
from hbtom.observe import Episode
from hbtom.observe import writing as bib
from hbtom.observe.formats import read
from hbtom.observe.mcs import export as mcs
from hbtom.observe.packing import Compression, packed, suffix_of
from hbtom.observe.writing import Format


class WritingOptions(TypedDict, total=False):
    """How episodes are written."""

    compress: Compression  # how files are packed, if at all
    form: Format  # the benchmark's own JSON by default
    jitter: Jitter  # noise; not for social tasks


SHARP = Jitter()


@dataclass(frozen=True, slots=True)
class Job:
    """One pair to be written."""

    out: Path
    task: Task
    number: int
    seed: int
    compress: Compression = None
    form: Format = "bib"
    jitter: Jitter = SHARP

    @property
    def social(self) -> bool:
        """Whether the pair is of a social task; these have labels."""
        return self.task in SOCIAL_TASKS

    @property
    def name(self) -> str:
        """The beginning of both files' names."""
        return f"{self.number:06d}{self.task.letters}"

    def files(self) -> list[Path]:
        """The files this job writes, expected member first."""
        suffix = f".json{suffix_of(self.compress)}"
        members = "e" if self.task.background else "eu"
        return [self.out / self.task.folder / f"{self.name}{one}{suffix}" for one in members]

    def write(self) -> None:
        """Make the pair and write it."""
        for path, data in zip(self.files(), self._encoded(), strict=True):
            write_whole_file(path, packed(data, self.compress))

    def episodes(self) -> list[Episode]:
        """Make the pair and return it as it would be read, expected member first."""
        return [read(data, str(p)) for p, data in zip(self.files(), self._encoded(), strict=True)]

    def labels(self) -> Iterable[tuple[str, dict[str, Any]]]:
        """Yield the labels of each file of a social pair."""
        levels = social_labels(self.task.folder, self._rng())
        for path, one in zip(self.files(), levels, strict=True):
            row = {"task": self.task.folder, "pair": self.name, "label": one.level, "why": one.why}
            yield path.relative_to(self.out).as_posix(), row

    def _key(self) -> tuple[int, int, int]:
        return self.seed, TASKS.index(self.task), self.number

    def _rng(self) -> Rng:
        return np.random.default_rng(np.random.SeedSequence(self._key()))

    def _encoded(self) -> list[bytes]:
        folder, rng = self.task.folder, self._rng()
        if self.social:
            pair = social_pair(folder, rng)
            return [bib.write(e) if self.form == "bib" else mcs.write(e, scene_steps) for e in pair]
        single = self.task.background
        scripts = (background_episode(folder, rng),) if single else episode_pair(folder, rng)
        data = encode_all([jittered(one, self.jitter, self._key()) for one in scripts])
        return data if self.form == "bib" else [mcs.write(read(one)) for one in data]


def label_text(jobs: Sequence[Job]) -> bytes:
    """Return a file of labels for all social pairs."""
    rows = dict(row for job in jobs if job.social for row in job.labels())
    return json.dumps(rows, indent=1).encode() + b"\n"


def label_file(out: Path) -> Path:
    """The file of labels."""
    return out / FILE


def write_whole_file(path: Path, data: bytes) -> None:
    """Write a file so that it is always complete under its final name."""
    part(path).write_bytes(data)
    os.replace(part(path), path)


def part(path: Path) -> Path:
    """The name of a file while it is being written."""
    return path.with_name(f".{path.name}.part")
