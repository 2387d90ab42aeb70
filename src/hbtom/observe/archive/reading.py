"""Finding and reading the episodes of an archive.

The name of an archive ends in ``.parquet``. Its episodes have paths as if it were a folder:
``bench.parquet/preference/000001loe``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from hbtom.errors import BadInput
from hbtom.files import check_file
from hbtom.observe.archive.bounds import check_group, read_flat
from hbtom.observe.archive.columns import FORMAT, SINCE, SUFFIX, VERSION, arrow, file_value, schema
from hbtom.observe.archive.decoding import trials
from hbtom.observe.checks import check_number
from hbtom.observe.episode import Episode, Loaded
from hbtom.observe.trial import Trial

NOT_OURS = "this Parquet file is not an archive of episodes"
_INDEX = ["task", "pair", "content"]
_UNREAD = {*_INDEX, "trial"}  # columns that are not needed to make the trials
_MEMBERS = {"e", "u", "eu"}

PairName = tuple[str, str]  # task and pair
Both = tuple[Loaded, Loaded]  # the expected and the unexpected episode of a pair


@dataclass(frozen=True, slots=True)
class RowsOfPair:
    """Where the rows of a pair are in an archive, and the hash of their content."""

    group: int
    rows: range  # within the row group
    content: str


@dataclass(frozen=True)
class Archive:
    """An archive whose trials have not been read yet."""

    path: str
    footer: Any
    places: Mapping[PairName, RowsOfPair]  # in the order of the file

    @cached_property
    def groups(self) -> tuple[tuple[PairName, ...], ...]:
        """The pairs of each row group."""
        groups: list[list[PairName]] = [[] for _ in range(self.footer.num_row_groups)]
        for name, place in self.places.items():
            groups[place.group].append(name)
        return tuple(map(tuple, groups))

    @cached_property
    def _columns(self) -> list[str]:
        there = self.footer.schema.to_arrow_schema().names
        return [name for name in schema().names if name in there and name not in _UNREAD]

    def pairs(self, group: int) -> dict[PairName, Both]:
        """Read all pairs of a row group."""
        places = {name: self.places[name].rows for name in self.groups[group]}
        return self._read(group, None, places)

    def pair(self, name: PairName) -> Both:
        """Read one pair, without keeping the rest of its row group in memory."""
        at = self.places[name]
        return self._read(at.group, at.rows, {name: range(len(at.rows))})[name]

    def _read(
        self, group: int, only: Sequence[int] | None, places: Mapping[PairName, range]
    ) -> dict[PairName, Both]:
        with _errors(self.path), _file(self.path, self.footer) as file:
            check_group(self.footer, group, self._columns)
            table = file.read_row_group(group, columns=self._columns, use_threads=False)
            table = table if only is None else table.take(list(only))
            members = table.column("members").to_pylist()
            built = [trial for rows in table.to_batches() for trial in trials(rows)]
            parts = {name: slice(rows.start, rows.stop) for name, rows in places.items()}
            return {name: self._both(name, members[at], built[at]) for name, at in parts.items()}

    def _both(
        self, name: PairName, members: Sequence[str], trials: Sequence[Trial | BadInput]
    ) -> Both:
        rows = list(zip(members, trials, strict=True))
        expected, unexpected = ([trial for of, trial in rows if one in of] for one in "eu")
        if not expected or not unexpected or not _MEMBERS.issuperset(members):
            raise BadInput(f"there are not two episodes of {'/'.join(name)}")
        where = "/".join((self.path, *name))
        return _episode(expected, f"{where}e"), _episode(unexpected, f"{where}u")


def _episode(trials: Sequence[Trial | BadInput], name: str) -> Loaded:
    """Return an episode, or the error of the first trial that cannot be used."""
    usable = tuple([trial for trial in trials if isinstance(trial, Trial)])
    if len(usable) == len(trials):
        try:
            check_number(len(trials))
        except BadInput as error:
            return error.at(file=name)
        return Episode(usable, name)
    numbered = enumerate(trials, start=1)
    return next(one.at(file=name, trial=at) for at, one in numbered if isinstance(one, BadInput))


def open_archive(path: str) -> Archive:
    """Find out which pairs an archive contains and where, without reading trials."""
    with _errors(path):
        now = check_file(path)
        return _opened(path, now.st_size, now.st_mtime_ns, now.st_ino)


# Workers read an archive a few pairs at a time, and a large archive takes longer to open than to
# read these pairs from. The arguments make sure that a file that has changed is opened again.
@lru_cache(maxsize=4)
def _opened(path: str, size: int, changed: int, number: int) -> Archive:
    with _file(path) as file:
        _check_format(file)
        return Archive(path, file.metadata, _places(path, file.metadata))


@contextmanager
def _file(path: str, footer: Any = None) -> Iterator[Any]:
    """Open a file so that the memory for its data returns to the system as soon as possible.

    Arrow's own allocator would keep about fifty megabytes of it for later.
    """
    library, parquet = arrow()
    before = library.default_memory_pool()
    library.set_memory_pool(library.system_memory_pool())
    try:
        with parquet.ParquetFile(path, metadata=footer, page_checksum_verification=True) as file:
            yield file
    finally:
        library.set_memory_pool(before)


@contextmanager
def _errors(path: str) -> Iterator[None]:
    """Turn errors from reading an archive into messages for people."""
    pa, _ = arrow()
    try:
        yield
    except BadInput as error:
        raise error.at(file=path) from None
    except (OSError, ValueError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno:  # due to the system, not the file's content
            raise BadInput(f"the file cannot be read: {error.strerror}").at(file=path) from None
        (reason, *_) = str(error).split("\n")
        broken = f"the archive is broken or cut off ({reason})"
        raise BadInput(broken, hint="copy it or pack it again").at(file=path) from None


def _check_format(file: Any) -> None:
    """Refuse a file that is not an archive, or one of a newer format."""
    metadata = file.metadata.metadata
    if file_value(metadata, "format") != FORMAT:
        raise BadInput(NOT_OURS, hint="make archives with hbtom pack")
    version = file_value(metadata, "format_version")
    if version not in map(str, range(1, VERSION + 1)):
        known = f"versions 1 to {VERSION}"
        raise BadInput(
            f"this archive has version {version} of the format; this hbtom reads {known}",
            hint="install a newer hbtom, or pack the dataset again with this one",
        )
    found = file.schema_arrow
    for field in schema():
        if SINCE.get(field.name, 1) > int(version):
            continue
        if field.name not in found.names:
            raise BadInput(f"the archive has no column '{field.name}'", hint="pack it again")
        if not found.field(field.name).equals(field):
            raise BadInput(f"the column '{field.name}' has the wrong type", hint="pack it again")


def _places(path: str, footer: Any) -> dict[PairName, RowsOfPair]:
    """Return where each pair is."""
    index = read_flat(path, _INDEX, footer)
    rows = zip(*(index[name] for name in _INDEX), strict=True)
    places: dict[PairName, RowsOfPair] = {}
    for group in range(footer.num_row_groups):
        start = 0
        here = islice(rows, footer.row_group(group).num_rows)
        for (task, pair, content), run in groupby(here):
            stop = start + sum(1 for _ in run)
            if (task, pair) in places:
                raise BadInput(f"the rows of {task}/{pair} are not together")
            places[task, pair] = RowsOfPair(group, range(start, stop), content)
            start = stop
    return places


# Paths into an archive


def archived(path: str | os.PathLike[str]) -> tuple[str, str] | None:
    """Split a path into an archive and a name in it; None if it does not lead into an archive."""
    whole = Path(path)
    for file in (whole, *whole.parents[:2]):
        if file.suffix == SUFFIX and os.path.isfile(file):
            return str(file), "/".join(whole.parts[len(file.parts) :])
    return None


def load_archived(path: str, inside: str) -> Episode:
    """Read one episode of an archive."""
    archive = open_archive(path)
    task, _, episode = inside.partition("/")
    name, member = (task, episode[:-1]), episode[-1:]
    if name not in archive.places or member not in _MEMBERS:
        raise _no_such(archive, inside)
    return _read_or_raise(archive.pair(name)["eu".index(member)])


def episodes_in(path: str, inside: str = "") -> Iterator[Episode]:
    """Yield all episodes of an archive, those of one task, or a single one."""
    archive = open_archive(path)
    if inside and inside not in {task for task, _ in archive.places}:
        yield load_archived(path, inside)
        return
    for group, names in enumerate(archive.groups):
        if inside and all(task != inside for task, _ in names):
            continue
        for (task, _), both in archive.pairs(group).items():
            if inside in ("", task):
                yield from map(_read_or_raise, both)


def _read_or_raise(episode: Loaded) -> Episode:
    if isinstance(episode, BadInput):
        raise episode
    return episode


def _no_such(archive: Archive, inside: str) -> BadInput:
    task, pair = next(iter(archive.places), ("preference", "000001lo"))
    hint = f"name one of them, as in {archive.path}/{task}/{pair}e"
    if not inside:
        problem = f"this is an archive of {2 * len(archive.places)} episodes, not a single episode"
        return BadInput(problem, hint=hint).at(file=archive.path)
    problem = "there is no such episode in the archive"
    return BadInput(problem, hint=hint).at(file=f"{archive.path}/{inside}")
