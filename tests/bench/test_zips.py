"""Zip archives, whole and damaged: they raise nothing but BadInput, and good pairs are kept."""

from __future__ import annotations

import io
import os
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from episodes import simple_episode, to_bytes
from hbtom import BadInput, files
from hbtom.bench import zips
from hbtom.bench.dataset import find_pairs
from hbtom.bench.evaluation import evaluate
from hbtom.bench.pairs import load_pairs
from hbtom.observe import Episode

DAMAGE = [lambda byte: 0, lambda byte: 255, lambda byte: byte ^ 0x80, lambda byte: byte + 1 & 255]


def zipped(content: bytes = b"[]", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for member in "eu":
            archive.writestr(zipfile.ZipInfo(f"preference/1{member}.json"), content, method)
    return target.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read_stored_or_deflated(method, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(to_bytes(simple_episode()), method))
    [(_, *both)] = load_pairs(find_pairs(tmp_path).pairs)
    assert all(isinstance(episode, Episode) for episode in both)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_with_other_compression_are_refused(method, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(to_bytes(simple_episode()), method))
    [(_, *both)] = load_pairs(find_pairs(tmp_path).pairs)
    assert all("pack it again with deflate" in str(one) for one in both)


def test_whatever_byte_is_damaged_no_error_escapes(tmp_path: Path) -> None:
    whole = zipped()
    for at in range(len(whole)):
        for number, damage in enumerate(DAMAGE):
            broken = bytearray(whole)
            broken[at] = damage(broken[at])
            path = tmp_path / f"{at}-{number}.zip"
            path.write_bytes(broken)
            attempt(str(path))
    for length in range(len(whole)):
        path = tmp_path / f"{length}.zip"
        path.write_bytes(whole[:length])
        attempt(str(path))


def attempt(path: str) -> None:
    """List an archive and read all of it; either may fail, but only with BadInput."""
    try:
        found = zips.members(path)
    except BadInput:
        return
    for one in found:
        with suppress(BadInput):
            zips.member_bytes(path, one.filename)


@pytest.mark.parametrize("at", [6, 28, 34, 46])  # version, length of name, of comment; a name
def test_a_damaged_archive_does_not_stop_the_good_pairs(at, small, tmp_path: Path) -> None:
    (tmp_path / "good").symlink_to(small)
    broken = bytearray(zipped())
    broken[broken.index(b"PK\1\2") + at] = 255
    (tmp_path / "bad.zip").write_bytes(broken)
    found = find_pairs(tmp_path)
    loaded = list(load_pairs(found.pairs))
    assert sum(all(isinstance(one, Episode) for one in both) for _, *both in loaded) == 9
    assert len(loaded) > 9 or any("bad.zip" in one.file for one in found.left_out)


def test_a_member_beyond_the_limit_is_refused_not_truncated(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 1000)
    (tmp_path / "a.zip").write_bytes(zipped(b" " * 1001))
    [(_, *both)] = load_pairs(find_pairs(tmp_path).pairs)
    assert all("unpacks to more than" in str(one) for one in both)


@pytest.mark.parametrize(
    ("method", "said"), [(zipfile.ZIP_DEFLATED, "broken"), (zipfile.ZIP_BZIP2, "deflate")]
)
def test_a_zip_bomb_that_lies_about_its_size_is_not_unpacked(
    method: int, said: str, tmp_path: Path
) -> None:
    broken = bytearray(zipped(b" " * (32 << 20), method))
    for head, size in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = broken.index(head) + size
        broken[at : at + 4] = (1000).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(broken)
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match=said):
            zips.member_bytes(str(tmp_path / "a.zip"), "preference/1e.json")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 << 20


def test_a_huge_list_of_members_is_not_read(tmp_path: Path) -> None:
    path, size = tmp_path / "a.zip", 3 << 30
    end = zipped()[-22:]
    with path.open("wb") as stream:
        stream.seek(size)  # only zeros, which take no space on disk
        stream.write(end[:12] + size.to_bytes(4, "little") + bytes(4) + end[20:])
    with pytest.raises(BadInput, match="the list of its members has more than"):
        zips.members(str(path))


def test_an_archive_is_opened_once_for_all_chunks_of_a_worker(small, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file in sorted(small.rglob("*.gz")):
            archive.write(file, file.relative_to(small))
    zips._opened.cache_clear()
    found = find_pairs(tmp_path)
    for pair in found.pairs:  # each a chunk of its own
        list(load_pairs([pair]))
    assert zips._opened.cache_info().misses == 1


def test_workers_read_one_archive_side_by_side(small, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file in sorted(small.rglob("*.gz")):
            archive.write(file, file.relative_to(small))
    one, two = (evaluate(tmp_path, workers=workers) for workers in (1, 2))
    assert one.rows == two.rows
    assert len(one.rows) == 18


def test_an_archive_that_is_replaced_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(b"one"))
    assert zips.member_bytes(str(path), "preference/1e.json") == b"one"
    path.write_bytes(zipped(b"another"))
    assert zips.member_bytes(str(path), "preference/1e.json") == b"another"


# Folders


def test_circular_links_are_not_followed_forever(small, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(small)
    (tmp_path / "again").symlink_to(tmp_path)
    found = find_pairs(tmp_path)
    assert len(found.pairs) == 9
    assert any("the same folder as" in one.why for one in found.left_out)


def test_folders_with_two_links_each_to_the_next_are_entered_once(small, tmp_path: Path) -> None:
    """Links that double at every level: 2^40 paths, but 40 folders."""
    folders = [tmp_path / f"{level:02}" for level in range(40)]
    for folder in folders:
        folder.mkdir()
    for folder, below in zip(folders, [*folders[1:], small], strict=True):
        for name in ("one", "two"):
            (folder / name).symlink_to(below)
    assert len(find_pairs(folders[0]).pairs) == 9


def test_a_folder_counts_under_its_own_name_not_a_links(tmp_path: Path) -> None:
    (tmp_path / "preference").mkdir()
    (tmp_path / "a link").symlink_to(tmp_path / "preference")
    for member in "eu":
        (tmp_path / "preference" / f"1{member}.json").write_bytes(b"[]")
    [pair] = find_pairs(tmp_path).pairs
    assert pair.expected.path == str(tmp_path / "preference" / "1e.json")


@pytest.mark.parametrize("name", ["1e.json", "a.zip", "a.parquet", "a.mp4"])
def test_a_pipe_among_the_data_is_left_out(name, small, tmp_path: Path) -> None:
    (tmp_path / "good").symlink_to(small)
    os.mkfifo(tmp_path / name)
    found = find_pairs(tmp_path)
    assert len(found.pairs) == 9
    assert [Path(one.file).name for one in found.left_out] == [name]
