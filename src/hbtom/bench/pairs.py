"""Pairs of episodes, and datasets of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hbtom.bench.labels import Levels
from hbtom.bench.sources import Sources
from hbtom.observe import Episode
from hbtom.observe.episode import Loaded
from hbtom.observe.tracks import find_scene, is_track


def file_stamp(path: str | Path) -> str:
    """Return the size of a file and its time of change; an empty text if it is gone."""
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{known.st_size}-{known.st_mtime_ns}"


@dataclass(frozen=True, order=True, slots=True)
class Member:
    """One episode of a pair: the more expected one (e) or the more unexpected one (u)."""

    task: str
    pair: str
    member: Literal["e", "u"]
    path: str  # of the file, or of the archive
    inside: str = ""  # name within the archive
    checksum: str = ""  # of the content, if the archive lists it
    scene: str | None = None  # of a track, if it is not next to it

    @property
    def file(self) -> str:
        return f"{self.path}/{self.inside}" if self.inside else self.path

    @property
    def stamp(self) -> str:
        """A text that changes when the content does, found without reading the content.

        It is the checksum that an archive lists, or else the size and time of change of the file,
        or of the archive that contains it; and of its scene, if it is a track. It is empty if the
        file is gone.
        """
        if self.checksum:
            return self.checksum
        scene = self.scene or (find_scene(Path(self.path)) if is_track(self.path) else None)
        return file_stamp(self.path) + ("" if scene is None else f" {file_stamp(scene)}")

    def load(self) -> Episode:
        """Read the episode."""
        return Sources().load_one(self)


@dataclass(frozen=True, order=True, slots=True)
class Pair:
    """Two episodes to be compared."""

    expected: Member
    unexpected: Member

    @property
    def members(self) -> tuple[Member, Member]:
        return self.expected, self.unexpected

    @property
    def task(self) -> str:
        return self.expected.task

    @property
    def name(self) -> str:
        return self.expected.pair


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not evaluated, and why; or several files with the same reason."""

    file: str
    why: str
    unreadable: bool = False  # it should have been part of a pair
    count: int = 1  # of files


class Result:
    """The result of working on a dataset, with the files that were left out."""

    left_out: tuple[LeftOut, ...]

    @property
    def unreadable(self) -> tuple[LeftOut, ...]:
        """Files that should have been used but could not be read."""
        return tuple(one for one in self.left_out if one.unreadable)


@dataclass(frozen=True)
class Dataset(Result):
    """All pairs of a dataset, in the benchmark's order, and files that are not part of a pair."""

    name: str
    pairs: tuple[Pair, ...]
    left_out: tuple[LeftOut, ...] = ()
    levels: Levels = field(default_factory=dict)  # how plausible each episode is, if known


def load_pairs(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Loaded, Loaded]]:
    """Yield each pair with both its episodes, or why one cannot be read."""
    sources = Sources()
    for pair in pairs:
        yield (pair, *sources.load(pair))
