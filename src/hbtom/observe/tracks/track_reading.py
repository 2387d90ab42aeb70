"""Reading a track, regardless of which tracker wrote it."""

from __future__ import annotations

from hbtom.errors import BadInput, Place
from hbtom.observe.tracks.deeplabcut import begins_like_deeplabcut, read_deeplabcut
from hbtom.observe.tracks.hdf5 import read_hdf5
from hbtom.observe.tracks.plain_table import read_plain
from hbtom.observe.tracks.points import Tracks
from hbtom.observe.tracks.scene_file import Columns
from hbtom.observe.tracks.text_table import read_cells

_HDF5 = b"\x89HDF\r\n\x1a\n"


def read_tracks(data: bytes, suffix: str, columns: Columns) -> Tracks:
    """Return a tracker's output; ``columns`` are those that the scene names."""
    if data.startswith(_HDF5):
        return _as_it_is(read_hdf5(data), columns)
    if suffix.lower() in (".h5", ".hdf5"):
        hint = "was the download or the copy interrupted?"
        raise BadInput("the file has the name of an HDF5 file but is not one", hint=hint)
    rows, lines = read_cells(data)
    if begins_like_deeplabcut(rows[0]):
        return _as_it_is(read_deeplabcut(rows, lines), columns)
    return read_plain(rows, lines, columns)


def _as_it_is(tracks: Tracks, columns: Columns) -> Tracks:
    """Return tracks whose columns are fixed; refuse a scene that names columns."""
    if columns != Columns():
        hint = "leave [track.columns] out; [[trials]] frames = [first, last] separates trials"
        place = Place(field="track.columns")
        raise BadInput(f"the columns of {tracks.kind} cannot be named", hint=hint, place=place)
    return tracks
