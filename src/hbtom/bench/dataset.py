"""Find the pairs of a dataset: in folders, in published zip archives, and in hbtom's own archives.

A dataset is a folder of task folders with ``<id>e.json`` and ``<id>u.json``, packed or not, or with
videos ``<id>e.mp4`` and ``<id>u.mp4``; or one such task folder; or a zip archive of one; or an
archive made by ``hbtom pack``, whose name ends in ``.parquet``; or a folder of archives. Task
folders may have the benchmark's names or those of the public archives. Pairs are matched by id, and
files that are not part of a pair are listed with the reason. If an episode is found several times,
a file is preferred to a zip archive, a zip archive to hbtom's own, and anything to a video.

If names do not say which files are compared and which of the two is expected, labels do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from hbtom.bench.entries import Entry, called_video, entries, is_table, task_name
from hbtom.bench.labels import FILE as LABELS
from hbtom.bench.labels import Labels, levels_beside, read_labels
from hbtom.bench.pairs import Dataset, LeftOut, Member, Pair
from hbtom.bench.tasks import PAIRED_TASKS
from hbtom.bench.unfinished import MARK, refuse_unfinished
from hbtom.bench.zips import is_zip
from hbtom.errors import BadInput, system_errors
from hbtom.observe.archive.reading import NOT_OURS, open_archive
from hbtom.observe.tracks import find_scene, is_track

_EPISODE = re.compile(
    r"(?P<pair>.+)(?P<member>[eu])\.(json(\.gz|\.zst)?|mp4|webm|gif|csv|tsv|h5|hdf5)$"
)
_ORDER = {one.folder: number for number, one in enumerate(PAIRED_TASKS)}


def find_pairs(
    path: str | Path,
    tasks: Sequence[str] | None = None,
    *,
    labels: str | Path | Labels | None = None,
    scene: str | None = None,
) -> Dataset:
    """Find all pairs of a dataset, or those of the named tasks; by file names, or by labels.

    ``scene`` is the scene file of all tracks; by default, each track has its own next to it.
    """
    path = Path(path)
    check_dataset(path)
    labels = read_labels(Path(labels)) if isinstance(labels, str | Path) else labels
    left_out: list[LeftOut] = []
    with system_errors("it cannot be read", path):
        if labels is None:
            members = list(_members(path, left_out, scene))
        else:
            members = _labelled(path, labels, left_out)
    if scene is not None and not any(map(_is_alone, members)):
        raise BadInput("there are no tracks in it, so it cannot have a scene", file=path)
    members = [replace(one, scene=scene) if _is_alone(one) else one for one in members]
    found = {member.task for member in members}
    wanted = found if tasks is None else {task_name(name) for name in tasks}
    if wanted - found:
        missing = ", ".join(sorted(wanted - found))
        hint = f"it has {', '.join(sorted(found)) or 'none'}"
        raise BadInput(f"there is no task {missing} in this dataset", hint=hint, file=path)
    chosen = (member for member in members if member.task in wanted)
    pairs = _matched(sorted(chosen, key=_packed), left_out)
    pairs.sort(key=lambda one: (_ORDER.get(one.task, len(_ORDER)), one.task, one.name))
    levels = levels_beside(path) if labels is None else labels.levels
    dataset = Dataset(str(path), tuple(pairs), tuple(left_out), levels)
    if not pairs and not dataset.unreadable:
        raise BadInput(
            "there are no pairs of episodes in this dataset",
            hint="a dataset is a folder of task folders with <id>e.json and <id>u.json; "
            "if files have other names, --labels says which to compare",
            file=path,
        )
    return dataset


def check_dataset(path: Path) -> None:
    """Refuse a path that does not lead to a dataset."""
    if not os.path.exists(path):
        raise BadInput("there is no such dataset", hint="name a folder or an archive", file=path)
    if is_table(path.name) and path.is_file():
        open_archive(str(path))  # raises an error that says what is wrong
    elif path.suffix == ".zip" and path.is_file() and not is_zip(path):
        hint = "copy or download it again"
        raise BadInput("the archive is damaged or cut off", hint=hint, file=path)
    elif not path.is_dir() and not is_zip(path):
        hint = "name the folder of the episodes; to judge one alone: hbtom judge FILE"
        raise BadInput("this is neither a folder nor an archive", hint=hint, file=path)
    elif path.is_dir() and task_name(path.name) in _ORDER:  # part of a dataset, perhaps unfinished
        for mark in path.resolve().parent.glob(f"{MARK}*"):
            refuse_unfinished(mark)


def _packed(member: Member) -> int:
    """Return how far a member is from its source: file, zip archive, hbtom's archive, recording.

    If a member is found several times, the nearest one counts: an archive may be older than the
    files that it was made from, and a video or a track is less exact than a file.
    """
    if called_video(member.file) or is_track(member.file):
        return 3
    return 0 if not member.inside else 2 if is_table(member.path) else 1


def episode_name(file_name: str) -> tuple[str, Literal["e", "u"]] | None:
    """Return the pair and member that a file name stands for, or None."""
    found = _EPISODE.match(file_name)
    return None if found is None else (found["pair"], "e" if found["member"] == "e" else "u")


def named_episode(entry: Entry, scene: str | None = None) -> tuple[str, Literal["e", "u"]] | None:
    """Return the same for a file of a dataset, in which only tracks with a scene are episodes."""
    placed = _is_alone(entry) and (scene or find_scene(Path(entry.path))) is not None
    return episode_name(entry.name) if placed or not is_track(entry.name) else None


def _is_alone(one: Member | Entry) -> bool:
    """Return whether this is a track that is not in an archive."""
    return not one.inside and is_track(one.path)


def _members(path: Path, left_out: list[LeftOut], scene: str | None) -> Iterator[Member]:
    """Yield all members that can be recognised by their names."""
    for entry in entries(path):
        named = named_episode(entry, scene)
        if entry.name == LABELS or entry.name.endswith(".toml"):  # labels, scenes
            continue
        if entry.why:
            left_out.append(LeftOut(entry.file, entry.why, entry.unreadable))
        elif is_table(entry.file):
            yield from in_table(entry.path, left_out)
        elif named is None:
            why = "not named like an episode (<id>e.json or <id>u.json)"
            left_out.append(LeftOut(entry.file, why))
        else:
            yield Member(entry.task, *named, entry.path, entry.inside, entry.checksum)


def _labelled(path: Path, labels: Labels, left_out: list[LeftOut]) -> list[Member]:
    """Return all members that are labelled; note how many files are not."""
    if path.is_file() and is_table(path.name):
        hint = "an archive knows its pairs: leave --labels out"
        raise BadInput("labels are for files, not for archives of hbtom", hint=hint, file=path)
    found = {  # by their names, which start from the dataset
        (Path(entry.path).relative_to(path) / entry.inside).as_posix(): entry
        for entry in entries(path, background=True)
    }
    missing = [file for file in labels.files if file not in found]
    if missing:
        raise BadInput(
            f"{len(missing)} of {len(labels.files)} labelled files are not in {path} "
            f"(first {missing[0]})",
            hint=_perhaps(missing[0], found),
            file=labels.name,
        )
    labels_file = Path(labels.name).resolve()  # it may be among the data
    unlabelled = [name for name in found if name not in labels.files]
    others = [name for name in unlabelled if Path(found[name].path).resolve() != labels_file]
    if others:
        why = f"{len(others)} of its files are not labelled (first {others[0]})"
        left_out.append(LeftOut(str(path), why, count=len(others)))
    own = task_name(path.resolve().stem if path.is_file() else path.resolve().name)
    return [
        Member(label.task or own, label.pair, label.member, at.path, at.inside, at.checksum)
        for label, at in ((label, found[file]) for file, label in labels.files.items())
    ]


def _perhaps(file: str, found: Iterable[str]) -> str:
    """Return a hint for a file that does not exist: perhaps another name was meant."""
    hint = "names start from the dataset's folder"
    last = file.rpartition("/")[2].casefold()
    names = {name: name.rpartition("/")[2].casefold() for name in found}
    like = next((name for name, inner in names.items() if inner.startswith(last)), None)
    return hint if like is None else f"{hint}; is it {like}?"


def in_table(path: str, left_out: list[LeftOut]) -> Iterator[Member]:
    """Yield all members in an archive of hbtom; note if it cannot be read."""
    try:
        places = open_archive(path).places
    except BadInput as error:
        foreign = error.problem == NOT_OURS  # such as results saved among the data
        left_out.append(LeftOut(path, error.said, unreadable=not foreign))
        return
    for (task, pair), place in places.items():
        yield Member(task, pair, "e", path, f"{task}/{pair}e", place.content)
        yield Member(task, pair, "u", path, f"{task}/{pair}u", place.content)


def _matched(members: Iterable[Member], left_out: list[LeftOut]) -> list[Pair]:
    """Match members by task and id; note those without a counterpart and those found twice."""
    mates: dict[tuple[str, str], dict[str, Member]] = {}
    for member in members:
        known = mates.setdefault((member.task, member.pair), {})
        if member.member in known:
            twin = known[member.member].file
            left_out.append(LeftOut(member.file, f"the same member of the pair as {twin}"))
        else:
            known[member.member] = member
    pairs = []
    for known in mates.values():
        if len(known) == 2:
            pairs.append(Pair(known["e"], known["u"]))
        else:
            (alone,) = known.values()
            missing = "u" if alone.member == "e" else "e"
            left_out.append(LeftOut(alone.file, f"its counterpart ...{missing}.json is missing"))
    return pairs
