"""HDF5 files that name other files, or whose few bytes stand for gigabytes."""

from __future__ import annotations

import json
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 20
PLACES = np.tile(np.arange(30.0, 30 + ROWS), (1, 2, 1, 1))  # [track, xy, node, frame]
COLUMNS = [("net", "nose", axis) for axis in "xy"]
OUTSIDE = "refers to data outside of it"
LARGE = "unpacks to more than 256 MB"

Write = Callable[[Any], object]  # into an open file


def table(names: bytes, kind: str = "f8", rows: int = ROWS) -> Write:
    """Return what writes a table of two columns, which are a pickle of their names."""

    def write(file: Any) -> None:
        row = np.dtype([("index", kind), ("values_block_0", kind, (2,))])
        node = file.create_dataset("df/table", (rows,), row, chunks=True)
        node.attrs["values_block_0_kind"] = np.bytes_(names)

    return write


def tracks(*shape: int, kind: str = "i1", **how: Any) -> Write:
    """Return what writes an array of which nothing is stored."""
    return lambda file: file.create_dataset("tracks", shape, kind, **{"chunks": True, **how})


def external(file: Any) -> None:
    file.create_dataset("tracks", PLACES.shape, "u1", external=[(__file__, 0, 1000)])


def virtual(file: Any) -> None:
    """Write an array that consists of itself."""
    import h5py

    layout = h5py.VirtualLayout(PLACES.shape, "f8")
    layout[:] = h5py.VirtualSource(".", "tracks", PLACES.shape, "f8")
    file.create_virtual_dataset("tracks", layout)


def link(name: str, inside: str = "") -> Write:
    """Return what writes a link to another file."""

    def write(file: Any) -> None:
        import h5py

        group = file.create_group(inside) if inside else file
        group[name] = h5py.ExternalLink("other.h5", "/tracks")

    return write


def deflated(file: Any) -> None:
    """Write a chunk that unpacks to far more than it should hold."""
    node = file.create_dataset("tracks", PLACES.shape, "f8", chunks=PLACES.shape, compression=9)
    node.id.write_direct_chunk((0, 0, 0, 0), zlib.compress(bytes(1 << 30), 9))


def nested(depth: int = 40) -> bytes:
    """Return a pickle in which a name holds two names, each of which holds two, and so on."""
    name: Any = "a"
    for _ in range(depth):
        name = (name, name)
    return pickle.dumps([(name, "nose", "x"), COLUMNS[1]], 2)


def with_names(file: Any) -> None:
    file["tracks"] = PLACES
    file.create_dataset("track_names", (1 << 26,), "S1", chunks=True)


def dimensions(*names: object) -> Write:
    def write(file: Any) -> None:
        file["tracks"] = PLACES
        file["tracks"].attrs["dims"] = json.dumps(names)

    return write


def soft_link(file: Any) -> None:
    import h5py

    file["other"] = h5py.ExternalLink("other.h5", "/")
    file["tracks"] = h5py.SoftLink("/other/tracks")


HOSTILE: dict[str, tuple[Write, str]] = {  # with what is said about it
    "external": (external, OUTSIDE),
    "virtual": (virtual, OUTSIDE),
    "link": (link("tracks"), OUTSIDE),
    "group link": (link("df"), OUTSIDE),
    "table link": (link("table", "df"), OUTSIDE),
    "soft link": (soft_link, OUTSIDE),
    "frames": (tracks(1, 2, 1, 1 << 25), "33,554,432 rows or frames"),
    "tracks": (tracks(1 << 25, 2, 1, 1), "33,554,432 tracks of body parts"),
    "nodes": (tracks(1, 2, 1 << 25, 1), "33,554,432 tracks of body parts"),
    "all": (tracks(100, 2, 100, 10_000), LARGE),
    "texts": (tracks(1, 2, 1, 1 << 13, kind="S1000000", chunks=(1, 2, 1, 1)), LARGE),
    "rows": (table(pickle.dumps(COLUMNS, 0), "i1", 1 << 26), LARGE),
    "chunk": (tracks(1, 2, 1, ROWS, chunks=(1, 2, 1, 1 << 28), maxshape=(1, 2, 1, None)), LARGE),
    "deflated": (deflated, LARGE),
    "nested": (table(nested()), "not tuples of text"),
    "code": (table(b"cos\nsystem\n(S'touch ran'\ntR."), "not tuples of text"),
    "number": (table(pickle.dumps([*COLUMNS[:1], ("net", "nose", 1)], 0)), "not tuples of text"),
    "long name": (table(pickle.dumps([("n", "b" * 30_000, "x")] * 2, 0)), "has x but no y"),
    "no frames": (tracks(1, 2, 1, 0, chunks=None), "there are no frames"),
    "no tracks": (tracks(0, 2, 1, ROWS, chunks=None), "there are no tracks"),
    "no nodes": (tracks(1, 2, 0, ROWS, chunks=None), "there are no body parts"),
    "no rows": (table(pickle.dumps(COLUMNS, 0), rows=0), "there are no rows"),
    "complex": (tracks(1, 2, 1, ROWS, kind="c16"), "the numbers are complex"),
    "dimensions": (dimensions(["a"], 1, 2, 3), "the HDF5 file is broken"),
}


def write(name: str, path: Path) -> None:
    """Write one of these files."""
    import h5py

    with h5py.File(path, "w") as file:
        HOSTILE[name][0](file)
