"""Finding problems of goal recognition: archives and folders in the field's usual layout.

    DOMAIN/SHARE/NAME.tar.bz2     SHARE is the percentage of a plan that was observed

An archive or a folder has the files of one problem (:mod:`hbtom.world.pddl.recognition_problem`).
"""

from __future__ import annotations

import os
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from lzma import LZMAError
from pathlib import Path, PurePath

from hbtom.errors import BadInput, located
from hbtom.files import WRITTEN, file_bytes
from hbtom.world.pddl.recognition_problem import DOMAIN, NEEDED, TRUE, Posed, read_posed

ENDINGS = (".tar.bz2", ".tar.gz", ".tgz", ".tar.xz", ".tar")
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
    file_bytes(Path(path), "an archive", WRITTEN)  # says what is wrong, if it cannot be read
    found: dict[str, bytes] = {}
    others = []
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = PurePath(member.name).name
                if not member.isfile() or name not in (*NEEDED, TRUE):
                    others.append(member.name)
                    continue
                if member.size > WRITTEN:
                    raise BadInput(f"'{member.name}' has more than {WRITTEN >> 20} MB")
                stream = archive.extractfile(member)
                assert stream is not None  # it is a file
                found.setdefault(name, stream.read())
    except (tarfile.TarError, OSError, EOFError, LZMAError, zlib.error):
        hint = f"copy it again, if it should be an archive ({', '.join(ENDINGS)}), or name a folder"
        raise BadInput("this is not a whole archive", hint=hint) from None
    if lacking := [name for name in NEEDED if name not in found]:
        present = ", ".join(sorted(others)[:5]) or "nothing else"
        hint = f"it has {present}; a problem has {', '.join(NEEDED)}"
        raise BadInput(f"the archive has no {' and no '.join(lacking)}", hint=hint)
    return found
