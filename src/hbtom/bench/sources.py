"""Reading the members of pairs from files, zip archives and archives of hbtom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hbtom.bench.zips import member_bytes
from hbtom.errors import BadInput, located
from hbtom.files import file_bytes
from hbtom.observe import Episode, load, read
from hbtom.observe.archive.columns import SUFFIX
from hbtom.observe.archive.reading import Both, PairName, open_archive
from hbtom.observe.episode import Loaded
from hbtom.observe.formats import read_pair
from hbtom.observe.tracks import is_track

if TYPE_CHECKING:
    from hbtom.bench.entries import Entry
    from hbtom.bench.pairs import Member, Pair


class Sources:
    """Reads members, and keeps the last row group that it read from an archive of hbtom.

    A row group holds both members of a pair, and those of the pairs after it.
    """

    def __init__(self) -> None:
        self._path = ""  # of the archive that was read last
        self._pairs: dict[PairName, Both] = {}

    def load(self, pair: Pair) -> tuple[Loaded, Loaded]:
        """Read both episodes of a pair."""
        expected, unexpected = map(self._attempted, pair.members)
        return read_pair((expected, unexpected), (pair.expected.file, pair.unexpected.file))

    def load_one(self, member: Member | Entry) -> Episode:
        """Read one episode."""
        if not member.inside or is_archived(member):
            return load(member.file, getattr(member, "scene", None))
        with located(file=member.file):
            return read(_bytes_of(member), member.file)

    def _attempted(self, member: Member) -> bytes | Loaded:
        try:
            if not member.inside and is_track(member.path):
                return load(member.path, member.scene)
            return self._episode(member) if is_archived(member) else _bytes_of(member)
        except BadInput as error:
            return error.at(file=member.file)

    def _episode(self, member: Member) -> Loaded:
        """Read an episode of an archive of hbtom, with all others of its row group."""
        name = member.task, member.pair
        if self._path != member.path or name not in self._pairs:
            archive = open_archive(member.path)
            if name not in archive.places:
                hint = "has the archive been packed again?"
                raise BadInput("it is no longer in the archive", hint=hint)
            self._pairs = {}  # free these before reading others, so that only one group is held
            self._pairs = archive.pairs(archive.places[name].group)
            self._path = member.path
        return self._pairs[name]["eu".index(member.member)]


def _bytes_of(member: Member | Entry) -> bytes:
    """Return the content of a member's file."""
    if member.inside:
        return member_bytes(member.path, member.inside)
    return file_bytes(Path(member.path))


def is_archived(member: Member | Entry) -> bool:
    """Return whether a member is an episode of one of hbtom's archives."""
    return bool(member.inside) and member.path.endswith(SUFFIX)
