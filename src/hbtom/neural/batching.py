"""Episodes in batches: from folders, from archives, or generated on demand."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from hbtom.bench.dataset import check_dataset, in_table, named_episode
from hbtom.bench.entries import Entry, entries, is_table
from hbtom.bench.labels import FILE as LABELS
from hbtom.bench.pairs import LeftOut, Member
from hbtom.bench.sources import Sources
from hbtom.bench.synth.jobs import Job
from hbtom.bench.tasks import BACKGROUND_TASKS, TRIALS
from hbtom.bench.workers import each
from hbtom.errors import BadInput, count
from hbtom.neural.drawing import draw
from hbtom.neural.tensors import Tensors, stacked, to_tensors
from hbtom.observe import Episode

Item = Episode | Entry | Member | Job  # an episode, or where to find it, or how to generate it
Tell = Callable[[LeftOut], None]

# Of the benchmark's 28,000 background episodes, 10,000 show a single object, 10,000 a preference,
# 4,000 two agents, and 4,000 a barrier. Generated episodes have the same proportions.
_TURNS = (0, 1, 2, 0, 1, 3, 0, 1, 0, 1, 2, 0, 1, 3)  # numbers of background tasks


@dataclass(frozen=True, slots=True)
class Generated:
    """Background episodes that are generated on demand, all tasks in turn.

    Each depends only on the seed and its number.
    """

    episodes: int = 28_000
    seed: int = 0

    def items(self) -> tuple[Job, ...]:
        """Return a job for each of the episodes."""
        made = [0] * len(BACKGROUND_TASKS)
        jobs = []
        for number in range(self.episodes):
            kind = _TURNS[number % len(_TURNS)]
            jobs.append(Job(Path(), BACKGROUND_TASKS[kind], made[kind], self.seed))
            made[kind] += 1
        return tuple(jobs)


BACKGROUND = Generated()
Source = str | PathLike[str] | Generated | Sequence[Item]


def find_episodes(source: Source) -> tuple[Item, ...]:
    """Return all episodes of a source, or where to find them; of a pair, only the expected one.

    A source is a folder, a zip archive, an archive made by ``hbtom pack``, :class:`Generated`, or
    any episodes.
    """
    if isinstance(source, Generated):
        return source.items()
    if not isinstance(source, str | PathLike):
        return tuple(source)
    path = Path(source)
    check_dataset(path)
    found = tuple(_found(path))
    if not found:
        hint = "expected episodes are called <id>e.json, with .gz or .zst if they are packed"
        raise BadInput("there are no expected episodes in this dataset", hint=hint, file=path)
    return found


def _found(path: Path) -> Iterator[Item]:
    """Yield all expected episodes; refuse archives and folders that cannot be read."""
    for entry in entries(path, background=True):
        named, broken = named_episode(entry), list[LeftOut]()
        if entry.unreadable:
            broken.append(LeftOut(entry.file, entry.why, unreadable=True))
        elif is_table(entry.file):
            yield from (one for one in in_table(entry.path, broken) if one.member == "e")
        elif entry.name != LABELS and named is not None and named[1] == "e":
            yield entry
        for one in broken:
            if one.unreadable:
                raise BadInput(one.why, file=one.file)


def batches(
    source: Source = BACKGROUND,
    *,
    size: int = 32,
    seed: int = 0,
    shuffle: bool = True,
    pictures: bool = True,
    workers: int | None = 1,
    tell: Tell | None = None,
) -> Iterator[Tensors]:
    """Yield the episodes of a source as arrays, ``size`` at a time; the last batch may be smaller.

    With ``shuffle``, episodes come in random order, and so do the trials of each: the last trial is
    the one to predict, and the others are its context. Otherwise, the order is the source's.
    ``pictures`` draws every frame. Batches depend only on the source, the size and the seed, not on
    the number of ``workers``.

    An episode that cannot be read, or does not have nine trials, is left out. ``tell`` is called
    for each of these. Without it, a warning says how many there are.
    """
    if size < 1:
        raise BadInput(f"a batch cannot hold {size} episodes", hint="give at least one")
    items = find_episodes(source)
    order = np.random.default_rng(seed).permutation(len(items)) if shuffle else range(len(items))
    work = Prepare(seed if shuffle else None, pictures)
    waiting, left_out = list[Tensors](), list[LeftOut]()
    for ready in each(work, [(int(one), items[one]) for one in order], workers):
        if isinstance(ready, Tensors):
            waiting.append(ready)
        else:
            (tell or left_out.append)(ready)
        if len(waiting) == size:
            yield stacked(waiting)
            waiting = []
    if waiting:
        yield stacked(waiting)
    if left_out:
        many, first = count(len(left_out), "episode was", "episodes were"), left_out[0]
        warnings.warn(f"{many} left out (first {first.file}: {first.why})", stacklevel=2)


@dataclass(frozen=True, slots=True)
class Prepare:
    """The work of reading or generating episodes and converting them to arrays."""

    seed: int | None  # of the order of trials; None keeps their order
    pictures: bool

    def __call__(self, items: Sequence[tuple[int, Item]]) -> Iterator[Tensors | LeftOut]:
        sources = Sources()
        for number, item in items:
            try:
                yield self._prepared(number, _loaded(item, sources))
            except BadInput as error:
                yield LeftOut(error.place.file or str(item), error.said, unreadable=True)

    def _prepared(self, number: int, episode: Episode) -> Tensors:
        if len(episode) != TRIALS:
            problem = f"it has {count(len(episode), 'trial')}, but networks learn from {TRIALS}"
            raise BadInput(problem, file=episode.name)
        if self.seed is not None:
            turn = np.random.default_rng((self.seed, number)).permutation(TRIALS)
            episode = replace(episode, trials=tuple(episode[one] for one in turn))
        seen = to_tensors(episode)
        return seen._replace(frames=draw(seen.things, seen.places)) if self.pictures else seen


def _loaded(item: Item, sources: Sources) -> Episode:
    if isinstance(item, Episode):
        return item
    return item.episodes()[0] if isinstance(item, Job) else sources.load_one(item)
