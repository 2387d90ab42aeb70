"""Converting episodes from one format into another: a file, or all files of a dataset.

Folders and names are kept, so that pairs stay pairs and labels stay valid; only the names of
videos change, and end in ``.json``. No file is put in place before all are converted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import get_args

from hbtom.bench.dataset import check_dataset, in_table
from hbtom.bench.entries import Entry, called_video, entries, is_table
from hbtom.bench.labels import FILE as LABELS
from hbtom.bench.pairs import LeftOut, Result
from hbtom.bench.sources import Sources
from hbtom.bench.unfinished import Writing, unfinished
from hbtom.bench.workers import Progress, counted, each
from hbtom.bench.zips import is_zip
from hbtom.errors import BadInput, located, system_errors
from hbtom.files import check_target, write_whole
from hbtom.observe import Episode, load
from hbtom.observe import writing as bib
from hbtom.observe.mcs import export as mcs
from hbtom.observe.packing import Compression, packed, suffix_of
from hbtom.observe.writing import Format
from hbtom.scratch import scratch

Source = str | os.PathLike[str]
_WRITERS: dict[Format, Callable[[Episode], bytes]] = {"bib": bib.write, "mcs": mcs.write}
_NAME = re.compile(r"(.+)\.(json(\.gz|\.zst)?|mp4|webm|gif)")


@dataclass(frozen=True)
class Converted(Result):
    """The result of a conversion: the target, and the files that were left out."""

    target: str
    episodes: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Job:
    """An episode to be converted, and the name of its file in the target folder."""

    entry: Entry
    name: str


def convert(
    source: Source,
    target: Source,
    to: Format,
    *,
    compress: Compression = None,
    overwrite: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Converted:
    """Write the episode of a file, or all episodes of a dataset, as ``bib`` or ``mcs``.

    A dataset is a folder or an archive, and becomes a folder. A file whose name ends in ``.gz`` or
    ``.zst`` is packed accordingly; ``compress`` packs the files of a folder. Existing files are
    replaced only with ``overwrite``.
    """
    if to not in get_args(Format):
        raise BadInput(f"there is no format '{to}'", hint=f"one of {', '.join(get_args(Format))}")
    source, target = Path(source), Path(target)
    if not (os.path.isdir(source) or is_table(source.name) or is_zip(source)):
        return _convert_one(source, target, to, compress, overwrite)
    check_dataset(source)
    left_out: list[LeftOut] = []
    jobs = list(_jobs(source, suffix_of(compress), left_out))
    if not jobs:
        hint = "names end in .json, .json.gz, .json.zst, or .mp4, .webm, .gif for videos"
        raise BadInput("there are no episodes in it", hint=hint, file=source)
    _check_folder(source, target, jobs, overwrite)
    problem = "the episodes cannot be written"
    with system_errors(problem, target), scratch(target.parent) as part:
        results = each(partial(_write_each, part, to, compress), jobs, workers)
        written = _written(jobs, counted(results, len(jobs), progress), left_out)
        target.mkdir(exist_ok=True)
        packing = ["--compress", compress] if compress else []
        words = ["hbtom", "convert", "--to", to, *packing, "--overwrite", str(source.resolve())]
        with unfinished(target, words) as writing:  # the same command completes it
            _settle(part, target, written, writing)
    return Converted(str(target), len(written), tuple(left_out))


def _convert_one(
    source: Path, target: Path, to: Format, compress: Compression, overwrite: bool
) -> Converted:
    episode = load(source)
    check_target(target, overwrite=overwrite, kinds=(".json", ".gz", ".zst"))
    endings: dict[str, Compression] = {".gz": "gz", ".zst": "zst"}
    ending = endings.get(target.suffix)
    if compress is not None and compress != ending:
        hint = f"end it in .json{suffix_of(compress)}"
        raise BadInput(f"the name does not say that it is {compress}", hint=hint, file=target)
    with located(file=str(source)):
        data = _WRITERS[to](episode)
    write_whole(target, packed(data, ending))
    return Converted(str(target), 1, ())


def _written(
    jobs: Sequence[_Job], results: Iterable[LeftOut | None], left_out: list[LeftOut]
) -> list[str]:
    """Return the names of the files that were written; raise an error if there are none."""
    names = []
    for job, problem in zip(jobs, results, strict=True):
        if problem is None:
            names.append(job.name)
        else:
            left_out.append(problem)
    if not names:
        first = next(one for one in left_out if one.unreadable)
        raise BadInput(f"no episode can be converted: {first.why}", file=first.file)
    return names


# Finding the episodes


def _jobs(source: Path, suffix: str, left_out: list[LeftOut]) -> Iterator[_Job]:
    """Yield every episode of a dataset, with the name that it keeps."""
    taken: dict[str, Entry] = {}
    found_in = sorted(_episodes(source, left_out), key=lambda entry: called_video(entry.file))
    for entry in found_in:  # files come before videos of the same episode
        name = _kept_name(entry, source)
        found = _NAME.fullmatch(name)
        whole = "" if found is None else f"{found[1]}.json{suffix}"
        why, unreadable = "", False
        if entry.name == LABELS:
            why = "labels are not converted; they stay valid"
        elif found is None:
            why = "not named like an episode (<name>.json) or a video"
        elif {"..", "/"} & set(PurePosixPath(name).parts):
            why, unreadable = "its name leads out of the folder", True
        elif whole in taken:
            why = f"it would have the same name as {taken[whole].file}"
            unreadable = not called_video(entry.file)
        if why:
            left_out.append(LeftOut(entry.file, why, unreadable))
        else:
            taken[whole] = entry
            yield _Job(entry, whole)


def _episodes(source: Path, left_out: list[LeftOut]) -> Iterator[Entry]:
    for entry in entries(source, background=True):
        if entry.why:
            left_out.append(LeftOut(entry.file, entry.why, entry.unreadable))
        elif is_table(entry.file):
            for one in in_table(entry.path, left_out):
                yield Entry(one.task, one.path, one.inside)
        else:
            yield entry


def _kept_name(entry: Entry, source: Path) -> str:
    """Return an episode's name in the target: its path, or its task and its name."""
    if not entry.inside:
        return Path(entry.path).relative_to(source).as_posix()
    if is_table(entry.path):
        return f"{entry.inside}.json"
    return f"{entry.task}/{entry.name}"


