"""Archives of problems: what would unpack to very much is refused before it is unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from errands import FILES, pack
from hbtom import BadInput
from hbtom.bench.recognition_problems import MOST, ProblemSource, read_texts

MEMORY = 1 << 30  # most bytes that a refusal may take
REPEATED = 200  # times that 16 MB of zeros are compressed


def header(kind: bytes, size: int, name: str = "x") -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


def packed(*parts: bytes) -> bytes:
    return b"".join(map(bz2.compress, parts))


def gigabytes(kind: bytes) -> bytes:
    """Return a small archive with a member or header of more than 3 GB."""
    return packed(header(kind, REPEATED << 24)) + bz2.compress(bytes(1 << 24)) * REPEATED


def record(text: str) -> bytes:
    return f"{len(text) + 4 + len(str(len(text) + 4))} a={text}\n".encode()


def extended(kind: bytes, content: bytes, count: int = 1) -> bytes:
    filled = content + bytes(-len(content) % 512)
    return (header(kind, len(content)) + filled) * count


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "pax header": (lambda: gigabytes(tarfile.XHDTYPE), "more than 32 MB"),
    "long name": (lambda: gigabytes(tarfile.GNUTYPE_LONGNAME), "than 32 MB"),
    "skipped member": (lambda: gigabytes(tarfile.REGTYPE), "more than 32 MB"),
    "gzip": (lambda: gzip.compress(bytes(8 << 24)), "more than 32 MB"),
    "xz": (lambda: lzma.compress(bytes(8 << 24)), "more than 32 MB"),
    "many members": (lambda: packed(header(tarfile.REGTYPE, 0) * 60_000), "1000 members"),
    "millions of members": (lambda: packed(header(tarfile.REGTYPE, 0) * 75_000) * 4, "32 MB"),
    "chained headers": (
        lambda: packed(extended(tarfile.XHDTYPE, record("b"), 5000)),
        "not a whole archive|1000 members",  # Python reads them recursively
    ),
    "large pax header": (
        lambda: packed(extended(tarfile.XHDTYPE, record("b" * (1 << 23)))),
        "headers have more than 64 KB",
    ),
    "global headers": (
        lambda: packed(extended(tarfile.XGLTYPE, record("b" * 1000), 900)),
        "not a whole archive|more than 64 KB",
    ),
    "many parts": (lambda: bz2.compress(b"") * 500_000, "more than 256 parts"),
    "sparse without a map": (
        lambda: packed(
            extended(tarfile.XHDTYPE, b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n")
            + header(tarfile.REGTYPE, 512)
            + bytes(512)
        ),
        "not a whole archive",
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are those of Linux")
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_in_one_line(spawn, tmp_path: Path, name: str) -> None:
    make, why = BOMBS[name]
    path = tmp_path / "a.tar.bz2"
    path.write_bytes(make())
    ran = spawn("recognise", path, memory=MEMORY)
    assert ran.status == 1
    (line,) = ran.complaints
    assert str(path) in line
    assert any(one in line for one in why.split("|")), line
    assert len(line) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("squeeze", [bz2.compress, gzip.compress, lzma.compress, bytes])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_all_kinds_of_archives_are_read(tmp_path: Path, squeeze, form: int) -> None:
    path, plain = tmp_path / "a.tar.xz", io.BytesIO()
    folder = "f" * 60 if form == tarfile.USTAR_FORMAT else "f\xe4" * 100
    with tarfile.open(fileobj=plain, mode="w", format=form) as archive:
        for name, text in FILES.items():
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mtime = len(text.encode()), 1.5
            archive.addfile(member, io.BytesIO(text.encode()))
    data = plain.getvalue()
    half = len(data) // 2
    path.write_bytes(squeeze(data[:half]) + squeeze(data[half:]))  # in two parts
    assert read_texts(ProblemSource(str(path))).text == FILES


def test_an_archive_may_be_damaged_anywhere(tmp_path: Path) -> None:
    data = pack(tmp_path / "a.tar.bz2").read_bytes()
    for end in range(0, len(data), 97):
        (tmp_path / "b.tar.bz2").write_bytes(data[:end])
        with pytest.raises(BadInput):
            read_texts(ProblemSource(str(tmp_path / "b.tar.bz2")))


def test_the_limit_is_on_what_is_unpacked(tmp_path: Path) -> None:
    large = {"obs.dat": "; nothing\n" * 99_999}
    path = pack(tmp_path / "a.tar.bz2", large)
    assert read_texts(ProblemSource(str(path))).text["obs.dat"] == large["obs.dat"]
    path = pack(tmp_path / "a.tar.bz2", {**large, "x": "\0" * MOST})
    with pytest.raises(BadInput, match="more than 32 MB"):
        read_texts(ProblemSource(str(path)))
