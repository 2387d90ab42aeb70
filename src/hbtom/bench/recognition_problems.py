"""Finding problems of goal recognition: archives and folders in the field's usual layout.

    DOMAIN/SHARE/NAME.tar.bz2     SHARE is the percentage of a plan that was observed

An archive or a folder has the files of one problem (:mod:`hbtom.world.pddl.recognition_problem`).
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, Self

from hbtom.errors import BadInput, located
from hbtom.files import WRITTEN, file_bytes
from hbtom.world.pddl.recognition_problem import DOMAIN, NEEDED, TRUE, Posed, read_posed

ENDINGS = (".tar.bz2", ".tar.gz", ".tgz", ".tar.xz", ".tar")
MOST = 2 * WRITTEN  # most bytes in an archive after decompression
MEMBERS = 1000  # most members of an archive, counting extended headers
_EXTENDED = 1 << 16  # most bytes in the extended headers of an archive, which tarfile keeps
_EXTENSIONS = (
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
)
_PARTS = 256  # most parts that are compressed one by one, as some programs do
_LARGE = "an archive holds one problem, in five files"
_BROKEN = tarfile.TarError, OSError, EOFError, lzma.LZMAError, zlib.error
_PACKED: dict[bytes, Callable[[], Any]] = {
    b"BZh": bz2.BZ2Decompressor,
    b"\x1f\x8b\x08": partial(zlib.decompressobj, 31),
    b"\xfd7z": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, 1 << 28),
}
_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True)
class ProblemSource:
    """Where a problem is: an archive, a folder, or files by their role in the problem."""

    path: str
    files: tuple[tuple[str, str], ...] = ()
    agent: str = ""  # the agent whose problem it is, if known

    @property
    def domain(self) -> str:
        """The name of the domain's folder, by which problems are grouped."""
        parts = PurePath(os.path.abspath(self.path)).parts
        return parts[-3] if self.observed is not None else parts[-2] if len(parts) > 1 else ""

    @property
    def observed(self) -> int | None:
        """The percentage of a plan that was observed, if a folder says so."""
        parts = PurePath(os.path.abspath(self.path)).parts
        known = len(parts) > 2 and parts[-2].isascii() and parts[-2].isdecimal()
        return int(parts[-2]) if known and int(parts[-2]) <= 100 else None


@dataclass(frozen=True)
class Texts:
    """The files of a problem, and a stamp that changes with their content."""

    text: Mapping[str, str]
    stamp: str


def find_posed(paths: Sequence[str]) -> tuple[ProblemSource, ...]:
    """Return all problems at these paths, in order, each once; folders are searched recursively.

    ``AGENT=PATH`` names the agent whose problems these are.
    """
    found: dict[str, ProblemSource] = {}
    for given in paths:
        agent, path = named_path(given)
        with located(file=path):
            sources = [replace(one, agent=agent) for one in _found(Path(path))]
            if not sources:
                hint = f"give folders of archives ({ENDINGS[0]}), or with the files of a problem"
                raise BadInput("there are no problems of goal recognition in it", hint=hint)
            found.update((source.path, source) for source in sources)
    return tuple(found.values())


def named_path(given: str) -> tuple[str, str]:
    """Return the agent (or an empty text) and the path of ``[AGENT=]PATH``."""
    named = None if os.path.exists(given) else _NAMED.fullmatch(given)
    return (named[1], named[2]) if named else ("", given)


def _found(path: Path) -> Iterator[ProblemSource]:
    if not path.is_dir():
        if not path.exists():
            raise BadInput("there is no such file or folder", hint="check the name")
        yield ProblemSource(str(path))
        return
    for folder, inside, names in os.walk(path):
        inside.sort()
        if DOMAIN in names and set(NEEDED) <= set(names):
            yield ProblemSource(folder)
        for name in sorted(names):
            if name.endswith(ENDINGS) and not name.startswith("._"):
                yield ProblemSource(os.path.join(folder, name))