# Converting them


def _check_folder(source: Path, target: Path, jobs: Sequence[_Job], overwrite: bool) -> None:
    """Refuse a folder that cannot or should not be written, before any work is done."""
    if target.exists() and not target.is_dir():
        hint = "a dataset is converted into a folder: name another one"
        raise BadInput("this is a file", hint=hint, file=target)
    if source.is_dir() and source.resolve() in (target.resolve(), *target.resolve().parents):
        hint = "choose a folder that is not within the dataset"
        raise BadInput("the dataset would be written into itself", hint=hint, file=target)
    if not target.parent.is_dir():
        hint = "make it first"
        raise BadInput("there is no such folder", hint=hint, file=target.resolve().parent)
    there = next((target / job.name for job in jobs if (target / job.name).exists()), None)
    if there is not None and not overwrite:
        hint = "choose another folder, or use --overwrite"
        raise BadInput("the file exists already", hint=hint, file=there)


def _write_each(
    folder: Path, to: Format, compress: Compression, jobs: Sequence[_Job]
) -> Iterator[LeftOut | None]:
    """Convert episodes into files of a folder; yield None for each, or why it failed."""
    sources = Sources()
    for job in jobs:
        try:
            data = _WRITERS[to](sources.load_one(job.entry))
        except BadInput as error:
            yield LeftOut(job.entry.file, error.said, unreadable=True)
            continue
        file = folder / job.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(packed(data, compress))
        yield None


def _settle(part: Path, target: Path, names: Sequence[str], writing: Writing) -> None:
    """Move finished files to their places."""
    writing.left = True
    try:
        for name in names:
            file = target / name
            file.parent.mkdir(parents=True, exist_ok=True)
            os.replace(part / name, file)
    except BaseException:
        writing.left = writing.begun or not all((part / name).exists() for name in names)
        raise
