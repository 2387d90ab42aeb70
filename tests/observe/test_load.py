"""Opening files: compressed or not, existing or not, complete or not."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest
import zstandard

import hbtom
from episodes import assert_same, key_trial, read, simple_episode, to_bytes, write
from hbtom import BadInput, files
from hbtom.observe import formats

PACKINGS = [".json", ".json.gz", ".json.zst"]


def pack(data: bytes, packing: str) -> bytes:
    packers = {".json": bytes, ".json.gz": gzip.compress, ".json.zst": zstandard.compress}
    return packers[packing](data)


@pytest.mark.parametrize("packing", PACKINGS)
def test_all_compressions_hold_the_same(packing, tmp_path: Path) -> None:
    plain = [*simple_episode(), key_trial()]
    file = write(tmp_path / f"episode{packing}", plain)
    assert (file.read_bytes() == to_bytes(plain)) is (packing == ".json")
    assert_same(hbtom.load(file), read(plain))


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_file_is_recognised_by_its_bytes_not_by_its_name(packing, tmp_path: Path) -> None:
    file = tmp_path / "no ending"
    file.write_bytes(pack(to_bytes(simple_episode()), packing))
    assert_same(hbtom.load(file), read(simple_episode()))


@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_a_file_compressed_in_pieces_is_read_completely(packing, tmp_path: Path) -> None:
    data = to_bytes(simple_episode())
    file = tmp_path / f"pieces{packing}"
    pieces = (data[:1000], data[1000:1001], b"", data[1001:])
    file.write_bytes(b"".join(pack(piece, packing) for piece in pieces))
    assert_same(hbtom.load(file), read(simple_episode()))


def test_zstd_without_its_size_in_the_header_is_read(tmp_path: Path) -> None:
    packer = zstandard.ZstdCompressor(write_content_size=False, write_checksum=True)
    file = tmp_path / "stream.json.zst"
    file.write_bytes(packer.compress(to_bytes(simple_episode())))
    assert_same(hbtom.load(file), read(simple_episode()))


def test_an_episode_is_named_by_its_path(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", simple_episode())
    assert hbtom.load(file).name == hbtom.load(str(file)).name == str(file)


# Files that cannot be opened


def problem(path: str | Path) -> str:
    with pytest.raises(BadInput) as caught:
        hbtom.load(path)
    assert caught.value.place.file == str(path)
    return str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such file" in problem(tmp_path / "nowhere.json")
    assert "no such file" in problem(tmp_path / "no folder" / "nowhere.json")


def test_a_folder(tmp_path: Path) -> None:
    assert "folder" in problem(tmp_path)


@pytest.mark.parametrize("data", [b"[]", b"{}", b"\xef\xbb\xbf{}"])
def test_json_that_is_called_a_video(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "scene.mp4"
    file.write_bytes(data)
    assert "the file has the name of a video but is not one" in problem(file)


def test_a_circular_link(tmp_path: Path) -> None:
    file = tmp_path / "circle.json"
    file.symlink_to(file)
    assert "cannot be read" in problem(file)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all files")
def test_a_file_without_permission(tmp_path: Path) -> None:
    file = write(tmp_path / "secret.json", simple_episode())
    file.chmod(0)
    assert "cannot be read" in problem(file)


def test_a_file_that_the_system_refuses(tmp_path: Path, monkeypatch) -> None:
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(files, "_at_once", refuse)
    assert "Permission denied" in problem(tmp_path / "secret.json")


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b.json", "file.json/inside"])
def test_an_impossible_file_name(name, tmp_path: Path) -> None:
    write(tmp_path / "file.json", simple_episode())
    problem(str(tmp_path / name))


# Files that cannot be decompressed


@pytest.mark.parametrize("packing", PACKINGS[1:])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.4, 0.8, 0.99])
def test_a_truncated_compressed_file(packing, share, tmp_path: Path) -> None:
    data = pack(to_bytes(simple_episode()), packing)
    file = tmp_path / f"cut{packing}"
    file.write_bytes(data[: max(4, int(share * len(data)))])
    message = problem(file)
    assert "cut off" in message
    assert {".json.gz": "gzip", ".json.zst": "zstd"}[packing] in message


@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_a_compressed_file_with_rubbish_after_its_header(packing, tmp_path: Path) -> None:
    file = tmp_path / f"rubbish{packing}"
    file.write_bytes(pack(b"[]", packing)[:4] + b"rubbish" * 100)
    assert "broken" in problem(file)


def test_a_gzip_file_with_a_wrong_checksum(tmp_path: Path) -> None:
    file = tmp_path / "wrong.json.gz"
    file.write_bytes(gzip.compress(to_bytes(simple_episode()))[:-8] + bytes(8))
    assert "broken" in problem(file)


@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_an_empty_compressed_file(packing, tmp_path: Path) -> None:
    file = tmp_path / f"empty{packing}"
    file.write_bytes(pack(b"", packing))
    assert "empty" in problem(file)


@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_a_compressed_file_that_would_fill_the_memory(packing, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 100_000)
    file = tmp_path / f"bomb{packing}"
    file.write_bytes(pack(b" " * 1_000_000, packing))
    assert "unpacks to more than" in problem(file)


@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_a_bomb_is_noticed_early(packing, tmp_path: Path, monkeypatch) -> None:
    """Before a file is refused, not much more than the limit may be decompressed."""
    monkeypatch.setattr(files, "LARGEST", 100_000)
    file = tmp_path / f"bomb{packing}"
    file.write_bytes(pack(b" " * (64 << 20), packing))
    tracemalloc.start()
    try:
        problem(file)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 16 << 20


@pytest.mark.parametrize("packing", PACKINGS[1:])
@pytest.mark.parametrize("usual", [10, 1 << 20])
def test_decompressing_at_once_and_in_pieces_is_the_same(
    packing, usual, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(formats, "_USUAL", usual)
    file = write(tmp_path / f"episode{packing}", simple_episode())
    assert_same(hbtom.load(file), read(simple_episode()))


@pytest.mark.parametrize("said", [0, 100, 255])
def test_a_zstd_file_that_lies_about_its_size_is_refused(said, tmp_path: Path) -> None:
    data = to_bytes(simple_episode(times=0))
    packed = bytearray(zstandard.ZstdCompressor(write_content_size=True).compress(data))
    size = zstandard.get_frame_parameters(bytes(packed)).content_size
    at = packed.index((size - 256).to_bytes(2, "little"))
    packed[at : at + 2] = said.to_bytes(2, "little")
    file = tmp_path / "lie.json.zst"
    file.write_bytes(packed)
    assert "broken" in problem(file)


@pytest.mark.parametrize("packing", PACKINGS[1:])
def test_a_file_with_many_empty_parts_is_quickly_read_or_refused(packing, tmp_path: Path) -> None:
    file = tmp_path / f"parts{packing}"
    data = pack(to_bytes(simple_episode()), packing)
    file.write_bytes(pack(b"", packing) * 5000 + data)
    assert_same(hbtom.load(file), read(simple_episode()))
    file.write_bytes(pack(b"", packing) * 300_000)
    assert "more than 10000 parts" in problem(file)


def test_a_gzip_file_may_be_padded_with_zeros(tmp_path: Path) -> None:
    file = tmp_path / "padded.json.gz"
    file.write_bytes(gzip.compress(to_bytes(simple_episode())) + bytes(1000))
    assert_same(hbtom.load(file), read(simple_episode()))


def test_an_episode_has_a_limited_number_of_trials(tmp_path: Path) -> None:
    (trial,) = simple_episode(times=0)
    file = write(tmp_path / "long.json", [trial[:1]] * 1001)
    assert "1001 trials" in problem(file)
    assert len(hbtom.load(write(tmp_path / "less.json", [trial[:1]] * 1000))) == 1000


def test_a_scene_beyond_its_limit_is_not_decoded(tmp_path: Path) -> None:
    file = tmp_path / "scene.json"
    file.write_bytes(b'{"objects": [' + b" " * (1 << 25) + b"]}")
    assert "more than 32 MB" in problem(file)