def read_texts(source: ProblemSource) -> Texts:
    """Read the files of a problem; other files are ignored."""
    if source.files:
        raw = {part: _file(path) for part, path in source.files}
    elif os.path.isdir(source.path):
        inside = {name: os.path.join(source.path, name) for name in (*NEEDED, TRUE)}
        raw = {name: _file(path) for name, path in inside.items() if os.path.exists(path)}
    else:
        with located(file=source.path):
            raw = _members(source.path)
    stamp = 0
    for name in sorted(raw):
        stamp = zlib.crc32(raw[name], zlib.crc32(name.encode(), stamp))
    text = {name: data.decode(errors="replace") for name, data in raw.items()}
    return Texts(text, f"{stamp:08x}")


def load_posed(
    problem: str | os.PathLike[str] | ProblemSource, *, strict: bool = False, whole: bool = False
) -> Posed:
    """Read a problem of goal recognition from an archive or a folder in the usual layout.

    ``strict`` refuses observations that are not actions. ``whole`` says that no action is missing.
    """
    source = problem if isinstance(problem, ProblemSource) else ProblemSource(os.fspath(problem))
    texts = read_texts(source)
    names = dict(source.files) or {part: f"{source.path}: {part}" for part in texts.text}
    posed = read_posed(texts.text, source.path, strict=strict, whole=whole, named=names)
    agent = source.agent or posed.seen.agent
    return replace(posed, seen=replace(posed.seen, agent=agent), stamp=texts.stamp)


def _file(path: str) -> bytes:
    with located(file=path):
        return file_bytes(Path(path), "a text file", WRITTEN)


def _members(path: str) -> dict[str, bytes]:
    packed = file_bytes(Path(path), "an archive", WRITTEN)
    found: dict[str, bytes] = {}
    others = []
    try:
        unpacked = io.BytesIO(_unpacked(packed))
        with tarfile.open(fileobj=unpacked, mode="r:", tarinfo=_limited()) as archive:
            for member in archive:
                name = PurePath(member.name).name
                if not member.isfile() or name not in (*NEEDED, TRUE):
                    others.append(name[:40])
                elif member.size > WRITTEN:
                    raise BadInput(f"its file {name} has more than {WRITTEN >> 20} MB")
                elif name not in found:
                    stream = archive.extractfile(member)
                    assert stream is not None  # it is a file
                    found[name] = stream.read()
    except BadInput:
        raise
    except (*_BROKEN, ValueError, RecursionError):
        hint = f"copy it again, if it should be an archive ({', '.join(ENDINGS)}), or name a folder"
        raise BadInput("this is not a whole archive", hint=hint) from None
    if lacking := [name for name in NEEDED if name not in found]:
        present = ", ".join(sorted(others)[:5]) or "nothing else"
        hint = f"it has {present}; a problem has {', '.join(NEEDED)}"
        raise BadInput(f"the archive has no {' and no '.join(lacking)}", hint=hint)
    return found


def _unpacked(data: bytes) -> bytes:
    """Return the uncompressed content of an archive, whose parts may be compressed one by one."""
    opened = next((opened for head, opened in _PACKED.items() if data.startswith(head)), None)
    if opened is None:
        return data
    whole, head = bytearray(), data[:3]
    for _ in range(_PARTS):
        part = opened()
        whole += part.decompress(data, MOST + 1 - len(whole))
        if len(whole) > MOST:
            raise BadInput(f"it contains more than {MOST >> 20} MB", hint=_LARGE)
        data = part.unused_data
        if not part.eof:
            raise EOFError
        if not data.startswith(head):
            return bytes(whole)
    raise BadInput(f"it is compressed in more than {_PARTS} parts", hint=_LARGE)


def _limited() -> type[tarfile.TarInfo]:
    """Return a type for the members of one archive, of which only so many are read."""
    headers = extensions = 0

    class Limited(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            nonlocal headers, extensions
            one = super().frombuf(buf, encoding, errors)
            headers += 1
            extensions += max(0, one.size) if one.type in _EXTENSIONS else 0
            if headers > MEMBERS:
                raise BadInput(f"it has more than {MEMBERS} members", hint=_LARGE)
            if extensions > _EXTENDED:
                problem = f"its headers have more than {_EXTENDED >> 10} KB"
                raise BadInput(problem, hint=_LARGE)
            return one

    return Limited
