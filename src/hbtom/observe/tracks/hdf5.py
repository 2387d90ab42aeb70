"""Tracks in HDF5 files: SLEAP's analysis files, and DeepLabCut's tables.

Both are read with h5py alone. DeepLabCut's tables are written by pandas, which pickles the names of
columns; the pickle is opened only if it holds nothing but lists, tuples and texts.
"""

from __future__ import annotations

import io
import json
import pickle
import pickletools
import zlib
from typing import Any

import numpy as np

from hbtom.errors import BadInput, Place, needed
from hbtom.files import check_rows
from hbtom.observe.tracks.deeplabcut import by_individual, no_track
from hbtom.observe.tracks.hdf5_contents import MOST_NAMES, Contents, packed_otherwise
from hbtom.observe.tracks.points import Individual, Tracks, check_parts

# Raised by h5py for damaged files, and by code that uses what it reads from them
_BROKEN = (
    *(OSError, LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError),
    zlib.error,
)
_PACKED = "plugin", "required filter"  # in h5py's message if it cannot decompress
_AGAIN = "export it again from DeepLabCut"
_SLEAP = ("track", "xy", "node", "frame")  # the dimensions of its array, as it usually writes them
_OTHERS = (["frame", "track", "node", "xy"], ["frame", "node", "xy", "track"])


def read_hdf5(data: bytes) -> Tracks:
    """Read the tracks in an HDF5 file."""
    with needed("h5py", "tracks"):
        import h5py
    try:
        with h5py.File(io.BytesIO(data), "r") as file, np.errstate(all="ignore"):
            return _tracks(Contents(file, data))
    except BadInput:
        raise
    except _BROKEN as error:
        if isinstance(error, OSError) and any(one in str(error) for one in _PACKED):
            raise packed_otherwise() from None
        raise BadInput(f"the HDF5 file is broken: {error!s:.150}", hint="copy it again") from None


def _tracks(contents: Contents) -> Tracks:
    tracks = contents.member(contents.file, "tracks")
    if contents.is_dataset(tracks):
        return _sleap(contents, tracks)
    for name in contents.members(contents.file):
        group = contents.member(contents.file, name)
        if not contents.is_group(group):
            continue
        if (table := contents.member(group, "table")) is not None:
            return _deeplabcut_table(contents, table)
        if contents.member(group, "block0_values") is not None:
            return _deeplabcut_fixed(contents, group)
    hint = "export it from SLEAP as analysis HDF5, or from DeepLabCut as .h5"
    raise BadInput("this HDF5 file has no tracks", hint=hint)


def _sleap(contents: Contents, node: Any) -> Tracks:
    """Read ``tracks``, and ``point_scores``, which has the same dimensions apart from x and y."""
    order = _order(node, contents.attribute(node, "dims"))
    many, _, nodes, frames = (node.shape[order.index(one)] for one in _SLEAP)
    for number, what in ((many, "tracks"), (nodes, "body parts"), (frames, "frames")):
        if number == 0:
            hint = "export it again from SLEAP, with predictions"
            raise BadInput(f"there are no {what}", hint=hint, place=Place(field="tracks"))
    check_parts(many * nodes)
    check_rows(frames)
    places = _numbers(contents, node).transpose([order.index(one) for one in _SLEAP])
    tracks = _unique(contents, "track_names", many, "track")
    parts = _unique(contents, "node_names", nodes, "node")
    score = np.broadcast_to(1.0, (many, nodes, frames))
    if (scores := contents.member(contents.file, "point_scores")) is not None:
        known, inner = _numbers(contents, scores), [one for one in order if one != "xy"]
        known = known.transpose([inner.index(one) for one in _SLEAP if one != "xy"])
        if known.shape != score.shape:
            problem = f"the array has the shape {known.shape}, not {score.shape}"
            raise BadInput(problem, place=Place(field="point_scores"))
        score = known
    number = np.arange(1.0, frames + 1)
    seen = {
        who: Individual(
            number,
            {
                part: np.column_stack([places[one, 0, at], places[one, 1, at], score[one, at]])
                for at, part in enumerate(parts)
            },
        )
        for one, who in enumerate(tracks)
    }
    return Tracks("SLEAP", seen, cutoff=0.0)  # its scores are not probabilities


