"""Reading files: one limit for all readers, and nothing that is not a file."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hbtom import BadInput, files, load
from hbtom.bench.cluster import _address
from hbtom.bench.download.folder import Folder
from hbtom.bench.entries import LEDGER
from hbtom.bench.journal import check as check_results
from hbtom.bench.labels import read_labels
from hbtom.bench.ratings import read_ratings
from hbtom.files import file_bytes
from hbtom.model import find_model
from hbtom.observe.archive.reading import open_archive
from hbtom.world.pddl import load_world

DOMAIN = Path(__file__).parents[1] / "worlds" / "doors-keys-gems" / "domain.pddl"

READERS: dict[str, Callable[[Path], Any]] = {
    "episode.json": load,
    "video.mp4": load,
    "model.toml": find_model,
    "labels.json": read_labels,
    "ratings.csv": read_ratings,
    "ratings.jsonl": read_ratings,
    "ratings.parquet": read_ratings,
    "archive.parquet": lambda path: open_archive(str(path)),
    "results.csv": lambda path: check_results(path, {}, resume=True, overwrite=False),
    "results.parquet": lambda path: check_results(path, {}, resume=True, overwrite=False),
    "domain.pddl": lambda path: load_world(path, path),
    "problem.pddl": lambda path: load_world(DOMAIN, path),
    "scheduler.json": lambda path: _address(str(path)),
    LEDGER: lambda path: Folder(path.parent),
}


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Callable[[Path], Any], Path]:
    return READERS[request.param], tmp_path / request.param


def told(read: Callable[[Path], Any], path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read(path)
    assert path.name in str(caught.value)
    return str(caught.value)


def test_no_reader_waits_for_a_pipe(reader) -> None:
    read, path = reader
    os.mkfifo(path)
    assert "a pipe, not a file" in told(read, path)


def test_no_reader_accepts_a_device(reader) -> None:
    read, path = reader
    path.symlink_to("/dev/zero")
    assert "a device, not a file" in told(read, path)


def test_no_reader_accepts_more_than_the_limit(reader) -> None:
    read, path = reader
    path.touch()
    os.truncate(path, 6 << 30)  # sparse: it takes no space on disk
    if path.name == "archive.parquet":  # only a part of it is ever read
        assert "broken" in told(read, path)
    else:
        by_hand = path.suffix in (".toml", ".pddl") or path.name in ("scheduler.json", LEDGER)
        assert f"more than {16 if by_hand else 512} MB" in told(read, path)


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 1000)
    path = tmp_path / "file"
    path.write_bytes(bytes(1000))
    assert file_bytes(path) == bytes(1000)
    path.write_bytes(bytes(1001))
    with pytest.raises(BadInput, match="the limit for such files"):
        file_bytes(path)


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="a file that hides its size")
def test_a_file_of_unknown_size_is_read_up_to_the_limit(monkeypatch) -> None:
    path = Path("/proc/self/maps")
    assert len(file_bytes(path)) > path.stat().st_size == 0
    monkeypatch.setattr(files, "LARGEST", 100)
    with pytest.raises(BadInput, match="more than"):
        file_bytes(path)


def test_a_socket_is_not_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
        with pytest.raises(BadInput, match="cannot be read"):
            file_bytes(Path("socket"))


def test_usual_files_are_read(tmp_path: Path) -> None:
    copy = tmp_path / "domain.pddl"
    shutil.copy(DOMAIN, copy)
    link = tmp_path / "link"
    link.symlink_to(copy)
    assert file_bytes(copy) == file_bytes(link) == DOMAIN.read_bytes()


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no /dev/fd")
def test_a_pipe_into_this_process_is_read_to_its_end_or_the_limit(tmp_path: Path) -> None:
    data = bytes(300_000)  # more than a pipe holds
    for most in (len(data), len(data) - 1):
        end, start = os.pipe()
        writer = threading.Thread(target=pour, args=(start, data))
        writer.start()
        try:
            if most == len(data):
                assert file_bytes(Path(f"/dev/fd/{end}"), most=most) == data
            else:
                with pytest.raises(BadInput, match="more than"):
                    file_bytes(Path(f"/dev/fd/{end}"), most=most)
        finally:
            os.close(end)
            writer.join()


def pour(start: int, data: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(start, "wb") as stream:
        stream.write(data)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no /dev/fd")
def test_a_link_to_a_pipe_into_this_process_is_refused(tmp_path: Path) -> None:
    end, start = os.pipe()
    try:
        (tmp_path / "a.json").symlink_to(f"/dev/fd/{end}")
        assert "a pipe, not a file" in told(load, tmp_path / "a.json")
    finally:
        os.close(end)
        os.close(start)
