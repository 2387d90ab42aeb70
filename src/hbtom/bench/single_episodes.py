"""Judging single episodes, without a counterpart: one row of results per episode."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hbtom import __version__
from hbtom.bench.dataset import in_table
from hbtom.bench.entries import Entry, called_video, entries, is_table
from hbtom.bench.growing_file import Kept
from hbtom.bench.labels import FILE as LABELS
from hbtom.bench.pairs import LeftOut, Member
from hbtom.bench.rater import ModelRater
from hbtom.bench.single_results import BY, Record, kept_rows, write_results
from hbtom.bench.table_files import spelt
from hbtom.bench.workers import Progress, each
from hbtom.errors import BadInput, system_errors
from hbtom.judgement import Judgement, judge
from hbtom.model import Model
from hbtom.observe import names
from hbtom.observe.archive.reading import archived
from hbtom.observe.tracks import find_scene, is_track

_JSON = re.compile(r".*\.json(\.gz|\.zst)?", re.IGNORECASE | re.DOTALL)


class EpisodeOutcome(NamedTuple):
    """The result for an episode: a row of results, or why there is none."""

    file: str
    record: Record | None
    why: str = ""


@dataclass
class JudgeSingles:
    """The work of judging episodes, each on its own."""

    model: Model
    total: int  # episodes for all processes together
    ready: bool = False

    def warm_up(self) -> None:
        if not self.ready:
            ModelRater(self.model).warm_up(self.total // 2)
            self.ready = True

    def __call__(self, found: Sequence[Member]) -> Iterator[EpisodeOutcome]:
        self.warm_up()
        for one in found:
            stamp = one.stamp  # before reading
            try:
                judgement = judge(one.load(), self.model)
                yield EpisodeOutcome(one.file, self.record(judgement, stamp))
            except BadInput as error:
                yield EpisodeOutcome(one.file, None, str(error.at(file=one.file)))

    def record(self, judgement: Judgement, stamp: str) -> Record:
        """Return a row of results, with one number per column."""
        test = judgement.test
        called, chance = names(test.goals), np.minimum(test.goal, 1.0)
        first, last = int(chance[0].argmax()), int(chance[-1].argmax())
        return {
            "file": judgement.episode.name,
            **ModelRater(self.model).of(judgement).own,
            "predictive": judgement.predictive,
            "expected_goal": called[first],
            "expected_probability": float(chance[0, first]),
            "likeliest_goal": called[last],
            "likeliest_probability": float(chance[-1, last]),
            "explanation": judgement.explanation,
            "warnings": len(judgement.warnings),
            "model": self.model.fingerprint,
            "version": __version__,
            "stamp": stamp,
        }


class FoundEpisodes(NamedTuple):
    """The episodes at given paths, and other files there."""

    episodes: Sequence[Member]
    left_out: Sequence[BadInput] = ()  # why something in a folder cannot be read
    unplaced: Sequence[str] = ()  # files that would be tracks if they had a scene


def find_episodes(paths: Sequence[str], scene: str | None) -> FoundEpisodes:
    """Return the episodes in files, folders, zip archives and archives of hbtom.

    ``scene`` is the scene file of all tracks; by default, each track has its own next to it.
    """
    found = [_found(path, scene) for path in paths]
    return FoundEpisodes(
        [member for one in found for member in one.episodes],
        [why for one in found for why in one.left_out],
        [file for one in found for file in one.unplaced],
    )


def _found(path: str, scene: str | None) -> FoundEpisodes:
    packed = archived(path)
    if packed is None:
        if os.path.isdir(path) or path.endswith(".zip"):
            return _in_folder(Path(path), scene)
        return FoundEpisodes([_member(Entry("", path), scene)])
    archive = os.path.normpath(path)
    inside = in_table(os.fspath(packed[0]), bad := list[LeftOut]())
    found = [one for one in inside if f"{one.file}/".startswith(f"{archive}/")]
    if not found:
        why = bad[0].why if bad else "there is no such episode in the archive"
        raise BadInput(why, file=path)
    return FoundEpisodes(found)


def _in_folder(folder: Path, scene: str | None) -> FoundEpisodes:
    with system_errors("it cannot be read", folder):
        found = list(entries(folder, background=True))
    bad = [LeftOut(one.file, one.why, one.unreadable) for one in found if one.why]
    episodes = [
        member
        for entry in found
        for member in (in_table(entry.path, bad) if is_table(entry.file) else _alone(entry, scene))
    ]
    unreadable = [BadInput(one.why, file=one.file) for one in bad if one.unreadable]
    if not episodes and not unreadable:
        hint = (
            "they end in .json, .json.gz, .json.zst, .mp4 or .parquet, or are tracks with a scene"
        )
        raise BadInput("there are no episodes in it", hint=hint, file=folder)
    unplaced = [one.file for one in found if _may_be_track(one) and not _has_scene(one, scene)]
    return FoundEpisodes(episodes, unreadable, unplaced)


def _alone(entry: Entry, scene: str | None) -> Iterator[Member]:
    name = entry.name
    if entry.why or name == LABELS:
        return
    placed = _may_be_track(entry) and _has_scene(entry, scene)
    if _JSON.fullmatch(name) or called_video(name) or placed:
        yield _member(entry, scene if placed else None)


def _may_be_track(entry: Entry) -> bool:
    return is_track(entry.name) and not (entry.inside or entry.why or entry.name == LABELS)


def _has_scene(entry: Entry, scene: str | None) -> bool:
    return (scene or find_scene(Path(entry.path))) is not None


def _member(entry: Entry, scene: str | None) -> Member:
    return Member(entry.task, "", "e", entry.path, entry.inside, entry.checksum, scene)


def judge_singles(
    found: Sequence[Member],
    work: JudgeSingles,
    *,
    workers: int | None = None,
    kept: Kept | None = None,
    progress: Progress | None = None,
) -> list[EpisodeOutcome]:
    """Judge episodes, in order, and keep the rows of those that can be judged.

    ``kept`` says where, and whether to continue an earlier run.
    """
    kept, tell = kept or Kept(), progress or (lambda done, total: None)
    with kept_rows(kept) as (left, add):
        known = {tuple(spelt(row[name]) for name in BY): row for row in left}
        _refuse_others(left, found, work.model, kept)
        same = work.model.fingerprint, __version__
        by = {one: (spelt(one.file), one.stamp, *same) for one in found}
        done = {
            one: EpisodeOutcome(one.file, known[key]) for one, key in by.items() if key in known
        }
        todo = [one for one in by if one not in done]
        tell(len(done), len(by))
        with closing(each(work, todo, workers)) as outcomes:
            for one, outcome in zip(todo, outcomes, strict=True):
                if outcome.record is not None:
                    add(outcome.record)
                done[one] = outcome
                tell(len(done), len(by))
        judged = [done[one] for one in by]
        write_results(kept, [one.record for one in judged if one.record is not None])
    return judged


def _refuse_others(
    left: Sequence[Record], found: Sequence[Member], model: Model, kept: Kept
) -> None:
    """Refuse to continue a run of other episodes or another model, whose rows would be lost."""
    files = {spelt(one.file) for one in found}
    for row in left:
        if spelt(row["file"]) not in files:
            problem = f"it has results of {row['file']}, which is not judged here"
        elif (row["model"], row["version"]) != (model.fingerprint, __version__):
            problem = "it has results of another model or version of hbtom"
        else:
            continue
        hint = "name the same files and model as before, or another file; --overwrite starts over"
        raise BadInput(problem, hint=hint, file=kept.out)