def _numbers(contents: Contents, node: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of a dataset."""
    found = contents.array(node)
    if found.dtype.kind == "c":
        raise BadInput("the numbers are complex", place=Place(field=str(node.name)[:40]))
    if found.dtype.kind not in "iuf":
        place = Place(field=str(node.name)[:40])
        raise BadInput("these are not numbers", hint="export it as CSV", place=place)
    return found.astype(float, copy=False)


def _order(node: Any, dims: Any) -> list[str]:
    """Return the dimensions of SLEAP's array, which newer versions name; x and y are two."""
    named = [list(_SLEAP), *_OTHERS] if dims is None else [list(json.loads(dims))]
    for order in named:
        fits = sorted(order) == sorted(_SLEAP) and len(node.shape or ()) == len(order)
        if fits and node.shape[order.index("xy")] == 2:
            return order
    problem = f"the array has the shape {node.shape}"
    raise BadInput(problem, hint="it is [track, 2, node, frame]", place=Place(field="tracks"))


def _unique(contents: Contents, called: str, many: int, one: str) -> list[str]:
    """Return distinct names: those in the file, or numbers if the file's names are not distinct."""
    names = contents.names(contents.member(contents.file, called), many) or ()
    good = len(names) == many == len(set(names))
    return list(names) if good else [f"{one} {at + 1}" for at in range(many)]


# What pickled names of columns consist of: no numbers, and nothing that runs code
_NAMES = {
    *("PROTO", "FRAME", "STOP", "MARK", "LIST", "EMPTY_LIST", "APPEND"),
    *("APPENDS", "TUPLE", "EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "STRING", "BINSTRING"),
    *("SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "MEMOIZE"),
    *("PUT", "BINPUT", "LONG_BINPUT", "GET", "BINGET", "LONG_BINGET"),
}


class _OnlyNames(pickle.Unpickler):
    """Opens pickles without running code, even if the check before it were wrong."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError("the names of columns run code")


def _unpickled(data: bytes) -> list[tuple[str, ...]]:
    """Return the names in a pickle, if it is nothing but a list of flat tuples of text."""
    foreign = BadInput("the names of columns are not tuples of text", hint="export it as CSV")
    for op, arg, _ in pickletools.genops(data):
        if op.name not in _NAMES:
            raise foreign
        if op.name.endswith("PUT") and int(arg or 0) > len(data):  # it would fill the memory
            raise ValueError("the names of columns are damaged")
    try:
        names = _OnlyNames(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(names, list) or len(names) > MOST_NAMES:
        raise foreign
    for name in names:
        _check_name(name)
        if not all(isinstance(level, str) for level in name):
            raise foreign
    return names


def _check_name(name: Any) -> None:
    """Refuse a column whose name is not (scorer, part, coordinate), perhaps with an individual."""
    if not (isinstance(name, tuple) and len(name) in (3, 4)):
        raise BadInput("the columns are not those of DeepLabCut", hint="export it as CSV")


def _deeplabcut_table(contents: Contents, table: Any) -> Tracks:
    """Read a table whose columns are in blocks within each row."""
    rows = contents.array(table)
    if rows.ndim != 1 or not len(rows):
        raise BadInput("there are no rows", hint=_AGAIN)
    found: dict[tuple[str, ...], np.ndarray[Any, Any]] = {}
    for block in [name for name in rows.dtype.names or () if name.startswith("values_block_")]:
        names = _unpickled(bytes(contents.attribute(table, f"{block}_kind") or b""))
        found.update(zip(names, rows[block].reshape(len(rows), -1).T, strict=True))
    values = np.array([*found.values()], dtype=np.float64).T
    return _deeplabcut(list(found), values, rows["index"])


def _deeplabcut_fixed(contents: Contents, group: Any) -> Tracks:
    """Read a table whose columns are in blocks, one for each type of numbers."""
    members = contents.members(group)
    blocks = sorted(name.removesuffix("_values") for name in members if name.endswith("_values"))
    keys = [key for block in blocks for key in _block_keys(contents, group, block, members)]
    values = [_numbers(contents, contents.member(group, f"{block}_values")) for block in blocks]
    axis = contents.member(group, "axis1")
    number = np.array([], dtype=str) if axis is None else contents.array(axis)
    return _deeplabcut(keys, np.hstack(values), number)


def _block_keys(
    contents: Contents, group: Any, block: str, members: list[str]
) -> list[tuple[str, ...]]:
    """Return the levels of the name of each column in a block."""
    named = []
    for at in range(sum(name.startswith(f"{block}_items_level") for name in members)):
        names = contents.names(contents.member(group, f"{block}_items_level{at}")) or []
        labels = contents.array(contents.member(group, f"{block}_items_label{at}"))
        check_parts(labels.size)
        named.append([names[label] for label in labels.tolist()])
    return list(zip(*named, strict=True))


def _deeplabcut(
    names: list[tuple[str, ...]], values: np.ndarray[Any, Any], number: np.ndarray[Any, Any]
) -> Tracks:
    """Return tracks; names are (scorer, part, coordinate), or (scorer, individual, part, ...)."""
    for name in names:
        _check_name(name)
    keys = [(name[1] if len(name) == 4 else "agent", name[-2], name[-1]) for name in names]
    if number.dtype.kind not in "iuf":  # names of pictures
        raise no_track()
    check_rows(len(values))
    if number.shape != (len(values),):
        problem = f"there are {number.size} numbers of frames for {len(values)} rows"
        raise BadInput(problem, hint=_AGAIN)
    return by_individual(keys, values, number.astype(float))
