"""HDF5 files that name other files, or would fill the memory, are refused before they are read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bombs
import hbtom

h5py = pytest.importorskip("h5py")

SCENE = 'size = [200, 200]\nobjects = [{name = "food", at = [190, 90]}]\n'
READ = """\
import resource, sys, warnings, hbtom
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
warnings.simplefilter("error")
for path in sys.argv[1:]:
    try:
        print(path, *hbtom.load(path).notes)
    except hbtom.BadInput as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are those of Linux")
def test_hostile_files_are_refused_with_one_line(tmp_path: Path) -> None:
    """They are read in a process of its own with little memory, since some would end it."""
    (tmp_path / "scene.toml").write_text(SCENE)
    for at, name in enumerate(bombs.HOSTILE):
        bombs.write(name, tmp_path / f"{at}.h5")
    files = [f"{at}.h5" for at in range(len(bombs.HOSTILE))]
    ran = subprocess.run(
        [sys.executable, "-c", READ, *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    lines = ran.stdout.splitlines()
    for (name, (_, said)), line in zip(bombs.HOSTILE.items(), lines, strict=True):
        assert said in line, name
        assert len(line) < 300, name


@pytest.mark.parametrize(
    "how",
    [{"compression": "gzip", "shuffle": True, "fletcher32": True}, {"compression": 1}, {}],
    ids=["all", "gzip", "none"],
)
def test_ordinary_compression_is_read(tmp_path: Path, how: dict[str, object]) -> None:
    (tmp_path / "scene.toml").write_text(SCENE)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("tracks", data=bombs.PLACES, chunks=(1, 1, 1, 7), **how)
    path = hbtom.load(tmp_path / "a.h5").test.path
    assert np.array_equal(path, bombs.PLACES[0, :, 0].T)


@pytest.mark.parametrize("length", [5, 1 << 31], ids=["true", "claimed"])
def test_texts_of_any_length_are_names_unless_they_claim_too_much(
    tmp_path: Path, length: int
) -> None:
    """The library would make room for the claimed length first."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["tracks"] = bombs.PLACES
        file["track_names"] = ["mouse"]
    data = (tmp_path / "a.h5").read_bytes()
    heap = data.index(b"GCOL").to_bytes(8, "little")
    data = data.replace((5).to_bytes(4, "little") + heap, length.to_bytes(4, "little") + heap)
    (tmp_path / "a.h5").write_bytes(data)
    known = '[agent]\ntrack = "mouse"\n' if length == 5 else ""
    (tmp_path / "scene.toml").write_text(SCENE + known)
    assert len(hbtom.load(tmp_path / "a.h5").test.path) == bombs.ROWS


@pytest.mark.skipif(sys.platform != "linux", reason="limits on time are those of Linux")
def test_damaged_heaps_of_texts_do_not_hang(tmp_path: Path) -> None:
    """The library would go on to the next object forever if one had no size."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["tracks"] = bombs.PLACES
        file["track_names"] = ["mouse"]
    data = bytearray((tmp_path / "a.h5").read_bytes())
    free = data.index(b"GCOL") + 16 + 16 + 8  # after the heads of heap and object, and the text
    data[free + 8 : free + 16] = bytes(8)
    (tmp_path / "0.h5").write_bytes(data)
    (tmp_path / "scene.toml").write_text(SCENE)
    command = [sys.executable, "-c", READ, "0.h5"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100, check=True)
    assert b"a heap of texts is damaged" in ran.stdout
