"""Tracks in HDF5 files: SLEAP's analysis files, and DeepLabCut's tables.

Both are read with h5py alone. DeepLabCut's tables are written by pandas, which pickles the names of
columns; the pickle is opened only if it holds nothing but names.
"""

from __future__ import annotations

import io
import json
import pickle
import pickletools
from collections.abc import Iterator
from typing import Any

import numpy as np

from hbtom.errors import BadInput, Place, needed
from hbtom.observe.tracks.deeplabcut import by_individual, no_track
from hbtom.observe.tracks.points import Individual, Tracks

_MOST = 1 << 26  # numbers in a file, at most
# Raised by h5py for damaged files, and by code that uses what it reads from them
_BROKEN = OSError, LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError
_PACKED = "plugin", "required filter"  # in h5py's message if it cannot decompress
_SLEAP = ("track", "xy", "node", "frame")  # the dimensions of its array, as it usually writes them
_OTHERS = (["frame", "track", "node", "xy"], ["frame", "node", "xy", "track"])


def read_hdf5(data: bytes) -> Tracks:
    """Read the tracks in an HDF5 file."""
    with needed("h5py", "tracks"):
        import h5py
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            if isinstance(file.get("tracks"), h5py.Dataset):
                return _sleap(file)
            for group in file.values():
                if isinstance(group, h5py.Group) and "table" in group:
                    return _deeplabcut_table(group["table"])
                if isinstance(group, h5py.Group) and "block0_values" in group:
                    return _deeplabcut_fixed(group)
    except BadInput:
        raise
    except _BROKEN as error:
        if isinstance(error, OSError) and any(one in str(error) for one in _PACKED):
            problem = "the HDF5 file is compressed in a way that h5py alone cannot read"
            raise BadInput(problem, hint="export it as CSV, or without compression") from None
        raise BadInput(f"the HDF5 file is broken: {error}", hint="copy it again") from None
    hint = "export it from SLEAP as analysis HDF5, or from DeepLabCut as .h5"
    raise BadInput("this HDF5 file has no tracks", hint=hint)


def _array(node: Any) -> np.ndarray[Any, Any]:
    """Return a whole dataset of reasonable size."""
    if np.prod(node.shape, dtype=float) > _MOST:
        raise BadInput(f"there are more than {_MOST} numbers", place=Place(field=node.name))
    array = np.asarray(node[()])
    if array.dtype.kind == "c":
        raise BadInput("the numbers are complex", place=Place(field=node.name))
    return array


def _names(node: Any) -> list[str]:
    return [one.decode() if isinstance(one, bytes) else str(one) for one in _array(node).tolist()]


def _sleap(file: Any) -> Tracks:
    """Read ``tracks``, and ``point_scores``, which has the same dimensions apart from x and y."""
    order = _order(file["tracks"])
    places = _array(file["tracks"]).astype(float).transpose([order.index(one) for one in _SLEAP])
    many, _, nodes, frames = places.shape
    tracks = _unique(file.get("track_names"), many, "track")
    parts = _unique(file.get("node_names"), nodes, "node")
    score = np.ones((many, nodes, frames))
    if "point_scores" in file:
        known, inner = _array(file["point_scores"]), [one for one in order if one != "xy"]
        known = known.transpose([inner.index(one) for one in _SLEAP if one != "xy"])
        if known.shape != score.shape:
            problem = f"the array has the shape {known.shape}, not {score.shape}"
            raise BadInput(problem, place=Place(field="point_scores"))
        score = known.astype(float)
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


def _order(node: Any) -> list[str]:
    """Return the dimensions of SLEAP's array, which newer versions name; x and y are two."""
    named = (
        [list(json.loads(node.attrs["dims"]))] if "dims" in node.attrs else [list(_SLEAP), *_OTHERS]
    )
    for order in named:
        fits = sorted(order) == sorted(_SLEAP) and len(node.shape) == len(order)
        if fits and node.shape[order.index("xy")] == 2:
            return order
    problem = f"the array has the shape {node.shape}"
    raise BadInput(problem, hint="it is [track, 2, node, frame]", place=Place(field="tracks"))


def _unique(node: Any, many: int, called: str) -> list[str]:
    """Return distinct names: those in the file, or numbers if the file's names are not distinct."""
    names = [] if node is None else _names(node)
    good = len(names) == many == len(set(names))
    return names if good else [f"{called} {at + 1}" for at in range(many)]


class _OnlyNames(pickle.Unpickler):
    """Opens pickles of lists, tuples, texts and numbers; anything else could run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise BadInput(f"the names of columns hold a {module}.{name}", hint="export it as CSV")


def _unpickled(data: bytes) -> Any:
    """Return the names in a pickle; refuse one with indices so high that it would fill memory."""
    numbered = (arg for op, arg, _ in pickletools.genops(data) if op.name.endswith("PUT"))
    if any(int(number) > len(data) for number in numbered if number is not None):
        raise ValueError("the names of columns are damaged")
    try:
        return _OnlyNames(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError) as error:
        raise ValueError(str(error)) from None


def _columns(table: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the levels of each column's name and its values."""
    rows = _array(table)
    for block in [name for name in rows.dtype.names or () if name.startswith("values_block_")]:
        names = _unpickled(bytes(table.attrs[f"{block}_kind"]))
        values = rows[block].reshape(len(rows), -1)
        for name, column in zip(names, values.T, strict=True):
            yield tuple(map(str, name)), column


def _deeplabcut_table(table: Any) -> Tracks:
    found = dict(_columns(table))
    number = _array(table)["index"]
    return _deeplabcut(list(found), np.array([*found.values()], dtype=float).T, number)


def _deeplabcut_fixed(group: Any) -> Tracks:
    """Read a table whose columns are in blocks, one for each type of numbers."""
    blocks = sorted(name.removesuffix("_values") for name in group if name.endswith("_values"))
    keys = [key for block in blocks for key in _block_keys(group, block)]
    values = np.hstack([_array(group[f"{block}_values"]).astype(float) for block in blocks])
    number = _array(group["axis1"]) if "axis1" in group else np.array([], dtype=str)
    return _deeplabcut(keys, values, number)


def _block_keys(group: Any, block: str) -> list[tuple[str, ...]]:
    """Return the levels of the name of each column in a block."""
    levels = sum(name.startswith(f"{block}_items_level") for name in group)
    named = [
        np.array(_names(group[f"{block}_items_level{at}"]))[
            _array(group[f"{block}_items_label{at}"])
        ]
        for at in range(levels)
    ]
    return [tuple(map(str, key)) for key in zip(*named, strict=True)]


def _deeplabcut(
    names: list[tuple[str, ...]], values: np.ndarray[Any, Any], number: np.ndarray[Any, Any]
) -> Tracks:
    """Return tracks; names are (scorer, part, coordinate), or (scorer, individual, part, ...)."""
    if not all(len(name) in (3, 4) for name in names):
        raise BadInput("the columns are not those of DeepLabCut", hint="export it as CSV")
    keys = [(name[1] if len(name) == 4 else "agent", name[-2], name[-1]) for name in names]
    if number.dtype.kind not in "iuf":  # names of pictures
        raise no_track()
    return by_individual(keys, values, number.astype(float))
